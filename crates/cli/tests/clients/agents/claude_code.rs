//! Claude Code.

use serde_json::json;

use super::agent::{Agent, Place, Start};
use crate::long_session::LongSession;
use crate::model::{Call, CallForm, Fault, Plan, Step};
use crate::projects::{LARGE, SHORT, task};
use crate::run::Task;

pub(crate) const CLAUDE_CODE: Agent = Agent {
    name: "claude-code",
    runs: "claude-code",
    program: "claude",
    natives: &[
        "@anthropic-ai/claude-code-linux-x64/claude",
        "@anthropic-ai/claude-code-linux-arm64/claude",
    ],
    has_init: true,
    proxies_all: false,
    set_up,
    tool: |tool| format!("mcp__foveal__{tool}"),
    form: CallForm::Function,
    before: search,
    tells: |_, _| false,
    unwrap: str::to_owned,
};

fn set_up(place: &Place<'_>) -> Start {
    let allowed = "Bash,Read,Edit,Write,Grep,Glob,Agent,ToolSearch,mcp__foveal";
    let arguments = [
        "-p",
        place.prompt,
        "--output-format",
        "stream-json",
        "--verbose",
        "--permission-mode",
        "acceptEdits",
        "--allowedTools",
        allowed,
    ];
    let variables = [
        ("ANTHROPIC_BASE_URL", place.model),
        ("ANTHROPIC_API_KEY", "sk-ant-dummy-key-0000000000"),
        // With the address of another server it would offer all tools at once.
        ("ENABLE_TOOL_SEARCH", "true"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
        ("DISABLE_UPDATES", "1"),
    ];
    Start::new(&arguments, &variables)
}

/// The same with a window that a session can fill.
const CLAUDE_CODE_COMPACTING: Agent = Agent { set_up: set_up_with_window, ..CLAUDE_CODE };

fn set_up_with_window(place: &Place<'_>) -> Start {
    let mut start = set_up(place);
    start.variables.push(("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "200000".to_owned()));
    start
}

/// The tools of servers are told by name only until they are searched.
fn search() -> Vec<Step> {
    let names = ["read_file", "read_lines", "edit_file", "write_file", "grep", "bash"];
    let names = names.map(|name| format!("mcp__foveal__{name}")).join(",");
    let query = json!({"query": format!("select:{names}"), "max_results": 10});
    vec![vec![Call::native("ToolSearch", query)]]
}

/// What has to hold of every version of it.
macro_rules! claude_code_checks {
    ($agent:ident) => {
        crate::checks::common_checks!($agent);

        /// What needs no search.
        mod at_once {
            crate::checks::checks! {
                super::$agent, crate::projects::alike;
                the_few_tools_are_offered_at_once,
            }
        }

        mod large {
            crate::checks::checks! {
                super::$agent, crate::projects::large;
                answers_come_uncut,
                pointers_hold,
                nothing_fails,
                the_agent_ends_well,
            }
        }

        mod own_tools {
            crate::checks::checks! {
                super::$agent, crate::agents::claude_code::own_tools;
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
                super::$agent, crate::agents::claude_code::sub_agents;
                pointers_hold,
                sub_agents_are_pointed_at_what_they_read_themselves,
                the_agent_ends_well,
            }
        }

        mod own_edits {
            crate::checks::checks! {
                super::$agent, crate::agents::claude_code::own_edits;
                nothing_fails,
                pointers_hold,
                the_agent_ends_well,
            }
        }
    };
}

pub(super) use claude_code_checks;

claude_code_checks!(CLAUDE_CODE);

/// Its own tools, whose answers the hook shapes.
pub(crate) fn own_tools(agent: &Agent) -> Task {
    let bash = |command: String| {
        vec![Call::native("Bash", json!({"command": command, "description": "Run it"}))]
    };
    let read = |path: &str| vec![Call::native("Read", json!({ "file_path": path }))];
    let edit = json!({"file_path": SHORT, "old_string": "    return amount + 5",
        "new_string": "    return amount + 5_000"});
    let steps = vec![
        read(SHORT),
        bash(format!("cat {SHORT}")),
        vec![Call::native("Edit", edit)],
        read(SHORT),
        // The first of these lines is empty.
        bash(format!("sed -n '8,30p' {SHORT}")),
        bash("cat src/middle.py".to_owned()),
        bash("sed -n '20,60p' src/middle.py".to_owned()),
        read("src/middle.py"),
        bash(format!("cat {LARGE}")),
        bash(format!("sed -n '101,150p' {LARGE}")),
    ];
    task(agent, "own-tools", steps)
}

const PROMPTS: [&str; 3] = ["Look at the first part.", "Look at the second.", "Look at the third."];

/// Sub-agents that work at the same time, under the session's own id.
pub(crate) fn sub_agents(agent: &Agent) -> Task {
    let ask = |prompt: &str| {
        let arguments = json!({"description": "Look", "prompt": prompt,
            "subagent_type": "general-purpose", "run_in_background": false});
        Call::native("Agent", arguments)
    };
    let read = || vec![agent.call("read_file", json!({ "path": SHORT }))];
    let mut task = task(agent, "sub-agents", vec![PROMPTS.map(ask).to_vec(), read()]);
    let plan = |marker| Plan::new(marker, [(agent.before)(), vec![read(), read()]].concat());
    task.plans.extend(PROMPTS.map(plan));
    task
}

/// Its own edits of files that the model knows from the server, and the other way round.
pub(crate) fn own_edits(agent: &Agent) -> Task {
    let own = |tool: &str, arguments| vec![Call::native(tool, arguments)];
    let ours = |tool, arguments| vec![agent.call(tool, arguments)];
    let edit =
        |old: &str, new: &str| json!({"file_path": SHORT, "old_string": old, "new_string": new});
    let edit_ours = |path: &str, old: &str, new: &str| {
        ours("edit_file", json!({"path": path, "old_str": old, "new_str": new, "intent": "try"}))
    };
    let new = "def new_1(amount):\n    return amount + 1\n";
    let steps = vec![
        ours("read_file", json!({ "path": SHORT })),
        own("Read", json!({ "file_path": SHORT })),
        own("Edit", edit("    return amount + 5", "    more = 5_000\n    return amount + more")),
        own("Edit", edit("amount + 2\n", "amount + 2_000\n")),
        // On lines that the model wrote itself.
        edit_ours(SHORT, "    more = 5_000\n", "    more = 50_000\n"),
        edit_ours(SHORT, "    return amount + 2_000\n", "    return amount + 20_000\n"),
        ours("read_file", json!({ "path": SHORT })),
        own("Write", json!({"file_path": "src/written.py", "content": new})),
        edit_ours("src/written.py", "    return amount + 1\n", "    return amount + 100\n"),
        ours("write_file", json!({"path": "src/written.py", "content": new})),
    ];
    let mut task = task(agent, "own-edits", Vec::new());
    task.plans[0].steps = [(agent.before)(), steps].concat();
    task
}

crate::checks::between_checks! {
    CLAUDE_CODE,
    |path| ("Read", json!({ "file_path": path })),
    |command| ("Bash", json!({"command": command, "description": "Run it"}));
    between => Way::Served,
    wrapped => Way::Wrapped,
}

/// A long session with everything at once.
const LONG_SESSION: LongSession = LongSession {
    read: |path, lines| {
        let mut arguments = json!({ "file_path": path });
        if let Some((first, last)) = lines {
            arguments["offset"] = json!(first);
            arguments["limit"] = json!(last + 1 - first);
        }
        Call::native("Read", arguments)
    },
    run: |line| Call::native("Bash", json!({"command": line, "description": "Run it"})),
    edit: |path, old, new| {
        Call::native("Edit", json!({"file_path": path, "old_string": old, "new_string": new}))
    },
    search: |pattern, path| {
        let arguments =
            json!({"pattern": pattern, "path": path, "output_mode": "content", "-n": true});
        Call::native("Grep", arguments)
    },
    has_tools: true,
    faults: &Fault::ALL,
    full_window: Some(190_000),
};

crate::session_checks::long_session_checks!(CLAUDE_CODE_COMPACTING, LONG_SESSION);
