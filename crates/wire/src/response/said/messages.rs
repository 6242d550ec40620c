//! Anthropic's Messages.

use super::super::pick::{Field, bytes, pick, text};
use super::parts::{OnEvent, Parts};

/// An event of a stream; whether it is the last one.
pub(super) fn event(parts: &mut Parts, data: &[u8], on_event: OnEvent<'_>) -> bool {
    let keys = ["type", "index", "content_block", "delta"];
    let Some([kind, index, block, delta]) = pick(data, keys) else {
        parts.is_broken = true;
        return false;
    };
    let key = number(index);
    match text(kind).as_deref() {
        Some("content_block_start") => start(parts, key, block, on_event),
        Some("content_block_delta") => more(parts, key, delta, on_event),
        Some("content_block_stop") => parts.call_end(key, on_event),
        Some("message_stop") => return true,
        _ => {}
    }
    false
}

/// A whole number, 0 where there is none.
pub(super) fn number(field: Field<'_>) -> u64 {
    field.and_then(|number| number.get().parse().ok()).unwrap_or(0)
}

fn start(parts: &mut Parts, key: u64, block: Field<'_>, on_event: OnEvent<'_>) {
    let keys = ["type", "text", "thinking", "signature", "id", "name", "input"];
    let Some([kind, said, thinking, signature, id, name, input]) = pick(bytes(block), keys) else {
        parts.is_broken = true;
        return;
    };
    match text(kind).as_deref().unwrap_or_default() {
        "text" => parts.text(key, &text(said).unwrap_or_default(), on_event),
        "thinking" => {
            parts.reasoning(key, &text(thinking).unwrap_or_default(), on_event);
            parts.signature(key, &text(signature).unwrap_or_default());
        }
        "tool_use" => {
            let (id, name) = (text(id).unwrap_or_default(), text(name).unwrap_or_default());
            parts.call_start(key, &id, &name, on_event);
            // Some servers give the arguments here, at once.
            let input = input.map(|input| input.get()).filter(|input| *input != "{}");
            parts.arguments(key, input.unwrap_or_default(), on_event);
        }
        kind => parts.opaque(key, kind, block.map(|block| block.get()).unwrap_or_default()),
    }
}

fn more(parts: &mut Parts, key: u64, delta: Field<'_>, on_event: OnEvent<'_>) {
    let keys = ["text", "thinking", "signature", "partial_json"];
    let Some([said, thinking, signature, json]) = pick(bytes(delta), keys) else {
        parts.is_broken = true;
        return;
    };
    if let Some(piece) = text(said) {
        parts.text(key, &piece, on_event);
    }
    if let Some(piece) = text(thinking) {
        parts.reasoning(key, &piece, on_event);
    }
    if let Some(piece) = text(signature) {
        parts.signature(key, &piece);
    }
    if let Some(piece) = text(json) {
        parts.is_broken |= !parts.arguments(key, &piece, on_event);
    }
}
