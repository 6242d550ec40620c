//! The cost of reading answers while they pass, in nanoseconds per event.
//!
//!     cargo run -p foveal-protocols --release --example answer_speed

use std::time::Instant;

use foveal_protocols::Protocol;
use foveal_protocols::response::AnswerReader;

const DELTAS: usize = 2_000;
const ROUNDS: usize = 20;

fn main() {
    for protocol in Protocol::ALL {
        let stream = stream(protocol);
        for size in [stream.len(), 1_400, 60] {
            let mut best = f64::INFINITY;
            for _ in 0..ROUNDS {
                let mut reader = AnswerReader::new(protocol, Some("text/event-stream"), 200);
                let start = Instant::now();
                stream.chunks(size).for_each(|piece| reader.push(piece));
                let nanoseconds = start.elapsed().as_secs_f64() * 1e9;
                best = best.min(nanoseconds / reader.event_count() as f64);
                assert_eq!(reader.finish().billed.prompt_tokens(), Some(9));
            }
            println!("{:<10} pieces of {size:>6} bytes: {best:>6.0} ns an event", protocol.name());
        }
    }
}

/// A long answer with a few words in each event, as the APIs send them.
fn stream(protocol: Protocol) -> Vec<u8> {
    let words = "some words of an answer, \\\"quoted\\\"";
    let (first, delta, last) = match protocol {
        Protocol::Messages => (
            r#"event: message_start§data: {"type":"message_start","message":{"id":"msg_1","model":"claude","usage":{"input_tokens":9,"output_tokens":1}}}"#.to_owned(),
            format!(r#"event: content_block_delta§data: {{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{words}"}}}}"#),
            r#"event: message_delta§data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}"#,
        ),
        Protocol::Chat => {
            let chunk = |delta: &str| format!(r#"data: {{"id":"chatcmpl-0123456789","object":"chat.completion.chunk","created":1,"model":"gpt","service_tier":"default","system_fingerprint":"fp_0","choices":[{{"index":0,"delta":{{"content":"{delta}"}},"logprobs":null,"finish_reason":null}}],"usage":null,"obfuscation":"0123456789"}}"#);
            (chunk(""), chunk(words), r#"data: {"id":"c","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":9}}"#)
        }
        Protocol::Responses => (
            r#"event: response.created§data: {"type":"response.created","response":{"id":"resp_1","model":"gpt","status":"in_progress"}}"#.to_owned(),
            format!(r#"event: response.output_text.delta§data: {{"type":"response.output_text.delta","sequence_number":7,"item_id":"msg_0123456789","output_index":0,"content_index":0,"delta":"{words}","logprobs":[]}}"#),
            r#"event: response.completed§data: {"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":9,"output_tokens":9}}}"#,
        ),
        Protocol::Gemini => {
            let part = format!(r#"data: {{"candidates":[{{"content":{{"parts":[{{"text":"{words}"}}],"role":"model"}},"index":0}}],"usageMetadata":{{"promptTokenCount":9,"candidatesTokenCount":9,"totalTokenCount":18,"promptTokensDetails":[{{"modality":"TEXT","tokenCount":9}}]}},"modelVersion":"gemini","responseId":"r"}}"#);
            (part.clone(), part, r#"data: {"candidates":[{"finishReason":"STOP"}]}"#)
        }
    };
    let mut text = format!("{first}\n\n");
    (0..DELTAS).for_each(|_| text += &format!("{delta}\n\n"));
    text += &format!("{last}\n\n");
    text.replace('§', "\n").into_bytes()
}
