//! Lines of a text with their numbers, some of which may be given in part.

use foveal_context::note::{Counts, Giver, Note, NoteKind};
use foveal_context::room::Room;

use crate::room::rows;
use crate::session::{LinePart, Seen};

use super::text::AnswerText;

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

    /// What is left out of it before what is given, and behind.
    fn cuts(&self) -> (Option<Note>, Option<Note>) {
        let Self { number, before, bytes, after, .. } = self;
        let from_byte = before + bytes;
        let rest = NoteKind::LineRest { tool: Giver::ReadLines, line: *number, from_byte };
        (cut(*before, NoteKind::LineCut), cut(*after, rest))
    }
}

/// A note on so many bytes of a line that are left out, if any are.
pub(super) fn cut(bytes: u64, kind: NoteKind) -> Option<Note> {
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
    let counts = Counts { bytes, ..Counts::default() };
    (bytes > 0).then(|| Note { counts, ..Note::new(kind) })
}

/// Some lines of a text, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct NumberedLines {
    lines: Vec<NumberedLine>,
}

impl NumberedLines {
    /// One more line, if there is room for it as it is rendered; the first always has.
    pub(crate) fn push_within(&mut self, line: NumberedLine, room: &mut Room) -> bool {
        let (before, after) = line.cuts();
        let notes: String = before.iter().chain(&after).map(Note::to_string).collect();
        let fits = room.take(&format!("{}{}{notes}\n", line.gutter(), line.text));
        let is_taken = fits || self.lines.is_empty();
        if !fits {
            *room = Room::NONE;
        }
        if is_taken {
            self.lines.push(line);
        }
        is_taken
    }

    /// Leaves out the lines behind the one of this number.
    pub(crate) fn end_at(&mut self, last: u32) {
        self.lines.retain(|line| line.number <= last);
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
    pub(super) fn lines(&self) -> AnswerText {
        let mut lines = AnswerText::default();
        for line in &self.lines {
            let (before, after) = line.cuts();
            lines.line(line.number, &line.gutter(), (before, &line.text, after));
        }
        lines
    }
}

/// The lines of a text with their numbers, from 1.
pub(crate) fn numbered(text: &str) -> AnswerText {
    let mut lines = AnswerText::default();
    lines.reserve(text.len() + text.len() / 4);
    for (number, line) in (1u32..).zip(rows(text)) {
        lines.line(number, &format!("{number}→"), (None, line, None));
    }
    lines
}
