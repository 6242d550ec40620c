//! One answer in the protocol that was asked.

use foveal_context::tokens::Tokenizer;
use foveal_wire::Protocol;
use serde_json::{Value, json};

use super::said::Said;
use super::{chat, gemini, messages, responses};
use crate::reply::Reply;

/// Tokens of what is said.
pub(crate) fn output(protocol: Protocol, reply: &Reply) -> u64 {
    let tokenizer = match protocol {
        Protocol::Messages => Tokenizer::Claude,
        Protocol::Chat | Protocol::Responses | Protocol::Gemini => Tokenizer::O200k,
    };
    let calls = reply.calls.iter().map(|call| format!("{}{}", call.name, call.arguments));
    let texts = [reply.thinking.clone(), reply.text.clone()].into_iter().chain(calls);
    texts.map(|text| tokenizer.count(&text).0).sum()
}

/// The answer as one document.
pub(crate) fn document(protocol: Protocol, said: &Said<'_>) -> Value {
    match protocol {
        Protocol::Messages => messages::document(said),
        Protocol::Chat => chat::document(said),
        Protocol::Responses => responses::document(said),
        Protocol::Gemini => gemini::document(said),
    }
}

/// The answer as the events of a stream, each as its bytes.
pub(crate) fn events(protocol: Protocol, said: &Said<'_>) -> Vec<Vec<u8>> {
    match protocol {
        Protocol::Messages => messages::events(said).iter().map(named).collect(),
        Protocol::Responses => responses::events(said).iter().map(named).collect(),
        Protocol::Chat => {
            let mut events: Vec<_> = chat::events(said).iter().map(unnamed).collect();
            events.push(b"data: [DONE]\n\n".to_vec());
            events
        }
        Protocol::Gemini => gemini::events(said).iter().map(unnamed).collect(),
    }
}

fn named(event: &Value) -> Vec<u8> {
    let name = event["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {event}\n\n").into_bytes()
}

fn unnamed(event: &Value) -> Vec<u8> {
    format!("data: {event}\n\n").into_bytes()
}

/// The body of an error with this status.
pub(crate) fn error(protocol: Protocol, status: u16, message: &str) -> Value {
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

/// An error in the middle of a stream.
pub(crate) fn error_event(protocol: Protocol) -> Vec<u8> {
    let message = "scripted error in mid-stream";
    match protocol {
        Protocol::Messages => named(&error(protocol, 529, message)),
        Protocol::Responses => named(
            &json!({"type": "error", "code": "server_error", "message": message, "param": null}),
        ),
        Protocol::Chat | Protocol::Gemini => unnamed(&error(protocol, 500, message)),
    }
}

/// What servers send so that a connection is not taken for dead.
pub(crate) fn keep_alive(protocol: Protocol) -> Vec<u8> {
    match protocol {
        Protocol::Messages => named(&json!({"type": "ping"})),
        Protocol::Chat | Protocol::Responses | Protocol::Gemini => b": keep-alive\n\n".to_vec(),
    }
}

/// The answer to a request for the number of tokens.
pub(crate) fn count(protocol: Protocol, tokens: u64) -> Value {
    match protocol {
        Protocol::Gemini => json!({"totalTokens": tokens}),
        Protocol::Messages | Protocol::Chat | Protocol::Responses => {
            json!({"input_tokens": tokens})
        }
    }
}
