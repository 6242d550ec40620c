//! Tests of the API rules and of the overlap of prompts.

use std::time::Duration;

use foveal_mock_provider::{MockProvider, RequestRecording, RuleViolation, Settings};
use foveal_protocols::Protocol::{self, Chat, Gemini, Messages, Responses};
use serde_json::{Value, json};

use crate::client::{ask, ask_for, path, upstream};

/// Returns the rules that a conversation violates.
fn broken(protocol: Protocol, turns: &Value) -> Vec<RuleViolation> {
    let upstream = upstream();
    let list = match protocol {
        Messages | Chat => "messages",
        Responses => "input",
        Gemini => "contents",
    };
    let got = ask(&upstream, protocol, &json!({"model": "m", list: turns}));
    let seen = upstream.received_requests();
    let is_refused = seen[0].violations.iter().any(RuleViolation::causes_refusal);
    assert_eq!(got.status, if is_refused { 400 } else { 200 });
    seen[0].violations.clone()
}

fn unanswered(id: &str) -> RuleViolation {
    RuleViolation::UnansweredCall(id.to_owned())
}

fn unasked(id: &str) -> RuleViolation {
    RuleViolation::ResultWithoutCall(id.to_owned())
}

#[test]
fn results_of_messages() {
    let user = json!({"role": "user", "content": "go"});
    let call = |ids: &[&str]| {
        let calls =
            ids.iter().map(|id| json!({"type": "tool_use", "id": id, "name": "t", "input": {}}));
        json!({"role": "assistant", "content": calls.collect::<Vec<_>>()})
    };
    let result = |ids: &[&str]| {
        let results =
            ids.iter().map(|id| json!({"type": "tool_result", "tool_use_id": id, "content": "x"}));
        json!({"role": "user", "content": results.collect::<Vec<_>>()})
    };
    let system = json!({"role": "system", "content": "hint"});
    let check =
        |turns: Value, expected: &[RuleViolation]| assert_eq!(broken(Messages, &turns), expected);
    check(json!([user, call(&["a", "b"]), result(&["a", "b"]), system]), &[]);
    check(
        json!([user, call(&["a", "b"]), result(&["b", "a"])]),
        &[RuleViolation::ResultOutOfOrder("b".into())],
    );
    check(json!([user, call(&["a", "b"]), result(&["a"])]), &[unanswered("b")]);
    check(json!([user, call(&["a"]), system, result(&["a"])]), &[unanswered("a"), unasked("a")]);
    check(json!([user, call(&["a"]), result(&["a", "a"])]), &[unasked("a")]);
    check(json!([user, result(&["a"])]), &[unasked("a")]);
    check(json!([user, call(&["a"])]), &[unanswered("a")]);
}

