//! The parts of an answer while they arrive.

use foveal_transcript::{ContentBlock, ToolCall};
use serde_json::json;

use super::call_arguments::parse_call_arguments;
use super::decoded_event::DecodedEvent;

/// Maximum size of one answer's content, in bytes. More is dropped, and the answer counts as
/// broken.
pub const DECODED_BYTES_MAX: usize = 32 << 20;

/// Maximum number of parts of one answer: texts, reasoning and calls. Models write a few; each
/// piece is searched among all of them.
pub const DECODED_PARTS_MAX: usize = 1_000;

/// A callback that receives the events of an answer.
pub(crate) type EventCallback<'a> = &'a mut dyn FnMut(DecodedEvent);

/// The parts of an answer so far, in the order in which they began.
#[derive(Debug)]
pub(crate) struct DecodedParts {
    parts: Vec<(u64, DecodedPart)>,
    bytes: usize,
    /// A number for generated call ids, different for each answer.
    answer_number: u64,
    /// Whether something was lost: an unreadable event, or content beyond the limits.
    pub(crate) is_broken: bool,
    /// Whether content exceeded the limits.
    pub(crate) is_full: bool,
}

#[derive(Debug)]
enum DecodedPart {
    Text(String),
    Reasoning { text: String, signature: String },
    Opaque { kind: String, raw: String },
    OpenCall { id: String, name: String, spelled: String },
    FinishedCall(ToolCall),
}

impl DecodedParts {
    pub(crate) fn new(answer_number: u64) -> Self {
        Self { parts: Vec::new(), bytes: 0, answer_number, is_broken: false, is_full: false }
    }

    /// Appends a piece of text to the part `key`.
    pub(crate) fn append_text(&mut self, key: u64, piece: &str, on_event: EventCallback<'_>) {
        if piece.is_empty() || !self.reserve_bytes(piece.len()) {
            return;
        }
        let is_it = |part: &DecodedPart| matches!(part, DecodedPart::Text(_));
        if let Some(DecodedPart::Text(text)) =
            self.get_or_insert_part(key, is_it, || DecodedPart::Text(String::new()))
        {
            text.push_str(piece);
            on_event(DecodedEvent::Text(piece.to_owned()));
        }
    }

    /// Appends a piece of readable reasoning.
    pub(crate) fn append_reasoning(&mut self, key: u64, piece: &str, on_event: EventCallback<'_>) {
        if piece.is_empty() || !self.reserve_bytes(piece.len()) {
            return;
        }
        if let Some(DecodedPart::Reasoning { text, .. }) = self.reasoning_part(key) {
            text.push_str(piece);
            on_event(DecodedEvent::Reasoning(piece.to_owned()));
        }
    }

    /// Appends a piece of the signature by which the provider recognises its reasoning.
    pub(crate) fn append_signature(&mut self, key: u64, piece: &str) {
        if piece.is_empty() || !self.reserve_bytes(piece.len()) {
            return;
        }
        if let Some(DecodedPart::Reasoning { signature, .. }) = self.reasoning_part(key) {
            signature.push_str(piece);
        }
    }

    fn reasoning_part(&mut self, key: u64) -> Option<&mut DecodedPart> {
        let is_it = |part: &DecodedPart| matches!(part, DecodedPart::Reasoning { .. });
        let new = || DecodedPart::Reasoning { text: String::new(), signature: String::new() };
        self.get_or_insert_part(key, is_it, new)
    }

    /// Adds a part that only its provider can read.
    pub(crate) fn push_opaque(&mut self, key: u64, kind: &str, raw: &str) {
        if self.reserve_bytes(kind.len() + raw.len()) && self.can_add_part() {
            let part = DecodedPart::Opaque { kind: kind.to_owned(), raw: raw.to_owned() };
            self.parts.push((key, part));
        }
    }

    /// Starts a call.
    pub(crate) fn start_call(
        &mut self,
        key: u64,
        id: &str,
        name: &str,
        on_event: EventCallback<'_>,
    ) {
        if !self.reserve_bytes(id.len() + name.len()) || !self.can_add_part() {
            return;
        }
        // Results refer to calls by their ids, so these must be unique.
        let id = match id {
            id if id.is_empty() || self.has_call(id) => {
                format!("call_{}_{}", self.answer_number, self.parts.len())
            }
            id => id.to_owned(),
        };
        let name = name.to_owned();
        on_event(DecodedEvent::CallStart { id: id.clone(), name: name.clone() });
        self.parts.push((key, DecodedPart::OpenCall { id, name, spelled: String::new() }));
    }

    fn has_call(&self, id: &str) -> bool {
        self.parts.iter().any(|(_, part)| match part {
            DecodedPart::OpenCall { id: known, .. } => known == id,
            DecodedPart::FinishedCall(call) => call.id == id,
            DecodedPart::Text(_) | DecodedPart::Reasoning { .. } | DecodedPart::Opaque { .. } => {
                false
            }
        })
    }

