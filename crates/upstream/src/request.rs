//! What the rules about prompts need of a request body, in the same words for all APIs.

use foveal_wire::Protocol;
use serde_json::{Map, Value};

/// The list that holds the conversation.
pub(crate) fn turns(protocol: Protocol, body: &Value) -> Vec<&Value> {
    let name = match protocol {
        Protocol::Messages | Protocol::Chat => "messages",
        Protocol::Responses => "input",
        Protocol::Gemini => "contents",
    };
    match &body[name] {
        Value::Array(list) => list.iter().collect(),
        // Responses takes a plain text as the one message of the user.
        text @ Value::String(_) => vec![text],
        _ => Vec::new(),
    }
}

/// The parts of a message: a list, or a text as the one part of it.
pub(crate) fn parts(message: &Value) -> Vec<&Value> {
    let content = message.get("content").or_else(|| message.get("parts"));
    match content {
        Some(Value::Array(list)) => list.iter().collect(),
        Some(Value::Null) | None => Vec::new(),
        Some(single) => vec![single],
    }
}

/// The text of `key`.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// How many turns of the model have calls. Calls at once are one turn.
pub(crate) fn turns_with_calls(protocol: Protocol, body: &Value) -> usize {
    let turns = turns(protocol, body);
    let has_part =
        |message: &Value, is: &dyn Fn(&Value) -> bool| parts(message).into_iter().any(is);
    match protocol {
        Protocol::Messages => turns
            .into_iter()
            .filter(|message| has_part(message, &|part| text(part, "type") == "tool_use"))
            .count(),
        Protocol::Chat => {
            turns.into_iter().filter(|message| message["tool_calls"].is_array()).count()
        }
        Protocol::Responses => {
            let is_call = |item: &&Value| text(item, "type").ends_with("_call");
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

/// `value` without the marks of prompt caching, at any depth but inside the arguments of calls
/// and the schemas of tools, where a field of that name would be the user's own.
pub(crate) fn unmarked(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let fields = object.iter().filter(|(key, _)| *key != "cache_control");
            let fields = fields.map(|(key, value)| {
                let is_own = matches!(key.as_str(), "input" | "input_schema");
                (key.clone(), if is_own { value.clone() } else { unmarked(value) })
            });
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Value::Array(list) => Value::Array(list.iter().map(unmarked).collect()),
        other => other.clone(),
    }
}
