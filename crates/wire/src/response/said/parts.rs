//! The parts of an answer while they come.

use foveal_transcript::{Block, Call};
use serde_json::json;

use super::arguments::read_arguments;
use super::event::SaidEvent;

/// Bytes of what one answer says, at most. What comes behind them is not kept, and the answer
/// counts as broken.
pub const SAID_BYTES_MAX: usize = 32 << 20;

/// Parts of one answer, at most: texts, reasoning and calls. Models say a few; each further piece is
/// looked for among all of them.
pub const SAID_PARTS_MAX: usize = 1_000;

/// Who is told of what comes.
pub(super) type OnEvent<'a> = &'a mut dyn FnMut(SaidEvent);

/// What came so far, in the order in which it began.
#[derive(Debug)]
pub(super) struct Parts {
    parts: Vec<(u64, Part)>,
    bytes: usize,
    /// Stands in the ids of calls that have none, so that no other answer has the same.
    number: u64,
    /// Whether something was lost: an event that cannot be read, or more than is kept.
    pub(super) is_broken: bool,
    /// Whether more came than is kept.
    pub(super) is_full: bool,
}

#[derive(Debug)]
enum Part {
    Text(String),
    Reasoning { text: String, signature: String },
    Opaque { kind: String, raw: String },
    Calling { id: String, name: String, spelled: String },
    Called(Call),
}

impl Parts {
    pub(super) fn new(number: u64) -> Self {
        Self { parts: Vec::new(), bytes: 0, number, is_broken: false, is_full: false }
    }

    /// More text of the part `key`.
    pub(super) fn text(&mut self, key: u64, piece: &str, on_event: OnEvent<'_>) {
        if piece.is_empty() || !self.takes(piece.len()) {
            return;
        }
        let is_it = |part: &Part| matches!(part, Part::Text(_));
        if let Some(Part::Text(text)) = self.part(key, is_it, || Part::Text(String::new())) {
            text.push_str(piece);
            on_event(SaidEvent::Text(piece.to_owned()));
        }
    }

    /// More reasoning that can be read.
    pub(super) fn reasoning(&mut self, key: u64, piece: &str, on_event: OnEvent<'_>) {
        if piece.is_empty() || !self.takes(piece.len()) {
            return;
        }
        if let Some(Part::Reasoning { text, .. }) = self.reasoning_part(key) {
            text.push_str(piece);
            on_event(SaidEvent::Reasoning(piece.to_owned()));
        }
    }

    /// More of the signature by which the provider knows its reasoning again.
    pub(super) fn signature(&mut self, key: u64, piece: &str) {
        if piece.is_empty() || !self.takes(piece.len()) {
            return;
        }
        if let Some(Part::Reasoning { signature, .. }) = self.reasoning_part(key) {
            signature.push_str(piece);
        }
    }

    fn reasoning_part(&mut self, key: u64) -> Option<&mut Part> {
        let is_it = |part: &Part| matches!(part, Part::Reasoning { .. });
        let new = || Part::Reasoning { text: String::new(), signature: String::new() };
        self.part(key, is_it, new)
    }

    /// A part that only its provider can read.
    pub(super) fn opaque(&mut self, key: u64, kind: &str, raw: &str) {
        if self.takes(kind.len() + raw.len()) && self.has_room() {
            let part = Part::Opaque { kind: kind.to_owned(), raw: raw.to_owned() };
            self.parts.push((key, part));
        }
    }

    /// A call begins.
    pub(super) fn call_start(&mut self, key: u64, id: &str, name: &str, on_event: OnEvent<'_>) {
        if !self.takes(id.len() + name.len()) || !self.has_room() {
            return;
        }
        // Results name calls by their ids.
        let id = match id {
            id if id.is_empty() || self.has_call(id) => {
                format!("call_{}_{}", self.number, self.parts.len())
            }
            id => id.to_owned(),
        };
        let name = name.to_owned();
        on_event(SaidEvent::CallStart { id: id.clone(), name: name.clone() });
        self.parts.push((key, Part::Calling { id, name, spelled: String::new() }));
    }

    fn has_call(&self, id: &str) -> bool {
        self.parts.iter().any(|(_, part)| match part {
            Part::Calling { id: known, .. } => known == id,
            Part::Called(call) => call.id == id,
            Part::Text(_) | Part::Reasoning { .. } | Part::Opaque { .. } => false,
        })
    }

