//! Fingerprint chains of redacted messages. A client whose messages are stored without their
//! secrets sends them redacted after a restart; the recorded decisions about them stay valid.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use foveal_engine::plan_step::PlanStep;
use foveal_protocols::Protocol;
use foveal_protocols::request_body::RequestBody;
use foveal_transcript::{ContentHash, Handle, TranscriptEntry};
use serde_json::Value;

use crate::fingerprint_chain::{self, FingerprintChain};
use crate::recorder::PlannedStep;
use crate::request_context::RequestContext;

/// The functions by which a client removes secrets from the messages that it stores.
#[derive(Debug, Clone, Copy)]
pub struct Redactor {
    /// Redacts a text.
    pub text: fn(&str) -> Cow<'_, str>,
    /// Redacts the arguments of a call.
    pub arguments: fn(&Value) -> Cow<'_, Value>,
}

/// Fields that hold texts, anywhere in a message.
const TEXT_FIELDS: [&str; 3] = ["text", "content", "output"];

/// Fields that hold the arguments of a call.
const ARGUMENT_FIELDS: [&str; 2] = ["arguments", "input"];

/// The fingerprints of the latest request's messages, as received and redacted.
#[derive(Debug, Default)]
pub(crate) struct RedactedChains(Mutex<ChainPair>);

#[derive(Debug, Default)]
struct ChainPair {
    received: Vec<ContentHash>,
    redacted: Vec<ContentHash>,
}

impl RedactedChains {
    /// Returns the chain of a request's redacted messages. The first `known` of them are known to
    /// contain no secrets.
    pub(crate) fn redacted_chain(
        &self,
        redactor: &Redactor,
        request: &RequestContext<'_>,
        known: usize,
    ) -> FingerprintChain {
        let (body, bytes, chain) = (&request.body, request.bytes(), &request.chain);
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pairs = latest.received.iter().zip(&chain.fingerprints);
        let alike = pairs.take_while(|(one, other)| one == other).count();
        let mut ends = match alike >= known {
            true => latest.redacted[..alike].to_vec(),
            false => chain.fingerprints[..known].to_vec(),
        };
        let mut end = ends.last().copied().unwrap_or(chain.root);
        for message in ends.len()..chain.fingerprints.len() {
            let own = &bytes[body.messages[message].clone()];
            let redacted = redactor.redacted_fingerprint(own, body.protocol);
            end = fingerprint_chain::append_fingerprint(
                end,
                redacted.unwrap_or_else(|| body.message_fingerprint(bytes, message)),
            );
            ends.push(end);
        }
        *latest = ChainPair { received: chain.fingerprints.clone(), redacted: ends.clone() };
        FingerprintChain { root: chain.root, fingerprints: ends }
    }
}

impl Redactor {
    /// Returns the fingerprint of a redacted message; `None` if it contains no secrets.
    fn redacted_fingerprint(&self, bytes: &[u8], protocol: Protocol) -> Option<ContentHash> {
        let mut message: Value = serde_json::from_slice(bytes).ok()?;
        if !self.redact(&mut message) {
            return None;
        }
        let list = match protocol {
            Protocol::Responses => "input",
            Protocol::Gemini => "contents",
            Protocol::Messages | Protocol::Chat => "messages",
        };
        let alone = format!("{{\"{list}\":[{message}]}}").into_bytes();
        let body = RequestBody::scan(protocol, &alone).ok()?;
        (body.messages.len() == 1).then(|| body.message_fingerprint(&alone, 0))
    }

    /// Removes secrets in place; returns whether there were any. Fields that only the provider can
    /// read, and names of calls, stay unchanged.
    fn redact(&self, value: &mut Value) -> bool {
        match value {
            Value::Array(values) => {
                values.iter_mut().fold(false, |any, value| self.redact(value) | any)
            }
            Value::Object(fields) => fields.iter_mut().fold(false, |any, (key, value)| {
                let is_text = TEXT_FIELDS.contains(&key.as_str());
                any | match value {
                    Value::String(text) if is_text => redact_text(text, self.text),
                    Value::String(text) if key == "arguments" => self.redact_json_text(text),
                    value if ARGUMENT_FIELDS.contains(&key.as_str()) => {
                        let plain = (self.arguments)(value).into_owned();
                        let is_other = plain != *value;
                        *value = plain;
                        is_other
                    }
                    value => self.redact(value),
                }
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        }
    }

    /// Removes secrets from arguments that are JSON in a string.
    fn redact_json_text(&self, text: &mut String) -> bool {
        let Ok(mut arguments) = serde_json::from_str::<Value>(text) else {
            return redact_text(text, self.text);
        };
        let plain = (self.arguments)(&arguments).into_owned();
        let is_other = plain != arguments;
        if is_other {
            arguments = plain;
            *text = arguments.to_string();
        }
        is_other
    }
}

fn redact_text(text: &mut String, without: fn(&str) -> Cow<'_, str>) -> bool {
    let Cow::Owned(plain) = without(text) else { return false };
    let is_other = plain != *text;
    *text = plain;
    is_other
}

/// Returns the steps that still apply to partly redacted entries: those in front of the first step
/// that keeps parts of a redacted result.
pub(crate) fn applicable_steps(
    planned: Vec<PlannedStep>,
    entries: &[&TranscriptEntry],
) -> Vec<PlannedStep> {
    planned.into_iter().take_while(|planned| is_applicable(&planned.step, entries)).collect()
}

/// Returns whether all entries of which a step keeps parts have unchanged bytes.
fn is_applicable(step: &PlanStep, entries: &[&TranscriptEntry]) -> bool {
    step.changed.iter().all(|(index, decision)| {
        let Some(shape) = decision.shape().filter(|shape| shape.keeps_original_bytes()) else {
            return true;
        };
        let entry = entries.get(index.as_usize());
        entry.is_some_and(|entry| {
            Handle::from_content(entry.prompt_text().as_bytes()) == shape.handle
        })
    })
}
