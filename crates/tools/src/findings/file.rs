//! What a read finds: a file's text, its beginning, some lines, its structure, or no change.

use std::sync::Arc;

use serde_json::{Value, json};

use foveal_code::listing::ListingRow;
use foveal_context::note::{Counts, Lines, Note, NoteKind, Showing, Why};
use foveal_files::stamp::Version;
use foveal_files::{PathKey, TextFile};
use foveal_transcript::ContentHash;

use crate::answer::Image;
use crate::read_view::{ReadMode, ReadView};
use crate::session::{LineCounts, Seen};

use super::heading::{named, shown};
use super::lines::{NumberedLines, numbered};
use super::text::AnswerText;

/// What makes two reads the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadKey {
    pub(crate) file: PathKey,
    pub(crate) mode: ReadMode,
    pub(crate) question: Option<String>,
}

/// The whole text of a file, of which the view is to be shown.
#[derive(Debug, Clone)]
pub(crate) struct FileText {
    /// The file's display path.
    pub(crate) path: String,
    pub(crate) key: PathKey,
    pub(crate) version: Version,
    pub(crate) text: Arc<TextFile>,
    pub(crate) mode: ReadMode,
    pub(crate) question: Option<String>,
    pub(crate) view: ReadView,
}

impl FileText {
    pub(super) fn lines(&self) -> AnswerText {
        numbered(self.text.text())
    }

    /// The call that it answers, however that was spelled.
    pub(super) fn carried_out(&self) -> Value {
        // Another question, or version, does not ask for the same again, which would be given
        // whole.
        json!({
            "path": self.path,
            "mode": self.mode,
            "question": self.question,
            "version": self.version.hash,
        })
    }
}

/// How far the beginning of a file reaches, and why no more is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// As far as an answer does: all was asked for.
    Answer,
    /// A few lines: choosing among all would take too long.
    Uncurated,
    /// A few lines: it has no structure that could be told in time.
    Unparsed,
}

/// How much there is of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileSize {
    /// Lines, of a version that was read.
    Lines(u32, ContentHash),
    /// Bytes, where the file is too large for its lines to be counted.
    Bytes(u64),
}

/// The first lines of a file that one answer does not hold.
#[derive(Debug, Clone)]
pub(crate) struct Beginning {
    /// The file's display path.
    pub(crate) path: String,
    pub(crate) key: PathKey,
    pub(crate) size: FileSize,
    pub(crate) lines: NumberedLines,
    /// The first line that is left out.
    pub(crate) next: Option<u64>,
    pub(crate) reach: Reach,
    /// Lines left out that others changed since they were seen.
    pub(crate) changed: Vec<(u32, u32)>,
    /// What else there is to say of the file: its encoding, say.
    pub(crate) remarks: Option<String>,
}

impl Beginning {
    pub(super) fn lines(&self) -> AnswerText {
        let mut lines = self.lines.lines();
        let of = |range, kind| Note { lines: vec![range], ..Note::new(kind) };
        if let Some(next) = self.next {
            let next = u32::try_from(next).unwrap_or(u32::MAX);
            let (last, why) = match (self.size, self.reach) {
                (FileSize::Bytes(_), _) => (u32::MAX, Why::Large),
                (FileSize::Lines(all, _), Reach::Answer) => (all, Why::Full),
                (FileSize::Lines(all, _), Reach::Uncurated) => (all, Why::Uncurated),
                (FileSize::Lines(all, _), Reach::Unparsed) => (all, Why::Unparsed),
            };
            lines.note(of(Lines(next, last), NoteKind::Rest(why)));
        }
        for (first, last) in &self.changed {
            lines.note(of(Lines(*first, *last), NoteKind::ChangedByOthers));
        }
        lines
    }

    /// The lines that are given to their end.
    pub(crate) fn seen(&self) -> Seen {
        match self.size {
            FileSize::Lines(..) => self.lines.whole(),
            FileSize::Bytes(_) => Seen::default(),
        }
    }

    pub(super) fn carried_out(&self) -> Value {
        let mode = if self.reach == Reach::Answer { ReadMode::Full } else { ReadMode::Auto };
        json!({ "path": self.path, "mode": mode })
    }
}

/// The structure of a file.
#[derive(Debug, Clone)]
pub(crate) struct Structure {
    /// The file's display path.
    pub(crate) path: String,
    pub(crate) counts: LineCounts,
    pub(crate) rows: Vec<ListingRow>,
}

impl Structure {
    pub(super) fn lines(&self) -> AnswerText {
        let mut lines = AnswerText::default();
        lines.note(named(&self.path, Showing::Structure));
        lines.note(shown(self.counts));
        for row in &self.rows {
            match row {
                ListingRow::Line { number, text, .. } => {
                    lines.line(number.0, &row.gutter(), (None, text, None));
                }
                ListingRow::File { .. } => lines.file(&row.to_string()),
                ListingRow::Note { indent, note } => lines.note_indented(*indent, note.clone()),
            }
        }
        lines
    }

    pub(super) fn carried_out(&self) -> Value {
        json!({ "path": self.path, "mode": ReadMode::Full })
    }
}

/// Lines of a file, word for word.
#[derive(Debug, Clone)]
pub(crate) struct LineRange {
    pub(crate) lines: NumberedLines,
    pub(crate) end: RangeEnd,
    /// The file and the version of it that they are of, where that is known.
    pub(crate) file: Option<(PathKey, Version, TextFile)>,
}

/// Where lines that were asked for end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RangeEnd {
    /// All are given.
    Complete,
    /// An answer has no room for more; the next line.
    GoesOn(u64),
    /// The file has fewer lines than were asked for: this many.
    FileEnds(u32),
}

impl LineRange {
    pub(super) fn lines(&self) -> AnswerText {
        let mut lines = self.lines.lines();
        match self.end {
            RangeEnd::Complete => {}
            RangeEnd::GoesOn(next) => lines.note(Note::new(NoteKind::GoOn(next))),
            RangeEnd::FileEnds(all) => {
                let counts = Counts { lines: all, ..Counts::default() };
                lines.note(Note { counts, ..Note::new(NoteKind::Ends) });
            }
        }
        lines
    }
}

/// A file that has no text to show.
#[derive(Debug, Clone)]
pub(crate) struct NoText {
    /// The file's display path.
    pub(crate) path: String,
    /// What it is.
    pub(crate) what: String,
    pub(crate) image: Option<Image>,
}

impl NoText {
    pub(super) fn note(&self) -> AnswerText {
        let mut text = AnswerText::default();
        text.note(named(&self.path, Showing::NoText(self.what.as_str().into())));
        text
    }
}

/// A pointer: a file is unchanged since it was shown.
#[derive(Debug, Clone)]
pub(crate) struct Unchanged {
    /// The file's display path.
    pub(crate) path: String,
    /// Lines in all.
    pub(crate) all: u32,
    /// How many were shown, where not all were.
    pub(crate) shown: Option<u32>,
    /// Whether one answer does not hold the file.
    pub(crate) is_long: bool,
}

impl Unchanged {
    pub(super) fn note(&self) -> AnswerText {
        let kind = NoteKind::UnchangedFile { shown: self.shown, is_long: self.is_long };
        let counts = Counts { lines: self.all, ..Counts::default() };
        let mut text = AnswerText::default();
        text.note(Note { counts, ..Note::new(kind) }.of_file(&self.path));
        text
    }
}
