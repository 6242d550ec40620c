//! The shown parts of lines that are too long to be shown at once.

use std::ops::Range;

use foveal_workspace::edit::{DiffHunk, TextChange};

/// Parts that are kept; the first of more are forgotten.
const PARTS_MAX: usize = 200;

/// The shown part of a line that is not shown completely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PartialLine {
    /// The number of the line, from 1.
    pub(crate) line: u32,
    /// Bytes before the part.
    pub(crate) from: u64,
    /// The byte at which the part ends; `None`: at the end of the line.
    pub(crate) to: Option<u64>,
}

impl PartialLine {
    /// Returns the parts of the lines of `text` in which `bytes` lie.
    fn parts_of_range(text: &str, bytes: &Range<usize>) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut start = 0;
        for (whole, line) in text.split_inclusive('\n').zip(1..) {
            let end = start + whole.len();
            if start < bytes.end && bytes.start < end {
                let from = bytes.start.saturating_sub(start) as u64;
                let is_cut = bytes.end < start + whole.trim_end_matches('\n').len();
                let to = is_cut.then_some((bytes.end - start) as u64);
                parts.push(Self { line, from, to });
            }
            start = end;
        }
        parts
    }

    fn end(&self) -> u64 {
        self.to.unwrap_or(u64::MAX)
    }

    /// Returns whether the part is the whole line.
    pub(crate) fn is_whole_line(&self) -> bool {
        self.from == 0 && self.to.is_none()
    }
}

/// A line of a text: its number, from 1, and its bytes with the ending.
#[derive(Debug, Clone)]
pub(crate) struct LineBytes {
    pub(crate) number: u32,
    pub(crate) bytes: Range<usize>,
}

/// A text after changes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextChanges<'a> {
    pub(crate) after: &'a str,
    /// The changes, ascending and disjoint.
    pub(crate) changes: &'a [TextChange],
}

/// Shown parts of lines; parts of one line have gaps between them.
#[derive(Debug, Clone, Default)]
pub(crate) struct PartialLineSet(Vec<PartialLine>);

impl PartialLineSet {
    /// Adds a part, and returns it joined with the others of its line that it touches.
    pub(crate) fn add(&mut self, part: PartialLine) -> PartialLine {
        let mut joined = part;
        self.0.retain(|other| {
            let touches = other.line == joined.line
                && other.from <= joined.end()
                && joined.from <= other.end();
            if touches {
                let end = joined.end().max(other.end());
                joined.from = joined.from.min(other.from);
                joined.to = (end < u64::MAX).then_some(end);
            }
            !touches
        });
        self.0.push(joined);
        if self.0.len() > PARTS_MAX {
            self.0.remove(0);
        }
        joined
    }

    /// Returns whether there are no parts.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether one part has all `bytes` of a line.
    pub(crate) fn contains(&self, line: u32, bytes: &Range<usize>) -> bool {
        self.0.iter().any(|part| {
            part.line == line && part.from <= bytes.start as u64 && bytes.end as u64 <= part.end()
        })
    }

    /// Returns the parts at their lines after `runs` of lines were changed, without those of
    /// changed lines.
    pub(crate) fn shifted_by(&self, runs: &[DiffHunk]) -> Self {
        let place = |part: &PartialLine| {
            let before = runs.iter().take_while(|run| run.before.first.0 <= part.line).last();
            let Some(DiffHunk { before, after }) = before else { return Some(*part) };
            let beyond = part.line.checked_sub(before.first.0 + before.lines)?;
            Some(PartialLine { line: after.first.0 + after.lines + beyond, ..*part })
        };
        Self(self.0.iter().filter_map(place).collect())
    }

    /// Returns the parts of one line of the text before `edited`, as parts of the text after it.
    pub(crate) fn parts_after(
        &self,
        line: &LineBytes,
        edited: &TextChanges<'_>,
    ) -> Vec<PartialLine> {
        let LineBytes { number, bytes } = line.clone();
        let offset = |byte: u64| {
            usize::try_from(byte).map_or(bytes.end, |byte| (bytes.start + byte).min(bytes.end))
        };
        let shift = |at: usize, is_end: bool| {
            let earlier = edited.changes.iter().take_while(|change| change.bytes.start < at);
            match earlier.last() {
                Some(TextChange { bytes, new_bytes, .. }) => match at.checked_sub(bytes.end) {
                    Some(beyond) => new_bytes.end + beyond,
                    None if is_end => new_bytes.end,
                    None => new_bytes.start,
                },
                None => at,
            }
        };
        let of_line = self.0.iter().filter(|part| part.line == number);
        let moved =
            of_line.map(|part| shift(offset(part.from), false)..shift(offset(part.end()), true));
        moved.flat_map(|bytes| PartialLine::parts_of_range(edited.after, &bytes)).collect()
    }
}

#[cfg(test)]
mod tests;
