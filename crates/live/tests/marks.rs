//! Marks for the provider's cache in requests of clients that set none.

use std::sync::Arc;

use foveal_live::Conversations;
use foveal_live::recorder::InMemory;
use foveal_live::request::{Asked, Shaped, Wait};
use foveal_live::rules::{CacheMarks, Rules};
use foveal_testkit::bodies::Api;
use foveal_testkit::scripts;
use foveal_transcript::Timestamp;
use foveal_wire::Protocol;
use foveal_wire::body::{Body, MARK};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::support::{
    self, MODEL, Sent, bytes, conversations, messages, over, requests, shaped, shaped_for,
    without_results,
};

/// Marks that a request may have.
const MARKS_MAX: usize = 4;

/// A system prompt as long as that of an agent: below that, providers cache nothing.
fn system() -> String {
    (0..400)
        .map(|at| format!("Rule {at}: read a file before you change it, and say why.\n"))
        .collect()
}

/// The same request of a client that sets no marks, with a system prompt of some length.
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

fn without_marks_all(script: &foveal_testkit::generate::Script) -> Vec<Sent> {
    requests(script, Api::Messages).iter().map(without_marks).collect()
}

fn marks(body: &[u8]) -> usize {
    support::marks(Api::Messages, body)
}

/// What went without its marks.
fn unmarked(body: &[u8]) -> Vec<u8> {
    String::from_utf8(body.to_vec()).expect("it is text").replace(MARK, "").into_bytes()
}

/// A request of a conversation without tools, so many messages long.
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
    Sent { api: Api::Messages, now, body: body.to_string().into_bytes() }
}

#[test]
fn a_conversation_is_marked_from_its_second_request_on() {
    let conversations = conversations("balanced");
    let marks_of = |shaped: Shaped, sent: &Sent| {
        assert!(shaped.about.is_unmarked);
        let told = shaped.about.marks as usize;
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
    // The system prompt is a plain string here, which stays one.
    assert_eq!(all, [0, 1, 2, 2]);
}

#[test]
fn other_requests_get_no_marks() {
    let kept = Arc::new(InMemory::default());
    let conversations = over("balanced", kept);
    for count in [1, 3] {
        shaped(&conversations, &chat(count));
    }
    let sent = chat(5);
    let asked = |wait| Asked {
        protocol: Protocol::Messages,
        counts: false,
        model: None,
        body: &sent.body,
        now: sent.now,
        wish: None,
        upstream: "",
        wait,
    };
    let wait = Wait::default();
    let counted = conversations.shape(&Asked { counts: true, ..asked(&wait) });
    let off = conversations.shape(&Asked { wish: Some("off"), ..asked(&wait) });
    assert_eq!([counted.body, off.body], [None, None]);
    let summary = "Your task is to create a detailed summary of the conversation so far.";
    for (text, instead) in [("message 4", summary), (MODEL, "kimi-k2")] {
        let other = String::from_utf8(sent.body.clone()).expect("text").replace(text, instead);
        let other = Sent { body: other.into_bytes(), ..sent.clone() };
        assert_eq!(shaped(&conversations, &other).body, None, "{instead}");
    }
    // None of that kept the conversation from going on.
    assert_eq!(shaped(&conversations, &sent).about.marks, 2);
    let mut rules = Rules::named("balanced").expect("a profile");
    rules.marks = CacheMarks::Off;
    let off = Conversations::new(rules, Arc::new(InMemory::default()));
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
    let scanned = Body::scan(Protocol::Messages, &went).expect("a body");
    let at: Vec<_> = scanned.marks.iter().map(|mark| mark.place).collect();
    use foveal_wire::body::MarkPlace::Message;
    // Where the last mark stood, twenty blocks in front of the last one, and there.
    assert_eq!(at, [Message(2), Message(3), Message(4)]);
}

#[test]
fn generated_conversations_are_marked() {
    let mut runner = TestRunner::deterministic();
    let (mut marked, mut with_old) = (0, 0);
    for _ in 0..20 {
        let script = scripts(OPERATIONS_MAX).new_tree(&mut runner).expect("a script").current();
        let conversations = conversations("max");
        for sent in without_marks_all(&script) {
            let marks = shaped(&conversations, &sent).about.marks;
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
        script in scripts(OPERATIONS_MAX), profile in profiles(),
    ) {
        let conversations = conversations(profile);
        for sent in without_marks_all(&script) {
            let shaped = shaped(&conversations, &sent);
            let told = shaped.about.marks as usize;
            let went = bytes(shaped, &sent);
            prop_assert_eq!(marks(&went), told);
            prop_assert!(told <= MARKS_MAX);
            let rest = without_results(Api::Messages, &unmarked(&went));
            prop_assert_eq!(rest, without_results(Api::Messages, &sent.body));
        }
    }

    #[test]
    fn marks_break_no_prefix(
        script in scripts(OPERATIONS_MAX), profile in profiles(), late in any::<u32>(),
    ) {
        let conversations = conversations(profile);
        let mut earlier: Vec<(Vec<String>, Vec<String>)> = Vec::new();
        for (at, sent) in without_marks_all(&script).into_iter().enumerate() {
            let is_late = late >> (at % 32) & 1 == 1;
            let wait = if is_late { Wait::impatient() } else { Wait::default() };
            let shaped = shaped_for(&conversations, &sent, &wait);
            let rewrite = shaped.about.rewrite;
            let went = match wait.give_up(&sent.body) {
                Some(earlier) if is_late => earlier.unwrap_or_else(|| sent.body.clone()),
                Some(_) | None => bytes(shaped, &sent),
            };
            prop_assert!(!is_late || marks(&went) == 0);
            let (asked, went) = (messages(Api::Messages, &sent.body), messages(Api::Messages, &went));
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
        script in scripts(OPERATIONS_MAX), profile in profiles(),
    ) {
        let one = conversations(profile);
        let kept = Arc::new(InMemory::default());
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
