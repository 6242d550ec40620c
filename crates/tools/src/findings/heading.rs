//! What stands before the text of a file: its name, how it is shown, and how much of it.

use foveal_context::note::{AnswerNote, Note, Showing};

use crate::session::LineCounts;

/// A file, and how it is shown.
pub(super) fn named(path: &str, showing: Showing) -> Note {
    Note::from(AnswerNote::File(showing)).of_file(path)
}

/// How many lines are shown.
pub(super) fn shown(LineCounts { all, shown }: LineCounts) -> AnswerNote {
    AnswerNote::LinesShown { all, shown }
}
