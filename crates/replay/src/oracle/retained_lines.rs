//! The lines of a result that the oracle keeps, and the shape made of them.

use std::collections::BTreeMap;

use foveal_engine::message_shape::{MessageShape, ShapeKind, ShapePiece};
use foveal_engine::note::{Note, NoteKind};
use foveal_transcript::{EntryIndex, Handle};

use crate::conversation_replay::PreparedConversation;

/// The most answers after which the shape of one result shrinks: each costs time in proportion to
/// the result's length.
const STAGES_MAX: usize = 32;

/// The lines of one result that the oracle keeps.
#[derive(Debug)]
pub(super) struct RetainedLines {
    /// The result.
    pub(super) index: EntryIndex,
    /// Its lines, from 0, each with the last answer that uses it.
    pub(super) lines: BTreeMap<u32, EntryIndex>,
}

impl RetainedLines {
    /// Returns the answers after which fewer lines are used, in order; a sample with the last one
    /// if there are many.
    pub(super) fn last_use_answers(&self) -> Vec<EntryIndex> {
        let mut uses: Vec<_> = self.lines.values().copied().collect();
        uses.sort_unstable();
        uses.dedup();
        let step = uses.len().div_ceil(STAGES_MAX).max(1);
        uses.reverse();
        let mut some: Vec<_> = uses.into_iter().step_by(step).collect();
        some.reverse();
        some
    }
}

/// Returns the text of a result.
pub(super) fn result_content(prepared: &PreparedConversation, index: EntryIndex) -> &str {
    prepared.record.entry(index).tool_result().map_or("", |result| &result.content)
}

/// Returns a shape of the retained lines with their line breaks, and a note. With `after`, only the
/// lines that are used after that answer stay.
pub(super) fn build_shape(
    prepared: &PreparedConversation,
    kept: &RetainedLines,
    after: Option<EntryIndex>,
) -> MessageShape {
    let content = result_content(prepared, kept.index);
    let is_kept = |line: u32| {
        let last = kept.lines.get(&line);
        last.is_some_and(|last| after.is_none_or(|after| *last > after))
    };
    let handle = Handle::from_content(content.as_bytes());
    let mut pieces: Vec<ShapePiece> = Vec::new();
    let mut start = 0u32;
    for (at, line) in (0u32..).zip(content.split_inclusive('\n')) {
        let end = start + line.len() as u32;
        if is_kept(at) {
            match pieces.last_mut() {
                Some(ShapePiece::Keep(last)) if last.end == start => last.end = end,
                _ => pieces.push(ShapePiece::Keep(start..end)),
            }
        }
        start = end;
    }
    let kind = if pieces.is_empty() { ShapeKind::Note } else { ShapeKind::Excerpt };
    let open_line = match pieces.last() {
        Some(ShapePiece::Keep(last)) => !content[..last.end as usize].ends_with('\n'),
        Some(ShapePiece::Break | ShapePiece::Note(..)) | None => false,
    };
    pieces.extend(open_line.then_some(ShapePiece::Break));
    let note = Note { handle: Some(handle), ..Note::new(NoteKind::Behind) };
    pieces.push(ShapePiece::Note(content.len() as u32, note.into()));
    MessageShape { kind, rule: "oracle".to_owned(), pieces, handle }
}
