use serde_json::{Value, json};

use super::*;
use crate::protocol::Protocol;
use crate::request_body::{CACHE_CONTROL_MEMBER, CACHE_CONTROL_MEMBER_1H, splice_with_breakpoints};

fn mark() -> Value {
    json!({"type": "ephemeral"})
}

fn hour() -> Value {
    json!({"type": "ephemeral", "ttl": "1h"})
}

fn text(mark: &Value) -> Value {
    match mark {
        Value::Null => json!({"type": "text", "text": "t"}),
        mark => json!({"type": "text", "text": "t", "cache_control": mark}),
    }
}

/// Returns a request as Claude Code sends it: two marks in the system prompt, one at the end.
fn claude_code(system: &Value, last: &Value) -> Value {
    json!({
        "system": [text(&Value::Null), text(system), text(system)],
        "messages": [
            {"role": "user", "content": [text(&Value::Null)]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "1", "content": "r", "cache_control": last},
            ]},
        ],
    })
}

fn answer_mark(body: &Value) -> Option<LatestAnswerBreakpoint> {
    let bytes = body.to_string().into_bytes();
    let scanned = RequestBody::scan(Protocol::Messages, &bytes).expect("a body");
    scanned.latest_answer_breakpoint(&bytes).expect("valid JSON")
}

/// Returns the body with the missing mark; `None` if no mark is missing.
fn marked(body: &Value) -> Option<Value> {
    let bytes = body.to_string().into_bytes();
    let free = answer_mark(body)?.missing?;
    let mark = if free.lasts_one_hour { CACHE_CONTROL_MEMBER_1H } else { CACHE_CONTROL_MEMBER };
    let marked = splice_with_breakpoints(&bytes, &[], &[free.at], mark);
    Some(serde_json::from_slice(&marked).expect("valid JSON"))
}

#[test]
fn the_mark_stands_at_the_end_of_the_latest_answer_and_lives_as_long_as_the_one_behind_it() {
    for (system, last, is_hour) in
        [(mark(), mark(), false), (hour(), mark(), false), (hour(), hour(), true)]
    {
        let body = claude_code(&system, &last);
        let mut expected = body.clone();
        let wanted = if is_hour { hour() } else { mark() };
        expected["messages"][1]["content"][0]["cache_control"] = wanted;
        assert_eq!(marked(&body), Some(expected), "{body}");
    }
    // The user's side may end with several messages.
    let mut body = claude_code(&mark(), &Value::Null);
    let messages = body["messages"].as_array_mut().expect("messages");
    messages[2]["content"][0].as_object_mut().expect("a block").remove("cache_control");
    messages.push(json!({"role": "system", "content": [text(&mark())]}));
    let marked = marked(&body).expect("a mark");
    assert_eq!(marked["messages"][1]["content"][0]["cache_control"], mark());
}

#[test]
fn a_mark_of_the_body_is_behind_the_answer() {
    let mut body = claude_code(&mark(), &Value::Null);
    body["messages"][2]["content"][0].as_object_mut().expect("a block").remove("cache_control");
    assert_eq!(answer_mark(&body), None, "nothing behind the answer is kept");
    body["cache_control"] = mark();
    assert!(marked(&body).is_some());
    body["cache_control"] = hour();
    assert_eq!(answer_mark(&body), None, "five minutes in front of an hour");
}

#[test]
fn a_client_that_marks_the_answer_itself_keeps_it() {
    // opencode marks the last two messages.
    let mut body = claude_code(&mark(), &mark());
    body["messages"][1]["content"][0]["cache_control"] = mark();
    assert_eq!(answer_mark(&body), Some(LatestAnswerBreakpoint { message: 1, missing: None }));
    body["messages"][1]["content"][0]["cache_control"] = Value::Null;
    assert_eq!(answer_mark(&body), None, "a name may not stand twice");
}

/// Bodies whose answer cannot be cached, each with the reason.
fn kept_by_nobody() -> Vec<(Value, &'static str)> {
    let body = || claude_code(&mark(), &mark());
    let with = |change: &dyn Fn(&mut Value)| {
        let mut body = body();
        change(&mut body);
        body
    };
    let answer = |content: Value| with(&|body| body["messages"][1]["content"] = content.clone());
    vec![
        (with(&|body| body["system"][0]["cache_control"] = mark()), "four marks"),
        (
            with(&|body| {
                let nested = json!([{"type": "document", "source": {"content": [text(&mark())]}}]);
                body["messages"][2]["content"][0]["content"] = nested;
            }),
            "four marks, one where nobody looks",
        ),
        (with(&|body| body["tools"] = json!([{"name": "f", "cache_control": mark()}])), "four"),
        (claude_code(&mark(), &hour()), "five minutes in front of an hour"),
        (claude_code(&mark(), &json!({"type": "ephemeral", "ttl": "1d"})), "an unknown time"),
        (claude_code(&mark(), &json!({"type": "lasting"})), "an unknown kind"),
        (claude_code(&mark(), &Value::Null), "no mark behind the answer"),
        (
            with(&|body| body["messages"][0]["content"][0]["cache_control"] = hour()),
            "messages kept for different times",
        ),
        (answer(json!("text")), "a plain string"),
        (answer(json!([{"type": "thinking", "thinking": "t", "signature": "s"}])), "thinking"),
        (answer(json!([])), "nothing is said"),
        (
            with(&|body| drop(body["messages"].as_array_mut().expect("messages").pop())),
            "the answer is the end",
        ),
        (
            with(&|body| {
                let messages = body["messages"].as_array_mut().expect("messages");
                messages.drain(1..2);
            }),
            "no answer yet",
        ),
    ]
}

#[test]
fn where_a_mark_may_not_stand_none_is_put() {
    for (body, why) in kept_by_nobody() {
        assert_eq!(answer_mark(&body), None, "{why}: {body}");
    }
    let bytes = claude_code(&mark(), &mark()).to_string().into_bytes();
    for protocol in [Protocol::Chat, Protocol::Responses, Protocol::Gemini] {
        let body = RequestBody::scan(protocol, &bytes).expect("a body");
        assert_eq!(body.latest_answer_breakpoint(&bytes).expect("valid JSON"), None);
    }
    assert_eq!(answer_mark(&json!({"messages": []})), None);
}
