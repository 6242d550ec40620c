//! Codex.

use serde_json::json;

use super::agent::{Agent, Place, Start};
use crate::model::{Call, CallForm, Step};

pub(crate) const CODEX: Agent = Agent {
    name: "codex",
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
        super::CODEX, crate::course::large;
        answers_come_uncut,
        pointers_hold,
        nothing_fails,
        the_agent_ends_well,
    }
}