#[test]
fn results_of_the_other_apis() {
    let chat_call = json!({"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "t", "arguments": "{}"}}]});
    let chat_result = json!({"role": "tool", "tool_call_id": "a", "content": "x"});
    let user = json!({"role": "user", "content": "go"});
    assert_eq!(broken(Chat, &json!([user, chat_call, chat_result, user])), []);
    assert_eq!(broken(Chat, &json!([user, chat_call, user])), [unanswered("a")]);
    let item = |kind: &str, id: &str| json!({"type": kind, "call_id": id, "output": "x"});
    let turns = json!([
        item("function_call", "a"),
        item("custom_tool_call", "b"),
        item("function_call_output", "a"),
        item("custom_tool_call_output", "b"),
    ]);
    assert_eq!(broken(Responses, &turns), []);
    assert_eq!(broken(Responses, &json!([item("function_call_output", "a")])), [unasked("a")]);
    let call = json!({"role": "model", "parts": [{"functionCall": {"name": "t", "args": {}}}]});
    let result =
        json!({"role": "user", "parts": [{"functionResponse": {"name": "t", "response": {}}}]});
    assert_eq!(broken(Gemini, &json!([call, result])), []);
    assert_eq!(broken(Gemini, &json!([call, user, result])), [unanswered("t"), unasked("t")]);
}

#[test]
fn marks() {
    let mark = |ttl: &str| json!({"type": "ephemeral", "ttl": ttl});
    let blocks = |ttls: &[&str]| -> Value {
        let blocks =
            ttls.iter().map(|ttl| json!({"type": "text", "text": "x", "cache_control": mark(ttl)}));
        json!([{"role": "user", "content": blocks.collect::<Vec<_>>()}])
    };
    assert_eq!(broken(Messages, &blocks(&["1h", "1h", "5m", "5m"])), []);
    assert_eq!(broken(Messages, &blocks(&["5m"; 5])), [RuleViolation::TooManyBreakpoints(5)]);
    assert_eq!(broken(Messages, &blocks(&["5m", "1h"])), [RuleViolation::BreakpointsOutOfOrder]);
    let thinking = json!([{"role": "assistant", "content": [{"type": "thinking", "thinking": "", "cache_control": mark("5m")}]}]);
    assert_eq!(broken(Messages, &thinking), [RuleViolation::BreakpointOnThinking]);
}

#[test]
fn a_body_that_cannot_be_read_is_refused() {
    let upstream = upstream();
    let ask = |headers: &str, body: &[u8]| {
        ask_for(upstream.address(), path(Messages, false), headers, body, Duration::from_secs(9))
    };
    assert_eq!(ask("", b"{").status, 400);
    assert_eq!(ask("Content-Encoding: br\r\n", b"x").status, 400);
    let packed =
        zstd::stream::encode_all(&br#"{"model":"m","messages":[]}"#[..], 1).expect("memory");
    assert_eq!(ask("Content-Encoding: zstd\r\n", &packed).status, 200);
    assert_eq!(upstream.received_requests()[2].body, packed, "the body is kept as it was sent");
}

#[test]
fn what_a_prompt_shares_with_the_last_one() {
    let upstream = upstream();
    let mut common = Vec::new();
    let mut send = |conversation: &str, texts: &[&str]| {
        let messages = texts.iter().map(|text| json!({"role": "user", "content": text}));
        let body = json!({"model": "m", "messages": messages.collect::<Vec<_>>()}).to_string();
        let headers = format!("X-Test-Conversation: {conversation}\r\n");
        let path = path(Chat, false);
        ask_for(upstream.address(), path, &headers, body.as_bytes(), Duration::from_secs(9));
        let last = upstream
            .received_requests()
            .last()
            .and_then(|seen| seen.overlap)
            .expect("it is judged");
        common.push(last);
        last
    };
    assert_eq!(send("one", &["first", "second"]).last_bytes, 0);
    assert!(send("two", &["first", "other"]).is_append(), "another conversation");
    let appended = send("one", &["first", "second", "third"]);
    assert!(appended.is_append() && appended.bytes == appended.last_bytes);
    let changed = send("one", &["first", "secOnd", "third", "fourth"]);
    assert_eq!(changed.first_difference, Some(1));
    assert!(changed.bytes < changed.last_bytes && changed.last_bytes == appended.this_bytes);
    assert_eq!(send("one", &["first"]).first_difference, Some(1), "a rewind");
}

#[test]
fn requests_are_kept_as_they_came() {
    let upstream = upstream();
    let headers = "X-B: 1\r\nx-a:  2\r\nX-B: 3\r\nAuthorization: Bearer k\r\n";
    let body = br#"{ "model" : "m", "n": 1.0, "messages":[] }"#;
    ask_for(
        upstream.address(),
        "/x/v1/messages?beta=true&y=%20",
        headers,
        body,
        Duration::from_secs(9),
    );
    let seen = &upstream.received_requests()[0];
    assert_eq!((&*seen.method, &*seen.path), ("POST", "/x/v1/messages?beta=true&y=%20"));
    assert_eq!(seen.body, body);
    let expected = [
        ("Host", "localhost"),
        ("X-B", "1"),
        ("x-a", "2"),
        ("X-B", "3"),
        ("Authorization", "Bearer k"),
    ];
    let headers: Vec<_> = seen.headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    assert_eq!(headers[..5], expected);
    assert_eq!(seen.header("AUTHORIZATION"), Some("Bearer k"));
}

#[test]
fn less_is_kept_where_less_is_wanted() {
    for (keeps, count) in [(RequestRecording::WithoutBodies, 1), (RequestRecording::Nothing, 0)] {
        let settings = Settings { recording: keeps, ..Settings::default() };
        let upstream = MockProvider::start(settings).expect("it starts");
        let got = ask(&upstream, Chat, &json!({"stream": true, "messages": []}));
        assert!(got.is_whole && got.text().ends_with("data: [DONE]\n\n"));
        assert_eq!((upstream.received_requests().len(), upstream.request_count()), (count, 1));
        assert!(upstream.received_requests().iter().all(|seen| seen.body.is_empty()));
    }
}
