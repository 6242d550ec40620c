//! The oldest version of Claude Code that foveal is for: what is checked of the newest has to hold
//! there too.

use super::agent::Agent;
use super::claude_code::CLAUDE_CODE;

const CLAUDE_CODE_OLD: Agent = Agent {
    runs: "claude-code-2.1.139",
    // Nothing but what lies in the folder of that version.
    program: "claude-code-2.1.139",
    natives: &["claude-code-2.1.139-linux-x64/claude", "claude-code-2.1.139-linux-arm64/claude"],
    ..CLAUDE_CODE
};

crate::checks::common_checks!(CLAUDE_CODE_OLD);

mod at_once {
    crate::checks::checks! {
        super::CLAUDE_CODE_OLD, crate::course::alike;
        the_few_tools_are_offered_at_once,
    }
}

mod large {
    crate::checks::checks! {
        super::CLAUDE_CODE_OLD, crate::course::large;
        answers_come_uncut,
        pointers_hold,
        nothing_fails,
        the_agent_ends_well,
    }
}

mod own_tools {
    crate::checks::checks! {
        super::CLAUDE_CODE_OLD, crate::agents::claude_code::own_tools::work;
        the_hook_points_at_what_was_read,
        what_the_hook_makes_of_output_is_read,
        what_the_hook_leaves_of_files_is_read,
        notes_of_the_hook_stand_for_what_was_printed,
        pointers_hold,
        the_agent_ends_well,
    }
}

mod sub_agents {
    crate::checks::checks! {
        super::CLAUDE_CODE_OLD, crate::agents::claude_code::sub_agents::work;
        pointers_hold,
        sub_agents_are_pointed_at_what_they_read_themselves,
        the_agent_ends_well,
    }
}

mod own_edits {
    crate::checks::checks! {
        super::CLAUDE_CODE_OLD, crate::agents::claude_code::own_edits::work;
        nothing_fails,
        pointers_hold,
        the_agent_ends_well,
    }
}
