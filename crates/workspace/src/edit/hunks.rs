//! Hunks: runs of lines that differ between two texts. All lines between hunks are equal and in the
//! same order.

use std::ops::Range;

use similar::DiffTag;

use super::line_diff;
use super::planned_edit::TextChange;
use super::text_lines::LineCounter;
use foveal_transcript::LineSpan;

/// Lines of one text that replace lines of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffHunk {
    /// The removed lines of the text before.
    pub before: LineSpan,
    /// The replacing lines of the text after.
    pub after: LineSpan,
}

/// Returns the hunks between two texts, compared line by line in bounded time: long texts that
/// differ in many places may yield a single hunk. Lines with different endings differ.
pub fn diff_hunks(before: &str, after: &str) -> Vec<DiffHunk> {
    if before == after {
        return Vec::new();
    }
    let before: Vec<&str> = before.split_inclusive('\n').collect();
    let after: Vec<&str> = after.split_inclusive('\n').collect();
    let before = LineSlice { lines: &before, start: 0 };
    let after = LineSlice { lines: &after, start: 0 };
    hunks_between(before, after).collect()
}

/// The lines of a part of a text.
#[derive(Clone, Copy)]
struct LineSlice<'a> {
    lines: &'a [&'a str],
    /// The index of the first line in the whole text, from 0.
    start: usize,
}

/// Returns the hunks between slices of lines.
fn hunks_between(
    before: LineSlice<'_>,
    after: LineSlice<'_>,
) -> impl Iterator<Item = DiffHunk> + use<> {
    let operations = line_diff::diff_operations(before.lines, after.lines).into_iter();
    let (before_start, after_start) = (before.start, after.start);
    let differing = operations.filter(|operation| operation.tag() != DiffTag::Equal);
    let span = |lines: Range<usize>, at| LineSpan::from_indices(lines.start + at, lines.end + at);
    differing.map(move |operation| DiffHunk {
        before: span(operation.old_range(), before_start),
        after: span(operation.new_range(), after_start),
    })
}

/// Returns the hunks that `changes` made in the text `before`; the changes are ascending and
/// disjoint. No line outside of the hunks was touched, and few lines inside are unchanged.
pub fn changed_hunks(before: &str, after: &str, changes: &[TextChange]) -> Vec<DiffHunk> {
    let old_lines: Vec<&str> = before.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = after.split_inclusive('\n').collect();
    let (mut old, mut new) = (LineCounter::new(before), LineCounter::new(after));
    // From the line of the first byte to that of the byte after the last, which is the same byte in
    // both texts.
    let mut wide: Vec<[usize; 4]> = Vec::new();
    for TextChange { bytes, new_bytes, .. } in changes {
        let (from, to) = (old.line_index_at(bytes.start), old.line_index_at(bytes.end) + 1);
        let (new_from, new_to) =
            (new.line_index_at(new_bytes.start), new.line_index_at(new_bytes.end) + 1);
        let to = to.min(old_lines.len());
        let new_to = new_to.min(new_lines.len());
        match wide.last_mut() {
            Some([_, end, _, new_end]) if from < *end || new_from < *new_end => {
                (*end, *new_end) = (to, new_to);
            }
            _ => wide.push([from, to, new_from, new_to]),
        }
    }
    let narrow = |[from, to, new_from, new_to]: [usize; 4]| {
        let (old, new) = (from..to.max(from), new_from..new_to.max(new_from));
        hunks_between(
            LineSlice { lines: &old_lines[old], start: from },
            LineSlice { lines: &new_lines[new], start: new_from },
        )
    };
    wide.into_iter().flat_map(narrow).collect()
}

#[cfg(test)]
mod tests;
