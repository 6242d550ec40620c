//! Detection of formats from the first bytes.

use std::io::BufReader;

use foveal_session_readers::{
    ReadError, SessionFormat, StreamHead, detect_and_read_sessions, detect_format,
};

use crate::samples::SAMPLES;

#[test]
fn a_cut_head_is_never_taken_for_another_format() {
    for (format, sample) in SAMPLES {
        for end in 0..sample.len() {
            let found = detect_format(&sample.as_bytes()[..end], false);
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
        assert_eq!(detect_format(text.as_bytes(), true), None, "{text}");
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
        assert_eq!(detect_format(text.as_bytes(), true), Some(expected), "{text}");
    }
}

/// Returns the detected format of a stream, or its error, and the number of bytes read for it.
fn detected(text: &str) -> (Option<SessionFormat>, usize) {
    let head = StreamHead::read(&mut BufReader::new(text.as_bytes())).expect("memory reads");
    (head.format, head.bytes.len())
}

#[test]
fn a_long_body_is_examined_to_its_end() {
    let long = "x".repeat(3 << 20);
    let model = |model: &str| {
        format!(r#"{{"model":"{model}","messages":[{{"role":"user","content":"{long}"}}]}}"#)
    };
    assert_eq!(detected(&model("claude-x")).0, Some(SessionFormat::AnthropicMessages));
    assert_eq!(detected(&model("m")).0, Some(SessionFormat::OpenAiChat));
    let late = format!(r#"{{"messages":[{{"role":"user","content":"{long}"}}],"system":"s"}}"#);
    assert_eq!(detected(&late).0, Some(SessionFormat::AnthropicMessages));
    let late = format!(r#"{{"steps":[{{"message":"{long}","step_id":1}}]}}"#);
    assert_eq!(detected(&late).0, Some(SessionFormat::Atif));
}

#[test]
fn an_early_sign_needs_no_more_bytes_and_other_lines_are_not_read_forever() {
    let line = format!("{{\"a\":\"{}\"}}\n", "x".repeat(1000));
    let early = format!("{{\"schema_version\":\"ATIF-v1.6\",\"steps\":[]}}\n{}", line.repeat(2000));
    assert_eq!(detected(&early), (Some(SessionFormat::Atif), 64 << 10));
    let (format, read) = detected(&line.repeat(5000));
    assert!(format.is_none() && read <= 2 << 20, "{read} bytes");
    let after = format!("{}{{\"sessionId\":\"s\",\"type\":\"user\"}}\n", line.repeat(500));
    assert_eq!(detected(&after).0, Some(SessionFormat::ClaudeCode));
}

#[test]
fn messages_without_a_providers_keys_are_chat() {
    for text in [
        r#"[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]"#,
        "{\"role\":\"system\",\"content\":\"s\"}\n{\"role\":\"user\",\"content\":\"a\"}\n",
    ] {
        assert_eq!(detect_format(text.as_bytes(), true), Some(SessionFormat::OpenAiChat), "{text}");
        assert_eq!(detect_format(text.as_bytes(), false), None, "{text}");
    }
}

/// Returns the error of reading `text`.
fn read_error(text: &str) -> Option<String> {
    let mut sessions = Vec::new();
    let read = detect_and_read_sessions("file", text.as_bytes(), &mut |session| {
        sessions.push(session);
    });
    assert!(read.is_ok() || sessions.is_empty(), "a refused file gives no session");
    read.err().map(|error: ReadError| error.to_string())
}

#[test]
fn a_file_that_only_starts_like_pis_is_refused() {
    let header =
        r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05Z","cwd":"/w"}"#;
    let events = format!(
        "{header}\n{{\"type\":\"agent_start\"}}\n\
         {{\"type\":\"message_end\",\"message\":{{\"role\":\"user\",\"content\":\"a\"}}}}\n"
    );
    assert_eq!(
        read_error(&events).as_deref(),
        Some(
            "not a session of pi, although it begins like one: line 2 has the unknown record type \
             `agent_start`"
        )
    );
    let document = r#"{"type":"session","version":1,"timestamp":"2026-01-02T03:04:05Z","turns":[{"who":"user","says":"a"}]}"#;
    assert_eq!(read_error(document).as_deref(), Some("not a recorded session of a known format"));
    // A session in which nothing was said yet is pi's.
    assert_eq!(read_error(header), None);
}
