//! pi, which has no servers of tools.

use serde_json::json;

use super::agent::{Agent, Place, Start};
use crate::long_session::LongSession;
use crate::model::{Call, CallForm, Fault};

pub(crate) const PI: Agent = Agent {
    name: "pi",
    runs: "pi",
    program: "pi",
    natives: &[],
    has_init: true,
    proxies_all: false,
    set_up,
    tool: str::to_owned,
    form: CallForm::Function,
    before: Vec::new,
    tells: |_, _| false,
    unwrap: str::to_owned,
};

fn set_up(place: &Place<'_>) -> Start {
    let model = json!({"id": "fake", "name": "Fake", "contextWindow": 200_000, "maxTokens": 32_000,
        "input": ["text"], "reasoning": false,
        "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 1}});
    let provider = json!({"baseUrl": format!("{}/v1", place.model), "api": "openai-completions",
        "apiKey": "dummy", "models": [model]});
    let models = json!({"providers": {"scripted": provider}});
    place.write(".pi/agent/models.json", &models.to_string());
    let variables = [("PI_OFFLINE", "1"), ("PI_SKIP_VERSION_CHECK", "1"), ("PI_TELEMETRY", "0")];
    Start::new(&["-p", "--provider", "scripted", "--model", "fake", place.prompt], &variables)
}

/// Its own tools, whose answers the plugin has shaped.
mod own_tools {
    use serde_json::json;

    use crate::agents::Agent;
    use crate::model::{Call, Step};
    use crate::projects::{LARGE, SHORT, task};
    use crate::run::Task;

    crate::checks::checks! {
        super::PI, work;
        the_hook_points_at_what_was_read,
        what_the_hook_gives_is_read,
        pointers_hold,
        the_agent_ends_well,
    }

    fn read(path: &str) -> Step {
        vec![Call::native("read", json!({ "path": path }))]
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
                json!({"path": SHORT, "edits": [{"oldText": "    return amount + 5",
                    "newText": "    return amount + 5_000"}]}),
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
            super::super::PI, work;
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
    PI,
    |path| ("read", json!({ "path": path })),
    |command| ("bash", json!({"command": command, "description": "Run it"}));
    between => Way::Served,
    wrapped => Way::Wrapped,
    set => Way::Set,
}

/// A long session with everything at once.
const LONG_SESSION: LongSession = LongSession {
    read: |path, lines| {
        let mut arguments = json!({ "path": path });
        if let Some((first, last)) = lines {
            arguments["offset"] = json!(first);
            arguments["limit"] = json!(last + 1 - first);
        }
        Call::native("read", arguments)
    },
    run: |line| Call::native("bash", json!({"command": line, "description": "Run it"})),
    edit: |path, old, new| {
        let edits = json!([{"oldText": old, "newText": new}]);
        Call::native("edit", json!({"path": path, "edits": edits}))
    },
    search: |pattern, path| {
        let line = format!("grep -rn '{pattern}' {path}");
        Call::native("bash", json!({"command": line, "description": "Run it"}))
    },
    has_tools: false,
    faults: &Fault::ALL,
    // It compacts between two prompts of the user only.
    full_window: None,
};

crate::session_checks::long_session_checks!(PI, LONG_SESSION);
