//! The findings of a read: the text, the beginning, lines or the structure of a file, or a pointer.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Value, json};

use foveal_engine::entry_facts::VERSION_ARGUMENT;
use foveal_engine::message_shape::ShapePiece;
use foveal_engine::note::LineNumberRange;
use foveal_relevance::numbered_listing::ListingRow;
use foveal_transcript::ContentHash;
use foveal_workspace::file_version::FileVersion;
use foveal_workspace::{PathKey, TextFile};

use crate::notes::{FileDisplayMode, FileNote, OmissionReason};

use crate::answer::AnswerImage;
use crate::answer_budget::split_rows;
use crate::read_view::{ReadMode, ReadView};
use crate::session::{FilePlace, LineCounts, LineRangeSet, PartialLine, ShapedAnswer};

use super::answer_text::{AnswerText, LineExcerpt};
use super::heading_notes::{file_note, lines_shown_note};
use super::numbered_lines::{NumberedLines, line_gutter, number_lines};

/// The identity of a read: two reads with the same key ask for the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadKey {
    pub(crate) file: PathKey,
    pub(crate) mode: ReadMode,
    pub(crate) question: Option<String>,
}

/// The complete text of a file, with the view to be shown.
#[derive(Debug, Clone)]
pub(crate) struct FileText {
    /// The file's display path.
    pub(crate) path: String,
    pub(crate) key: PathKey,
    pub(crate) version: FileVersion,
    pub(crate) text: Arc<TextFile>,
    pub(crate) mode: ReadMode,
    pub(crate) question: Option<String>,
    pub(crate) view: ReadView,
}

impl FileText {
    pub(super) fn render(&self) -> AnswerText {
        number_lines(self.text.text())
    }

    /// Returns the parts that `answer`, the shaped text, shows of the lines that it cuts.
    pub(crate) fn cut_line_parts(&self, answer: &ShapedAnswer) -> Vec<PartialLine> {
        let Some(shape) = answer.shape.as_ref().filter(|_| !answer.left_out.is_empty()) else {
            return Vec::new();
        };
        let kept = shape.pieces.iter().filter_map(|piece| match piece {
            ShapePiece::Keep(range) => Some(range.start as usize..range.end as usize),
            _ => None,
        });
        let kept: Vec<Range<usize>> = kept.collect();
        let mut parts = Vec::new();
        let mut start = 0;
        for (number, line) in (1u32..).zip(split_rows(self.text.text())) {
            start += line_gutter(number).len();
            let end = start + line.len();
            if answer.left_out.contains(number) {
                let inside = kept.iter().filter(|kept| kept.start < end && start < kept.end);
                parts.extend(inside.map(|kept| PartialLine {
                    line: number,
                    from: kept.start.saturating_sub(start) as u64,
                    to: (kept.end < end).then(|| (kept.end - start) as u64),
                }));
            }
            start = end + 1;
        }
        parts
    }

    /// Returns the arguments of the read in one form, however the call spelled them.
    pub(super) fn effective_arguments(&self) -> Value {
        // The question and the version are part of it: a read with another one is no repeat, and so
        // does not get the whole file.
        json!({
            "path": self.path,
            "mode": self.mode,
            "question": self.question,
            VERSION_ARGUMENT: self.version.hash,
        })
    }
}

/// The reason why only the beginning of a file is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TruncationReason {
    /// The answer is full; the whole file was asked for.
    AnswerFull,
    /// Curation would take too long, so a few lines are shown.
    Uncurated,
    /// The file is not parsed in time, so a few lines are shown in place of its structure.
    Unparsed,
}

/// The size of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileSize {
    /// Lines in a version that was read.
    Lines(u32, ContentHash),
    /// Bytes of a file that is too large for its lines to be counted.
    Bytes(u64),
}

/// The first lines of a file that does not fit in one answer.
#[derive(Debug, Clone)]
pub(crate) struct FileBeginning {
    /// The file's display path.
    pub(crate) path: String,
    pub(crate) key: PathKey,
    pub(crate) size: FileSize,
    pub(crate) lines: NumberedLines,
    /// The first omitted line.
    pub(crate) next: Option<u64>,
    pub(crate) truncation: TruncationReason,
    /// Omitted lines that others changed since the model saw them.
    pub(crate) changed: Vec<(u32, u32)>,
    /// Other remarks on the file, such as its encoding.
    pub(crate) remarks: Option<String>,
}

