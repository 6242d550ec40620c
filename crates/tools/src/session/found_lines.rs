//! The lines that search answers show. A search meets more files than are worth knowing, so a line
//! is compared with its file only when an edit of that file asks.

use std::collections::HashSet;

use foveal_workspace::PathKey;

use super::deliveries::{CallVisibility, SessionCallId, SettledCallIds};
use super::line_range_set::LineRangeSet;
use super::partial_line_set::PartialLine;

/// Lines that are kept; the first of more are forgotten.
const LINES_MAX: usize = 2_000;

/// A line of a file, or the part of it that an answer shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HitExcerpt {
    pub(crate) text: String,
    /// Bytes of the line before the text.
    pub(crate) before: usize,
    /// Bytes of the line after the text.
    pub(crate) after: usize,
}

impl HitExcerpt {
    fn is_whole(&self) -> bool {
        self.before == 0 && self.after == 0
    }

    /// Returns the part of line `number` that this shows, if it shows a part of `line`.
    fn part_of(&self, number: u32, line: &str) -> Option<PartialLine> {
        let end = self.before + self.text.len();
        let is_part =
            line.len() == end + self.after && line.get(self.before..end) == Some(&self.text);
        let to = (self.after > 0).then_some(end as u64);
        is_part.then_some(PartialLine { line: number, from: self.before as u64, to })
    }
}

/// A line in the answer to a call.
#[derive(Debug)]
struct FoundRow {
    /// The call; `None` once its answer is visible to every call.
    call: Option<SessionCallId>,
    key: PathKey,
    line: HitExcerpt,
}

/// The lines of files that search answers show, in the order of the answers.
#[derive(Debug, Default)]
pub(super) struct SearchHitLines(Vec<FoundRow>);

impl SearchHitLines {
    /// Adds lines that the answer to `call` shows.
    pub(super) fn add(&mut self, call: SessionCallId, key: &PathKey, lines: Vec<HitExcerpt>) {
        let row = |line| FoundRow { call: Some(call), key: key.clone(), line };
        self.0.extend(lines.into_iter().map(row));
        let surplus = self.0.len().saturating_sub(LINES_MAX);
        self.0.drain(..surplus);
    }

    /// Makes the lines of settled calls visible to every call, or to none.
    pub(super) fn apply_settled(&mut self, settled: &SettledCallIds) {
        self.0.retain(|row| row.call.is_none_or(|call| !settled.lost.contains(&call)));
        for row in &mut self.0 {
            row.call = row.call.filter(|call| !settled.delivered.contains(call));
        }
    }

    /// Returns the lines of `text`, the content of a file, that answers visible to a call show, and
    /// the parts of its other lines. A line that has moved since counts: its text is the same.
    pub(super) fn lines_in(
        &self,
        key: &PathKey,
        text: &str,
        view: &CallVisibility,
    ) -> (LineRangeSet, Vec<PartialLine>) {
        let is_visible = |row: &&FoundRow| row.call.is_none_or(|call| view.is_answer_visible(call));
        let rows = self.0.iter().filter(|row| row.key == *key).filter(is_visible);
        let (whole, partial): (Vec<_>, Vec<_>) =
            rows.map(|row| &row.line).partition(|line| line.is_whole());
        if whole.is_empty() && partial.is_empty() {
            return (LineRangeSet::default(), Vec::new());
        }
        let whole: HashSet<&str> = whole.into_iter().map(|line| line.text.as_str()).collect();
        let (mut lines, mut parts) = (Vec::new(), Vec::new());
        for (line, number) in text.split_inclusive('\n').zip(1..) {
            let line = line.trim_end_matches(['\r', '\n']);
            match whole.contains(line) {
                true => lines.push((number, number)),
                false => parts.extend(partial.iter().filter_map(|part| part.part_of(number, line))),
            }
        }
        (LineRangeSet::from_ranges(lines), parts)
    }

    /// Forgets all lines.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
