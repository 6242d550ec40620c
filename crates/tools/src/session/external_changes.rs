//! The changes of a file by others that the model has not seen.

use foveal_workspace::edit::{DiffHunk, LineSpan, diff_hunks};

use super::line_range_set::LineRangeSet;

/// The differences between a text and the text that the model believes to be there. If there are
/// none, the seen lines are all that matters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ExternalChanges(Vec<UnseenChange>);

/// Lines that the model has not seen, and the text it believes to be in their place.
#[derive(Debug, Clone, PartialEq, Eq)]
struct UnseenChange {
    /// The index of the first line, from 0.
    from: usize,
    /// The index after the last line. If equal to `from`, lines before `from` were deleted.
    to: usize,
    before: String,
}

impl ExternalChanges {
    /// Returns the changes from `believed` to `text`.
    pub(crate) fn between(believed: &str, text: &str) -> Self {
        let lines: Vec<&str> = believed.split_inclusive('\n').collect();
        let difference = |run: DiffHunk| {
            let (before, now) = (run.before.indices(), run.after.indices());
            UnseenChange { from: now.start, to: now.end, before: lines[before].concat() }
        };
        Self(diff_hunks(believed, text).into_iter().map(difference).collect())
    }

    /// Returns whether there are no unseen changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the bytes of text in memory.
    pub(crate) fn byte_count(&self) -> usize {
        self.0.iter().map(|difference| difference.before.len()).sum()
    }

    /// Returns the text that the model believes to be there instead of `text`.
    pub(crate) fn believed_text(&self, text: &str) -> String {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut believed = String::with_capacity(text.len());
        let mut at = 0;
        for UnseenChange { from, to, before } in &self.0 {
            believed.extend(lines.iter().take(*from).skip(at).copied());
            believed.push_str(before);
            at = *to;
        }
        believed.extend(lines.iter().skip(at).copied());
        believed
    }

    /// Returns the changes at their places after the model itself changed `runs`.
    pub(crate) fn shifted_by(&self, runs: &[DiffHunk]) -> Self {
        let place = |at: usize, is_end: bool| {
            let is_before = |run: &&DiffHunk| {
                let start = run.before.indices().start;
                start < at || (start == at && !is_end)
            };
            let Some(run) = runs.iter().rev().find(is_before) else { return at };
            let (before, after) = (run.before.indices(), run.after.indices());
            match at.checked_sub(before.end) {
                Some(beyond) => after.end + beyond,
                None if is_end => after.end,
                None => after.start,
            }
        };
        let moved = self.0.iter().map(|UnseenChange { from, to, before }| {
            let from = place(*from, false);
            UnseenChange { from, to: place(*to, true).max(from), before: before.clone() }
        });
        Self(moved.collect())
    }

    /// Marks `lines` of a text of `count` lines as shown to the model.
    pub(crate) fn mark_lines_seen(&mut self, lines: &LineRangeSet, count: u32) {
        let is_shown = |at: usize| lines.contains(u32::try_from(at + 1).unwrap_or(u32::MAX));
        let mut left = Vec::new();
        for UnseenChange { from, to, before } in self.0.drain(..) {
            if from == to {
                // A deletion is seen when the lines on both sides of it are shown.
                let is_seen =
                    (from == 0 || is_shown(from - 1)) && (from >= count as usize || is_shown(from));
                if !is_seen {
                    left.push(UnseenChange { from, to, before });
                }
                continue;
            }
            let mut before = Some(before);
            let mut at = from;
            while at < to {
                let end = (at..to).find(|at| is_shown(*at)).unwrap_or(to);
                if at < end {
                    let before = before.take().unwrap_or_default();
                    left.push(UnseenChange { from: at, to: end, before });
                }
                at = end + 1;
            }
        }
        self.0 = left;
    }

    /// Returns whether a change lies in one of `spans`. A deletion inside a span counts, one at its
    /// edge does not.
    pub(crate) fn overlaps(&self, spans: &[LineSpan]) -> bool {
        let is_in = |difference: &UnseenChange, span: &LineSpan| {
            let span = span.indices();
            match (difference.from == difference.to, span.is_empty()) {
                (false, false) => difference.from < span.end && span.start < difference.to,
                (true, true) => difference.from == span.start,
                (true, false) => span.start < difference.from && difference.from < span.end,
                (false, true) => difference.from < span.start && span.start < difference.to,
            }
        };
        self.0.iter().any(|difference| spans.iter().any(|span| is_in(difference, span)))
    }

    /// Returns the ranges of changed lines that are not deletions, from 1.
    pub(crate) fn changed_ranges(&self) -> impl Iterator<Item = (u32, u32)> {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let there = self.0.iter().filter(|difference| difference.from < difference.to);
        there.map(move |difference| (number(difference.from + 1), number(difference.to)))
    }

    /// Returns the pairs of lines around deletions, from 1.
    pub(crate) fn lines_around_deletions(&self) -> impl Iterator<Item = (u32, u32)> {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let gone = self.0.iter().filter(|difference| difference.from == difference.to);
        gone.map(move |difference| (number(difference.from).max(1), number(difference.from + 1)))
    }
}

#[cfg(test)]
mod tests;
