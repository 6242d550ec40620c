//! Lines of a text with their numbers, some of which may be cut.

use foveal_engine::output_budget::OutputBudget;

use crate::answer_budget::split_rows;
use crate::notes::{ContinuationTool, FileNote};
use crate::session::{LineRangeSet, PartialLine};

use super::answer_text::{AnswerText, LineExcerpt};

/// A line, or the part of it that is given.
#[derive(Debug, Clone)]
pub(crate) struct NumberedLine {
    pub(crate) number: u32,
    /// The given part.
    pub(crate) text: String,
    /// Bytes of the line before the given part.
    pub(crate) before: u64,
    /// Bytes of the given part in the file.
    pub(crate) bytes: u64,
    /// Bytes of the line after the given part.
    pub(crate) after: u64,
}

impl NumberedLine {
    fn gutter(&self) -> String {
        line_gutter(self.number)
    }

    /// Returns the notes on the omitted parts before and after the given one.
    fn cut_notes(&self) -> (Option<FileNote>, Option<FileNote>) {
        let Self { number, before, bytes, after, .. } = self;
        let from_byte = before + bytes;
        let rest = (*after > 0).then(|| FileNote::LineRest {
            bytes: u32::try_from(*after).unwrap_or(u32::MAX),
            tool: ContinuationTool::ReadLines,
            line: *number,
            from_byte,
        });
        (line_cut_note(*before), rest)
    }
}

/// Returns the note on omitted bytes of a line, without a way to get them; `None` if there are none.
pub(super) fn line_cut_note(bytes: u64) -> Option<FileNote> {
    (bytes > 0).then(|| FileNote::LineCut(u32::try_from(bytes).unwrap_or(u32::MAX)))
}

/// Lines of a text, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct NumberedLines {
    lines: Vec<NumberedLine>,
}

impl NumberedLines {
    /// Adds a line if it fits in `room` as it is rendered. The first line is always added.
    pub(crate) fn push_if_fits(&mut self, line: NumberedLine, room: &mut OutputBudget) -> bool {
        let (before, after) = line.cut_notes();
        let notes: String = before.iter().chain(&after).map(FileNote::to_string).collect();
        let fits = room.consume(&format!("{}{}{notes}\n", line.gutter(), line.text));
        let is_taken = fits || self.lines.is_empty();
        if !fits {
            *room = OutputBudget::NONE;
        }
        if is_taken {
            self.lines.push(line);
        }
        is_taken
    }

    /// Removes the lines after this one.
    pub(crate) fn truncate_after(&mut self, last: u32) {
        self.lines.retain(|line| line.number <= last);
    }

    /// Returns the number of the last line.
    pub(crate) fn last_number(&self) -> Option<u32> {
        self.lines.last().map(|line| line.number)
    }

    /// Returns the lines that are given in full.
    pub(crate) fn whole_lines(&self) -> LineRangeSet {
        let whole = self.lines.iter().filter(|line| line.before == 0 && line.after == 0);
        LineRangeSet::from_ranges(whole.map(|line| (line.number, line.number)))
    }

    /// Returns the given parts of the other lines.
    pub(crate) fn partial_lines(&self) -> Vec<PartialLine> {
        let parts = self.lines.iter().filter(|line| line.before > 0 || line.after > 0);
        let part = |line: &NumberedLine| PartialLine {
            line: line.number,
            from: line.before,
            to: (line.after > 0).then_some(line.before + line.bytes),
        };
        parts.map(part).collect()
    }
}

impl NumberedLines {
    /// Renders the lines as text, with notes on the omitted parts.
    pub(super) fn render(&self) -> AnswerText {
        let mut lines = AnswerText::default();
        for line in &self.lines {
            let (before, after) = line.cut_notes();
            let excerpt = LineExcerpt { before, text: &line.text, after };
            lines.push_line(line.number, &line.gutter(), excerpt);
        }
        lines
    }
}

/// Returns the text before a line with this number.
pub(super) fn line_gutter(number: u32) -> String {
    format!("{number}→")
}

/// Renders all lines of a text with their numbers, from 1.
pub(crate) fn number_lines(text: &str) -> AnswerText {
    let mut lines = AnswerText::default();
    lines.reserve(text.len() + text.len() / 4);
    for (number, line) in (1u32..).zip(split_rows(text)) {
        lines.push_line(number, &line_gutter(number), LineExcerpt::whole_line(line));
    }
    lines
}
