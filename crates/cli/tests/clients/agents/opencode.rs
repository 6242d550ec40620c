//! opencode.

use serde_json::json;

use super::agent::{Agent, Place, Start};
use crate::long_session::LongSession;
use crate::model::{Call, CallForm, Fault};

pub(crate) const OPENCODE: Agent = Agent {
    name: "opencode",
    runs: "opencode",
    program: "opencode",
    natives: &[],
    has_init: true,
    proxies_all: false,
    set_up,
    tool: |tool| format!("foveal_{tool}"),
    form: CallForm::Function,
    before: Vec::new,
    tells: |_, _| false,
    unwrap,
};

/// Its own reads number lines with a colon and a space.
fn unwrap(text: &str) -> String {
    if !text.starts_with("<path>") {
        return text.to_owned();
    }
    let line = |line: &str| match line.split_once(": ") {
        Some((number, text)) if number.parse::<u32>().is_ok() => format!("{number}→{text}\n"),
        // An empty line.
        None if line.strip_suffix(':').is_some_and(|number| number.parse::<u32>().is_ok()) => {
            format!("{}→\n", line.trim_end_matches(':'))
        }
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

fn set_up(place: &Place<'_>) -> Start {
    let model = place.model;
    let settings = format!(
        r#"{{
  "autoupdate": false,
  "share": "disabled",
  "provider": {{
    "scripted": {{
      "npm": "@ai-sdk/anthropic",
      "name": "Scripted",
      "options": {{ "baseURL": "{model}/v1", "apiKey": "dummy" }},
      "models": {{
        "fake": {{ "name": "Fake", "limit": {{ "context": 200000, "output": 32000 }}, "tool_call": true }}
      }}
    }}
  }}
}}
"#
    );
    place.write(".config/opencode/opencode.json", &settings);
    // What it would install before it loads a plugin; offline it would wait for that.
    place.write(".config/opencode/node_modules/.keep", "");
    place.write(
        ".config/opencode/package-lock.json",
        r#"{"packages": {"": {"dependencies": {"@opencode-ai/plugin": "1.18.33"}}}}"#,
    );
    let variables = [
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_PERMISSION", r#"{"*":"allow"}"#),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
    ];
    Start::new(&["run", "-m", "scripted/fake", place.prompt, "--print-logs"], &variables)
}

crate::checks::common_checks!(OPENCODE);

mod large {
    crate::checks::checks! {
        super::OPENCODE, crate::projects::large;
        answers_come_uncut,
        pointers_hold,
        nothing_fails,
        the_agent_ends_well,
    }
}

/// Its own tools, whose answers the plugin has shaped.
mod own_tools {
    use serde_json::json;

    use crate::agents::Agent;
    use crate::model::{Call, Step};
    use crate::projects::{LARGE, SHORT, task};
    use crate::run::Task;

    crate::checks::checks! {
        super::OPENCODE, work;
        the_hook_points_at_what_was_read,
        what_the_hook_gives_is_read,
        pointers_hold,
        the_agent_ends_well,
    }

    fn read(path: &str) -> Step {
        vec![Call::native("read", json!({ "filePath": path }))]
    }

    fn work(agent: &Agent) -> Task {
        let run = |command: String| {
            vec![Call::native("bash", json!({"command": command, "description": "Run it"}))]
        };
        let steps = vec![
            read(SHORT),
            read(SHORT),
            run(format!("cat {SHORT}")),
            vec![Call::native(
                "edit",
                json!({"filePath": SHORT, "oldString": "    return amount + 5",
                    "newString": "    return amount + 5_000"}),
            )],
            read(SHORT),
            run("cat src/middle.py".to_owned()),
            run("sed -n '20,60p' src/middle.py".to_owned()),
            read("src/middle.py"),
            run(format!("sed -n '1,90p' {LARGE}")),
            run(format!("sed -n '30,80p' {LARGE}")),
            run("seq 1 900 | sed 's/.*/test case_number_& ... ok/'".to_owned()),
        ];
        task(agent, "own-tools", steps)
    }

    /// The same where foveal is gone: all is as without it.
    mod without_foveal {
        use super::{Agent, SHORT, Task, read, task};

        crate::checks::checks! {
            super::super::OPENCODE, work;
            reads_come_whole,
            the_agent_ends_well,
        }

        fn work(agent: &Agent) -> Task {
            let steps = vec![read(SHORT), read(SHORT), read("src/middle.py")];
            Task { is_gone: true, ..task(agent, "without", steps) }
        }
    }
}

crate::checks::between_checks! {
    OPENCODE,
    |path| ("read", json!({ "filePath": path })),
    |command| ("bash", json!({"command": command, "description": "Run it"}));
    wrapped => Way::Wrapped,
}

/// A long session with everything at once.
const LONG_SESSION: LongSession = LongSession {
    read: |path, lines| {
        let mut arguments = json!({ "filePath": path });
        if let Some((first, last)) = lines {
            arguments["offset"] = json!(first);
            arguments["limit"] = json!(last + 1 - first);
        }
        Call::native("read", arguments)
    },
    run: |line| Call::native("bash", json!({"command": line, "description": "Run it"})),
    edit: |path, old, new| {
        Call::native("edit", json!({"filePath": path, "oldString": old, "newString": new}))
    },
    search: |pattern, path| Call::native("grep", json!({"pattern": pattern, "path": path})),
    has_tools: true,
    faults: &Fault::ALL,
    full_window: Some(190_000),
};

crate::session_checks::long_session_checks!(OPENCODE, LONG_SESSION);
