//! OpenAI's Chat Completions, and what other servers made of them: some leave out the index of a
//! call, its id, or give all calls the same index.

use serde_json::Value;
use serde_json::value::RawValue;

use super::super::pick::{Field, bytes, pick, text};
use super::messages::number;
use super::parts::{OnEvent, Parts};

const REASONING: u64 = 0;
const TEXT: u64 = 1;
/// The key of the first call.
const CALLS: u64 = 2;

/// What an element of the reasoning that has to go back takes beside its text: values take more
/// than they are spelled with.
const DETAIL_BYTES: usize = 256;
/// As many times its text a value may take.
const DETAIL_FACTOR: usize = 4;

/// What is known of the calls of an answer.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// How many have begun.
    count: u64,
    /// The index that each has in the stream, and its key.
    keys: Vec<(u64, u64)>,
    /// What OpenRouter wants back of the reasoning.
    reasoning: Vec<Value>,
}

/// An event of a stream; whether it is the last one.
pub(super) fn event(
    parts: &mut Parts,
    calls: &mut Calls,
    data: &[u8],
    on_event: OnEvent<'_>,
) -> bool {
    if data.trim_ascii() == b"[DONE]" {
        parts.calls_end(on_event);
        return true;
    }
    let Some([choices]) = pick(data, ["choices"]) else {
        parts.is_broken = true;
        return false;
    };
    let choices: Option<Vec<&RawValue>> =
        choices.and_then(|choices| serde_json::from_str(choices.get()).ok());
    let Some(first) = choices.as_deref().and_then(<[_]>::first) else { return false };
    let Some([delta, reason]) = pick(first.get().as_bytes(), ["delta", "finish_reason"]) else {
        return false;
    };
    said(parts, calls, delta, on_event);
    if text(reason).is_some() {
        parts.calls_end(on_event);
    }
    false
}

/// What stands behind the last event: reasoning that has to go back.
pub(super) fn end(parts: &mut Parts, calls: &Calls) {
    if !calls.reasoning.is_empty() {
        let list = Value::Array(calls.reasoning.clone()).to_string();
        parts.opaque(REASONING, "reasoning_details", &list);
    }
}

/// Takes one element of what OpenRouter wants back, or a piece of one: pieces have the type and the
/// index of what they go on with, and the provider knows only the whole of it again.
fn take_detail(details: &mut Vec<Value>, detail: &RawValue) {
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

fn said(parts: &mut Parts, calls: &mut Calls, delta: Field<'_>, on_event: OnEvent<'_>) {
    let keys =
        ["content", "reasoning_content", "reasoning", "reasoning_details", "refusal", "tool_calls"];
    let picked = pick(bytes(delta), keys);
    let Some([content, long, short, details, refusal, called]) = picked else { return };
    if let Some(piece) = text(long).or_else(|| text(short)) {
        parts.reasoning(REASONING, &piece, on_event);
    }
    for field in [content, refusal] {
        if let Some(piece) = text(field) {
            parts.text(TEXT, &piece, on_event);
        }
    }
    for detail in list(details) {
        if parts.takes(detail.get().len().saturating_mul(DETAIL_FACTOR) + DETAIL_BYTES) {
            take_detail(&mut calls.reasoning, detail);
        }
    }
    for call in list(called) {
        more(parts, calls, call, on_event);
    }
}

fn list<'a>(field: Field<'a>) -> Vec<&'a RawValue> {
    field.and_then(|list| serde_json::from_str(list.get()).ok()).unwrap_or_default()
}

fn more(parts: &mut Parts, calls: &mut Calls, call: &RawValue, on_event: OnEvent<'_>) {
    let Some([index, id, function]) = pick(call.get().as_bytes(), ["index", "id", "function"])
    else {
        parts.is_broken = true;
        return;
    };
    let picked = pick(bytes(function), ["name", "arguments"]);
    let Some([name, arguments]) = picked else { return };
    let (id, name) = (text(id).unwrap_or_default(), text(name).unwrap_or_default());
    let known = match index {
        Some(_) => calls.keys.iter().rev().find(|(at, _)| *at == number(index)),
        None => calls.keys.last(),
    };
    let known = known.map(|(_, key)| *key);
    // A name begins a call, unless the server repeats it in each piece.
    let is_same = |key| {
        let begun = parts.spelled(key).map(|(begun, _)| begun);
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
            let key = CALLS + calls.count;
            calls.count += 1;
            calls.keys.push((number(index), key));
            parts.call_start(key, &id, &name, on_event);
            key
        }
    };
    // A whole object in place of the text of one, as some servers send it.
    let object = arguments.map(|it| it.get()).filter(|it| it.starts_with('{'));
    let piece = text(arguments);
    let piece = piece.as_deref().or(object).unwrap_or_default();
    parts.is_broken |= !parts.arguments(key, piece, on_event);
}
