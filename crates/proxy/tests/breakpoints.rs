//! Cache breakpoints in requests of clients that set none.

use std::sync::Arc;

use foveal_protocols::Protocol;
use foveal_protocols::request_body::{CACHE_CONTROL_MEMBER, RequestBody};
use foveal_proxy::RequestShaper;
use foveal_proxy::recorder::InMemoryRecorder;
use foveal_proxy::request::{DecisionSlot, ShapeOutcome, ShapeRequest};
use foveal_proxy::rules::{BreakpointMode, ShapingRules};
use foveal_testkit::conversation_scripts;
use foveal_testkit::request_bodies::ModelApi;
use foveal_transcript::Timestamp;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::support::{
    self, MODEL, Sent, bytes, conversations, messages, over, requests, shaped, shaped_for,
    without_results,
};

/// The largest number of breakpoints of a request.
const MARKS_MAX: usize = 4;

/// A system prompt as long as that of an agent: providers cache nothing shorter.
fn system() -> String {
    (0..400)
        .map(|at| format!("Rule {at}: read a file before you change it, and say why.\n"))
        .collect()
}

/// Returns the request of a client that sets no breakpoints, with a system prompt of this length.
fn without_marks(sent: &Sent) -> Sent {
    let mut body: Value = serde_json::from_slice(&sent.body).expect("a body");
    for message in body["messages"].as_array_mut().expect("messages") {
        for block in message["content"].as_array_mut().expect("blocks") {
            block.as_object_mut().expect("a block").remove("cache_control");
        }
    }
    body["system"] = json!([{ "type": "text", "text": system() }]);
    Sent { body: body.to_string().into_bytes(), ..sent.clone() }
}

fn without_marks_all(script: &foveal_testkit::generate::ConversationScript) -> Vec<Sent> {
    requests(script, ModelApi::Messages).iter().map(without_marks).collect()
}

fn marks(body: &[u8]) -> usize {
    support::marks(ModelApi::Messages, body)
}

/// Returns the sent body without its breakpoints.
fn unmarked(body: &[u8]) -> Vec<u8> {
    String::from_utf8(body.to_vec())
        .expect("it is text")
        .replace(CACHE_CONTROL_MEMBER, "")
        .into_bytes()
}

/// Returns a request of a conversation without tools, with so many messages.
fn chat(messages: usize) -> Sent {
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    let all: Vec<Value> = (0..messages)
        .map(|at| {
            let role = if at % 2 == 0 { "user" } else { "assistant" };
            json!({ "role": role, "content": text(&format!("message {at}")) })
        })
        .collect();
    let body = json!({ "model": MODEL, "max_tokens": 9, "system": system(), "messages": all });
    let now = Timestamp(1_000 * messages as i64);
    Sent { api: ModelApi::Messages, now, body: body.to_string().into_bytes() }
}

#[test]
fn a_conversation_is_marked_from_its_second_request_on() {
    let conversations = conversations("balanced");
    let marks_of = |shaped: ShapeOutcome, sent: &Sent| {
        assert!(shaped.report.lacks_breakpoints);
        let told = shaped.report.breakpoints as usize;
        let went = bytes(shaped, sent);
        assert_eq!(marks(&went), told);
        assert_eq!(unmarked(&went), sent.body);
        told
    };
    let all: Vec<usize> = [1, 3, 5, 7]
        .map(|count| {
            let sent = chat(count);
            marks_of(shaped(&conversations, &sent), &sent)
        })
        .to_vec();
    // The system prompt is a plain string here, and stays one.
    assert_eq!(all, [0, 1, 2, 2]);
}

#[test]
fn other_requests_get_no_marks() {
    let kept = Arc::new(InMemoryRecorder::default());
    let conversations = over("balanced", kept);
    for count in [1, 3] {
        shaped(&conversations, &chat(count));
    }
    let sent = chat(5);
    let asked = |wait| ShapeRequest {
        protocol: Protocol::Messages,
        counts_tokens: false,
        model: None,
        body: &sent.body,
        now: sent.now,
        profile_override: None,
        agents: &[],
        upstream: "",
        decision: wait,
    };
    let wait = DecisionSlot::default();
    let counted = conversations.shape(&ShapeRequest { counts_tokens: true, ..asked(&wait) });
    let off = conversations.shape(&ShapeRequest { profile_override: Some("off"), ..asked(&wait) });
    assert_eq!([counted.body, off.body], [None, None]);
    let summary = "Your task is to create a detailed summary of the conversation so far.";
    for (text, instead) in [("message 4", summary), (MODEL, "kimi-k2")] {
        let other = String::from_utf8(sent.body.clone()).expect("text").replace(text, instead);
        let other = Sent { body: other.into_bytes(), ..sent.clone() };
        assert_eq!(shaped(&conversations, &other).body, None, "{instead}");
    }
    // None of this prevented the conversation from continuing.
    assert_eq!(shaped(&conversations, &sent).report.breakpoints, 2);
    let mut rules = ShapingRules::from_profile("balanced").expect("a profile");
    rules.breakpoint_mode = BreakpointMode::Off;
    let off = RequestShaper::new(rules, Arc::new(InMemoryRecorder::default()));
    for count in [1, 3, 5] {
        assert_eq!(shaped(&off, &chat(count)).body, None);
    }
}

