//! Gemini CLI.

use serde_json::json;

use super::agent::{Agent, Place, Start};
use crate::long_session::LongSession;
use crate::model::{Call, CallForm, Fault};

pub(crate) const GEMINI: Agent = Agent {
    name: "gemini",
    runs: "gemini",
    program: "gemini",
    natives: &[],
    has_init: true,
    proxies_all: true,
    set_up,
    tool: |tool| format!("mcp_foveal_{tool}"),
    form: CallForm::Function,
    before: Vec::new,
    tells: |_, _| false,
    unwrap,
};

fn set_up(place: &Place<'_>) -> Start {
    place.write(
        ".gemini/settings.json",
        r#"{
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "privacy": { "usageStatisticsEnabled": false },
  "telemetry": { "enabled": false },
  "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false }
}
"#,
    );
    let variables = [
        ("GEMINI_API_KEY", "dummy"),
        ("GOOGLE_GEMINI_BASE_URL", place.model),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
    ];
    Start::new(&["-m", "gemini-2.5-pro", "--yolo", "-p", place.prompt], &variables)
}

/// Answers of servers stand between tags.
fn unwrap(text: &str) -> String {
    let within = text.strip_prefix("<untrusted_context>");
    let within = within.and_then(|text| text.strip_suffix("</untrusted_context>"));
    let within = within.map_or(text, |text| text.trim_matches('\n'));
    // Its shell says how the command ended behind the output.
    let Some(output) = within.strip_prefix("Output: ") else { return within.to_owned() };
    let ends = ["\nExit Code: ", "\nProcess Group PGID: "];
    let end = ends.iter().filter_map(|end| output.find(end)).min().unwrap_or(output.len());
    output[..end].to_owned()
}

crate::checks::common_checks!(GEMINI);

mod large {
    crate::checks::checks! {
        super::GEMINI, crate::projects::large;
        answers_come_uncut,
        pointers_hold,
        nothing_fails,
        the_agent_ends_well,
    }
}

/// Its own shell, whose output the hook shapes.
mod own_tools {
    use serde_json::json;

    use crate::agents::Agent;
    use crate::model::Call;
    use crate::projects::task;
    use crate::run::Task;

    crate::checks::checks! {
        super::GEMINI, work;
        what_the_hook_gives_is_read,
        pointers_hold,
        the_agent_ends_well,
    }

    fn work(agent: &Agent) -> Task {
        let run = |command: String| {
            let arguments = json!({"command": command, "description": "Run it"});
            vec![Call::native("run_shell_command", arguments)]
        };
        let steps = vec![
            run("seq 1 900 | sed 's/.*/test case_number_& ... ok/'; exit 3".to_owned()),
            run("cat src/short.py".to_owned()),
        ];
        task(agent, "own-tools", steps)
    }
}

crate::checks::between_checks! {
    GEMINI,
    |path| ("read_file", json!({ "file_path": path })),
    |command| ("run_shell_command", json!({"command": command, "description": "Run it"}));
    between => Way::Served,
    wrapped => Way::Wrapped,
}

/// A long session with everything at once.
const LONG_SESSION: LongSession = LongSession {
    read: |path, lines| {
        let mut arguments = json!({ "file_path": path });
        if let Some((first, last)) = lines {
            arguments["start_line"] = json!(first);
            arguments["end_line"] = json!(last);
        }
        Call::native("read_file", arguments)
    },
    run: |line| {
        Call::native("run_shell_command", json!({"command": line, "description": "Run it"}))
    },
    edit: |path, old, new| {
        let arguments = json!({"file_path": path, "instruction": "change an amount",
            "old_string": old, "new_string": new});
        Call::native("replace", arguments)
    },
    search: |pattern, path| {
        Call::native("grep_search", json!({"pattern": pattern, "dir_path": path}))
    },
    has_tools: true,
    faults: &Fault::ALL,
    // It compacts between two prompts of the user only.
    full_window: None,
};

crate::session_checks::long_session_checks!(GEMINI, LONG_SESSION);
