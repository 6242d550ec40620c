//! Qwen Code.

use serde_json::json;

use super::agent::{Agent, Place, Start};
use crate::model::CallForm;

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
    unwrap: str::to_owned,
};

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
        super::QWEN, crate::course::large;
        answers_come_uncut,
        pointers_hold,
        nothing_fails,
        the_agent_ends_well,
    }
}

crate::checks::between_checks! {
    QWEN,
    |path| ("read_file", json!({ "file_path": path })),
    |command| ("run_shell_command", json!({"command": command, "description": "Run it", "is_background": false}));
    wrapped => Way::Wrapped,
}
