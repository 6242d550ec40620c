//! The texts in the arguments of calls.

use foveal_transcript::ToolCall;
use serde_json::Value;

/// Returns all texts in a call's arguments, nested ones included, in order.
pub fn argument_texts(call: &ToolCall) -> Vec<&str> {
    let mut texts = Vec::new();
    collect_strings(&call.arguments, &mut texts);
    texts
}

fn collect_strings<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect_strings(item, texts)),
        Value::Object(map) => map.values().for_each(|item| collect_strings(item, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
