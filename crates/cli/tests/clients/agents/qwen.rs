//! Qwen Code.

use serde_json::json;

use super::agent::{Agent, Place, Start};
use crate::long_session::LongSession;
use crate::model::{Call, CallForm, Fault};

pub(crate) const QWEN: Agent = Agent {
    name: "qwen",
    runs: "qwen",
    program: "qwen",
    natives: &[],
    has_init: true,
    proxies_all: true,
    set_up,
    tool: |tool| format!("mcp__foveal__{tool}"),
    form: CallForm::Function,
    before: Vec::new,
    tells: |text, name| text.contains(name),
    unwrap,
};

/// Its shell repeats the command, and says how it ended behind the output.
fn unwrap(text: &str) -> String {
    let output = text.split_once("\nOutput: ").filter(|_| text.starts_with("Command: "));
    let Some((_, output)) = output else { return text.to_owned() };
    output.rsplit_once("\nError: ").map_or(output, |(output, _)| output).to_owned()
}

fn set_up(place: &Place<'_>) -> Start {
    let settings = json!({
        "security": {"auth": {"selectedType": "openai"}},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
        "general": {"enableAutoUpdate": false},
    });
    place.write(".qwen/settings.json", &settings.to_string());
    let address = format!("{}/v1", place.model);
    let variables = [
        ("OPENAI_API_KEY", "dummy"),
        ("OPENAI_BASE_URL", &*address),
        ("OPENAI_MODEL", "qwen3-coder-plus"),
    ];
    Start::new(&["--yolo", "-p", place.prompt], &variables)
}

crate::checks::common_checks!(QWEN);

mod large {
    crate::checks::checks! {
        super::QWEN, crate::projects::large;
        answers_come_uncut,
        pointers_hold,
        nothing_fails,
        the_agent_ends_well,
    }
}

crate::checks::between_checks! {
    QWEN,
    |path| ("read_file", json!({ "file_path": format!("{{PROJECT}}/{path}") })),
    |command| ("run_shell_command", json!({"command": command, "description": "Run it", "is_background": false}));
    wrapped => Way::Wrapped,
}

/// A long session with everything at once.
const LONG_SESSION: LongSession = LongSession {
    read: |path, lines| {
        let mut arguments = json!({ "file_path": format!("{{PROJECT}}/{path}") });
        if let Some((first, last)) = lines {
            arguments["offset"] = json!(first - 1);
            arguments["limit"] = json!(last + 1 - first);
        }
        Call::native("read_file", arguments)
    },
    run: |line| {
        let arguments = json!({"command": line, "description": "Run it", "is_background": false});
        Call::native("run_shell_command", arguments)
    },
    edit: |path, old, new| {
        let path = format!("{{PROJECT}}/{path}");
        Call::native("edit", json!({"file_path": path, "old_string": old, "new_string": new}))
    },
    search: |pattern, path| Call::native("grep_search", json!({"pattern": pattern, "path": path})),
    has_tools: true,
    // A stream that is cut ends its run.
    faults: &[Fault::Status(429), Fault::Status(500), Fault::Status(529), Fault::SlowStream],
    // It compacts between two prompts of the user only.
    full_window: None,
};

crate::session_checks::long_session_checks!(QWEN, LONG_SESSION);
