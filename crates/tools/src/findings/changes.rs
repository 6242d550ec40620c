//! The changes that a tool made to files, with the handles that undo them.

use crate::notes::{FileChangeKind, FileChangeNote, UndoPoint, UndoUnavailable};
use foveal_workspace::atomic_write::WriteNotice;
use foveal_workspace::edit::LineSpan;

use super::answer_text::AnswerText;

/// Most changed places that an answer lists for one file.
const PLACES_MAX: usize = 20;

/// The changes that one call made to files.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileChanges {
    pub(crate) files: Vec<FileChange>,
    /// The differences in white space between the texts to be replaced and the file.
    pub(crate) white_space: Vec<String>,
}

/// The change of one file.
#[derive(Debug, Clone)]
pub(crate) struct FileChange {
    /// The file's display path.
    pub(crate) path: String,
    pub(crate) kind: FileChangeKind,
    pub(crate) undo: Result<UndoPoint, UndoUnavailable>,
    /// The absolute path, if the display path is relative to a folder that a command changed to.
    pub(crate) destination: Option<String>,
    /// Notes on how the file was written.
    pub(crate) notes: Vec<WriteNotice>,
    /// The changed places: the lines before and the lines after.
    pub(crate) changed_spans: Vec<(LineSpan, LineSpan)>,
}

impl FileChanges {
    pub(super) fn render(&self) -> AnswerText {
        let mut text = AnswerText::default();
        for change in &self.files {
            let (file, kind, undo) = (change.path.as_str().into(), change.kind, change.undo);
            text.push_note(FileChangeNote::Done { file, kind, undo });
            if let Some(path) = &change.destination {
                text.push_note(FileChangeNote::Destination(path.as_str().into()));
            }
            change.notes.iter().for_each(|note| text.push_note(change_note(note)));
            let (told, more) =
                change.changed_spans.split_at(change.changed_spans.len().min(PLACES_MAX));
            told.iter()
                .for_each(|(before, now)| text.push_note(FileChangeNote::Place(*before, *now)));
            if !more.is_empty() {
                text.push_note(FileChangeNote::MorePlaces(more.len()));
            }
        }
        for differences in &self.white_space {
            text.push_note(FileChangeNote::WhiteSpace(differences.as_str().into()));
        }
        text
    }
}

impl From<FileChange> for FileChanges {
    fn from(change: FileChange) -> Self {
        Self { files: vec![change], white_space: Vec::new() }
    }
}

fn change_note(note: &WriteNotice) -> FileChangeNote {
    match note {
        WriteNotice::OtherNames { count } => FileChangeNote::OtherNames(*count),
        WriteNotice::OwnerNotKept => FileChangeNote::OwnerNotKept,
        WriteNotice::ThroughLink { link } => FileChangeNote::ThroughLink(link.as_str().into()),
    }
}
