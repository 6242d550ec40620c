//! Detection of changes that a client makes to its earlier messages.

use foveal_protocols::Protocol;
use foveal_proxy::RequestShaper;
use foveal_proxy::request::{
    ChangedPart, DecisionSlot, PrefixDivergence, RequestReport, ShapeRequest,
};
use foveal_transcript::Timestamp;
use serde_json::json;

use crate::support::conversations;

/// Returns a request with these messages, alternately of the user and the assistant.
fn ask(
    conversations: &RequestShaper,
    model: &str,
    system: &str,
    messages: &[&str],
) -> RequestReport {
    asked(conversations, model, system, messages, false).0
}

fn asked(
    conversations: &RequestShaper,
    model: &str,
    system: &str,
    messages: &[&str],
    counts: bool,
) -> (RequestReport, Vec<u8>) {
    let roles = ["user", "assistant"].into_iter().cycle();
    let messages: Vec<_> =
        roles.zip(messages).map(|(role, text)| json!({ "role": role, "content": text })).collect();
    let body = json!({ "model": model, "system": system, "messages": messages });
    let body = body.to_string().into_bytes();
    let shaped = conversations.shape(&ShapeRequest {
        protocol: Protocol::Messages,
        counts_tokens: counts,
        model: None,
        body: &body,
        now: Timestamp(0),
        profile_override: None,
        agents: &[],
        upstream: "",
        decision: &DecisionSlot::default(),
    });
    (shaped.report, body)
}

#[test]
fn a_conversation_that_goes_on_departs_nowhere() {
    let conversations = conversations("balanced");
    let first = ask(&conversations, "claude-opus-4-5", "be kind", &["a", "b", "c"]);
    assert_eq!(first.divergence, None);
    let next = ask(&conversations, "claude-opus-4-5", "be kind", &["a", "b", "c", "d", "e"]);
    assert_eq!((next.divergence, next.conversation), (None, first.conversation.clone()));
    assert!(first.tokens_received > 0 && first.tokens_received == first.tokens_sent);
    let other = ask(&conversations, "claude-opus-4-5", "be brief", &["another question"]);
    assert_eq!(other.divergence, None);
    assert_ne!(other.conversation, first.conversation);
}

#[test]
fn a_changed_message_is_named_with_its_place() {
    let conversations = conversations("balanced");
    ask(&conversations, "claude-opus-4-5", "be kind", &["a", "b", "long words", "d", "e"]);
    let changed = ["a", "b", "cut", "d", "e"];
    let (about, body) = asked(&conversations, "claude-opus-4-5", "be kind", &changed, false);
    let departed = about.divergence.expect("a message changed");
    let place = departed.bytes.clone().expect("there is one in its place");
    assert_eq!(&body[place], br#"{"role":"user","content":"cut"}"#);
    let before = r#"{"role":"user","content":"long words"}"#.len() as u64;
    assert_eq!(
        departed,
        PrefixDivergence {
            changed: ChangedPart::Message,
            messages: 2,
            tokens: about.tokens_received - 3,
            bytes: departed.bytes.clone(),
            bytes_before: Some(before),
        }
    );
}

#[test]
fn another_model_or_system_prompt_changes_all() {
    let conversations = conversations("balanced");
    ask(&conversations, "claude-opus-4-5", "be kind", &["a", "b", "c"]);
    let changed = |about: RequestReport| about.divergence.map(|it| (it.changed, it.messages));
    let about = ask(&conversations, "claude-haiku-4-5", "be kind", &["a", "b", "c"]);
    assert_eq!(changed(about), Some((ChangedPart::Model, 0)));
    let about = ask(&conversations, "claude-haiku-4-5", "be brief", &["a", "b", "c"]);
    assert_eq!(changed(about), Some((ChangedPart::System, 0)));
}

#[test]
fn who_goes_back_departs_at_the_end() {
    let conversations = conversations("balanced");
    ask(&conversations, "claude-opus-4-5", "be kind", &["a", "b", "c"]);
    let about = ask(&conversations, "claude-opus-4-5", "be kind", &["a"]);
    let departed = about.divergence.expect("it went back");
    assert_eq!(
        (departed.messages, departed.tokens, departed.bytes),
        (1, about.tokens_received, None)
    );
}

#[test]
fn counting_tokens_is_no_request_before() {
    let conversations = conversations("balanced");
    ask(&conversations, "claude-opus-4-5", "be kind", &["a", "b", "c"]);
    let counted = ["a", "other"];
    let (counted, _) = asked(&conversations, "claude-opus-4-5", "be kind", &counted, true);
    assert_eq!(counted.divergence, None);
    let next = ask(&conversations, "claude-opus-4-5", "be kind", &["a", "b", "c", "d", "e"]);
    assert_eq!(next.divergence, None);
}
