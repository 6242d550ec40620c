//! Hand-written answers: provider behaviour that their documentation does not mention.

use foveal_protocols::Protocol::{self, Chat, Gemini, Messages, Responses};
use foveal_protocols::response::{
    AnswerCompletion, AnswerMetadata, AnswerReader, DOCUMENT_BYTES_MAX, ERROR_BYTES_MAX,
};

const STREAM: Option<&str> = Some("text/event-stream");
const JSON: Option<&str> = Some("application/json");

fn read(
    protocol: Protocol,
    content_type: Option<&str>,
    status: u16,
    bytes: &str,
) -> AnswerMetadata {
    let mut reader = AnswerReader::new(protocol, content_type, status);
    reader.push(bytes.as_bytes());
    reader.finish()
}

/// Returns kind and message of the error in an answer.
fn error(protocol: Protocol, status: u16, body: &str) -> (Option<String>, String) {
    let answer = read(protocol, JSON, status, body);
    assert_eq!(answer.completion, AnswerCompletion::Complete, "{body}");
    let error = answer.error.expect("an error is told");
    (error.kind, error.message)
}

#[test]
fn the_last_count_of_each_field_wins() {
    let stream = concat!(
        r#"data: {"type":"message_start","message":{"id":"m","model":"c","usage":{"input_tokens":9,"cache_read_input_tokens":5,"output_tokens":1}}}"#,
        "\n\n",
        r#"data: {"type":"message_delta","delta":{},"usage":{"output_tokens":7}}"#,
        "\n\n",
        r#"data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":0,"cache_read_input_tokens":6,"output_tokens":30}}"#,
        "\n\n",
        r#"data: {"type":"message_stop"}"#,
        "\n\n",
    );
    let answer = read(Messages, STREAM, 200, stream);
    let billed = answer.billed;
    assert_eq!((billed.uncached, billed.cache_read, billed.output), (Some(9), Some(6), Some(30)));
    assert_eq!(
        (answer.completion, answer.stop_reason.as_deref()),
        (AnswerCompletion::Complete, Some("end_turn"))
    );
    // Usage of the prompt is known even if the stream is cut behind the first event.
    let cut = read(Messages, STREAM, 200, stream.split_inclusive("\n\n").next().expect("one"));
    assert_eq!((cut.billed.uncached, cut.completion), (Some(9), AnswerCompletion::Truncated));
}

