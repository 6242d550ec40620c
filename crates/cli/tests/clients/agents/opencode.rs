//! opencode.

use super::agent::{Agent, Place, Start};
use crate::model::CallForm;

pub(crate) const OPENCODE: Agent = Agent {
    name: "opencode",
    program: "opencode",
    natives: &[],
    has_init: true,
    proxies_all: false,
    set_up,
    tool: |tool| format!("foveal_{tool}"),
    form: CallForm::Function,
    before: Vec::new,
    tells: |_, _| false,
    unwrap: str::to_owned,
};

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
        super::OPENCODE, crate::course::large;
        answers_come_uncut,
        pointers_hold,
        nothing_fails,
        the_agent_ends_well,
    }
}
