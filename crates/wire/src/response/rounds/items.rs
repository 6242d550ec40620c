//! What an item of OpenAI's Responses is known by.

use serde_json::value::RawValue;

use super::super::pick::{Field, bytes, pick, text};
use super::lone;
use super::turn::{Called, EXPAND_TOOL, Turn, says_nothing, shown};

/// An item of a round, as it came.
#[derive(Debug, Default)]
pub(super) struct Round(Vec<Option<String>>);

impl Round {
    /// Takes an item; `None`: it never came whole.
    pub(super) fn push(&mut self, item: Option<&str>) {
        self.0.push(item.map(str::to_owned));
    }

    /// The turn that these items make, ended as one `completed`, or not.
    pub(super) fn turn(&self, completed: bool) -> Turn {
        let mut turn = Turn::default();
        let mut calls_client = false;
        let mut said = Vec::new();
        for item in &self.0 {
            let json = item.as_deref().unwrap_or_default();
            if is_own(json.as_bytes()) {
                let called = called(json, turn.shown.len());
                said.push(Some(called.spelled.clone()));
                turn.calls.push(called);
                continue;
            }
            let known = known_item(json.as_bytes()).unwrap_or_default();
            calls_client |= known.starts_with("call ");
            if !says_nothing(&known) {
                said.push(item.clone());
            }
            turn.shown.push(known);
        }
        let said: Option<Vec<String>> = said.into_iter().collect();
        turn.said = said.map(|said| said.join(",").into_bytes());
        turn.ended(completed, calls_client)
    }
}

/// Whether an item is a call of the tool.
pub(super) fn is_own(item: &[u8]) -> bool {
    let fields = pick(item, ["type", "name"]).unwrap_or_default();
    let [kind, name] = fields.map(text);
    kind.as_deref() == Some("function_call") && name.as_deref() == Some(EXPAND_TOOL)
}

/// A call of the tool. It goes back without the item's own id: the provider would want the reasoning
/// with it that stood in front of it, and clients may leave that out.
fn called(item: &str, at: usize) -> Called {
    let [id, arguments] = pick(item.as_bytes(), ["call_id", "arguments"]).unwrap_or_default();
    let raw = |field: Field<'_>| field.map_or("\"\"", RawValue::get).to_owned();
    let spelled = format!(
        r#"{{"type":"function_call","call_id":{},"name":"{EXPAND_TOOL}","arguments":{}}}"#,
        raw(id),
        raw(arguments)
    );
    let id = text(id).unwrap_or_default().into_owned();
    Called { id, input: text_or_halves(arguments).unwrap_or_default(), spelled, at }
}

/// What an item is known by when it comes back: its text, or the call's id; `None` where it is no
/// object.
pub(crate) fn known_item(item: &[u8]) -> Option<String> {
    let keys = ["type", "role", "content", "call_id", "encrypted_content", "id"];
    let [kind, role, content, call, encrypted, id] = pick(item, keys)?;
    let kind = text(kind).unwrap_or_default();
    if kind == "message" || (kind.is_empty() && role.is_some()) {
        return Some(shown("text", &texts(content)));
    }
    let name = text(encrypted).or_else(|| text(id)).unwrap_or_default();
    Some(match (&*kind, text(call)) {
        ("reasoning", _) => shown("reasoning", &name),
        (_, Some(call)) => shown("call", &call),
        (_, None) => shown("item", &name),
    })
}

/// What a message says, as one text or as a list of them.
fn texts(content: Field<'_>) -> String {
    let parts: Result<Vec<&RawValue>, _> = serde_json::from_slice(bytes(content));
    let Ok(parts) = parts else { return text_or_halves(content).unwrap_or_default() };
    let text = |part: &&RawValue| {
        let fields = pick(part.get().as_bytes(), ["text", "refusal"]).unwrap_or_default();
        let [text, refusal] = fields.map(text_or_halves);
        text.or(refusal)
    };
    parts.iter().filter_map(text).collect()
}

/// The text of a field. Halves of characters in it are told by what stands for them.
fn text_or_halves(field: Field<'_>) -> Option<String> {
    let read = text(field).map(|text| text.into_owned());
    read.or_else(|| serde_json::from_slice(&lone::held(bytes(field))?).ok())
}
