//! Answers in all protocols: the usage that the reader of `protocols` returns equals the bill.

use std::io::Read;
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use foveal_mock_provider::{BodyEncoding, ModelReply, ReplyScript, ScriptedOutcome};
use foveal_protocols::Protocol;
use foveal_protocols::response::{AnswerCompletion, AnswerMetadata, AnswerReader};
use serde_json::{Value, json};

use crate::client::{Got, ask, ask_for, path, upstream};

/// A request with a prompt of some length.
fn body(protocol: Protocol, is_stream: bool) -> Value {
    let text = " a".repeat(5000);
    let mut body = match protocol {
        Protocol::Messages => {
            json!({"model": "claude-sonnet-4-5", "messages": [{"role": "user", "content": [
            {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]}]})
        }
        Protocol::Chat => json!({"model": "gpt-5.6", "stream_options": {"include_usage": true},
            "messages": [{"role": "user", "content": text}]}),
        Protocol::Responses => json!({"model": "gpt-5.6", "input": text}),
        Protocol::Gemini => json!({"contents": [{"role": "user", "parts": [{"text": text}]}]}),
    };
    if is_stream {
        body["stream"] = json!(true);
    }
    body
}

fn read(protocol: Protocol, got: &Got) -> AnswerMetadata {
    let content_type = got.headers.lines().find_map(|line| line.strip_prefix("content-type: "));
    let mut reader = AnswerReader::new(protocol, content_type, got.status);
    got.body.chunks(7).for_each(|piece| reader.push(piece));
    reader.finish()
}

#[test]
fn what_is_told_is_what_is_billed() {
    for protocol in Protocol::ALL {
        let upstream = upstream();
        let call = foveal_mock_provider::ReplyCall {
            name: "read".into(),
            arguments: json!({"path": "a é"}),
        };
        let thinking = "Let me see.".to_owned();
        upstream.set_script(ReplyScript::always(ModelReply {
            thinking,
            text: "Words é.".into(),
            calls: vec![call],
        }));
        for (at, is_stream) in [false, true, true].into_iter().enumerate() {
            let got = ask(&upstream, protocol, &body(protocol, is_stream));
            assert!(got.is_whole && got.status == 200, "{protocol:?}: {}", got.text());
            let answer = read(protocol, &got);
            let bill = upstream.received_requests()[at].bill.expect("it was billed");
            let told = answer.billed;
            assert_eq!(told.uncached, Some(bill.uncached), "{protocol:?}");
            assert_eq!(told.cache_read.unwrap_or(0), bill.read);
            assert_eq!(told.cache_write_5m.unwrap_or(0), bill.written_5m);
            assert_eq!(told.output, Some(bill.output));
            assert_eq!(
                (bill.read > 0, answer.completion),
                (at > 0, AnswerCompletion::Complete),
                "{protocol:?}"
            );
        }
    }
}

#[test]
fn chat_tells_usage_of_a_stream_only_where_it_is_asked() {
    let upstream = upstream();
    let mut body = body(Protocol::Chat, true);
    body["stream_options"] = Value::Null;
    let answer = read(Protocol::Chat, &ask(&upstream, Protocol::Chat, &body));
    assert_eq!(
        (answer.billed.prompt_tokens(), answer.completion),
        (None, AnswerCompletion::Complete)
    );
}

#[test]
fn gemini_streams_a_list_without_sse() {
    let upstream = upstream();
    let path = "/v1beta/models/gemini-3-pro:streamGenerateContent";
    let body = body(Protocol::Gemini, false).to_string();
    let got = ask_for(upstream.address(), path, "", body.as_bytes(), Duration::from_secs(9));
    assert!(got.json().is_array());
    let told = read(Protocol::Gemini, &got).billed.output;
    assert_eq!(told, upstream.received_requests()[0].bill.map(|bill| bill.output));
    assert!(told.is_some());
}

#[test]
fn every_event_is_a_chunk_and_encodings_can_be_undone() {
    let upstream = upstream();
    let say = |encoding| ScriptedOutcome {
        encoding,
        ..ScriptedOutcome::from(ModelReply::from_text("Some words. ".repeat(40_000)))
    };
    let all =
        [BodyEncoding::Identity, BodyEncoding::Gzip, BodyEncoding::Brotli, BodyEncoding::Zstd];
    upstream.set_script(ReplyScript::in_order(all.map(say)));
    let ask = || {
        ask(&upstream, Protocol::Messages, &json!({"model": "m", "messages": [], "stream": true}))
    };
    let plain = ask();
    let number = |text: String| {
        text.replace("00000001", "N")
            .replace("00000002", "N")
            .replace("00000003", "N")
            .replace("00000000", "N")
    };
    let expected = number(plain.text());
    assert!(plain.times.len() > 1000, "one chunk an event");
    let gzip = ask();
    assert!(gzip.headers.contains("content-encoding: gzip"));
    let mut text = String::new();
    MultiGzDecoder::new(&gzip.body[..]).read_to_string(&mut text).expect("it is gzip");
    assert_eq!(number(text), expected);
    let brotli = ask();
    assert!(brotli.headers.contains("content-encoding: br"));
    assert_eq!(number(String::from_utf8(stored(&brotli.body)).expect("text")), expected);
    let zstd = zstd::stream::decode_all(&ask().body[..]).expect("it is zstd");
    assert_eq!(number(String::from_utf8(zstd).expect("text")), expected);
}

/// Undoes Brotli of uncompressed meta-blocks, after RFC 7932, section 9.2.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let (mut bit, mut decoded) = (0usize, Vec::new());
    let take = |bit: &mut usize, count: usize| {
        let value = (0..count)
            .map(|at| usize::from(bytes[(*bit + at) / 8] >> ((*bit + at) % 8) & 1) << at)
            .sum::<usize>();
        *bit += count;
        value
    };
    assert_eq!(take(&mut bit, 1), 0, "a window of 16 bits");
    while take(&mut bit, 1) == 0 {
        assert_eq!(take(&mut bit, 2), 0, "four nibbles");
        let length = take(&mut bit, 16) + 1;
        assert_eq!(take(&mut bit, 1), 1, "uncompressed");
        let at = bit.div_ceil(8);
        decoded.extend_from_slice(&bytes[at..at + length]);
        bit = (at + length) * 8;
    }
    assert_eq!(take(&mut bit, 1), 1, "the last one is empty");
    decoded
}

#[test]
fn scripts_follow_requests_or_turns() {
    let upstream = upstream();
    let answer = |body: &Value| {
        let path = path(Protocol::Chat, false);
        let body = body.to_string();
        ask_for(upstream.address(), path, "", body.as_bytes(), Duration::from_secs(9)).json()
            ["choices"][0]["message"]["content"].as_str().map(str::to_owned)
    };
    let call = json!({"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "t", "arguments": "{}"}}]});
    let result = json!({"role": "tool", "tool_call_id": "a", "content": "x"});
    let later = json!({"messages": [{"role": "user", "content": "go"}, call, result]});
    upstream.set_script(ReplyScript::by_turn(["one", "two"].map(ModelReply::from_text)));
    assert_eq!(answer(&later).as_deref(), Some("two"));
    assert_eq!(answer(&json!({"messages": []})).as_deref(), Some("one"));
    upstream.set_script(ReplyScript::in_order(["one", "two"].map(ModelReply::from_text)));
    assert_eq!(answer(&later).as_deref(), Some("one"));
    assert_eq!(answer(&later).as_deref(), Some("two"));
    assert_eq!(answer(&later).as_deref(), Some("two"));
}
