//! Access to the fields of recorded JSON objects. Values are moved out, not copied.

use foveal_transcript::ContentBlock;
use serde_json::{Map, Value};

/// A recorded JSON object.
pub type JsonObject = Map<String, Value>;

/// Moves the value of `key` out and leaves null; `None` if it is missing or null.
pub fn take_value(object: &mut JsonObject, key: &str) -> Option<Value> {
    object.get_mut(key).map(Value::take).filter(|value| !value.is_null())
}

/// Moves the text of `key` out; `None` if it is not a string.
pub fn take_text(object: &mut JsonObject, key: &str) -> Option<String> {
    match object.get_mut(key) {
        Some(Value::String(text)) => Some(std::mem::take(text)),
        _ => None,
    }
}

/// Moves the list of `key` out; `None` if it is not an array.
pub fn take_list(object: &mut JsonObject, key: &str) -> Option<Vec<Value>> {
    match object.get_mut(key) {
        Some(Value::Array(list)) => Some(std::mem::take(list)),
        _ => None,
    }
}

/// Moves the object of `key` out; `None` if it is not an object.
pub fn take_object(object: &mut JsonObject, key: &str) -> Option<JsonObject> {
    match object.get_mut(key) {
        Some(Value::Object(inner)) => Some(std::mem::take(inner)),
        _ => None,
    }
}

/// Returns the text of `key`.
pub fn get_text<'a>(object: &'a JsonObject, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

/// Returns the object of `key`.
pub fn get_object<'a>(object: &'a JsonObject, key: &str) -> Option<&'a JsonObject> {
    object.get(key).and_then(Value::as_object)
}

/// Returns the integer of `key`, or 0 if there is none.
pub fn get_count(object: &JsonObject, key: &str) -> u64 {
    object.get(key).and_then(Value::as_u64).unwrap_or(0)
}

/// Returns whether the value of `key` is `true`.
pub fn is_true(object: &JsonObject, key: &str) -> bool {
    object.get(key).and_then(Value::as_bool) == Some(true)
}

/// Returns call arguments, which may be recorded as JSON text, as OpenAI sends them. Text that is
/// not a JSON object stays text.
pub fn parse_arguments(value: Option<Value>) -> Value {
    match value {
        None => Value::Object(JsonObject::new()),
        Some(Value::String(text)) if text.trim().is_empty() => Value::Object(JsonObject::new()),
        Some(Value::String(text)) => match serde_json::from_str(&text) {
            Ok(parsed @ Value::Object(_)) => parsed,
            Ok(_) | Err(_) => Value::String(text),
        },
        Some(other) => other,
    }
}

/// Returns an unknown value as an opaque block of `kind`.
pub fn opaque_block(kind: &str, value: &Value) -> ContentBlock {
    ContentBlock::Opaque { kind: kind.to_owned(), raw: value.to_string() }
}

/// Returns reasoning as a block. Without readable text it is kept as an opaque block, since the
/// value may hold encrypted reasoning.
pub fn reasoning_block(text: String, kind: &str, value: &Value) -> ContentBlock {
    if text.is_empty() { opaque_block(kind, value) } else { ContentBlock::Reasoning(text) }
}

/// Returns the `type` of a recorded part.
pub fn part_type(part: &Value) -> &str {
    part.get("type").and_then(Value::as_str).unwrap_or("unknown")
}

/// Returns whether parts of this type carry plain text.
fn is_text_type(kind: Option<&str>) -> bool {
    matches!(kind, Some("text" | "input_text" | "output_text") | None)
}

/// Moves the text out of a part that carries plain text.
fn take_part_text(part: &mut Value) -> Option<String> {
    match part {
        Value::String(text) => Some(std::mem::take(text)),
        Value::Object(object) if is_text_type(get_text(object, "type")) => {
            take_text(object, "text")
        }
        Value::Object(_) => None,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}

/// Moves the text out of a part of a result. Programs name such parts as they like (`tool_output`).
fn take_result_part_text(part: &mut Value) -> Option<String> {
    match part {
        Value::Object(object) => take_text(object, "text"),
        other => take_part_text(other),
    }
}

/// Returns a message's content, which is text or a list of parts, as text and opaque blocks. Empty
/// text makes no block.
pub fn message_blocks(content: Option<Value>) -> Vec<ContentBlock> {
    let parts = match content {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(parts)) => parts,
        Some(single) => vec![single],
    };
    let mut blocks = Vec::with_capacity(parts.len());
    for mut part in parts {
        match take_part_text(&mut part) {
            Some(text) if text.is_empty() => {}
            Some(text) => blocks.push(ContentBlock::Text(text)),
            None => blocks.push(opaque_block(part_type(&part), &part)),
        }
    }
    blocks
}

/// Returns a result's content, which is text or a list of parts: the text parts joined by newlines,
/// and the other parts as opaque blocks.
pub fn result_content(content: Option<Value>) -> (String, Vec<ContentBlock>) {
    match content {
        None | Some(Value::Null) => (String::new(), Vec::new()),
        Some(Value::String(text)) => (text, Vec::new()),
        Some(Value::Array(parts)) => {
            let mut texts = Vec::new();
            let mut others = Vec::new();
            for mut part in parts {
                match take_result_part_text(&mut part) {
                    Some(text) => texts.push(text),
                    None => others.push(opaque_block(part_type(&part), &part)),
                }
            }
            let text = if texts.len() == 1 { texts.remove(0) } else { texts.join("\n") };
            (text, others)
        }
        // A client shows the model a bare object as its JSON.
        Some(other) => (other.to_string(), Vec::new()),
    }
}