impl FileBeginning {
    pub(super) fn render(&self) -> AnswerText {
        let mut lines = self.lines.render();
        if let Some(next) = self.next {
            let next = u32::try_from(next).unwrap_or(u32::MAX);
            let (last, why) = match (self.size, self.truncation) {
                (FileSize::Bytes(_), _) => (u32::MAX, OmissionReason::Large),
                (FileSize::Lines(all, _), TruncationReason::AnswerFull) => {
                    (all, OmissionReason::Full)
                }
                (FileSize::Lines(all, _), TruncationReason::Uncurated) => {
                    (all, OmissionReason::Uncurated)
                }
                (FileSize::Lines(all, _), TruncationReason::Unparsed) => {
                    (all, OmissionReason::Unparsed)
                }
            };
            lines.push_note(FileNote::Rest { lines: LineNumberRange(next, last), why });
        }
        for (first, last) in &self.changed {
            lines.push_note(FileNote::ChangedByOthers(LineNumberRange(*first, *last)));
        }
        lines
    }

    /// Returns the lines that are shown in full.
    pub(crate) fn whole_lines(&self) -> LineRangeSet {
        match self.size {
            FileSize::Lines(..) => self.lines.whole_lines(),
            FileSize::Bytes(_) => LineRangeSet::default(),
        }
    }

    pub(super) fn effective_arguments(&self) -> Value {
        let mode = if self.truncation == TruncationReason::AnswerFull {
            ReadMode::Full
        } else {
            ReadMode::Auto
        };
        json!({ "path": self.path, "mode": mode })
    }
}

/// The structure of a file.
#[derive(Debug, Clone)]
pub(crate) struct FileStructure {
    /// The file's display path.
    pub(crate) path: String,
    pub(crate) counts: LineCounts,
    pub(crate) rows: Vec<ListingRow>,
    /// The lines whose part of the structure does not fit in the answer.
    pub(crate) rest: Option<LineNumberRange>,
}

impl FileStructure {
    pub(super) fn render(&self) -> AnswerText {
        let mut lines = AnswerText::default();
        lines.push_note(file_note(&self.path, FileDisplayMode::Structure));
        lines.push_note(lines_shown_note(self.counts));
        for row in &self.rows {
            match row {
                ListingRow::Line { number, text, .. } => {
                    lines.push_line(number.0, &row.gutter(), LineExcerpt::whole_line(text));
                }
                ListingRow::File { .. } => lines.push_file(&row.to_string()),
                ListingRow::Note { indent, note } => lines.push_note_indented(*indent, note),
            }
        }
        if let Some(rest) = self.rest {
            let why = OmissionReason::Full;
            lines.push_note(FileNote::Rest { lines: rest, why });
        }
        lines
    }

    pub(super) fn effective_arguments(&self) -> Value {
        json!({ "path": self.path, "mode": ReadMode::Full })
    }
}

/// Lines of a file, word for word.
#[derive(Debug, Clone)]
pub(crate) struct FileLines {
    pub(crate) lines: NumberedLines,
    pub(crate) end: RangeEnd,
    /// The file and the version that the lines are from, if known.
    pub(crate) file: Option<(PathKey, FileVersion, TextFile)>,
}

/// The reason why requested lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RangeEnd {
    /// All requested lines are there.
    Complete,
    /// The output budget is spent; the number of the next line.
    Continues(u64),
    /// The file ends before the requested lines do; the number of its lines.
    FileEnds(u32),
}

impl FileLines {
    pub(super) fn render(&self) -> AnswerText {
        let mut lines = self.lines.render();
        match self.end {
            RangeEnd::Complete => {}
            RangeEnd::Continues(next) => lines.push_note(FileNote::GoOn(next)),
            RangeEnd::FileEnds(all) => lines.push_note(FileNote::Ends(all)),
        }
        lines
    }
}

/// A file without text to show.
#[derive(Debug, Clone)]
pub(crate) struct NonTextFile {
    /// The file's display path.
    pub(crate) path: String,
    /// A description of the file's content.
    pub(crate) what: String,
    pub(crate) image: Option<AnswerImage>,
}

impl NonTextFile {
    pub(super) fn render(&self) -> AnswerText {
        let mut text = AnswerText::default();
        text.push_note(file_note(&self.path, FileDisplayMode::NoText(self.what.as_str().into())));
        text
    }
}

/// A pointer to a file that is unchanged since it was shown.
#[derive(Debug, Clone)]
pub(crate) struct UnchangedFile {
    /// The file's display path.
    pub(crate) path: String,
    /// The part of the prompt that shows it.
    pub(crate) place: FilePlace,
    /// The number of lines in the file.
    pub(crate) line_count: u32,
    /// The number of shown lines, if not all were shown.
    pub(crate) shown_count: Option<u32>,
    /// Whether the file does not fit in one answer.
    pub(crate) is_long: bool,
}

impl UnchangedFile {
    pub(super) fn render(&self) -> AnswerText {
        let mut text = AnswerText::default();
        let (file, all) = (self.path.as_str().into(), self.line_count);
        text.push_note(match self.place {
            FilePlace::SystemPrompt => FileNote::InSystemPrompt { file, all },
            FilePlace::Answers => {
                FileNote::Unchanged { file, all, shown: self.shown_count, is_long: self.is_long }
            }
        });
        text
    }
}
