//! The texts of the model's own edits: the parts of a response that a short note can replace once
//! the edit has succeeded.

use std::sync::Arc;

use foveal_pricing::tokens::Tokens;
use foveal_tool_effects::outcome::{CallOutcome, call_outcome, is_edit_confirmed};
use foveal_tool_effects::{Effect, EffectKind, WriteChange};
use foveal_transcript::{ToolResult, TranscriptEntry};

use super::call::CallFacts;
use crate::call_texts::locate_call_texts;

/// The side of an edit that a text is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditSide {
    /// Text that the edit removes from the file.
    Old,
    /// Text that it inserts.
    New,
}

/// A text of an edit that is long enough to be replaced by a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditText {
    /// Index of the call in the response.
    pub call: u16,
    /// Index into the [`argument_texts`](crate::call_texts::argument_texts) of that call.
    pub text: u16,
    /// The side of the edit.
    pub side: EditSide,
    /// Tokens, estimated from its share of the message.
    pub tokens: u32,
}

/// Facts about the edits of one response.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EditFacts {
    /// The long texts of the edits, in order.
    pub texts: Box<[EditText]>,
    /// Indices of the calls that changed files according to their results before the next response,
    /// ascending.
    pub succeeded: Vec<u16>,
}

/// Shortest text that is worth a note, in bytes.
const TEXT_BYTES_MIN: usize = 100;

impl EditFacts {
    /// Computes the facts of the edits of `entry`. `calls` are the facts of its calls; `bytes` and
    /// `tokens` are the size of the whole message.
    pub(crate) fn from_entry(
        entry: &TranscriptEntry,
        calls: &[Arc<CallFacts>],
        bytes: usize,
        tokens: Tokens,
    ) -> Self {
        if !calls.iter().any(|call| is_edit(&call.effect)) {
            return Self::default();
        }
        let mut texts = Vec::new();
        for placed in locate_call_texts(entry) {
            let effect = &calls[usize::from(placed.call)].effect;
            if !is_edit(effect) || placed.value.len() < TEXT_BYTES_MIN {
                continue;
            }
            let Some(side) = edit_side(effect, placed.value) else { continue };
            let share = tokens.0 * placed.range.len() as u64 / bytes.max(1) as u64;
            texts.push(EditText {
                call: placed.call,
                text: placed.text,
                side,
                tokens: share as u32,
            });
        }
        Self { texts: texts.into_boxed_slice(), succeeded: Vec::new() }
    }

    /// Returns whether a call changed its file.
    pub fn has_succeeded(&self, call: u16) -> bool {
        self.succeeded.binary_search(&call).is_ok()
    }

    /// Returns the estimated tokens of one side of the successful edits.
    pub fn tokens(&self, side: EditSide) -> Tokens {
        let texts =
            self.texts.iter().filter(|text| text.side == side && self.has_succeeded(text.call));
        Tokens(texts.map(|text| u64::from(text.tokens)).sum())
    }

    /// Records the result of a call.
    pub(crate) fn record_result(&mut self, call: u16, effect: &Effect, result: &ToolResult) {
        let edits = matches!(effect.kind, EffectKind::Edit | EffectKind::Write);
        let done = if is_edit(effect) {
            is_edit_confirmed(effect, result)
        } else {
            call_outcome(effect, result) == CallOutcome::Done
        };
        if edits
            && done
            && let Err(place) = self.succeeded.binary_search(&call)
        {
            self.succeeded.insert(place, call);
        }
    }

    /// Returns whether there is no long text.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// Returns whether a call is an edit tool's on one file. Writes of a command line do not count,
/// since the command may have done more.
pub fn is_edit(effect: &Effect) -> bool {
    matches!(effect.kind, EffectKind::Edit | EffectKind::Write)
        && effect.command.is_none()
        && edited_file(effect).is_some()
}

/// Returns the file that a call changes, if it is only one.
pub fn edited_file(effect: &Effect) -> Option<&str> {
    let (first, rest) = effect.writes.split_first()?;
    rest.iter().all(|write| write.path == first.path).then_some(first.path.as_str())
}

fn edit_side(effect: &Effect, text: &str) -> Option<EditSide> {
    effect.writes.iter().find_map(|write| match &write.change {
        WriteChange::Replace { old, .. } if old == text => Some(EditSide::Old),
        WriteChange::Replace { new, .. }
        | WriteChange::Lines { new, .. }
        | WriteChange::Insert { new, .. }
        | WriteChange::Content(new)
        | WriteChange::Append(new)
            if new == text =>
        {
            Some(EditSide::New)
        }
        WriteChange::Replace { .. }
        | WriteChange::Lines { .. }
        | WriteChange::Insert { .. }
        | WriteChange::Content(_)
        | WriteChange::Append(_)
        | WriteChange::Remove
        | WriteChange::Unknown => None,
    })
}
