//! Hand-written streams: server behaviour that the documentation does not mention.

use foveal_protocols::prompt::ApiDialect::{self, Chat, Messages, Responses};
use foveal_protocols::response::{AnswerCompletion, AnswerDecoder, DecodedAnswer, StopReason};
use foveal_transcript::{ContentBlock, ToolCall};
use serde_json::{Value, json};

use super::generated::read;

/// Decodes events without names.
fn said(dialect: ApiDialect, events: &[Value]) -> DecodedAnswer {
    let stream: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    read(dialect, stream.as_bytes(), &[]).1
}

fn chunk(delta: &Value) -> Value {
    json!({"choices": [{"delta": delta}]})
}

fn ended(reason: &str) -> Value {
    json!({"choices": [{"delta": {}, "finish_reason": reason}]})
}

fn calls(said: &DecodedAnswer) -> Vec<(String, String, Value)> {
    let told = |call: &ToolCall| (call.id.clone(), call.name.clone(), call.arguments.clone());
    said.calls().map(told).collect()
}

fn told(id: &str, name: &str, arguments: Value) -> (String, String, Value) {
    (id.to_owned(), name.to_owned(), arguments)
}

#[test]
fn calls_without_ids_and_indexes_are_told_apart() {
    let function = |name: &str, arguments: &str| json!({"name": name, "arguments": arguments});
    // Complete calls in one event, as Ollama sends them.
    let whole = said(
        Chat,
        &[
            chunk(&json!({"tool_calls": [
                {"index": 0, "id": "a", "function": function("x", "{\"n\":1}")},
                {"index": 1, "id": "b", "function": function("y", "{}")},
            ]})),
            ended("tool_calls"),
        ],
    );
    assert_eq!(calls(&whole), [told("a", "x", json!({"n": 1})), told("b", "y", json!({}))]);
    // Consecutive calls with the same index, or without one.
    for index in [json!(0), Value::Null] {
        let same = said(
            Chat,
            &[
                chunk(
                    &json!({"tool_calls": [{"index": index, "id": "a", "function": function("x", "{}")}]}),
                ),
                chunk(
                    &json!({"tool_calls": [{"index": index, "id": "b", "function": function("x", "{}")}]}),
                ),
                ended("stop"),
            ],
        );
        assert_eq!(calls(&same), [told("a", "x", json!({})), told("b", "x", json!({}))], "{index}");
        assert_eq!(same.stop_reason, StopReason::ToolCalls);
    }
    // A name in each piece, and an id in each.
    let repeated = said(
        Chat,
        &[
            chunk(
                &json!({"tool_calls": [{"index": 0, "id": "a", "function": function("x", "{\"n\"")}]}),
            ),
            chunk(
                &json!({"tool_calls": [{"index": 0, "id": "a", "function": function("x", ":2}")}]}),
            ),
            ended("tool_calls"),
        ],
    );
    assert_eq!(calls(&repeated), [told("a", "x", json!({"n": 2}))]);
    // The same id twice.
    let twice = said(
        Messages,
        &[
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "a", "name": "x"}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "a", "name": "x"}}),
            json!({"type": "content_block_stop", "index": 1}),
        ],
    );
    let ids: Vec<&str> = twice.calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["a", "call_7_1"]);
    // Arguments as an object, and no ids.
    let object = said(
        Chat,
        &[
            chunk(&json!({"tool_calls": [{"function": {"name": "x", "arguments": {"n": 3}}}]})),
            chunk(&json!({"tool_calls": [{"function": {"name": "x", "arguments": {"n": 4}}}]})),
            ended("tool_calls"),
        ],
    );
    let ids: Vec<String> = object.calls().map(|call| call.id.clone()).collect();
    assert!(ids[0] != ids[1] && ids.iter().all(|id| id.starts_with("call_7_")), "{ids:?}");
    assert_eq!(object.calls().nth(1).expect("a call").arguments, json!({"n": 4}));
}

