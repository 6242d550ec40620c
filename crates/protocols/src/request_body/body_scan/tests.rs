use crate::Protocol;
use crate::request_body::{BodyError, BreakpointTarget, PassThroughReason, RequestBody};

fn scan(protocol: Protocol, text: &str) -> RequestBody {
    RequestBody::scan(protocol, text.as_bytes()).expect("the body is whole")
}

#[test]
fn parts_stand_where_they_stand() {
    let text = r#" { "model" : "m\u0031", "messages" : [ {"a":1} , 2 ] ,"system":"s","tools":[{}],
        "stream":true,"max_tokens":7,"thinking":{"type":"adaptive"},"store":false,
        "metadata":{"user_id":"u"},"prompt_cache_key":"k",
        "context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"},
        {"type":"clear_tool_uses_20250919","keep":{"type":"tool_uses","value":3}}]} } "#;
    let body = scan(Protocol::Messages, text);
    assert_eq!(
        body.messages.iter().map(|at| &text[at.clone()]).collect::<Vec<_>>(),
        ["{\"a\":1}", "2"]
    );
    assert_eq!(body.system.map(|at| &text[at]), Some("\"s\""));
    assert_eq!(body.tools.map(|at| &text[at]), Some("[{}]"));
    assert_eq!(body.model.as_deref(), Some("m1"));
    assert_eq!(body.user_id.as_deref(), Some("u"));
    assert_eq!(body.prompt_cache_key.as_deref(), Some("k"));
    assert_eq!((body.is_streaming, body.has_thinking, body.store), (true, true, Some(false)));
    assert_eq!(
        (body.max_tokens, body.has_answer_schema, body.pass_through_reason),
        (Some(7), false, None)
    );
    assert_eq!(body.server_edits, ["clear_tool_uses_20250919"]);
}

#[test]
fn what_each_api_says_of_its_answers() {
    let body = scan(
        Protocol::Responses,
        r#"{"input":[],"reasoning":{"effort":"none"},"text":{"format":{"type":"json_schema"}},
            "truncation":"auto","max_output_tokens":3,"instructions":null}"#,
    );
    assert_eq!(
        (body.has_thinking, body.has_answer_schema, body.max_tokens),
        (false, true, Some(3))
    );
    assert_eq!((body.server_edits, body.system), (vec!["truncation".to_owned()], None));
    let body = scan(Protocol::Responses, r#"{"input":[],"text":{"format":{"type":"text"}}}"#);
    assert!(!body.has_answer_schema);
    let body = scan(
        Protocol::Gemini,
        r#"{"contents":[{}],"systemInstruction":{"parts":[]},"generationConfig":
            {"thinkingConfig":{},"responseSchema":{},"maxOutputTokens":9}}"#,
    );
    assert_eq!((body.has_thinking, body.has_answer_schema, body.max_tokens), (true, true, Some(9)));
    assert!(body.system.is_some());
    let body = scan(Protocol::Chat, r#"{"messages":[{}],"reasoning_effort":"low"}"#);
    assert!(body.has_thinking);
}

#[test]
fn bodies_that_nothing_can_be_done_with() {
    let check =
        |protocol, text, expected| assert_eq!(scan(protocol, text).pass_through_reason, expected);
    check(Protocol::Responses, r#"{"input":"hi"}"#, Some(PassThroughReason::PlainText));
    let previous = r#"{"previous_response_id":"r","input":[{}]}"#;
    check(Protocol::Responses, previous, Some(PassThroughReason::PreviousResponse));
    check(Protocol::Responses, r#"{"previous_response_id":null,"input":[{}]}"#, None);
    let conversation = r#"{"input":[{}],"conversation":{"id":"c"}}"#;
    check(Protocol::Responses, conversation, Some(PassThroughReason::Conversation));
    check(Protocol::Messages, r#"{"prompt":"hi"}"#, Some(PassThroughReason::NoMessages));
    check(Protocol::Messages, r#"{"messages":{}}"#, Some(PassThroughReason::NoMessages));
    let twice = r#"{"messages":[{}],"messages":[{}]}"#;
    check(Protocol::Messages, twice, Some(PassThroughReason::DuplicateField));
    check(Protocol::Messages, r#"{"messages":[{}],"stream":true,"stream":true}"#, None);
}

#[test]
fn bodies_that_are_none() {
    for text in ["", "[]", "null", "{", r#"{"messages":[{}"#, "{} {}", r#"{"a" 1}"#, "{,}", "{1:2}"]
    {
        assert!(RequestBody::scan(Protocol::Messages, text.as_bytes()).is_err(), "{text}");
    }
    let cut = RequestBody::scan(Protocol::Messages, br#"{"messages":[{"role":"us"#);
    assert!(matches!(cut, Err(BodyError::EndsEarly { at: 24 })), "{cut:?}");
}

#[test]
fn marks_stand_in_the_order_of_the_body() {
    let text = r#"{"tools":[{"name":"t","input_schema":{"properties":{"cache_control":{}}}},
        {"name":"u","cache_control":{"type":"ephemeral","ttl":"1h"}}],
        "system":[{"type":"text","text":"say \"cache_control\""},
            {"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],
        "messages":[{"role":"user","content":"\"cache_control\":{}"},
            {"role":"assistant","content":[{"type":"tool_use","input":{"cache_control":{}}}]},
            {"role":"user","content":[{"type":"tool_result","content":
                [{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}]}],
        "cache_control":{"type":"ephemeral"}}"#;
    let marks = scan(Protocol::Messages, text).breakpoints;
    let seen: Vec<_> = marks.iter().map(|mark| (mark.target, mark.lasts_one_hour)).collect();
    let expected = [
        (BreakpointTarget::Tools, true),
        (BreakpointTarget::System, false),
        (BreakpointTarget::Message(2), false),
        (BreakpointTarget::Request, false),
    ];
    assert_eq!(seen, expected);
    assert!(
        marks.iter().all(|mark| text[mark.value.clone()].starts_with(r#"{"type":"ephemeral""#))
    );
}
