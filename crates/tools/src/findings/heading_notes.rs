//! The notes in the heading of a file: its name, how it is shown, and how much of it.

use foveal_engine::note::{AnswerNote, FileDisplayMode, Note};

use crate::session::LineCounts;

/// Returns the note that names a file and how it is shown.
pub(super) fn file_note(path: &str, showing: FileDisplayMode) -> Note {
    Note::from(AnswerNote::File(showing)).with_file(path)
}

/// Returns the note on the number of shown lines.
pub(super) fn lines_shown_note(LineCounts { all, shown }: LineCounts) -> AnswerNote {
    AnswerNote::LinesShown { all, shown }
}
