//! Accessors for request bodies, common to all APIs.

use foveal_protocols::Protocol;
use serde_json::{Map, Value};

/// Returns the messages of the conversation.
pub(crate) fn conversation_messages(protocol: Protocol, body: &Value) -> Vec<&Value> {
    let name = match protocol {
        Protocol::Messages | Protocol::Chat => "messages",
        Protocol::Responses => "input",
        Protocol::Gemini => "contents",
    };
    match &body[name] {
        Value::Array(list) => list.iter().collect(),
        // Responses accepts a plain string as the user's only message.
        text @ Value::String(_) => vec![text],
        _ => Vec::new(),
    }
}

/// Returns the parts of a message: those of a list, or a string as the only part.
pub(crate) fn message_parts(message: &Value) -> Vec<&Value> {
    let content = message.get("content").or_else(|| message.get("parts"));
    match content {
        Some(Value::Array(list)) => list.iter().collect(),
        Some(Value::Null) | None => Vec::new(),
        Some(single) => vec![single],
    }
}

/// Returns the string in `key`; empty if there is none.
pub(crate) fn string_field<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Returns the number of the model's turns with calls. Parallel calls are one turn.
pub(crate) fn count_call_turns(protocol: Protocol, body: &Value) -> usize {
    let turns = conversation_messages(protocol, body);
    let has_part =
        |message: &Value, is: &dyn Fn(&Value) -> bool| message_parts(message).into_iter().any(is);
    match protocol {
        Protocol::Messages => turns
            .into_iter()
            .filter(|message| has_part(message, &|part| string_field(part, "type") == "tool_use"))
            .count(),
        Protocol::Chat => {
            turns.into_iter().filter(|message| message["tool_calls"].is_array()).count()
        }
        Protocol::Responses => {
            let is_call = |item: &&Value| string_field(item, "type").ends_with("_call");
            let items: Vec<bool> = turns.iter().map(is_call).collect();
            let starts = |at: usize| items[at] && (at == 0 || !items[at - 1]);
            (0..items.len()).filter(|at| starts(*at)).count()
        }
        Protocol::Gemini => turns
            .into_iter()
            .filter(|message| has_part(message, &|part| part["functionCall"].is_object()))
            .count(),
    }
}

/// Returns `value` without cache breakpoints at any depth, except in call arguments and tool
/// schemas, where a field of that name would be the user's own.
pub(crate) fn strip_breakpoints(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let fields = object.iter().filter(|(key, _)| *key != "cache_control");
            let fields = fields.map(|(key, value)| {
                let is_own = matches!(key.as_str(), "input" | "input_schema");
                (key.clone(), if is_own { value.clone() } else { strip_breakpoints(value) })
            });
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Value::Array(list) => Value::Array(list.iter().map(strip_breakpoints).collect()),
        other => other.clone(),
    }
}
