//! Redaction of JSON values.

use std::borrow::Cow;

use serde_json::Value;

use crate::redaction::{find_secrets, redact_text, secret_note};
use crate::scanner;

/// The longest value that is scanned together with its key.
const KEYED_BYTES_MAX: usize = 1 << 10;

/// Redacts the strings of a value. The caller must bound its depth.
pub fn redact_json(value: &Value) -> Cow<'_, Value> {
    if !may_contain_secrets(value) {
        return Cow::Borrowed(value);
    }
    let mut value = value.clone();
    redact_value(&mut value);
    Cow::Owned(value)
}

/// Returns whether a key or a string requires a full scan.
fn may_contain_secrets(value: &Value) -> bool {
    match value {
        Value::String(text) => scanner::may_contain_secret(text.as_bytes()),
        Value::Array(values) => values.iter().any(may_contain_secrets),
        Value::Object(fields) => fields.iter().any(|(key, value)| {
            scanner::may_contain_secret(key.as_bytes()) || may_contain_secrets(value)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn redact_value(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(redacted) = redact_text(text) {
                *text = redacted;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(redact_value),
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if text.len() <= KEYED_BYTES_MAX => {
                        redact_keyed_string(key, text);
                    }
                    value => redact_value(value),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Redacts a string under a key, which alone may reveal that it is a secret.
fn redact_keyed_string(key: &str, text: &mut String) {
    if let Cow::Owned(redacted) = redact_text(text) {
        *text = redacted;
        return;
    }
    let assignment = format!("\"{key}\": \"{text}\"");
    let value = key.len() + 5;
    let found = find_secrets(assignment.as_bytes());
    if let Some(found) = found.iter().find(|found| found.range.start >= value) {
        *text = secret_note(found.kind);
    }
}
