//! Formats an answer in the requested protocol.

use foveal_pricing::tokens::Tokenizer;
use foveal_protocols::Protocol;
use serde_json::{Value, json};

use super::answer_content::AnswerContent;
use super::{chat, gemini, messages, responses};
use crate::reply_script::ModelReply;

/// Returns the output tokens of a reply.
pub(crate) fn count_output_tokens(protocol: Protocol, reply: &ModelReply) -> u64 {
    let tokenizer = match protocol {
        Protocol::Messages => Tokenizer::Claude,
        Protocol::Chat | Protocol::Responses | Protocol::Gemini => Tokenizer::O200k,
    };
    let calls = reply.calls.iter().map(|call| format!("{}{}", call.name, call.arguments));
    let texts = [reply.thinking.clone(), reply.text.clone()].into_iter().chain(calls);
    texts.map(|text| tokenizer.count(&text).0).sum()
}

/// Returns the answer as one document.
pub(crate) fn answer_document(protocol: Protocol, said: &AnswerContent<'_>) -> Value {
    match protocol {
        Protocol::Messages => messages::answer_document(said),
        Protocol::Chat => chat::answer_document(said),
        Protocol::Responses => responses::answer_document(said),
        Protocol::Gemini => gemini::answer_document(said),
    }
}

/// Returns the answer as stream events, each as its bytes.
pub(crate) fn stream_events(protocol: Protocol, said: &AnswerContent<'_>) -> Vec<Vec<u8>> {
    match protocol {
        Protocol::Messages => messages::stream_events(said).iter().map(named_event).collect(),
        Protocol::Responses => responses::stream_events(said).iter().map(named_event).collect(),
        Protocol::Chat => {
            let mut events: Vec<_> = chat::stream_events(said).iter().map(unnamed_event).collect();
            events.push(b"data: [DONE]\n\n".to_vec());
            events
        }
        Protocol::Gemini => gemini::stream_events(said).iter().map(unnamed_event).collect(),
    }
}

fn named_event(event: &Value) -> Vec<u8> {
    let name = event["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {event}\n\n").into_bytes()
}

fn unnamed_event(event: &Value) -> Vec<u8> {
    format!("data: {event}\n\n").into_bytes()
}

/// Returns the error body for this status.
pub(crate) fn error_document(protocol: Protocol, status: u16, message: &str) -> Value {
    let kind = match status {
        400 => "invalid_request_error",
        404 => "not_found_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    match protocol {
        Protocol::Messages => {
            json!({"type": "error", "error": {"type": kind, "message": message}})
        }
        Protocol::Chat | Protocol::Responses => {
            json!({"error": {"message": message, "type": kind, "param": null, "code": null}})
        }
        Protocol::Gemini => {
            let name = match status {
                400 => "INVALID_ARGUMENT",
                404 => "NOT_FOUND",
                429 => "RESOURCE_EXHAUSTED",
                _ => "UNAVAILABLE",
            };
            json!({"error": {"code": status, "message": message, "status": name}})
        }
    }
}

/// Returns an error in the middle of a stream.
pub(crate) fn error_event(protocol: Protocol) -> Vec<u8> {
    let message = "scripted error in mid-stream";
    match protocol {
        Protocol::Messages => named_event(&error_document(protocol, 529, message)),
        Protocol::Responses => named_event(
            &json!({"type": "error", "code": "server_error", "message": message, "param": null}),
        ),
        Protocol::Chat | Protocol::Gemini => unnamed_event(&error_document(protocol, 500, message)),
    }
}

/// Returns the message by which servers keep an idle connection open.
pub(crate) fn keep_alive_event(protocol: Protocol) -> Vec<u8> {
    match protocol {
        Protocol::Messages => named_event(&json!({"type": "ping"})),
        Protocol::Chat | Protocol::Responses | Protocol::Gemini => b": keep-alive\n\n".to_vec(),
    }
}

/// Returns the answer to a request for a token count.
pub(crate) fn token_count_document(protocol: Protocol, tokens: u64) -> Value {
    match protocol {
        Protocol::Gemini => json!({"totalTokens": tokens}),
        Protocol::Messages | Protocol::Chat | Protocol::Responses => {
            json!({"input_tokens": tokens})
        }
    }
}
