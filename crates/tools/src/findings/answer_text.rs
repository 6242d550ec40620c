//! The text of an answer, built row by row: content word for word, and notes.

use std::fmt::Display;

use foveal_engine::message_shape::{MessageShape, ShapePiece};
use foveal_sandbox::{CapturedOutput, OmittedOutput};

use crate::answer::{AnswerRow, PlacedNote, RowKind};
use crate::notes::{FileNote, RunNote};

/// The shown part of a line, with notes on the parts omitted before and after it.
#[derive(Debug, Clone)]
pub(crate) struct LineExcerpt<'a> {
    pub(crate) before: Option<FileNote>,
    pub(crate) text: &'a str,
    pub(crate) after: Option<FileNote>,
}

impl<'a> LineExcerpt<'a> {
    /// Creates the excerpt that shows all of a line.
    pub(crate) fn whole_line(text: &'a str) -> Self {
        Self { before: None, text, after: None }
    }
}

/// The text of an answer, with the kind of each line. Every remark of foveal in it is a note.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct AnswerText {
    text: String,
    /// One row for each line of the text.
    rows: Vec<AnswerRow>,
}

impl AnswerText {
    /// Creates an answer of content alone, word for word.
    pub(crate) fn from_content(text: String) -> Self {
        let rows = text.lines().map(|_| RowKind::Content.into()).collect();
        Self { text, rows }
    }

    /// Creates an answer that reports an error.
    pub(crate) fn from_error(text: String) -> Self {
        let rows = text.lines().map(|_| RowKind::Error.into()).collect();
        Self { text, rows }
    }

    /// Creates an answer from a text and its rows.
    pub(crate) fn from_rows(text: String, rows: Vec<AnswerRow>) -> Self {
        Self { text, rows }
    }

    /// Returns the rows of `whole` as `shape` reduces them.
    pub(crate) fn from_shape(whole: &str, rows: &[AnswerRow], shape: &MessageShape) -> Self {
        let mut shown = Self::default();
        shown.text.reserve(whole.len());
        // The current line of `whole`: its index, and the byte at which it begins.
        let (mut line, mut line_start, mut at) = (0, 0, 0);
        for piece in &shape.pieces {
            let kept = match piece {
                ShapePiece::Keep(range) => range.start as usize..range.end as usize,
                ShapePiece::Break => {
                    shown.push_text(RowKind::Content, "\n");
                    continue;
                }
                ShapePiece::Note(_, note) => {
                    shown.push_note_inline(note);
                    continue;
                }
            };
            let mut start = kept.start;
            for part in whole[kept].split_inclusive('\n') {
                for (end, _) in whole[at..start].match_indices('\n') {
                    (line, line_start) = (line + 1, at + end + 1);
                }
                at = start;
                match rows.get(line) {
                    Some(row) => shown.push_part(part, row, start - line_start),
                    None => shown.push_text(RowKind::Content, part),
                }
                start += part.len();
            }
        }
        shown
    }

    /// Adds a part of the line that `row` describes, from byte `from` of that line.
    fn push_part(&mut self, part: &str, row: &AnswerRow, from: usize) {
        let before = u32::try_from(from).unwrap_or(u32::MAX);
        let kind = match row.kind {
            RowKind::Line { number, gutter } => {
                RowKind::Line { number, gutter: gutter.saturating_sub(before) }
            }
            kind => kind,
        };
        if row.notes.is_empty() {
            return self.push_text(kind, part);
        }
        let end = from + part.len();
        let start = self.open_line_len();
        let is_whole = |placed: &&PlacedNote| {
            placed.at >= before && placed.at as usize + placed.text.len() <= end
        };
        let moved = |placed: &PlacedNote| PlacedNote {
            at: placed.at - before + start,
            text: placed.text.clone(),
        };
        let notes: Vec<PlacedNote> = row.notes.iter().filter(is_whole).map(moved).collect();
        self.push_text(kind, part);
        if let Some(row) = self.rows.last_mut() {
            row.notes.extend(notes);
        }
    }