    /// Appends a piece of the arguments of the call `key`. Returns false if there is no such call.
    pub(crate) fn append_arguments(
        &mut self,
        key: u64,
        piece: &str,
        on_event: EventCallback<'_>,
    ) -> bool {
        let kept = self.reserve_bytes(piece.len());
        let Some(DecodedPart::OpenCall { id, spelled, .. }) = self.open_call_mut(key) else {
            return false;
        };
        if kept && !piece.is_empty() {
            spelled.push_str(piece);
            on_event(DecodedEvent::CallArguments { id: id.clone(), piece: piece.to_owned() });
        }
        true
    }

    /// Returns the id of the open call `key` and its arguments so far.
    pub(crate) fn open_call(&self, key: u64) -> Option<(&str, &str)> {
        self.parts.iter().rev().find_map(|(at, part)| match part {
            DecodedPart::OpenCall { id, spelled, .. } if *at == key => {
                Some((id.as_str(), spelled.as_str()))
            }
            _ => None,
        })
    }

    /// Completes the call `key`.
    pub(crate) fn finish_call(&mut self, key: u64, on_event: EventCallback<'_>) {
        if let Some(part) = self.open_call_mut(key)
            && let DecodedPart::OpenCall { id, name, spelled } = part
        {
            let arguments = parse_call_arguments(spelled);
            let call = ToolCall { id: std::mem::take(id), name: std::mem::take(name), arguments };
            *part = DecodedPart::FinishedCall(call.clone());
            on_event(DecodedEvent::CallEnd(call));
        }
    }

    /// Completes all open calls.
    pub(crate) fn finish_all_calls(&mut self, on_event: EventCallback<'_>) {
        let open = |(key, part): &(u64, DecodedPart)| {
            matches!(part, DecodedPart::OpenCall { .. }).then_some(*key)
        };
        let keys: Vec<u64> = self.parts.iter().filter_map(open).collect();
        for key in keys {
            self.finish_call(key, on_event);
        }
    }

    /// Returns whether there is a part `key` that is no open call.
    pub(crate) fn has_content_part(&self, key: u64) -> bool {
        self.parts
            .iter()
            .any(|(at, part)| *at == key && !matches!(part, DecodedPart::OpenCall { .. }))
    }

    /// Returns the blocks of the answer, and whether a call is incomplete.
    pub(crate) fn finish(self) -> (Vec<ContentBlock>, bool) {
        let mut blocks = Vec::new();
        let mut is_open = false;
        for (_, part) in self.parts {
            match part {
                DecodedPart::Text(text) => blocks.push(ContentBlock::Text(text)),
                DecodedPart::Reasoning { text, signature } => {
                    let kind = "thinking".to_owned();
                    let back = json!({"type": kind, "thinking": text, "signature": signature});
                    if !text.is_empty() {
                        blocks.push(ContentBlock::Reasoning(text));
                    }
                    if !signature.is_empty() {
                        blocks.push(ContentBlock::Opaque { kind, raw: back.to_string() });
                    }
                }
                DecodedPart::Opaque { kind, raw } => {
                    blocks.push(ContentBlock::Opaque { kind, raw });
                }
                DecodedPart::OpenCall { .. } => is_open = true,
                DecodedPart::FinishedCall(call) => blocks.push(ContentBlock::Call(call)),
            }
        }
        (blocks, is_open)
    }

    /// Returns the last part `key` of a kind. Creates it if the limit allows.
    fn get_or_insert_part(
        &mut self,
        key: u64,
        is_it: fn(&DecodedPart) -> bool,
        new: fn() -> DecodedPart,
    ) -> Option<&mut DecodedPart> {
        let found = self.parts.iter().rposition(|(at, part)| *at == key && is_it(part));
        let at = match found {
            Some(at) => at,
            None if self.can_add_part() => {
                self.parts.push((key, new()));
                self.parts.len() - 1
            }
            None => return None,
        };
        self.parts.get_mut(at).map(|(_, part)| part)
    }

    fn open_call_mut(&mut self, key: u64) -> Option<&mut DecodedPart> {
        let is_it = |(at, part): &&mut (u64, DecodedPart)| {
            *at == key && matches!(part, DecodedPart::OpenCall { .. })
        };
        self.parts.iter_mut().rev().find(is_it).map(|(_, part)| part)
    }

    /// Counts a piece of so many bytes. Returns whether it is within the limit.
    pub(crate) fn reserve_bytes(&mut self, bytes: usize) -> bool {
        self.bytes = self.bytes.saturating_add(bytes);
        self.note_limit(self.bytes <= DECODED_BYTES_MAX)
    }

    /// Returns whether one more part is within the limit.
    fn can_add_part(&mut self) -> bool {
        self.note_limit(self.parts.len() < DECODED_PARTS_MAX)
    }

    fn note_limit(&mut self, fits: bool) -> bool {
        self.is_broken |= !fits;
        self.is_full |= !fits;
        fits
    }
}