#[test]
fn arguments_that_are_nearly_json_are_put_right() {
    let of = |arguments: &str| {
        let function = json!({"name": "x", "arguments": arguments});
        let call = json!({"index": 0, "id": "a", "function": function});
        let said = said(Chat, &[chunk(&json!({"tool_calls": [call]})), ended("tool_calls")]);
        assert!(said.is_complete());
        said.calls().next().expect("a call").arguments.clone()
    };
    assert_eq!(of("{\"n\":1,}"), json!({"n": 1}));
    assert_eq!(of(""), json!({}));
    assert_eq!(of("{\"n\":"), json!("{\"n\":"));
}

#[test]
fn messages_of_other_servers_give_arguments_at_once() {
    let block = json!({"type": "tool_use", "id": "a", "name": "x", "input": {"n": 1}});
    let said = said(
        Messages,
        &[
            json!({"type": "content_block_start", "index": 0, "content_block": block}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_stop"}),
        ],
    );
    assert_eq!(calls(&said), [told("a", "x", json!({"n": 1}))]);
    assert_eq!(said.stop_reason, StopReason::Other(String::new()));
}

#[test]
fn reasoning_goes_back_only_where_the_provider_knows_it_again() {
    let thinking = |signature: &str| {
        let said = said(
            Messages,
            &[
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"thinking": "hm"}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"signature": signature}}),
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "content_block_start", "index": 1, "content_block": {"type": "redacted_thinking", "data": "d"}}),
                json!({"type": "message_stop"}),
            ],
        );
        said.blocks
    };
    let opaque =
        |kind: &str, raw: &str| ContentBlock::Opaque { kind: kind.into(), raw: raw.into() };
    let redacted = opaque("redacted_thinking", r#"{"type":"redacted_thinking","data":"d"}"#);
    let reasoning = ContentBlock::Reasoning("hm".to_owned());
    assert_eq!(thinking(""), [reasoning.clone(), redacted.clone()]);
    let signed = opaque("thinking", r#"{"type":"thinking","thinking":"hm","signature":"s"}"#);
    assert_eq!(thinking("s"), [reasoning, signed, redacted]);
    let details = said(
        Chat,
        &[
            chunk(&json!({"reasoning": "h", "reasoning_details": [{"text": "h"}]})),
            chunk(&json!({"reasoning_details": [{"data": "x"}]})),
            ended("stop"),
        ],
    );
    let list = opaque("reasoning_details", r#"[{"text":"h"},{"data":"x"}]"#);
    assert_eq!(details.blocks, [ContentBlock::Reasoning("h".to_owned()), list]);
    // The pieces form one element: the provider accepts only the complete element.
    let piece = |text: &str, signature: Value| {
        let kind = "reasoning.text";
        chunk(
            &json!({"reasoning_details": [{"type": kind, "index": 0, "text": text, "signature": signature}]}),
        )
    };
    let other = json!({"type": "reasoning.encrypted", "index": 1, "data": "x"});
    let pieces = said(
        Chat,
        &[
            piece("I ", Value::Null),
            piece("think", json!("s")),
            chunk(&json!({"reasoning_details": [other], "content": "a"})),
            ended("stop"),
        ],
    );
    let list =
        json!([{"type": "reasoning.text", "index": 0, "text": "I think", "signature": "s"}, other]);
    let Some(ContentBlock::Opaque { raw, .. }) = pieces.blocks.last() else { panic!("{pieces:?}") };
    assert_eq!(serde_json::from_str::<Value>(raw).expect("JSON"), list);
}

#[test]
fn items_that_come_whole_are_said() {
    let message = json!({"type": "message", "content": [{"type": "output_text", "text": "hi"}, {"type": "refusal", "refusal": "!"}]});
    let call =
        json!({"type": "function_call", "call_id": "a", "name": "x", "arguments": "{\"n\":1}"});
    let said = said(
        Responses,
        &[
            json!({"type": "response.output_item.done", "output_index": 0, "item": message}),
            json!({"type": "response.output_item.done", "output_index": 1, "item": call}),
            json!({"type": "response.completed", "response": {"status": "completed"}}),
        ],
    );
    assert_eq!(said.blocks[0], ContentBlock::Text("hi!".to_owned()));
    assert_eq!(calls(&said), [told("a", "x", json!({"n": 1}))]);
    assert!(said.is_complete() && said.stop_reason == StopReason::ToolCalls);
}

#[test]
fn what_is_lost_is_told() {
    let text = chunk(&json!({"content": "a"}));
    // An event that is no JSON.
    let broken = format!("data: {text}\n\ndata: {{\"choices\":[{{\"de\n\ndata: [DONE]\n\n");
    let said = read(Chat, broken.as_bytes(), &[]).1;
    assert!(
        said.is_broken
            && !said.is_complete()
            && said.metadata.completion == AnswerCompletion::Complete
    );
    // Arguments of a call without a start.
    let delta = json!({"type": "content_block_delta", "index": 3, "delta": {"partial_json": "{"}});
    let lost = self::said(Messages, &[delta, json!({"type": "message_stop"})]);
    assert!(lost.is_broken && lost.is_empty());
    // A call without an end.
    let block = json!({"type": "tool_use", "id": "a", "name": "x"});
    let open = json!({"type": "content_block_start", "index": 0, "content_block": block});
    let open = self::said(Messages, &[open, json!({"type": "message_stop"})]);
    assert!(open.is_broken && open.is_empty());
}

#[test]
fn errors_are_told() {
    let text = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "a"}});
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "later"}});
    let mid = said(Messages, &[text, error]);
    assert!(!mid.is_complete());
    assert_eq!(mid.metadata.error.expect("told").kind.as_deref(), Some("overloaded_error"));
    let mut reader = AnswerDecoder::new(Chat, Some("application/json"), 400, 0);
    let mut events = Vec::new();
    reader.push(
        br#"{"error":{"message":"too long","code":"context_length_exceeded"}}"#,
        &mut |it| {
            events.push(it);
        },
    );
    let said = reader.finish(&mut |it| events.push(it));
    assert_eq!(said.metadata.error.expect("told").message, "too long");
    assert!(events.is_empty() && said.blocks.is_empty());
}