    /// Returns the text.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text and its rows.
    pub(crate) fn into_text_and_rows(self) -> (String, Vec<AnswerRow>) {
        (self.text, self.rows)
    }

    /// Reserves memory for this many more bytes.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        self.text.reserve(bytes);
    }

    /// Adds a line of a file after its gutter, with notes on its omitted parts.
    pub(crate) fn push_line(&mut self, number: u32, gutter: &str, excerpt: LineExcerpt<'_>) {
        let LineExcerpt { before, text, after } = excerpt;
        let gutter_len = u32::try_from(gutter.len()).unwrap_or(u32::MAX);
        let kind = RowKind::Line { number, gutter: gutter_len };
        self.push_text(kind, gutter);
        before.into_iter().for_each(|note| self.push_note_inline(note));
        self.push_text(kind, text);
        after.into_iter().for_each(|note| self.push_note_inline(note));
        self.push_text(kind, "\n");
    }

    /// Adds the path of a file, whose lines follow.
    pub(crate) fn push_file(&mut self, path: &str) {
        self.push_text(RowKind::File, path);
        self.push_text(RowKind::File, "\n");
    }

    /// Adds a note on a line of its own.
    pub(crate) fn push_note(&mut self, note: impl Display) {
        self.push_note_indented(0, note);
    }

    /// Adds a note on a line of its own, indented by this many blanks.
    pub(crate) fn push_note_indented(&mut self, indent: usize, note: impl Display) {
        self.finish_line();
        self.push_text(RowKind::Note, &" ".repeat(indent));
        self.push_note_inline(note);
        self.push_text(RowKind::Note, "\n");
    }

    /// Adds a note at the end of the text, without a line break.
    pub(crate) fn push_note_inline(&mut self, note: impl Display) {
        let text = note.to_string().into_boxed_str();
        let (row, at) = (
            self.rows.len().saturating_sub(usize::from(self.has_open_line())),
            self.open_line_len(),
        );
        self.push_text(RowKind::Note, &text);
        if let Some(row) = self.rows.get_mut(row) {
            row.notes.push(PlacedNote { at, text });
        }
    }

    /// Adds output of a program, a web page or a search, word for word.
    pub(crate) fn push_content(&mut self, text: &str) {
        self.push_text(RowKind::Content, text);
    }

    /// Adds the whole of another answer.
    pub(crate) fn append_answer(&mut self, other: Self) {
        if self.text.is_empty() {
            *self = other;
            return;
        }
        self.finish_line();
        self.text.push_str(&other.text);
        self.rows.extend(other.rows);
    }

    /// Ends the last line, unless it has ended.
    pub(crate) fn finish_line(&mut self) {
        if self.has_open_line() {
            self.text.push('\n');
        }
    }

    fn has_open_line(&self) -> bool {
        !self.text.is_empty() && !self.text.ends_with('\n')
    }

    /// Returns the bytes of the last line, if it has not ended.
    fn open_line_len(&self) -> u32 {
        let start = self.text.rfind('\n').map_or(0, |end| end + 1);
        u32::try_from(self.text.len() - start).unwrap_or(u32::MAX)
    }

    /// Adds `text`; each line that it begins is of this kind.
    fn push_text(&mut self, kind: RowKind, text: &str) {
        for part in text.split_inclusive('\n') {
            if !self.has_open_line() {
                self.rows.push(kind.into());
            }
            self.text.push_str(part);
        }
    }
}

/// Renders the output of a program, as far as it is kept.
pub(crate) fn render_output(output: &CapturedOutput) -> AnswerText {
    let mut text = AnswerText::from_content(output.head.clone());
    if let Some(OmittedOutput { bytes, lines }) = output.left_out {
        text.push_note(RunNote::OutputCut { lines, bytes });
        text.push_content(&output.tail);
    }
    text
}
