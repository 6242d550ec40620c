//! The lines that are kept of a result, and how it is sent then.

use std::collections::BTreeMap;

use foveal_context::note::{Note, NoteKind};
use foveal_context::shape::{Piece, Shape, ShapeKind};
use foveal_transcript::{EntryIndex, Handle};

use crate::run::Prepared;

/// Responses after which less of one result is sent: each costs the time of its length.
const LAST_USES_MAX: usize = 32;

/// What is kept of one result.
#[derive(Debug)]
pub(super) struct Kept {
    /// The result.
    pub(super) index: EntryIndex,
    /// Its lines, from 0, with the last response that uses what stands on them.
    pub(super) lines: BTreeMap<u32, EntryIndex>,
}

impl Kept {
    /// The responses after which fewer lines are used, in order; of many some, with the last.
    pub(super) fn last_uses(&self) -> Vec<EntryIndex> {
        let mut uses: Vec<_> = self.lines.values().copied().collect();
        uses.sort_unstable();
        uses.dedup();
        let step = uses.len().div_ceil(LAST_USES_MAX).max(1);
        uses.reverse();
        let mut some: Vec<_> = uses.into_iter().step_by(step).collect();
        some.reverse();
        some
    }
}

/// The text of a result.
pub(super) fn content(prepared: &Prepared, index: EntryIndex) -> &str {
    prepared.record.entry(index).result().map_or("", |result| &result.content)
}

/// The lines with their line breaks, then the note: all that are kept, or those that are used
/// after a response.
pub(super) fn shape(prepared: &Prepared, kept: &Kept, after: Option<EntryIndex>) -> Shape {
    let content = content(prepared, kept.index);
    let is_kept = |line: u32| {
        let last = kept.lines.get(&line);
        last.is_some_and(|last| after.is_none_or(|after| *last > after))
    };
    let handle = Handle::of(content.as_bytes());
    let mut pieces: Vec<Piece> = Vec::new();
    let mut start = 0u32;
    for (at, line) in (0u32..).zip(content.split_inclusive('\n')) {
        let end = start + line.len() as u32;
        if is_kept(at) {
            match pieces.last_mut() {
                Some(Piece::Keep(last)) if last.end == start => last.end = end,
                _ => pieces.push(Piece::Keep(start..end)),
            }
        }
        start = end;
    }
    let kind = if pieces.is_empty() { ShapeKind::Note } else { ShapeKind::Excerpt };
    let open_line = match pieces.last() {
        Some(Piece::Keep(last)) => !content[..last.end as usize].ends_with('\n'),
        Some(Piece::Break | Piece::Note(..)) | None => false,
    };
    pieces.extend(open_line.then_some(Piece::Break));
    let note = Note { handle: Some(handle), ..Note::new(NoteKind::Behind) };
    pieces.push(Piece::Note(content.len() as u32, note.into()));
    Shape { kind, rule: "oracle".to_owned(), pieces, handle }
}
