//! What stands before an answer, told once it is known what of it is shown.

use foveal_context::note::{AnswerNote, Note, NoteKind, Showing};
use foveal_context::shape::ShapeKind;

use crate::session::{LineCounts, ShapedAnswer};

use super::content::Content;
use super::file::{Beginning, FileSize};
use super::heading::{named, shown};
use super::text::AnswerText;

/// What stands before an answer.
pub(crate) fn heading(content: &Content, given: &ShapedAnswer) -> AnswerText {
    let mut text = AnswerText::default();
    let remarks = match content {
        Content::File(file) if !given.is_final => {
            text.note(Note::from(AnswerNote::FileNamed).of_file(&file.path));
            text.note(AnswerNote::LinesThere { all: given.lines.all });
            file.text.remarks()
        }
        Content::File(file) => {
            let (showing, counts) = of_file(given);
            text.note(named(&file.path, showing));
            text.note(shown(counts));
            file.text.remarks()
        }
        Content::Beginning(beginning) => {
            text.note(named(&beginning.path, Showing::Beginning));
            text.note(of_beginning(beginning, given));
            beginning.remarks.clone()
        }
        _ => None,
    };
    if let Some(remarks) = remarks {
        text.note(AnswerNote::Unusual(remarks.into()));
    }
    text
}

/// How a file is shown, and how much of it.
fn of_file(given: &ShapedAnswer) -> (Showing, LineCounts) {
    let counts = given.lines;
    let is_full = |note: &Note| matches!(note.kind, NoteKind::NoRoom { .. });
    if given
        .shape
        .as_ref()
        .is_some_and(|shape| shape.kind == ShapeKind::Excerpt && shape.notes().any(is_full))
    {
        return (Showing::Beginning, counts);
    }
    match given.shape.as_ref().map(|shape| shape.kind) {
        Some(ShapeKind::Curated) => (Showing::Curated, counts),
        Some(ShapeKind::Pointer | ShapeKind::Delta) => (Showing::NotAbove, counts),
        Some(ShapeKind::Excerpt) => {
            let mut whole = given.shown.clone();
            whole.remove(&given.left_out);
            (Showing::LongLinesCut, LineCounts { shown: whole.count(), ..counts })
        }
        _ => (Showing::Full, counts),
    }
}

/// How much of a long file is shown.
fn of_beginning(beginning: &Beginning, given: &ShapedAnswer) -> AnswerNote {
    let lines = given.lines.shown;
    match beginning.size {
        FileSize::Lines(all, _) if !given.is_final => AnswerNote::LinesThere { all },
        FileSize::Bytes(bytes) if !given.is_final => AnswerNote::BytesThere { bytes },
        // A line of which a part is left out is not preserved.
        FileSize::Lines(all, _) => {
            shown(LineCounts { all, shown: lines.min(beginning.seen().count()) })
        }
        FileSize::Bytes(bytes) => AnswerNote::BytesShown { bytes, shown: lines },
    }
}
