//! Expected bodies, byte for byte.

use foveal_protocols::prompt::{ApiDialect, Prompt, ToolSpec, encode_prompt};
use foveal_transcript::{ContentBlock, MessageRole, ToolCall, ToolResult, TranscriptEntry};
use serde_json::{Value, json};

use super::entries::entry;
use super::generated::{decoded, prompt};

fn text(text: &str) -> ContentBlock {
    ContentBlock::Text(text.to_owned())
}

fn call(id: &str, arguments: Value) -> ContentBlock {
    ContentBlock::Call(ToolCall { id: id.to_owned(), name: "read_file".to_owned(), arguments })
}

fn result(id: &str, content: &str) -> TranscriptEntry {
    let result =
        ToolResult { call: id.to_owned(), content: content.to_owned(), is_error: id == "b" };
    entry(MessageRole::Tool, vec![ContentBlock::Result(result)])
}

fn opaque(kind: &str, raw: &str) -> ContentBlock {
    ContentBlock::Opaque { kind: kind.to_owned(), raw: raw.to_owned() }
}

fn tools() -> Vec<ToolSpec> {
    vec![ToolSpec {
        name: "read_file".to_owned(),
        description: "Reads.".to_owned(),
        schema: json!({"type": "object"}),
    }]
}

/// Two parallel calls, a result for each, and a user message behind them.
fn conversation(reasoning: ContentBlock) -> Vec<TranscriptEntry> {
    let calls = vec![
        ContentBlock::Reasoning("hm".to_owned()),
        reasoning,
        text("I look."),
        text(" "),
        call("a", json!({"path": "x"})),
        call("b", json!({})),
    ];
    vec![
        entry(MessageRole::System, vec![text("Be brief.")]),
        entry(MessageRole::User, vec![text("go")]),
        entry(MessageRole::Assistant, calls),
        result("a", "1→x"),
        result("b", "no such file"),
        entry(MessageRole::User, vec![text("and then")]),
    ]
}

fn body(dialect: ApiDialect, reasoning: ContentBlock) -> Value {
    let (entries, tools) = (conversation(reasoning), tools());
    let body = encode_prompt(dialect, &prompt(&entries, &tools));
    assert_eq!(decoded(dialect, &body).len(), 6);
    serde_json::from_slice(&body).expect("JSON")
}

#[test]
fn messages() {
    let thinking = r#"{"type":"thinking","thinking":"hm","signature":"s/=="}"#;
    let told = body(ApiDialect::Messages, opaque("thinking", thinking));
    let expected = json!({
        "model": "some-model", "max_tokens": 1000,
        "tools": [{"name": "read_file", "description": "Reads.", "input_schema": {"type": "object"}}],
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "go"}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s/=="},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "a", "name": "read_file", "input": {"path": "x"}},
                {"type": "tool_use", "id": "b", "name": "read_file", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "1→x"},
                {"type": "tool_result", "tool_use_id": "b", "is_error": true, "content": "no such file"},
                {"type": "text", "text": "and then"},
            ]},
        ],
        "stream": true,
    });
    assert_eq!(told, expected);
}

#[test]
fn chat() {
    let told = body(ApiDialect::Chat, opaque("reasoning_details", r#"[{"data":"x"}]"#));
    let function = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "read_file", "arguments": arguments}});
    let expected = json!({
        "model": "some-model", "max_tokens": 1000,
        "tools": [{"type": "function", "function": {
            "name": "read_file", "description": "Reads.", "parameters": {"type": "object"}}}],
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "I look.", "reasoning_details": [{"data": "x"}],
             "tool_calls": [function("a", r#"{"path":"x"}"#), function("b", "{}")]},
            {"role": "tool", "tool_call_id": "a", "content": "1→x"},
            {"role": "tool", "tool_call_id": "b", "content": "no such file"},
            {"role": "user", "content": "and then"},
        ],
        "stream": true, "stream_options": {"include_usage": true},
    });
    assert_eq!(told, expected);
}

#[test]
fn responses() {
    let reasoning = r#"{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"e"}"#;
    let told = body(ApiDialect::Responses, opaque("reasoning", reasoning));
    let message = |role: &str, kind: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]});
    let expected = json!({
        "model": "some-model", "max_output_tokens": 1000, "instructions": "Be brief.",
        "tools": [{"type": "function", "name": "read_file", "description": "Reads.",
                   "parameters": {"type": "object"}, "strict": false}],
        "input": [
            message("user", "input_text", "go"),
            {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "e"},
            message("assistant", "output_text", "I look."),
            {"type": "function_call", "call_id": "a", "name": "read_file", "arguments": r#"{"path":"x"}"#},
            {"type": "function_call", "call_id": "b", "name": "read_file", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "a", "output": "1→x"},
            {"type": "function_call_output", "call_id": "b", "output": "no such file"},
            message("user", "input_text", "and then"),
        ],
        "store": false, "include": ["reasoning.encrypted_content"], "stream": true,
    });
    assert_eq!(told, expected);
}

