//! Content of streamed answers of Anthropic's Messages.

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
    let keys = ["type", "index", "content_block", "delta"];
    let Some([kind, index, block, delta]) = extract_fields(data, keys) else {
        parts.is_broken = true;
        return false;
    };
    let key = parse_number(index);
    match field_text(kind).as_deref() {
        Some("content_block_start") => start_block(parts, key, block, on_event),
        Some("content_block_delta") => append_delta(parts, key, delta, on_event),
        Some("content_block_stop") => parts.finish_call(key, on_event),
        Some("message_stop") => return true,
        _ => {}
    }
    false
}

fn start_block(
    parts: &mut DecodedParts,
    key: u64,
    block: RawField<'_>,
    on_event: EventCallback<'_>,
) {
    let keys = ["type", "text", "thinking", "signature", "id", "name", "input"];
    let Some([kind, said, thinking, signature, id, name, input]) =
        extract_fields(field_bytes(block), keys)
    else {
        parts.is_broken = true;
        return;
    };
    match field_text(kind).as_deref().unwrap_or_default() {
        "text" => parts.append_text(key, &field_text(said).unwrap_or_default(), on_event),
        "thinking" => {
            parts.append_reasoning(key, &field_text(thinking).unwrap_or_default(), on_event);
            parts.append_signature(key, &field_text(signature).unwrap_or_default());
        }
        "tool_use" => {
            let (id, name) =
                (field_text(id).unwrap_or_default(), field_text(name).unwrap_or_default());
            parts.start_call(key, &id, &name, on_event);
            // Some servers send the arguments here.
            let input = input.map(|input| input.get()).filter(|input| *input != "{}");
            parts.append_arguments(key, input.unwrap_or_default(), on_event);
        }
        kind => parts.push_opaque(key, kind, block.map(|block| block.get()).unwrap_or_default()),
    }
}

fn append_delta(
    parts: &mut DecodedParts,
    key: u64,
    delta: RawField<'_>,
    on_event: EventCallback<'_>,
) {
    let keys = ["text", "thinking", "signature", "partial_json"];
    let Some([said, thinking, signature, json]) = extract_fields(field_bytes(delta), keys) else {
        parts.is_broken = true;
        return;
    };
    if let Some(piece) = field_text(said) {
        parts.append_text(key, &piece, on_event);
    }
    if let Some(piece) = field_text(thinking) {
        parts.append_reasoning(key, &piece, on_event);
    }
    if let Some(piece) = field_text(signature) {
        parts.append_signature(key, &piece);
    }
    if let Some(piece) = field_text(json) {
        parts.is_broken |= !parts.append_arguments(key, &piece, on_event);
    }
}
