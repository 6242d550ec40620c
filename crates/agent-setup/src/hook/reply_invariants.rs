//! Invariants of the reply to any event, for tests and for the fuzzer.

use foveal_store::SqliteStore;
use foveal_tools::duplicate_calls::CallSettings;
use foveal_transcript::Timestamp;
use serde_json::Value;

use super::agent_hook::AgentHook;
use super::event::{HookEvent, HookEventKind};
use super::expand_command::ExpandCommand;
use super::reply::{ReplyContext, reply_to_event};
use super::tool_output::ShapeableOutput;

/// Checks that a result is only replaced by a shorter one of the same form, and that a call that
/// the model repeats at once is answered in full.
///
/// # Panics
/// If an invariant does not hold.
pub fn check_reply_invariants(bytes: &[u8], host: &'static AgentHook) {
    let Some(event) = HookEvent::parse(bytes, host) else { return };
    let store = SqliteStore::in_memory().expect("memory");
    let expand = ExpandCommand::from_program("foveal");
    let means = ReplyContext {
        expand: Some(&expand),
        keeps_contents: true,
        has_gateway: false,
        calls: &CallSettings::default(),
        now: Timestamp(1_800_000_000_000),
    };
    let replied = reply_to_event(&event, &store, means).expect("memory can be used");
    let Some(replied) = replied else { return };
    let HookEventKind::ToolAnswered(answered) = &event.kind else {
        assert!(matches!(event.kind, HookEventKind::CommandFailed(_)), "{event:?}");
        return;
    };
    let whole = ShapeableOutput::from_answered_call(answered, host).expect("it was replaced").text;
    if host.is_claude_code() {
        let output = &replied["hookSpecificOutput"]["updatedToolOutput"];
        let mut changed = answered.clone();
        changed.response = output.clone();
        let keys = |value: &Value| value.as_object().map_or(0, serde_json::Map::len);
        assert!((1..=keys(&answered.response) + 1).contains(&keys(output)), "{replied}");
        let sent = ShapeableOutput::from_answered_call(&changed, host)
            .map_or(0, |output| output.text.len());
        assert!(sent < whole.len(), "{replied} for {whole}");
    }
    if event.transcript.is_none() && event.conversation.is_none() {
        let mut again = event.clone();
        if let HookEventKind::ToolAnswered(answered) = &mut again.kind {
            answered.call.push_str(" again");
        }
        let replied = reply_to_event(&again, &store, means).expect("memory can be used");
        assert_eq!(replied, None, "{event:?}");
    }
}
