//! OpenAI's Responses.

use serde_json::Value;

use super::super::pick::{Field, bytes, pick, text};
use super::messages::number;
use super::parts::{OnEvent, Parts};

/// An event of a stream; whether it is the last one.
pub(super) fn event(parts: &mut Parts, data: &[u8], on_event: OnEvent<'_>) -> bool {
    let keys = ["type", "output_index", "delta", "item", "summary_index"];
    let Some([kind, index, delta, item, summary]) = pick(data, keys) else {
        parts.is_broken = true;
        return false;
    };
    let key = number(index);
    let piece = text(delta).unwrap_or_default();
    match text(kind).as_deref().unwrap_or_default() {
        "response.output_item.added" => added(parts, key, item, on_event),
        "response.output_text.delta" | "response.refusal.delta" => {
            parts.text(key, &piece, on_event);
        }
        "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
            parts.reasoning(key, &piece, on_event);
        }
        // Parts of a summary are paragraphs.
        "response.reasoning_summary_part.added" if number(summary) > 0 => {
            parts.reasoning(key, "\n\n", on_event);
        }
        "response.function_call_arguments.delta" => {
            parts.is_broken |= !parts.arguments(key, &piece, on_event);
        }
        "response.output_item.done" => done(parts, key, item, on_event),
        "response.completed" | "response.incomplete" | "response.failed" | "error" => return true,
        _ => {}
    }
    false
}

fn added(parts: &mut Parts, key: u64, item: Field<'_>, on_event: OnEvent<'_>) {
    let Some([kind, id, name]) = pick(bytes(item), ["type", "call_id", "name"]) else { return };
    if text(kind).as_deref() == Some("function_call") {
        let (id, name) = (text(id).unwrap_or_default(), text(name).unwrap_or_default());
        parts.call_start(key, &id, &name, on_event);
    }
}

/// An item is complete: what no event brought of it stands in it.
fn done(parts: &mut Parts, key: u64, item: Field<'_>, on_event: OnEvent<'_>) {
    let keys = ["type", "call_id", "name", "arguments", "content"];
    let Some([kind, id, name, arguments, content]) = pick(bytes(item), keys) else {
        parts.is_broken = true;
        return;
    };
    match text(kind).as_deref().unwrap_or_default() {
        "function_call" => {
            if parts.spelled(key).is_none() {
                let (id, name) = (text(id).unwrap_or_default(), text(name).unwrap_or_default());
                parts.call_start(key, &id, &name, on_event);
            }
            if parts.spelled(key).is_some_and(|(_, spelled)| spelled.is_empty()) {
                parts.arguments(key, &text(arguments).unwrap_or_default(), on_event);
            }
            parts.call_end(key, on_event);
        }
        "reasoning" => parts.opaque(key, "reasoning", item.map(|it| it.get()).unwrap_or_default()),
        "message" if !parts.has(key) => {
            let content = content.and_then(|content| serde_json::from_str(content.get()).ok());
            let Some(Value::Array(content)) = content else { return };
            for part in content {
                let said = part.get("text").or_else(|| part.get("refusal"));
                parts.text(key, said.and_then(Value::as_str).unwrap_or_default(), on_event);
            }
        }
        _ => {}
    }
}
