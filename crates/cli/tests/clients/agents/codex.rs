//! Codex.

use serde_json::json;

use super::agent::{Agent, Place, Start};
use crate::long_session::LongSession;
use crate::model::{Call, CallForm, Fault, Step};

pub(crate) const CODEX: Agent = Agent {
    name: "codex",
    runs: "codex",
    program: "codex",
    natives: &[],
    has_init: true,
    proxies_all: false,
    set_up,
    tool: str::to_owned,
    form: CallForm::Grouped("mcp__foveal"),
    before: search,
    tells: |text, name| text.contains(&format!("\"name\":\"{name}\"")),
    unwrap,
};

/// The same where the user has said that hooks may run.
pub(crate) const CODEX_WITH_HOOKS: Agent = Agent { set_up: set_up_with_hooks, ..CODEX };

fn set_up_with_hooks(place: &Place<'_>) -> Start {
    let mut start = set_up(place);
    start.arguments.insert(1, "--dangerously-bypass-hook-trust".to_owned());
    start
}

fn set_up(place: &Place<'_>) -> Start {
    let model = place.model;
    place.write(
        ".codex/config.toml",
        &format!(
            "model = \"gpt-5.5-codex\"\n\
             model_provider = \"scripted\"\n\
             approval_policy = \"never\"\n\
             sandbox_mode = \"danger-full-access\"\n\
             check_for_update_on_startup = false\n\n\
             [model_providers.scripted]\n\
             name = \"Scripted\"\n\
             base_url = \"{model}/v1\"\n\
             env_key = \"SCRIPTED_KEY\"\n\
             wire_api = \"responses\"\n\
             supports_websockets = false\n\n\
             [analytics]\n\
             enabled = false\n"
        ),
    );
    Start::new(&["exec", "--skip-git-repo-check", place.prompt], &[("SCRIPTED_KEY", "dummy")])
}

/// The tools of servers are not offered until they are searched.
fn search() -> Vec<Step> {
    let arguments =
        json!({"query": "foveal read_file read_lines edit_file grep bash", "limit": 20});
    let call = Call { form: CallForm::Search, ..Call::native("tool_search", arguments) };
    vec![vec![call]]
}

/// Two lines in front say how long the call took.
fn unwrap(text: &str) -> String {
    text.split_once("\nOutput:\n").map_or(text, |(_, output)| output).to_owned()
}

crate::checks::common_checks!(CODEX);

mod large {
    crate::checks::checks! {
        super::CODEX, crate::projects::large;
        answers_come_uncut,
        pointers_hold,
        nothing_fails,
        the_agent_ends_well,
    }
}

/// Its own tool, whose answers the hook shapes once the user trusts it.
mod own_tools {
    use serde_json::json;

    use crate::agents::Agent;
    use crate::model::Call;
    use crate::projects::{LARGE, task};
    use crate::run::Task;

    crate::checks::checks! {
        super::CODEX_WITH_HOOKS, work;
        the_hook_points_at_what_was_read,
        what_the_hook_gives_is_read,
        pointers_hold,
        the_agent_ends_well,
    }

    fn work(agent: &Agent) -> Task {
        let run = |command: String| vec![Call::native("exec_command", json!({ "cmd": command }))];
        let steps = vec![
            run("cat src/middle.py".to_owned()),
            run("sed -n '20,60p' src/middle.py".to_owned()),
            run("head -n 150 src/middle.py".to_owned()),
            run(format!("sed -n '1,90p' {LARGE}")),
            run(format!("sed -n '30,80p' {LARGE}")),
        ];
        task(agent, "own-tools", steps)
    }
}

crate::checks::between_checks! {
    CODEX,
    |path| ("exec_command", json!({ "cmd": format!("cat {path}") })),
    |command| ("exec_command", json!({ "cmd": command }));
    between => Way::Served,
    wrapped => Way::Wrapped,
    set => Way::Set,
}

/// A long session with everything at once.
const LONG_SESSION: LongSession = LongSession {
    read: |path, lines| {
        let line = match lines {
            Some((first, last)) => format!("sed -n '{first},{last}p' {path}"),
            None => format!("cat {path}"),
        };
        Call::native("exec_command", json!({ "cmd": line }))
    },
    run: |line| Call::native("exec_command", json!({ "cmd": line })),
    edit: |path, old, new| {
        let input =
            format!("*** Begin Patch\n*** Update File: {path}\n@@\n-{old}+{new}*** End Patch\n");
        Call { form: CallForm::Custom, ..Call::native("apply_patch", json!({ "input": input })) }
    },
    search: |pattern, path| {
        Call::native("exec_command", json!({ "cmd": format!("grep -rn '{pattern}' {path}") }))
    },
    has_tools: true,
    // It does not ask again after 429.
    faults: &[Fault::Status(500), Fault::Status(529), Fault::CutStream, Fault::SlowStream],
    full_window: Some(260_000),
};

crate::session_checks::long_session_checks!(CODEX_WITH_HOOKS, LONG_SESSION);