#[test]
fn many_results_at_once_find_what_was_kept() {
    let conversations = conversations("balanced");
    let call =
        |at: usize| json!({ "type": "tool_use", "id": format!("t{at}"), "name": "f", "input": {} });
    let result = |at: usize| json!({ "type": "tool_result", "tool_use_id": format!("t{at}"), "content": "x" });
    let mut sent = chat(3);
    shaped(&conversations, &chat(1));
    shaped(&conversations, &sent);
    let mut body: Value = serde_json::from_slice(&sent.body).expect("a body");
    let calls: Vec<Value> = (0..30).map(call).collect();
    let results: Vec<Value> = (0..30).map(result).collect();
    body["messages"].as_array_mut().expect("messages").extend([
        json!({ "role": "assistant", "content": calls }),
        json!({ "role": "user", "content": results }),
    ]);
    sent = Sent { now: Timestamp(9_000), body: body.to_string().into_bytes(), ..sent };
    let went = bytes(shaped(&conversations, &sent), &sent);
    let scanned = RequestBody::scan(Protocol::Messages, &went).expect("a body");
    let at: Vec<_> = scanned.breakpoints.iter().map(|mark| mark.target).collect();
    use foveal_protocols::request_body::BreakpointTarget::Message;
    // At the last breakpoint's position, twenty blocks in front of the last one, and there.
    assert_eq!(at, [Message(2), Message(3), Message(4)]);
}

#[test]
fn generated_conversations_are_marked() {
    let mut runner = TestRunner::deterministic();
    let (mut marked, mut with_old) = (0, 0);
    for _ in 0..20 {
        let script =
            conversation_scripts(OPERATIONS_MAX).new_tree(&mut runner).expect("a script").current();
        let conversations = conversations("max");
        for sent in without_marks_all(&script) {
            let marks = shaped(&conversations, &sent).report.breakpoints;
            marked += usize::from(marks > 0);
            with_old += usize::from(marks > 2);
        }
    }
    assert!(marked > 50 && with_old > 20, "{marked} marked, {with_old} where a mark stood before");
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() }
}

/// Operations of a generated conversation.
const OPERATIONS_MAX: usize = 24;

const PROFILES: [&str; 3] = ["lossless", "balanced", "max"];

fn profiles() -> impl Strategy<Value = &'static str> {
    (0..PROFILES.len()).prop_map(|at| PROFILES[at])
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn nothing_but_marks_and_texts_of_results_changes(
        script in conversation_scripts(OPERATIONS_MAX), profile in profiles(),
    ) {
        let conversations = conversations(profile);
        for sent in without_marks_all(&script) {
            let shaped = shaped(&conversations, &sent);
            let told = shaped.report.breakpoints as usize;
            let went = bytes(shaped, &sent);
            prop_assert_eq!(marks(&went), told);
            prop_assert!(told <= MARKS_MAX);
            let rest = without_results(ModelApi::Messages, &unmarked(&went));
            prop_assert_eq!(rest, without_results(ModelApi::Messages, &sent.body));
        }
    }

    #[test]
    fn marks_break_no_prefix(
        script in conversation_scripts(OPERATIONS_MAX), profile in profiles(), late in any::<u32>(),
    ) {
        let conversations = conversations(profile);
        let mut earlier: Vec<(Vec<String>, Vec<String>)> = Vec::new();
        for (at, sent) in without_marks_all(&script).into_iter().enumerate() {
            let is_late = late >> (at % 32) & 1 == 1;
            let wait = if is_late { DecisionSlot::impatient() } else { DecisionSlot::default() };
            let shaped = shaped_for(&conversations, &sent, &wait);
            let rewrite = shaped.report.rewrite;
            let went = match wait.abandon(&sent.body) {
                Some(earlier) if is_late => earlier.unwrap_or_else(|| sent.body.clone()),
                Some(_) | None => bytes(shaped, &sent),
            };
            prop_assert!(!is_late || marks(&went) == 0);
            let (asked, went) = (messages(ModelApi::Messages, &sent.body), messages(ModelApi::Messages, &went));
            let continued = earlier.iter().rev().filter(|(before, _)| asked.starts_with(before));
            let continued = continued.max_by_key(|(before, _)| before.len());
            if let Some((_, before)) = continued.filter(|_| rewrite.is_none()) {
                prop_assert_eq!(&before[..], &went[..before.len()]);
            }
            earlier.push((asked, went));
        }
    }

    #[test]
    fn a_restart_between_any_two_requests_moves_no_mark(
        script in conversation_scripts(OPERATIONS_MAX), profile in profiles(),
    ) {
        let one = conversations(profile);
        let kept = Arc::new(InMemoryRecorder::default());
        for sent in without_marks_all(&script) {
            let went = bytes(shaped(&one, &sent), &sent);
            let other = over(profile, Arc::clone(&kept) as _);
            prop_assert_eq!(&went, &bytes(shaped(&other, &sent), &sent));
            prop_assert_eq!(&went, &bytes(shaped(&other, &sent), &sent));
            let third = over(profile, Arc::clone(&kept) as _);
            prop_assert_eq!(&went, &bytes(shaped(&third, &sent), &sent));
        }
    }
}
