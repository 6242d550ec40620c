//! Detection of formats from the first bytes.

use foveal_session_readers::{DETECT_BYTES, SessionFormat, detect_format};

use crate::samples::SAMPLES;

#[test]
fn a_cut_head_is_never_taken_for_another_format() {
    for (format, sample) in SAMPLES {
        for end in 0..sample.len() {
            let found = detect_format(&sample.as_bytes()[..end]);
            assert!(found.is_none() || found == Some(format), "{format} as {found:?} at {end}");
        }
    }
}

#[test]
fn other_files_are_no_sessions() {
    let cases = [
        "",
        "   \n\n",
        "hello",
        "{}",
        "[]",
        "{\"name\":\"app\",\"version\":\"1.0.0\",\"dependencies\":{\"a\":\"1\"}}",
        "{\"type\":\"message\"",
        "{\"schema_version\":\"2.0\",\"steps\":[]}",
        "{\"input\":\"text\"}",
        "{\"messages\":[]}",
        "# Notes\n\n```json\n{\"a\": 1}\n```\n",
        "\u{0}\u{1}\u{2}{{{{[[[[",
    ];
    for text in cases {
        assert_eq!(detect_format(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn small_distinctions() {
    let cases = [
        (
            r#"{"model":"claude-x","messages":[{"role":"user","content":"a"}]}"#,
            SessionFormat::AnthropicMessages,
        ),
        (
            r#"{"model":"gpt-x","messages":[{"role":"user","content":"a"}]}"#,
            SessionFormat::OpenAiChat,
        ),
        (
            r#"{"model":"claude-x","messages":[{"role":"system","content":"a"}]}"#,
            SessionFormat::OpenAiChat,
        ),
        (
            r#"{"model":"claude-x","messages":[{"role":"user","content":"a"},{"role":"system","content":"b"}]}"#,
            SessionFormat::AnthropicMessages,
        ),
        (
            r#"{"model":"m","messages":[{"role":"user","content":"a"},{"role":"system","content":[{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]}],"system":"s"}"#,
            SessionFormat::AnthropicMessages,
        ),
        (
            r#"{"model":"m","messages":[{"role":"user","content":"a"},{"role":"system","content":"b"}]}"#,
            SessionFormat::OpenAiChat,
        ),
        (
            r#"{"model":"m","messages":[],"tools":[{"name":"a","input_schema":{}}]}"#,
            SessionFormat::AnthropicMessages,
        ),
        (r#"{"model":"m","input":"hello"}"#, SessionFormat::OpenAiResponses),
        ("broken \"line\n{\"sessionId\":\"s\",\"type\":\"user\"}", SessionFormat::ClaudeCode),
        (r#"{"type":"system","subtype":"init","session_id":"s"}"#, SessionFormat::ClaudeCode),
    ];
    for (text, expected) in cases {
        assert_eq!(detect_format(text.as_bytes()), Some(expected), "{text}");
    }
}

#[test]
fn a_long_body_that_tells_nothing_else_is_told_by_its_model() {
    let long = "x".repeat(DETECT_BYTES);
    for (model, expected) in
        [("claude-x", SessionFormat::AnthropicMessages), ("m", SessionFormat::OpenAiChat)]
    {
        let text =
            format!(r#"{{"model":"{model}","messages":[{{"role":"user","content":"{long}"}}]}}"#);
        assert_eq!(detect_format(text.as_bytes()), Some(expected));
    }
}
