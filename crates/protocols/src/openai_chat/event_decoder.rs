//! Content of streamed answers of Chat Completions. Some servers omit the index of a call or its
//! id, or give all calls the same index.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::response::answer_decoder::decoded_parts::{DecodedParts, EventCallback};
use crate::response::field_extraction::{
    RawField, extract_fields, field_bytes, field_text, parse_number,
};

const REASONING_KEY: u64 = 0;
const TEXT_KEY: u64 = 1;
/// The part key of the first call.
const FIRST_CALL_KEY: u64 = 2;

/// Memory of a reasoning detail beside its text, in bytes.
const DETAIL_OVERHEAD_BYTES: usize = 256;
/// Memory of a parsed value as a multiple of its text.
const DETAIL_MEMORY_FACTOR: usize = 4;

/// State of a Chat Completions stream beside its parts.
#[derive(Debug, Default)]
pub(crate) struct ChatStreamState {
    /// The number of calls that have begun.
    call_count: u64,
    /// The stream index and the part key of each call.
    call_keys: Vec<(u64, u64)>,
    /// The reasoning details that OpenRouter expects back.
    reasoning_details: Vec<Value>,
}

/// Decodes a stream event. Returns whether it is the last one.
pub(crate) fn decode_event(
    parts: &mut DecodedParts,
    calls: &mut ChatStreamState,
    data: &[u8],
    on_event: EventCallback<'_>,
) -> bool {
    if data.trim_ascii() == b"[DONE]" {
        parts.finish_all_calls(on_event);
        return true;
    }
    let Some([choices]) = extract_fields(data, ["choices"]) else {
        parts.is_broken = true;
        return false;
    };
    let choices: Option<Vec<&RawValue>> =
        choices.and_then(|choices| serde_json::from_str(choices.get()).ok());
    let Some(first) = choices.as_deref().and_then(<[_]>::first) else { return false };
    let Some([delta, reason]) = extract_fields(first.get().as_bytes(), ["delta", "finish_reason"])
    else {
        return false;
    };
    decode_delta(parts, calls, delta, on_event);
    if field_text(reason).is_some() {
        parts.finish_all_calls(on_event);
    }
    false
}

/// Adds the collected reasoning details behind the last event.
pub(crate) fn push_reasoning_details(parts: &mut DecodedParts, calls: &ChatStreamState) {
    if !calls.reasoning_details.is_empty() {
        let list = Value::Array(calls.reasoning_details.clone()).to_string();
        parts.push_opaque(REASONING_KEY, "reasoning_details", &list);
    }
}

/// Merges an element of OpenRouter's reasoning details. A piece has the type and the index of the
/// element that it continues; the provider accepts only the complete element.
fn merge_reasoning_detail(details: &mut Vec<Value>, detail: &RawValue) {
    const GROW: [&str; 3] = ["text", "summary", "data"];
    let Ok(detail) = serde_json::from_str::<Value>(detail.get()) else { return };
    let goes_on = |last: &&mut Value| {
        let is_same = |key| last.get(key).is_some_and(|of| Some(of) == detail.get(key));
        is_same("type") && is_same("index")
    };
    let last = details.last_mut().filter(goes_on).and_then(Value::as_object_mut);
    let (Some(last), Some(more)) = (last, detail.as_object()) else {
        details.push(detail);
        return;
    };
    for (key, value) in more.iter().filter(|(_, value)| !value.is_null()) {
        match (last.get_mut(key), value) {
            (Some(Value::String(text)), Value::String(piece)) if GROW.contains(&key.as_str()) => {
                text.push_str(piece);
            }
            _ => drop(last.insert(key.clone(), value.clone())),
        }
    }
}

fn decode_delta(
    parts: &mut DecodedParts,
    calls: &mut ChatStreamState,
    delta: RawField<'_>,
    on_event: EventCallback<'_>,
) {
    let keys =
        ["content", "reasoning_content", "reasoning", "reasoning_details", "refusal", "tool_calls"];
    let picked = extract_fields(field_bytes(delta), keys);
    let Some([content, long, short, details, refusal, called]) = picked else { return };
    if let Some(piece) = field_text(long).or_else(|| field_text(short)) {
        parts.append_reasoning(REASONING_KEY, &piece, on_event);
    }
    for field in [content, refusal] {
        if let Some(piece) = field_text(field) {
            parts.append_text(TEXT_KEY, &piece, on_event);
        }
    }
    for detail in raw_elements(details) {
        if parts.reserve_bytes(
            detail.get().len().saturating_mul(DETAIL_MEMORY_FACTOR) + DETAIL_OVERHEAD_BYTES,
        ) {
            merge_reasoning_detail(&mut calls.reasoning_details, detail);
        }
    }
    for call in raw_elements(called) {
        decode_call_piece(parts, calls, call, on_event);
    }
}

fn raw_elements<'a>(field: RawField<'a>) -> Vec<&'a RawValue> {
    field.and_then(|list| serde_json::from_str(list.get()).ok()).unwrap_or_default()
}

fn decode_call_piece(
    parts: &mut DecodedParts,
    calls: &mut ChatStreamState,
    call: &RawValue,
    on_event: EventCallback<'_>,
) {
    let Some([index, id, function]) =
        extract_fields(call.get().as_bytes(), ["index", "id", "function"])
    else {
        parts.is_broken = true;
        return;
    };
    let picked = extract_fields(field_bytes(function), ["name", "arguments"]);
    let Some([name, arguments]) = picked else { return };
    let (id, name) = (field_text(id).unwrap_or_default(), field_text(name).unwrap_or_default());
    let known = match index {
        Some(_) => calls.call_keys.iter().rev().find(|(at, _)| *at == parse_number(index)),
        None => calls.call_keys.last(),
    };
    let known = known.map(|(_, key)| *key);
    // A name begins a call, unless the server repeats the name in each piece.
    let is_same = |key| {
        let begun = parts.open_call(key).map(|(begun, _)| begun);
        begun.is_some_and(|begun| id.is_empty() || begun == &*id)
    };
    let is_new = match known {
        None => true,
        Some(key) => !(name.is_empty() || index.is_some() && is_same(key)),
    };
    let key = match known {
        Some(key) if !is_new => key,
        _ if parts.is_full => return,
        _ => {
            let key = FIRST_CALL_KEY + calls.call_count;
            calls.call_count += 1;
            calls.call_keys.push((parse_number(index), key));
            parts.start_call(key, &id, &name, on_event);
            key
        }
    };
    // Some servers send the object itself instead of its text.
    let object = arguments.map(|it| it.get()).filter(|it| it.starts_with('{'));
    let piece = field_text(arguments);
    let piece = piece.as_deref().or(object).unwrap_or_default();
    parts.is_broken |= !parts.append_arguments(key, piece, on_event);
}