    /// More arguments of the call `key`. False where there is no such call.
    pub(super) fn arguments(&mut self, key: u64, piece: &str, on_event: OnEvent<'_>) -> bool {
        let kept = self.takes(piece.len());
        let Some(Part::Calling { id, spelled, .. }) = self.calling(key) else { return false };
        if kept && !piece.is_empty() {
            spelled.push_str(piece);
            on_event(SaidEvent::CallArguments { id: id.clone(), piece: piece.to_owned() });
        }
        true
    }

    /// Whether the call `key` has come, and how far its arguments have.
    pub(super) fn spelled(&self, key: u64) -> Option<(&str, &str)> {
        self.parts.iter().rev().find_map(|(at, part)| match part {
            Part::Calling { id, spelled, .. } if *at == key => {
                Some((id.as_str(), spelled.as_str()))
            }
            _ => None,
        })
    }

    /// The call `key` is complete.
    pub(super) fn call_end(&mut self, key: u64, on_event: OnEvent<'_>) {
        if let Some(part) = self.calling(key)
            && let Part::Calling { id, name, spelled } = part
        {
            let arguments = read_arguments(spelled);
            let call = Call { id: std::mem::take(id), name: std::mem::take(name), arguments };
            *part = Part::Called(call.clone());
            on_event(SaidEvent::CallEnd(call));
        }
    }

    /// All calls are complete.
    pub(super) fn calls_end(&mut self, on_event: OnEvent<'_>) {
        let open = |(key, part): &(u64, Part)| matches!(part, Part::Calling { .. }).then_some(*key);
        let keys: Vec<u64> = self.parts.iter().filter_map(open).collect();
        for key in keys {
            self.call_end(key, on_event);
        }
    }

    /// Whether there is a part `key` that is no call.
    pub(super) fn has(&self, key: u64) -> bool {
        self.parts.iter().any(|(at, part)| *at == key && !matches!(part, Part::Calling { .. }))
    }

    /// What was said; and whether a call is not complete.
    pub(super) fn finish(self) -> (Vec<Block>, bool) {
        let mut blocks = Vec::new();
        let mut is_open = false;
        for (_, part) in self.parts {
            match part {
                Part::Text(text) => blocks.push(Block::Text(text)),
                Part::Reasoning { text, signature } => {
                    let kind = "thinking".to_owned();
                    let back = json!({"type": kind, "thinking": text, "signature": signature});
                    if !text.is_empty() {
                        blocks.push(Block::Reasoning(text));
                    }
                    if !signature.is_empty() {
                        blocks.push(Block::Opaque { kind, raw: back.to_string() });
                    }
                }
                Part::Opaque { kind, raw } => blocks.push(Block::Opaque { kind, raw }),
                Part::Calling { .. } => is_open = true,
                Part::Called(call) => blocks.push(Block::Call(call)),
            }
        }
        (blocks, is_open)
    }

    /// The last part `key` that is of a kind, or a new one if there is room.
    fn part(&mut self, key: u64, is_it: fn(&Part) -> bool, new: fn() -> Part) -> Option<&mut Part> {
        let found = self.parts.iter().rposition(|(at, part)| *at == key && is_it(part));
        let at = match found {
            Some(at) => at,
            None if self.has_room() => {
                self.parts.push((key, new()));
                self.parts.len() - 1
            }
            None => return None,
        };
        self.parts.get_mut(at).map(|(_, part)| part)
    }

    fn calling(&mut self, key: u64) -> Option<&mut Part> {
        let is_it =
            |(at, part): &&mut (u64, Part)| *at == key && matches!(part, Part::Calling { .. });
        self.parts.iter_mut().rev().find(is_it).map(|(_, part)| part)
    }

    /// Whether there is room for a piece of so many bytes.
    pub(super) fn takes(&mut self, bytes: usize) -> bool {
        self.bytes = self.bytes.saturating_add(bytes);
        self.keeps(self.bytes <= SAID_BYTES_MAX)
    }

    /// Whether there is room for one part more.
    fn has_room(&mut self) -> bool {
        self.keeps(self.parts.len() < SAID_PARTS_MAX)
    }

    fn keeps(&mut self, fits: bool) -> bool {
        self.is_broken |= !fits;
        self.is_full |= !fits;
        fits
    }
}
