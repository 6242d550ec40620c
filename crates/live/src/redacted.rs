//! What a conversation is known by in the records where its messages are kept without their secrets:
//! after a restart they come so, and what was decided about them stands all the same.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use foveal_context::step::Step;
use foveal_transcript::{ContentHash, Entry, Handle};
use foveal_wire::Protocol;
use foveal_wire::body::Body;
use serde_json::Value;

use crate::chain::{self, Chain};
use crate::recorder::Planned;

/// How whoever keeps the messages removes secrets from them.
#[derive(Debug, Clone, Copy)]
pub struct Redactor {
    /// From a text.
    pub text: fn(&str) -> Cow<'_, str>,
    /// From the arguments of a call.
    pub arguments: fn(&Value) -> Cow<'_, Value>,
}

/// Members that hold texts, wherever they stand in a message.
const TEXTS: [&str; 3] = ["text", "content", "output"];

/// Members that hold the arguments of a call.
const ARGUMENTS: [&str; 2] = ["arguments", "input"];

/// The chain of the messages of the latest request, and the one that it is kept by.
#[derive(Debug, Default)]
pub(crate) struct Latest(Mutex<Ends>);

#[derive(Debug, Default)]
struct Ends {
    asked: Vec<ContentHash>,
    kept: Vec<ContentHash>,
}

impl Latest {
    /// The chain of a request's messages without their secrets. The first `known` of them are known
    /// to have none.
    pub(crate) fn chain(
        &self,
        redactor: &Redactor,
        (body, bytes): (&Body, &[u8]),
        (chain, known): (&Chain, usize),
    ) -> Chain {
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pairs = latest.asked.iter().zip(&chain.ends);
        let alike = pairs.take_while(|(one, other)| one == other).count();
        let mut ends = match alike >= known {
            true => latest.kept[..alike].to_vec(),
            false => chain.ends[..known].to_vec(),
        };
        let mut end = ends.last().copied().unwrap_or(chain.root);
        for message in ends.len()..chain.ends.len() {
            let own = &bytes[body.messages[message].clone()];
            let redacted = redactor.message(own, body.protocol);
            end = chain::next(end, redacted.unwrap_or_else(|| body.fingerprint(bytes, message)));
            ends.push(end);
        }
        *latest = Ends { asked: chain.ends.clone(), kept: ends.clone() };
        Chain { root: chain.root, ends }
    }
}

impl Redactor {
    /// The fingerprint of a message without its secrets; `None` where there are none in it.
    fn message(&self, bytes: &[u8], protocol: Protocol) -> Option<ContentHash> {
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
        let body = Body::scan(protocol, &alone).ok()?;
        (body.messages.len() == 1).then(|| body.fingerprint(&alone, 0))
    }

    /// Removes the secrets; whether there were any. What only the provider can read, and names of
    /// calls, stay.
    fn redact(&self, value: &mut Value) -> bool {
        match value {
            Value::Array(values) => {
                values.iter_mut().fold(false, |any, value| self.redact(value) | any)
            }
            Value::Object(fields) => fields.iter_mut().fold(false, |any, (key, value)| {
                let is_text = TEXTS.contains(&key.as_str());
                any | match value {
                    Value::String(text) if is_text => replace(text, self.text),
                    Value::String(text) if key == "arguments" => self.redact_spelled(text),
                    value if ARGUMENTS.contains(&key.as_str()) => {
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

    /// The same of arguments that are spelled out in a text.
    fn redact_spelled(&self, text: &mut String) -> bool {
        let Ok(mut arguments) = serde_json::from_str::<Value>(text) else {
            return replace(text, self.text);
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

fn replace(text: &mut String, without: fn(&str) -> Cow<'_, str>) -> bool {
    let Cow::Owned(plain) = without(text) else { return false };
    let is_other = plain != *text;
    *text = plain;
    is_other
}

/// Returns the steps for entries some of which have other bytes since: up to the first one that keeps
/// parts of such a result.
pub(crate) fn fitted(planned: Vec<Planned>, entries: &[&Entry]) -> Vec<Planned> {
    planned.into_iter().take_while(|planned| fits(&planned.step, entries)).collect()
}

/// Returns whether a step keeps parts of entries alone that have the same bytes still.
fn fits(step: &Step, entries: &[&Entry]) -> bool {
    step.changed.iter().all(|(index, decision)| {
        let Some(shape) = decision.shape().filter(|shape| shape.keeps_any()) else { return true };
        let entry = entries.get(index.at());
        entry.is_some_and(|entry| Handle::of(entry.prompt_text().as_bytes()) == shape.handle)
    })
}
