//! Cline.

use serde_json::{Value, json};

use super::agent::{Agent, Place, Start};
use crate::long_session::LongSession;
use crate::model::{Call, CallForm, Fault};

pub(crate) const CLINE: Agent = Agent {
    name: "cline",
    runs: "cline",
    program: "cline",
    natives: &[],
    has_init: true,
    proxies_all: false,
    set_up,
    tool: |tool| format!("foveal__{tool}"),
    form: CallForm::Function,
    before: Vec::new,
    tells: |_, _| false,
    unwrap,
};

fn set_up(place: &Place<'_>) -> Start {
    let settings = json!({
        "provider": "openai-compatible", "apiKey": "dummy", "model": "fake",
        "baseUrl": format!("{}/v1", place.model),
    });
    let provider = json!({"settings": settings, "updatedAt": "2025-01-01T00:00:00.000Z",
        "tokenSource": "manual"});
    let providers = json!({"version": 1, "lastUsedProvider": "openai-compatible", "modes": {},
        "providers": {"openai-compatible": provider}});
    place.write(".cline/data/settings/providers.json", &providers.to_string());
    let variables = [("CLINE_NO_AUTO_UPDATE", "1"), ("CLINE_TELEMETRY_DISABLED", "1")];
    Start::new(&["-P", "openai-compatible", "-m", "fake", place.prompt], &variables)
}

/// Answers of servers are JSON in a string.
fn unwrap(text: &str) -> String {
    let Ok(answer) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    // Its own tools answer several questions at once.
    if let Some(answers) = answer.as_array() {
        let texts: Vec<&str> = answers.iter().filter_map(|of| of["result"].as_str()).collect();
        return if texts.is_empty() { text.to_owned() } else { texts.join("\n") };
    }
    let blocks = answer["content"].as_array().into_iter().flatten();
    let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
    if texts.is_empty() { text.to_owned() } else { texts.join("\n") }
}

crate::checks::common_checks!(CLINE);

mod large {
    crate::checks::checks! {
        super::CLINE, crate::projects::large;
        answers_come_uncut,
        pointers_hold,
        nothing_fails,
        the_agent_ends_well,
    }
}

/// A long session with everything at once.
const LONG_SESSION: LongSession = LongSession {
    read: |path, lines| {
        let mut file = json!({ "path": path });
        if let Some((first, last)) = lines {
            file["start_line"] = json!(first);
            file["end_line"] = json!(last);
        }
        Call::native("read_files", json!({ "files": [file] }))
    },
    run: |line| Call::native("run_commands", json!({ "commands": [line] })),
    edit: |path, old, new| {
        Call::native("editor", json!({"path": path, "old_text": old, "new_text": new}))
    },
    search: |pattern, _| Call::native("search_codebase", json!({ "queries": [pattern] })),
    has_tools: true,
    faults: &Fault::ALL,
    full_window: Some(190_000),
};

crate::session_checks::long_session_checks!(CLINE, LONG_SESSION);
