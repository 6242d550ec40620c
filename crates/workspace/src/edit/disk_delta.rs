//! Differences between the lines an edit touches on disk and the version that the agent saw.

use similar::{DiffOp, DiffTag};

use super::line_diff::{self, DiffLine, write_diff_lines};
use super::text_lines;
use foveal_transcript::LineSpan;

/// Equal lines shown before and after a difference.
const CONTEXT_LINES: usize = 2;
/// Lines of a delta that are shown.
const DELTA_LINES_MAX: usize = 60;

/// The differences between the file on disk and the version that the agent saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskDelta {
    /// The touched lines on disk that differ; empty spans mark removed lines.
    pub changed: Vec<LineSpan>,
    /// The differences at the touched lines as text: ` 12 + text` for a line on disk, ` 11 - text`
    /// for a line of the version seen. At most 60 lines; the rest is counted.
    pub text: String,
}

/// Returns the differences between `disk` and the version `known` to the agent in the lines
/// `touched` of `disk`, or `None` if these lines are equal, even at another position.
pub fn delta_since_seen(known: &str, disk: &str, touched: &[LineSpan]) -> Option<DiskDelta> {
    if known == disk {
        return None;
    }
    let known_lines: Vec<&str> = known.split_inclusive('\n').collect();
    let disk_lines: Vec<&str> = disk.split_inclusive('\n').collect();
    let operations = line_diff::diff_operations(&known_lines, &disk_lines);
    let is_at = |op: &DiffOp| {
        op.tag() != DiffTag::Equal && touched.iter().any(|span| touches_span(op, *span))
    };
    let differing: Vec<usize> =
        (0..operations.len()).filter(|at| is_at(&operations[*at])).collect();
    if differing.is_empty() {
        return None;
    }
    let span = |at: &usize| {
        let lines = operations[*at].new_range();
        LineSpan::from_indices(lines.start, lines.end)
    };
    let changed = differing.iter().map(span).collect();
    let mut shown = Vec::new();
    for (place, at) in differing.iter().enumerate() {
        let follows = place > 0 && differing[place - 1] + 2 == *at;
        push_difference(&mut shown, &operations, *at, follows, &known_lines, &disk_lines);
    }
    let mut text = String::new();
    write_diff_lines(&mut text, &shown, DELTA_LINES_MAX);
    Some(DiskDelta { changed, text })
}

/// Returns whether a difference lies in `span`. Lines removed between two lines of the span count;
/// lines removed next to it do not.
fn touches_span(op: &DiffOp, span: LineSpan) -> bool {
    let (lines, span) = (op.new_range(), span.indices());
    match (lines.is_empty(), span.is_empty()) {
        (false, false) => lines.start < span.end && span.start < lines.end,
        (true, false) => span.start < lines.start && lines.start < span.end,
        (false, true) => lines.start < span.start && span.start < lines.end,
        (true, true) => lines.start == span.start,
    }
}

/// Adds the difference at `at`, with equal lines around it.
fn push_difference<'t>(
    shown: &mut Vec<DiffLine<'t>>,
    operations: &[DiffOp],
    at: usize,
    follows: bool,
    known: &[&'t str],
    disk: &[&'t str],
) {
    let strip = |line: &'t str| text_lines::lines(line).first().map_or("", |line| line.text);
    let equal =
        |index: usize| DiffLine { number: Some(index + 1), sign: ' ', text: strip(disk[index]) };
    let op = &operations[at];
    let before = at.checked_sub(1).and_then(|at| operations.get(at));
    if let Some(before) = before.filter(|op| op.tag() == DiffTag::Equal && !follows) {
        let range = before.new_range();
        shown.extend(
            (range.end.saturating_sub(CONTEXT_LINES).max(range.start)..range.end).map(equal),
        );
    }
    let line = |sign| {
        move |(number, text): (usize, &'t str)| DiffLine {
            number: Some(number + 1),
            sign,
            text: strip(text),
        }
    };
    let (old, new) = (op.old_range(), op.new_range());
    shown.extend(old.clone().zip(known[old].iter().copied()).map(line('-')));
    shown.extend(new.clone().zip(disk[new].iter().copied()).map(line('+')));
    if let Some(after) = operations.get(at + 1).filter(|op| op.tag() == DiffTag::Equal) {
        let range = after.new_range();
        shown.extend((range.start..range.end.min(range.start + CONTEXT_LINES)).map(equal));
    }
}
