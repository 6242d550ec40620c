//! The text of an answer, made once, row by row: content word for word, and notes.

use foveal_context::note::{Note, RunNote};
use foveal_context::shape::{Piece, Shape};
use foveal_processes::{LeftOut, Output};

use crate::answer::{AnswerRow, PlacedNote, RowKind};

/// Lines of an answer: as text, and what each line of that is. Whatever foveal says in it comes
/// in as a [`Note`].
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct AnswerText {
    text: String,
    /// One for each line of the text.
    rows: Vec<AnswerRow>,
}

impl AnswerText {
    /// Content alone, word for word.
    pub(crate) fn of_content(text: String) -> Self {
        let rows = text.lines().map(|_| RowKind::Content.into()).collect();
        Self { text, rows }
    }

    /// What went wrong.
    pub(crate) fn of_error(text: String) -> Self {
        let rows = text.lines().map(|_| RowKind::Error.into()).collect();
        Self { text, rows }
    }

    /// A text, and what its lines are.
    pub(crate) fn of_rows(text: String, rows: Vec<AnswerRow>) -> Self {
        Self { text, rows }
    }

    /// The rows of `whole` as `shape` shows them.
    pub(crate) fn shaped(whole: &str, rows: &[AnswerRow], shape: &Shape) -> Self {
        let mut shown = Self::default();
        shown.text.reserve(whole.len());
        // The line of `whole` that was last met, by its number from 0 and its first byte.
        let (mut line, mut line_start, mut at) = (0, 0, 0);
        for piece in &shape.pieces {
            let kept = match piece {
                Piece::Keep(range) => range.start as usize..range.end as usize,
                Piece::Break => {
                    shown.push(RowKind::Content, "\n");
                    continue;
                }
                Piece::Note(_, note) => {
                    shown.note_here((**note).clone());
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
                    Some(row) => shown.part(part, row, start - line_start),
                    None => shown.push(RowKind::Content, part),
                }
                start += part.len();
            }
        }
        shown
    }

    /// A part of the line that `row` tells of, from this byte of it on.
    fn part(&mut self, part: &str, row: &AnswerRow, from: usize) {
        let before = u32::try_from(from).unwrap_or(u32::MAX);
        let kind = match row.kind {
            RowKind::Line { number, gutter } => {
                RowKind::Line { number, gutter: gutter.saturating_sub(before) }
            }
            kind => kind,
        };
        if row.notes.is_empty() {
            return self.push(kind, part);
        }
        let end = from + part.len();
        let start = self.line_len();
        let is_whole = |placed: &&PlacedNote| {
            placed.at >= before && placed.at as usize + placed.note.text_len() <= end
        };
        let moved = |placed: &PlacedNote| PlacedNote {
            at: placed.at - before + start,
            note: placed.note.clone(),
        };
        let notes: Vec<PlacedNote> = row.notes.iter().filter(is_whole).map(moved).collect();
        self.push(kind, part);
        if let Some(row) = self.rows.last_mut() {
            row.notes.extend(notes);
        }
    }

    /// The text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The text, and what its lines are.
    pub(crate) fn into_parts(self) -> (String, Vec<AnswerRow>) {
        (self.text, self.rows)
    }

    /// Makes room for so many bytes more.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        self.text.reserve(bytes);
    }

    /// Puts a line of a file behind what stands before its text, with notes on what is left out
    /// of it before and behind.
    pub(crate) fn line(
        &mut self,
        number: u32,
        gutter: &str,
        (before, text, after): (Option<Note>, &str, Option<Note>),
    ) {
        let gutter_len = u32::try_from(gutter.len()).unwrap_or(u32::MAX);
        let kind = RowKind::Line { number, gutter: gutter_len };
        self.push(kind, gutter);
        before.into_iter().for_each(|note| self.note_here(note));
        self.push(kind, text);
        after.into_iter().for_each(|note| self.note_here(note));
        self.push(kind, "\n");
    }

    /// Puts the path of a file, whose lines follow.
    pub(crate) fn file(&mut self, path: &str) {
        self.push(RowKind::File, path);
        self.push(RowKind::File, "\n");
    }

    /// Puts a note, a line of its own.
    pub(crate) fn note(&mut self, note: impl Into<Note>) {
        self.note_indented(0, note.into());
    }

    /// Puts a note behind so many blanks, a line of its own.
    pub(crate) fn note_indented(&mut self, indent: usize, note: Note) {
        self.end_line();
        self.push(RowKind::Said, &" ".repeat(indent));
        self.note_here(note);
        self.push(RowKind::Said, "\n");
    }

    /// Puts a note where the text ends.
    pub(crate) fn note_here(&mut self, note: Note) {
        let (row, at) =
            (self.rows.len().saturating_sub(usize::from(self.is_open())), self.line_len());
        self.push(RowKind::Said, &note.to_string());
        if let Some(row) = self.rows.get_mut(row) {
            row.notes.push(PlacedNote { at, note });
        }
    }

    /// Puts what a program printed, a page says or a search found, word for word.
    pub(crate) fn content(&mut self, text: &str) {
        self.push(RowKind::Content, text);
    }

    /// Puts all of another text.
    pub(crate) fn append(&mut self, other: Self) {
        if self.text.is_empty() {
            *self = other;
            return;
        }
        self.end_line();
        self.text.push_str(&other.text);
        self.rows.extend(other.rows);
    }

    /// Ends the last line, if it has not ended.
    pub(crate) fn end_line(&mut self) {
        if self.is_open() {
            self.text.push('\n');
        }
    }

    fn is_open(&self) -> bool {
        !self.text.is_empty() && !self.text.ends_with('\n')
    }

    /// Bytes of the last line, if it has not ended.
    fn line_len(&self) -> u32 {
        let start = self.text.rfind('\n').map_or(0, |end| end + 1);
        u32::try_from(self.text.len() - start).unwrap_or(u32::MAX)
    }

    /// Puts `text`; each line that it begins is of this kind.
    fn push(&mut self, kind: RowKind, text: &str) {
        for part in text.split_inclusive('\n') {
            if !self.is_open() {
                self.rows.push(kind.into());
            }
            self.text.push_str(part);
        }
    }
}

/// What a program printed, as far as it is kept.
pub(crate) fn printed(output: &Output) -> AnswerText {
    let mut text = AnswerText::of_content(output.head.clone());
    if let Some(LeftOut { bytes, lines }) = output.left_out {
        text.note(RunNote::OutputCut { lines, bytes });
        text.content(&output.tail);
    }
    text
}
