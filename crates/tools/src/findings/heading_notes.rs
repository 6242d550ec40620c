//! The notes in the heading of a file: its name, how it is shown, and how much of it.

use crate::notes::{AnswerNote, FileDisplayMode};

use crate::session::LineCounts;

/// Returns the note that names a file and how it is shown.
pub(super) fn file_note(path: &str, mode: FileDisplayMode) -> AnswerNote {
    AnswerNote::File { file: path.into(), mode }
}

/// Returns the note on the number of shown lines.
pub(super) fn lines_shown_note(LineCounts { all, shown }: LineCounts) -> AnswerNote {
    AnswerNote::LinesShown { all, shown }
}
