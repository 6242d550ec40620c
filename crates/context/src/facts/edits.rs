//! The texts of the model's own edits: what of a response can be told in a few words once
//! the edit has been carried out.

use std::sync::Arc;

use super::call::CallFacts;
use crate::call_texts::placed;
use crate::tokens::Tokens;
use foveal_effects::outcome::{Outcome, is_confirmed, outcome};
use foveal_effects::{Change, Effect, EffectKind};
use foveal_transcript::{Entry, ToolResult};

/// Which side of an edit a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Text that the edit took out of the file.
    Old,
    /// Text that it put there.
    New,
}

/// A text of an edit that is long enough to be told in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditText {
    /// Which call of the response.
    pub call: u16,
    /// Which of [`argument_texts`](crate::call_texts::argument_texts) of that call.
    pub text: u16,
    /// Which side of the edit.
    pub side: Side,
    /// Tokens, estimated from its share of the message.
    pub tokens: u32,
}

/// What is known about the edits of one response.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EditFacts {
    /// Their long texts, in order.
    pub texts: Box<[EditText]>,
    /// The calls that changed files and whose results, come before the next response, say so;
    /// ascending.
    pub done: Vec<u16>,
}

/// Shorter texts are not worth a note.
const TEXT_BYTES_MIN: usize = 100;

impl EditFacts {
    /// The edits of `entry`, whose calls do what `calls` says; `bytes` and `tokens` are those of
    /// the whole message.
    pub(crate) fn of(
        entry: &Entry,
        calls: &[Arc<CallFacts>],
        bytes: usize,
        tokens: Tokens,
    ) -> Self {
        if !calls.iter().any(|call| is_edit(&call.effect)) {
            return Self::default();
        }
        let mut texts = Vec::new();
        for placed in placed(entry) {
            let effect = &calls[usize::from(placed.call)].effect;
            if !is_edit(effect) || placed.value.len() < TEXT_BYTES_MIN {
                continue;
            }
            let Some(side) = side_of(effect, placed.value) else { continue };
            let share = tokens.0 * placed.range.len() as u64 / bytes.max(1) as u64;
            texts.push(EditText {
                call: placed.call,
                text: placed.text,
                side,
                tokens: share as u32,
            });
        }
        Self { texts: texts.into_boxed_slice(), done: Vec::new() }
    }

    /// Whether a call was carried out.
    pub fn is_done(&self, call: u16) -> bool {
        self.done.binary_search(&call).is_ok()
    }

    /// Tokens of one side of the edits that were carried out, estimated.
    pub fn tokens(&self, side: Side) -> Tokens {
        let texts = self.texts.iter().filter(|text| text.side == side && self.is_done(text.call));
        Tokens(texts.map(|text| u64::from(text.tokens)).sum())
    }

    /// Takes the result of a call.
    pub(crate) fn answered(&mut self, call: u16, effect: &Effect, result: &ToolResult) {
        let edits = matches!(effect.kind, EffectKind::Edit | EffectKind::Write);
        let done = if is_edit(effect) {
            is_confirmed(effect, result)
        } else {
            outcome(effect, result) == Outcome::Done
        };
        if edits
            && done
            && let Err(place) = self.done.binary_search(&call)
        {
            self.done.insert(place, call);
        }
    }

    /// Whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// Whether a call is an edit tool's on one file. What a command line writes is part of a
/// command that may have done more.
pub fn is_edit(effect: &Effect) -> bool {
    matches!(effect.kind, EffectKind::Edit | EffectKind::Write)
        && effect.command.is_none()
        && file_of(effect).is_some()
}

/// The one file that a call changes.
pub fn file_of(effect: &Effect) -> Option<&str> {
    let (first, rest) = effect.writes.split_first()?;
    rest.iter().all(|write| write.path == first.path).then_some(first.path.as_str())
}

fn side_of(effect: &Effect, text: &str) -> Option<Side> {
    effect.writes.iter().find_map(|write| match &write.change {
        Change::Replace { old, .. } if old == text => Some(Side::Old),
        Change::Replace { new, .. }
        | Change::Lines { new, .. }
        | Change::Insert { new, .. }
        | Change::Content(new)
        | Change::Append(new)
            if new == text =>
        {
            Some(Side::New)
        }
        Change::Replace { .. }
        | Change::Lines { .. }
        | Change::Insert { .. }
        | Change::Content(_)
        | Change::Append(_)
        | Change::Remove
        | Change::Unknown => None,
    })
}
