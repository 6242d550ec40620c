//! The oldest version of Claude Code that foveal is for: what is checked of the newest has to hold
//! there too.

use super::agent::Agent;
use super::claude_code::{CLAUDE_CODE, claude_code_checks};

const CLAUDE_CODE_OLD: Agent = Agent {
    runs: "claude-code-2.1.139",
    // Nothing but what lies in the folder of that version.
    program: "claude-code-2.1.139",
    natives: &["claude-code-2.1.139-linux-x64/claude", "claude-code-2.1.139-linux-arm64/claude"],
    ..CLAUDE_CODE
};

claude_code_checks!(CLAUDE_CODE_OLD);