#[test]
fn a_reason_to_stop_is_one_word_for_all() {
    let messages = |word: &str| {
        let delta = json!({"stop_reason": word});
        said(Messages, &[json!({"type": "message_delta", "delta": delta, "usage": {}})]).stop_reason
    };
    assert_eq!(messages("max_tokens"), StopReason::OutputLimit);
    assert_eq!(messages("model_context_window_exceeded"), StopReason::ContextWindow);
    assert_eq!(messages("refusal"), StopReason::Refusal);
    assert_eq!(messages("pause_turn"), StopReason::Other("pause_turn".to_owned()));
    assert_eq!(said(Chat, &[ended("length")]).stop_reason, StopReason::OutputLimit);
    assert_eq!(said(Chat, &[ended("content_filter")]).stop_reason, StopReason::Refusal);
    let response =
        json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}});
    let short = said(Responses, &[json!({"type": "response.incomplete", "response": response})]);
    assert_eq!(short.stop_reason, StopReason::OutputLimit);
}

#[test]
fn it_is_over_with_the_last_event() {
    for (dialect, last) in [
        (Messages, "data: {\"type\":\"message_stop\"}\n\n"),
        (Chat, "data: [DONE]\n\n"),
        (Responses, "data: {\"type\":\"response.completed\",\"response\":{}}\n\n"),
    ] {
        let mut reader = AnswerDecoder::new(dialect, Some("text/event-stream"), 200, 0);
        reader.push(b"data: {\"type\":\"ping\"}\n\n", &mut |_| {});
        assert!(!reader.has_finished());
        reader.push(last.as_bytes(), &mut |_| {});
        assert!(reader.has_finished());
    }
}