#[test]
fn what_only_a_provider_can_read_goes_back_byte_for_byte() {
    for (dialect, kind, raw) in [
        (
            ApiDialect::Messages,
            "thinking",
            r#"{"signature": "s\/=", "type":"thinking","thinking":"h","n":1.50}"#,
        ),
        (ApiDialect::Messages, "redacted_thinking", r#"{"type":"redacted_thinking", "data":"é"}"#),
        (
            ApiDialect::Responses,
            "reasoning",
            r#"{"type":"reasoning", "encrypted_content":"e\u0065", "summary":[]}"#,
        ),
        (ApiDialect::Chat, "reasoning_details", r#"[ {"data":"e\u0065"} ]"#),
    ] {
        let entries = conversation(opaque(kind, raw));
        let body = String::from_utf8(encode_prompt(dialect, &prompt(&entries, &[]))).expect("text");
        assert!(body.contains(raw), "{body}");
        // Other providers do not receive it.
        for other in ApiDialect::ALL.into_iter().filter(|other| *other != dialect) {
            let body =
                String::from_utf8(encode_prompt(other, &prompt(&entries, &[]))).expect("text");
            assert!(!body.contains("redacted") && !body.contains(raw), "{body}");
        }
    }
}

#[test]
fn what_is_not_said_is_not_sent() {
    let entries = [
        entry(MessageRole::User, vec![text("go")]),
        entry(MessageRole::Assistant, vec![ContentBlock::Reasoning("hm".to_owned()), text("")]),
        entry(MessageRole::User, vec![text("\n"), text("on")]),
    ];
    for dialect in ApiDialect::ALL {
        let prompt = Prompt {
            model: "m",
            entries: &entries,
            tools: &[],
            output_tokens_max: None,
            drops_bound_thinking: false,
        };
        let body = encode_prompt(dialect, &prompt);
        let read: Vec<_> = decoded(dialect, &body).iter().map(TranscriptEntry::text).collect();
        assert_eq!(read, ["go", "on"]);
        let told: Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!(told.get("max_tokens").is_some(), dialect == ApiDialect::Messages);
        assert!(told.get("tools").is_none() && told.get("system").is_none(), "{told}");
    }
}

/// Models without reasoning refuse requests for it.
#[test]
fn reasoning_is_asked_for_where_there_is_any() {
    let includes = |model: &str| {
        let prompt = Prompt {
            model,
            entries: &[],
            tools: &[],
            output_tokens_max: None,
            drops_bound_thinking: false,
        };
        let body: Value =
            serde_json::from_slice(&encode_prompt(ApiDialect::Responses, &prompt)).expect("JSON");
        body.get("include").is_some()
    };
    assert!(includes("gpt-5") && includes("o4-mini") && includes("openai/gpt-5.6-codex"));
    assert!(!includes("gpt-4o") && !includes("openai/gpt-4.1"));
}

/// Messages accepts only objects; the others accept the text that the model wrote.
#[test]
fn arguments_that_are_no_object_go_back() {
    let broken = Value::String("{\"path\":".to_owned());
    let entries = [
        entry(MessageRole::User, vec![text("go")]),
        entry(MessageRole::Assistant, vec![call("a", broken.clone())]),
        result("a", "no JSON"),
    ];
    for dialect in ApiDialect::ALL {
        let read = decoded(dialect, &encode_prompt(dialect, &prompt(&entries, &[])));
        let arguments = &read[1].tool_calls().next().expect("a call").arguments;
        let expected = match dialect {
            ApiDialect::Messages => json!({"arguments": broken}),
            ApiDialect::Chat | ApiDialect::Responses => broken.clone(),
        };
        assert_eq!(arguments, &expected);
    }
}

/// An image in a result is a part beside its text, for APIs that accept it.
#[test]
fn parts_of_a_result_stand_beside_its_text() {
    let image =
        r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"x"}}"#;
    let mut answer = result("a", "a picture");
    answer.blocks.push(opaque("image", image));
    let entries = [
        entry(MessageRole::User, vec![text("go")]),
        entry(MessageRole::Assistant, vec![call("a", json!({}))]),
        answer,
    ];
    let read =
        decoded(ApiDialect::Messages, &encode_prompt(ApiDialect::Messages, &prompt(&entries, &[])));
    assert_eq!(read[2].blocks, entries[2].blocks);
    let read = decoded(ApiDialect::Chat, &encode_prompt(ApiDialect::Chat, &prompt(&entries, &[])));
    assert_eq!(read[2].blocks, entries[2].blocks[..1]);
}
