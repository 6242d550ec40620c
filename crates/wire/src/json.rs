//! Fields of recorded JSON, taken out of their object so that text is moved, not copied.

use foveal_transcript::Block;
use serde_json::{Map, Value};

/// A recorded JSON object.
pub(crate) type Object = Map<String, Value>;

/// Moves the value of `key` out, leaving null; `None` where it is missing or null.
pub(crate) fn take(object: &mut Object, key: &str) -> Option<Value> {
    object.get_mut(key).map(Value::take).filter(|value| !value.is_null())
}

/// Moves the text of `key` out; `None` where it is not a string.
pub(crate) fn take_text(object: &mut Object, key: &str) -> Option<String> {
    match object.get_mut(key) {
        Some(Value::String(text)) => Some(std::mem::take(text)),
        _ => None,
    }
}

/// Moves the list of `key` out; `None` where it is not an array.
pub(crate) fn take_list(object: &mut Object, key: &str) -> Option<Vec<Value>> {
    match object.get_mut(key) {
        Some(Value::Array(list)) => Some(std::mem::take(list)),
        _ => None,
    }
}

/// Moves the object of `key` out; `None` where it is not an object.
pub(crate) fn take_object(object: &mut Object, key: &str) -> Option<Object> {
    match object.get_mut(key) {
        Some(Value::Object(inner)) => Some(std::mem::take(inner)),
        _ => None,
    }
}

/// The text of `key`.
pub(crate) fn text<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

/// The object of `key`.
pub(crate) fn object<'a>(object: &'a Object, key: &str) -> Option<&'a Object> {
    object.get(key).and_then(Value::as_object)
}

/// The whole number of `key`, 0 where there is none.
pub(crate) fn count(object: &Object, key: &str) -> u64 {
    object.get(key).and_then(Value::as_u64).unwrap_or(0)
}

/// Whether `key` is true.
pub(crate) fn is_true(object: &Object, key: &str) -> bool {
    object.get(key).and_then(Value::as_bool) == Some(true)
}

/// Call arguments that may be recorded as JSON text, as OpenAI sends them. Text that is
/// not JSON stays text.
pub(crate) fn arguments(value: Option<Value>) -> Value {
    match value {
        None => Value::Object(Object::new()),
        Some(Value::String(text)) if text.trim().is_empty() => Value::Object(Object::new()),
        Some(Value::String(text)) => match serde_json::from_str(&text) {
            Ok(parsed @ Value::Object(_)) => parsed,
            Ok(_) | Err(_) => Value::String(text),
        },
        Some(other) => other,
    }
}

/// A value that is not understood, as an opaque block of `kind`.
pub(crate) fn opaque(kind: &str, value: &Value) -> Block {
    Block::Opaque { kind: kind.to_owned(), raw: value.to_string() }
}

/// Reasoning with what can be read of it; without any, the value is kept as it is, since
/// what it holds may be encrypted.
pub(crate) fn reasoning(text: String, kind: &str, value: &Value) -> Block {
    if text.is_empty() { opaque(kind, value) } else { Block::Reasoning(text) }
}

/// What a recorded part calls itself.
pub(crate) fn kind_of(part: &Value) -> &str {
    part.get("type").and_then(Value::as_str).unwrap_or("unknown")
}

/// Whether parts of this kind carry plain text.
pub(crate) fn is_text_part(kind: Option<&str>) -> bool {
    matches!(kind, Some("text" | "input_text" | "output_text") | None)
}

/// Text of a part of any of the kinds that carry plain text.
pub(crate) fn part_text(part: &mut Value) -> Option<String> {
    match part {
        Value::String(text) => Some(std::mem::take(text)),
        Value::Object(object) if is_text_part(text(object, "type")) => take_text(object, "text"),
        Value::Object(_) => None,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}

/// A message's content, plain text or a list of parts, as text and opaque blocks.
/// Empty text makes no block.
pub(crate) fn message_blocks(content: Option<Value>) -> Vec<Block> {
    let parts = match content {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(parts)) => parts,
        Some(single) => vec![single],
    };
    let mut blocks = Vec::with_capacity(parts.len());
    for mut part in parts {
        match part_text(&mut part) {
            Some(text) if text.is_empty() => {}
            Some(text) => blocks.push(Block::Text(text)),
            None => blocks.push(opaque(kind_of(&part), &part)),
        }
    }
    blocks
}

/// A result's content, plain text or a list of parts: the text parts joined by newlines,
/// and what is not text as opaque blocks.
pub(crate) fn result_content(content: Option<Value>) -> (String, Vec<Block>) {
    match content {
        None | Some(Value::Null) => (String::new(), Vec::new()),
        Some(Value::String(text)) => (text, Vec::new()),
        Some(Value::Array(parts)) => {
            let mut texts = Vec::new();
            let mut others = Vec::new();
            for mut part in parts {
                match part_text(&mut part) {
                    Some(text) => texts.push(text),
                    None => others.push(opaque(kind_of(&part), &part)),
                }
            }
            let text = if texts.len() == 1 { texts.remove(0) } else { texts.join("\n") };
            (text, others)
        }
        // A tool that answers with a bare object is shown its JSON.
        Some(other) => (other.to_string(), Vec::new()),
    }
}
