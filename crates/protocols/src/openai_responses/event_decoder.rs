//! Content of streamed answers of OpenAI's Responses.

use serde_json::Value;

use crate::response::answer_decoder::decoded_parts::{DecodedParts, EventCallback};
use crate::response::field_extraction::{
    RawField, extract_fields, field_bytes, field_text, parse_number,
};

/// Decodes a stream event. Returns whether it is the last one.
pub(crate) fn decode_event(
    parts: &mut DecodedParts,
    data: &[u8],
    on_event: EventCallback<'_>,
) -> bool {
    let keys = ["type", "output_index", "delta", "item", "summary_index"];
    let Some([kind, index, delta, item, summary]) = extract_fields(data, keys) else {
        parts.is_broken = true;
        return false;
    };
    let key = parse_number(index);
    let piece = field_text(delta).unwrap_or_default();
    match field_text(kind).as_deref().unwrap_or_default() {
        "response.output_item.added" => start_item(parts, key, item, on_event),
        "response.output_text.delta" | "response.refusal.delta" => {
            parts.append_text(key, &piece, on_event);
        }
        "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
            parts.append_reasoning(key, &piece, on_event);
        }
        // The parts of a summary are paragraphs.
        "response.reasoning_summary_part.added" if parse_number(summary) > 0 => {
            parts.append_reasoning(key, "\n\n", on_event);
        }
        "response.function_call_arguments.delta" => {
            parts.is_broken |= !parts.append_arguments(key, &piece, on_event);
        }
        "response.output_item.done" => finish_item(parts, key, item, on_event),
        "response.completed" | "response.incomplete" | "response.failed" | "error" => return true,
        _ => {}
    }
    false
}

fn start_item(parts: &mut DecodedParts, key: u64, item: RawField<'_>, on_event: EventCallback<'_>) {
    let Some([kind, id, name]) = extract_fields(field_bytes(item), ["type", "call_id", "name"])
    else {
        return;
    };
    if field_text(kind).as_deref() == Some("function_call") {
        let (id, name) = (field_text(id).unwrap_or_default(), field_text(name).unwrap_or_default());
        parts.start_call(key, &id, &name, on_event);
    }
}

/// Completes an item and adds the parts of it that no event brought.
fn finish_item(
    parts: &mut DecodedParts,
    key: u64,
    item: RawField<'_>,
    on_event: EventCallback<'_>,
) {
    let keys = ["type", "call_id", "name", "arguments", "content"];
    let Some([kind, id, name, arguments, content]) = extract_fields(field_bytes(item), keys) else {
        parts.is_broken = true;
        return;
    };
    match field_text(kind).as_deref().unwrap_or_default() {
        "function_call" => {
            if parts.open_call(key).is_none() {
                let (id, name) =
                    (field_text(id).unwrap_or_default(), field_text(name).unwrap_or_default());
                parts.start_call(key, &id, &name, on_event);
            }
            if parts.open_call(key).is_some_and(|(_, spelled)| spelled.is_empty()) {
                parts.append_arguments(key, &field_text(arguments).unwrap_or_default(), on_event);
            }
            parts.finish_call(key, on_event);
        }
        "reasoning" => {
            parts.push_opaque(key, "reasoning", item.map(|it| it.get()).unwrap_or_default());
        }
        "message" if !parts.has_content_part(key) => {
            let content = content.and_then(|content| serde_json::from_str(content.get()).ok());
            let Some(Value::Array(content)) = content else { return };
            for part in content {
                let said = part.get("text").or_else(|| part.get("refusal"));
                parts.append_text(key, said.and_then(Value::as_str).unwrap_or_default(), on_event);
            }
        }
        _ => {}
    }
}
