//! The heading of an answer, made once the shape of its content is known.

use foveal_engine::message_shape::ShapeKind;
use foveal_engine::note::{Note, NoteKind};

use crate::notes::{AnswerNote, FileDisplayMode};
use crate::session::{LineCounts, ShapedAnswer};

use super::answer_text::AnswerText;
use super::content::FindingContent;
use super::file::{FileBeginning, FileSize};
use super::heading_notes::{file_note, lines_shown_note};

/// Returns the heading of an answer.
pub(crate) fn render_heading(content: &FindingContent, given: &ShapedAnswer) -> AnswerText {
    let mut text = AnswerText::default();
    let remarks = match content {
        FindingContent::File(file) if !given.is_final => {
            text.push_note(AnswerNote::FileNamed(file.path.as_str().into()));
            text.push_note(AnswerNote::LinesThere { all: given.lines.all });
            file.text.remarks()
        }
        FindingContent::File(file) => {
            let (showing, counts) = file_showing(given);
            text.push_note(file_note(&file.path, showing));
            text.push_note(lines_shown_note(counts));
            file.text.remarks()
        }
        FindingContent::Beginning(beginning) => {
            text.push_note(file_note(&beginning.path, FileDisplayMode::Beginning));
            text.push_note(beginning_note(beginning, given));
            beginning.remarks.clone()
        }
        _ => None,
    };
    if let Some(remarks) = remarks {
        text.push_note(AnswerNote::Unusual(remarks.into()));
    }
    text
}

/// Returns how a file is shown, and how much of it.
fn file_showing(given: &ShapedAnswer) -> (FileDisplayMode, LineCounts) {
    let counts = given.lines;
    let is_full = |note: &Note| matches!(note.kind, NoteKind::NoRoom { .. });
    if given
        .shape
        .as_ref()
        .is_some_and(|shape| shape.kind == ShapeKind::Excerpt && shape.notes().any(is_full))
    {
        return (FileDisplayMode::Beginning, counts);
    }
    match given.shape.as_ref().map(|shape| shape.kind) {
        Some(ShapeKind::Curated) => (FileDisplayMode::Curated, counts),
        Some(ShapeKind::Pointer | ShapeKind::Delta) => (FileDisplayMode::NotAbove, counts),
        Some(ShapeKind::Excerpt) => {
            let mut whole = given.shown.clone();
            whole.remove_lines(&given.left_out);
            (FileDisplayMode::LongLinesCut, LineCounts { shown: whole.count(), ..counts })
        }
        _ => (FileDisplayMode::Full, counts),
    }
}

/// Returns the note on how much of a long file is shown.
fn beginning_note(beginning: &FileBeginning, given: &ShapedAnswer) -> AnswerNote {
    let lines = given.lines.shown;
    match beginning.size {
        FileSize::Lines(all, _) if !given.is_final => AnswerNote::LinesThere { all },
        FileSize::Bytes(bytes) if !given.is_final => AnswerNote::BytesThere { bytes },
        // A line with an omitted part does not count as shown.
        FileSize::Lines(all, _) => {
            lines_shown_note(LineCounts { all, shown: lines.min(beginning.whole_lines().count()) })
        }
        FileSize::Bytes(bytes) => AnswerNote::BytesShown { bytes, shown: lines },
    }
}
