//! Lines of a text with their numbers, some of which may be given in part.

use foveal_context::note::{Counts, Giver, Note, NoteKind};

use crate::room::rows;
use crate::session::{LinePart, Seen};

use super::typed::TypedLines;

/// A line, or what is given of it.
#[derive(Debug, Clone)]
pub(crate) struct NumberedLine {
    pub(crate) number: u32,
    /// What is given.
    pub(crate) text: String,
    /// Bytes of the line before that.
    pub(crate) before: u64,
    /// Bytes of what is given, as the file has them.
    pub(crate) bytes: u64,
    /// Bytes of the line after that.
    pub(crate) after: u64,
}

impl NumberedLine {
    fn gutter(&self) -> String {
        format!("{}→", self.number)
    }

    /// What is given of the line, with notes on what is not.
    fn shown(&self) -> String {
        let Self { number, text, before, bytes, after } = self;
        let cut = |bytes: u64, kind| {
            let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
            let note = Note { counts: Counts { bytes, ..Counts::default() }, ..Note::new(kind) };
            if bytes == 0 { String::new() } else { note.to_string() }
        };
        let (tool, from_byte) = (Giver::ReadLines, before + bytes);
        let rest = NoteKind::LineRest { tool, line: *number, from_byte };
        cut(*before, NoteKind::LineCut) + text + &cut(*after, rest)
    }
}

/// Some lines of a text, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct NumberedLines {
    lines: Vec<NumberedLine>,
    /// Bytes of all as they are rendered.
    bytes: usize,
}

impl NumberedLines {
    /// One more line.
    pub(crate) fn push(&mut self, line: NumberedLine) {
        self.bytes += line.gutter().len() + line.shown().len() + 1;
        self.lines.push(line);
    }

    /// Whether so many bytes more fit into `bytes_max`; at least one line always does.
    pub(crate) fn have_room(&self, more: usize, bytes_max: usize) -> bool {
        self.lines.is_empty() || self.bytes + more <= bytes_max
    }

    /// The number of the last line.
    pub(crate) fn last(&self) -> Option<u32> {
        self.lines.last().map(|line| line.number)
    }

    /// The lines that are given as a whole.
    pub(crate) fn whole(&self) -> Seen {
        let whole = self.lines.iter().filter(|line| line.before == 0 && line.after == 0);
        Seen::of(whole.map(|line| (line.number, line.number)))
    }

    /// What is given of the other lines.
    pub(crate) fn parts(&self) -> Vec<LinePart> {
        let parts = self.lines.iter().filter(|line| line.before > 0 || line.after > 0);
        let part = |line: &NumberedLine| LinePart {
            line: line.number,
            from: line.before,
            to: (line.after > 0).then_some(line.before + line.bytes),
        };
        parts.map(part).collect()
    }
}

impl NumberedLines {
    /// The lines as they are given.
    pub(super) fn typed(&self) -> TypedLines {
        let mut lines = TypedLines::default();
        self.lines.iter().for_each(|line| lines.line(line.number, &line.gutter(), &line.shown()));
        lines
    }
}

/// The lines of a text with their numbers, from 1.
pub(crate) fn numbered(text: &str) -> TypedLines {
    let mut lines = TypedLines::default();
    lines.text.reserve(text.len() + text.len() / 4);
    for (number, line) in (1u32..).zip(rows(text)) {
        lines.line(number, &format!("{number}→"), line);
    }
    lines
}
