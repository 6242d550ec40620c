//! JSON values without their secrets.

use std::borrow::Cow;

use serde_json::Value;

use crate::redact::{find, note, without};
use crate::scanner;

/// A value under a key is looked at together with it up to this length.
const KEYED_BYTES_MAX: usize = 1 << 10;

/// The value without the secrets in its strings. Its depth is to be bounded.
pub fn without_in(value: &Value) -> Cow<'_, Value> {
    if !may_hold(value) {
        return Cow::Borrowed(value);
    }
    let mut value = value.clone();
    redact_value(&mut value);
    Cow::Owned(value)
}

/// Whether a key or a string has anything that makes it worth a closer look.
fn may_hold(value: &Value) -> bool {
    match value {
        Value::String(text) => scanner::may_hold(text.as_bytes()),
        Value::Array(values) => values.iter().any(may_hold),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| scanner::may_hold(key.as_bytes()) || may_hold(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn redact_value(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(redacted) = without(text) {
                *text = redacted;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(redact_value),
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if text.len() <= KEYED_BYTES_MAX => {
                        redact_keyed(key, text);
                    }
                    value => redact_value(value),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Redacts a string under a key, which may be all that tells its kind.
fn redact_keyed(key: &str, text: &mut String) {
    if let Cow::Owned(redacted) = without(text) {
        *text = redacted;
        return;
    }
    let assignment = format!("\"{key}\": \"{text}\"");
    let value = key.len() + 5;
    let found = find(assignment.as_bytes());
    if let Some(found) = found.iter().find(|found| found.range.start >= value) {
        *text = note(found.kind);
    }
}