#[test]
fn errors_in_all_forms() {
    let kind = |kind: &str, message: &str| (Some(kind.to_owned()), message.to_owned());
    let anthropic = r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow down"},"request_id":"r"}"#;
    assert_eq!(error(Messages, 429, anthropic), kind("rate_limit_error", "slow down"));
    let openai =
        r#"{"error":{"message":"no","type":"invalid_request_error","param":null,"code":"bad"}}"#;
    assert_eq!(error(Chat, 400, openai), kind("invalid_request_error", "no"));
    assert_eq!(error(Responses, 400, openai), kind("invalid_request_error", "no"));
    let google = r#"[{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED"}}]"#;
    assert_eq!(error(Gemini, 429, google), kind("RESOURCE_EXHAUSTED", "quota"));
    let openrouter = r#"{"error":{"code":502,"message":"down"}}"#;
    assert_eq!(error(Chat, 502, openrouter), kind("502", "down"));
    assert_eq!(error(Chat, 404, r#"{"error":"no model"}"#), (None, "no model".to_owned()));
    assert_eq!(error(Chat, 500, r#"{"detail":"x"}"#), (None, r#"{"detail":"x"}"#.to_owned()));
    let page = "<h1>Bad gateway</h1>\n".repeat(1000);
    for content_type in [Some("text/html"), None] {
        let told = read(Messages, content_type, 502, &page).error.expect("a page is told");
        assert!(told.message.starts_with("<h1>Bad") && told.message.len() <= ERROR_BYTES_MAX);
    }
}

#[test]
fn errors_of_responses_in_mid_stream() {
    let flat = "event: error\ndata: {\"type\":\"error\",\"code\":\"server_error\",\"message\":\"oh\",\"param\":null}\n\n";
    let answer = read(Responses, STREAM, 200, flat);
    assert_eq!(answer.error.expect("told").kind.as_deref(), Some("server_error"));
    let failed = concat!(
        "event: response.failed\n",
        r#"data: {"type":"response.failed","response":{"id":"r","status":"failed","error":{"code":"rate_limit_exceeded","message":"later"},"usage":{"input_tokens":7}}}"#,
        "\n\n"
    );
    let answer = read(Responses, STREAM, 200, failed);
    assert_eq!(answer.error.expect("told").kind.as_deref(), Some("rate_limit_exceeded"));
    assert_eq!((answer.billed.uncached, answer.stop_reason.as_deref()), (Some(7), Some("failed")));
    let short =
        r#"{"id":"r","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}"#;
    let answer = read(Responses, JSON, 200, short);
    assert_eq!(answer.stop_reason.as_deref(), Some("max_output_tokens"));
}

#[test]
fn servers_that_speak_openais_protocol_by_halves() {
    // Azure: first a chunk about the prompt, without id and model. Groq: usage in a field of its
    // own. Moonshot: usage beside the stop reason. None of these streams ends with `[DONE]`.
    let azure = "data: {\"id\":\"\",\"model\":\"\",\"choices\":[],\"prompt_filter_results\":[]}\n\ndata: {\"id\":\"c\",\"model\":\"gpt\",\"choices\":[]}\n\n";
    let answer = read(Chat, STREAM, 200, azure);
    assert_eq!((answer.id.as_deref(), answer.model.as_deref()), (Some("c"), Some("gpt")));
    assert_eq!(answer.completion, AnswerCompletion::Truncated);
    let groq = "data: {\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"finish_reason\":\"stop\"}],\"x_groq\":{\"usage\":{\"prompt_tokens\":5}}}\n\n";
    let answer = read(Chat, STREAM, 200, groq);
    assert_eq!((answer.billed.uncached, answer.completion), (Some(5), AnswerCompletion::Complete));
    let moonshot = "data: {\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"finish_reason\":\"stop\",\"usage\":{\"prompt_tokens\":5}}]}\n\n";
    assert_eq!(read(Chat, STREAM, 200, moonshot).billed.uncached, Some(5));
}

#[test]
fn gemini_in_its_other_forms() {
    let list = r#"[{"candidates":[{}],"usageMetadata":{"promptTokenCount":5}},
        {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":2}}]"#;
    let answer = read(Gemini, JSON, 200, list);
    assert_eq!((answer.billed.output, answer.completion), (Some(2), AnswerCompletion::Complete));
    let inner = r#"{"response":{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5}},"traceId":"t"}"#;
    assert_eq!(read(Gemini, JSON, 200, inner).billed.uncached, Some(5));
    let refused =
        r#"{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":5}}"#;
    let answer = read(Gemini, JSON, 200, refused);
    assert_eq!(
        (answer.stop_reason.as_deref(), answer.completion),
        (Some("SAFETY"), AnswerCompletion::Complete)
    );
}

#[test]
fn what_cannot_be_read_does_no_harm() {
    let frames = read(Messages, Some("application/vnd.amazon.eventstream"), 200, "{\"usage\":{}}");
    assert_eq!((frames.billed.uncached, frames.completion), (None, AnswerCompletion::Truncated));
    let mut reader = AnswerReader::new(Chat, JSON, 200);
    let blanks = vec![b' '; 1 << 20];
    for _ in 0..=DOCUMENT_BYTES_MAX >> 20 {
        reader.push(&blanks);
    }
    reader.push(br#"{"usage":{"prompt_tokens":5}}"#);
    assert_eq!(reader.finish().billed.uncached, None);
    let deep = format!("{{\"usage\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
    for protocol in Protocol::ALL {
        assert_eq!(read(protocol, JSON, 200, &deep).billed.uncached, None);
        assert_eq!(read(protocol, STREAM, 200, &format!("data: {deep}\n\n")).billed.uncached, None);
    }
}

#[test]
fn events_are_counted() {
    let mut reader = AnswerReader::new(Chat, STREAM, 200);
    reader.push(b": open\n\ndata: {}\n");
    assert_eq!(reader.event_count(), 0);
    reader.push(b"\ndata: {}\n\n");
    assert_eq!(reader.event_count(), 2);
}
