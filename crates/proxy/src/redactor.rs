//! The removal of secrets from the messages that a client stores.

use std::borrow::Cow;

use foveal_protocols::Protocol;
use foveal_protocols::request_body::RequestBody;
use foveal_transcript::ContentHash;
use serde_json::Value;

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

impl Redactor {
    /// Returns the fingerprint of a redacted message; `None` if it contains no secrets.
    pub(crate) fn redacted_fingerprint(
        &self,
        bytes: &[u8],
        protocol: Protocol,
    ) -> Option<ContentHash> {
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
