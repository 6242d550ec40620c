//! What `foveal init --gateway`, `foveal wrap` and `foveal doctor` say that an agent does without
//! behind another address, against what the agent sends.

use serde_json::json;

use crate::agents::claude_code::CLAUDE_CODE;
use crate::agents::{Agent, Place};
use crate::model::Call;
use crate::projects::{SHORT, task};
use crate::run::{Task, Way, run};

/// What Claude Code sends to Anthropic's own address alone, as it stands in a body.
const OF_ANTHROPIC_ALONE: [&str; 2] = ["\"scope\":\"global\"", "\"diagnostics\":"];

/// The same agent, which takes the gateway's address for Anthropic's.
const CLAUDE_CODE_FIRST_PARTY: Agent = Agent {
    runs: "claude-code-first-party",
    set_up: |place: &Place<'_>| {
        let mut start = (CLAUDE_CODE.set_up)(place);
        start.variables.push(("_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL", "1".to_owned()));
        start
    },
    ..CLAUDE_CODE
};

static DIRECT: Agent = CLAUDE_CODE_FIRST_PARTY;
static BEHIND: Agent = Agent { runs: "claude-code-other-address", ..CLAUDE_CODE };

/// Whether each of these stands in a request that reached the model.
fn arrived(agent: &'static Agent) -> Option<[bool; 2]> {
    let read =
        || vec![Call::native("Read", json!({ "file_path": format!("{{PROJECT}}/{SHORT}") }))];
    let task = Task { way: Way::Served, ..task(agent, "losses", vec![read(), read()]) };
    let run = run(agent, task)?;
    assert!(run.arrivals.len() > 1, "{}", run.printed);
    let stands = |part: &str| run.arrivals.iter().any(|arrival| arrival.text.contains(part));
    Some(OF_ANTHROPIC_ALONE.map(stands))
}

/// Where this fails, Claude Code does without something else: see `clients/losses.rs` in the program.
#[test]
fn claude_code_does_without_what_is_said_and_foveal_passes_it_on() {
    if let (Some(behind), Some(direct)) = (arrived(&BEHIND), arrived(&DIRECT)) {
        assert_eq!((behind, direct), ([false; 2], [true; 2]));
    }
}
