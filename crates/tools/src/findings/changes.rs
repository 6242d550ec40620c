//! What a tool changed in files, and how to go back.

use foveal_context::note::{ChangeKind, ChangeNote, NoWayBack, Note, WayBack};
use foveal_files::edit::LineSpan;
use foveal_files::replace::Note as WriteNote;

use super::text::AnswerText;

/// Places told of one file.
const PLACES_MAX: usize = 20;

/// The files that one call changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Changes {
    pub(crate) files: Vec<Change>,
    /// In which white space texts that were to be replaced differed from the file.
    pub(crate) white_space: Vec<String>,
}

/// A file that was changed.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// The file's display path.
    pub(crate) path: String,
    pub(crate) kind: ChangeKind,
    pub(crate) undo: Result<WayBack, NoWayBack>,
    /// What there is to know of how it was written.
    pub(crate) notes: Vec<WriteNote>,
    /// Where its text was changed: the lines before, and those now.
    pub(crate) places: Vec<(LineSpan, LineSpan)>,
}

impl Changes {
    pub(super) fn lines(&self) -> AnswerText {
        let mut text = AnswerText::default();
        for change in &self.files {
            let done = ChangeNote::Done(change.kind, change.undo);
            text.note(Note::from(done).of_file(&change.path));
            change.notes.iter().for_each(|note| text.note(note_of(note)));
            let (told, more) = change.places.split_at(change.places.len().min(PLACES_MAX));
            told.iter().for_each(|(before, now)| text.note(ChangeNote::Place(*before, *now)));
            if !more.is_empty() {
                text.note(ChangeNote::MorePlaces(more.len()));
            }
        }
        for differences in &self.white_space {
            text.note(ChangeNote::WhiteSpace(differences.as_str().into()));
        }
        text
    }
}

impl From<Change> for Changes {
    fn from(change: Change) -> Self {
        Self { files: vec![change], white_space: Vec::new() }
    }
}

fn note_of(note: &WriteNote) -> ChangeNote {
    match note {
        WriteNote::OtherNames { count } => ChangeNote::OtherNames(*count),
        WriteNote::OwnerNotKept => ChangeNote::OwnerNotKept,
        WriteNote::ThroughLink { link } => ChangeNote::ThroughLink(link.as_str().into()),
    }
}
