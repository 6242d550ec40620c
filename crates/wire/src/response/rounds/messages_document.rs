//! Whole answers of Anthropic's Messages.

use serde_json::value::RawValue;

use super::super::pick::{Field, pick, text};
use super::edit::{place, replaced};
use super::messages::{WAITS, known_by};
use super::turn::{Called, EXPAND_TOOL, Turn, says_nothing};
use super::usage::Usages;

/// Whole answers put together.
#[derive(Debug, Default)]
pub(super) struct MessagesDocument {
    first: Option<Vec<u8>>,
    /// What the client is shown.
    shown: Vec<String>,
    last: Vec<u8>,
    usages: Usages,
}

impl MessagesDocument {
    /// Takes the answer of a round; `None` where it is none that can be read.
    pub(super) fn take(&mut self, bytes: Vec<u8>) -> Option<Turn> {
        let [content, reason, usage] = pick(&bytes, ["content", "stop_reason", "usage"])?;
        let parts: Vec<&RawValue> = serde_json::from_str(content?.get()).ok()?;
        let mut turn = Turn::default();
        let mut calls_client = false;
        let mut said: Vec<&str> = Vec::new();
        for part in parts {
            let [kind, name, input, id] =
                pick(part.get().as_bytes(), ["type", "name", "input", "id"])?;
            let is_tool = text(kind).as_deref() == Some("tool_use");
            if is_tool && text(name).as_deref() == Some(EXPAND_TOOL) {
                let input = input.map_or("{}", RawValue::get).to_owned();
                let id = text(id).unwrap_or_default().into_owned();
                let spelled = part.get().to_owned();
                turn.calls.push(Called { id, input, spelled, at: turn.shown.len() });
                said.push(part.get());
            } else {
                calls_client |= is_tool;
                let known = known_by(part.get().as_bytes())?;
                said.extend((!says_nothing(&known)).then(|| part.get()));
                turn.shown.push(known);
                self.shown.push(part.get().to_owned());
            }
        }
        let said = format!(r#"{{"role":"assistant","content":[{}]}}"#, said.join(","));
        turn.said = Some(said.into_bytes());
        let turn = turn.ended(text(reason).is_some_and(|it| WAITS.contains(&&*it)), calls_client);
        if let Some(usage) = usage {
            self.usages.tell(usage.get());
        }
        match self.first {
            None => self.first = Some(bytes),
            Some(_) => self.last = bytes,
        }
        Some(turn)
    }

    /// Goes on with another answer.
    pub(super) fn next(&mut self) {
        self.usages.next();
    }

    /// The one answer. Where `ends`, it tells that the turn ended, since nothing comes of its
    /// calls.
    pub(super) fn told(&self, ends: bool) -> Vec<u8> {
        let Some(first) = &self.first else { return Vec::new() };
        let last = if self.last.is_empty() { first } else { &self.last };
        let keys = ["content", "stop_reason", "stop_sequence", "usage"];
        let Some([content, _, _, usage]) = pick(first, keys) else { return first.clone() };
        let mut edits = Vec::new();
        let mut edit = |field: Field<'_>, text: Vec<u8>| {
            edits.extend(place(first, field).map(|place| (place, text)));
        };
        edit(content, format!("[{}]", self.shown.join(",")).into_bytes());
        edit(usage, self.usages.sum());
        for key in ["stop_reason", "stop_sequence"] {
            let own = member(first, key);
            let value = match member(last, key).map_or("null", RawValue::get) {
                _ if ends && key == "stop_reason" => r#""end_turn""#,
                value => value,
            };
            edit(own, value.as_bytes().to_vec());
        }
        replaced(first, edits)
    }
}

/// A member of an object, null or not.
fn member<'a>(json: &'a [u8], key: &str) -> Field<'a> {
    let object: std::collections::HashMap<&str, &RawValue> = serde_json::from_slice(json).ok()?;
    object.get(key).copied()
}
