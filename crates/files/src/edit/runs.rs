//! Runs of lines that differ between two texts; all lines between the runs are the same, in
//! the same order.

use std::ops::Range;

use similar::DiffTag;

use super::change::Change;
use super::diff;
use super::text::LineCounter;
use foveal_transcript::LineSpan;

/// Lines of one text that stand in the place of lines of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The lines that are gone.
    pub before: LineSpan,
    /// The lines that stand there now.
    pub after: LineSpan,
}

/// What differs between two texts, compared line by line in bounded time: long texts that differ
/// in many places may come as one run. A line with another ending is another line.
pub fn differing_lines(before: &str, after: &str) -> Vec<Run> {
    if before == after {
        return Vec::new();
    }
    let before: Vec<&str> = before.split_inclusive('\n').collect();
    let after: Vec<&str> = after.split_inclusive('\n').collect();
    runs_between((&before, 0), (&after, 0)).collect()
}

/// What differs between lines of two texts, each with the place of the first, from 0.
fn runs_between(
    (before, before_at): (&[&str], usize),
    (after, after_at): (&[&str], usize),
) -> impl Iterator<Item = Run> + use<> {
    let operations = diff::operations(before, after).into_iter();
    let differing = operations.filter(|operation| operation.tag() != DiffTag::Equal);
    let span = |lines: Range<usize>, at| LineSpan::of_indices(lines.start + at, lines.end + at);
    differing.map(move |operation| Run {
        before: span(operation.old_range(), before_at),
        after: span(operation.new_range(), after_at),
    })
}

/// The lines that `changes` of the text `before`, which ascend and lie apart, altered: no line
/// outside of the runs was touched, and few inside are the same as they were.
pub fn altered_lines(before: &str, after: &str, changes: &[Change]) -> Vec<Run> {
    let old_lines: Vec<&str> = before.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = after.split_inclusive('\n').collect();
    let (mut old, mut new) = (LineCounter::new(before), LineCounter::new(after));
    // From the line with the first byte to that with the byte after the last, which is the same
    // byte in both texts.
    let mut wide: Vec<[usize; 4]> = Vec::new();
    for Change { bytes, new_bytes, .. } in changes {
        let (from, to) = (old.index_at(bytes.start), old.index_at(bytes.end) + 1);
        let (new_from, new_to) = (new.index_at(new_bytes.start), new.index_at(new_bytes.end) + 1);
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
        runs_between((&old_lines[old], from), (&new_lines[new], new_from))
    };
    wide.into_iter().flat_map(narrow).collect()
}

#[cfg(test)]
mod tests;
