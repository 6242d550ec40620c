//! Whether the lines of an edit are still those that the agent saw.

use similar::{DiffOp, DiffTag};

use super::diff::{self, Shown, write_lines};
use super::text;
use foveal_transcript::LineSpan;

/// Equal lines shown around a difference.
const CONTEXT_LINES: usize = 2;
/// Lines of a delta that are shown.
const DELTA_LINES_MAX: usize = 60;

/// How lines of a file on disk differ from the version that the agent saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    /// The lines on disk that differ, of those that are touched; spans without lines are
    /// places where lines are gone.
    pub changed: Vec<LineSpan>,
    /// The differences at the touched lines: ` 12 + text` for a line on disk, ` 11 - text`
    /// for one of the version seen; at most 60 lines, the rest counted.
    pub text: String,
}

/// Whether the whole lines `touched` of the text on `disk` differ from those of the version
/// that is `known` to the agent. `None` if they are the same, wherever they stand now.
pub fn changed_since(known: &str, disk: &str, touched: &[LineSpan]) -> Option<Delta> {
    if known == disk {
        return None;
    }
    let known_lines: Vec<&str> = known.split_inclusive('\n').collect();
    let disk_lines: Vec<&str> = disk.split_inclusive('\n').collect();
    let operations = diff::operations(&known_lines, &disk_lines);
    let is_at =
        |op: &DiffOp| op.tag() != DiffTag::Equal && touched.iter().any(|span| meets(op, *span));
    let differing: Vec<usize> =
        (0..operations.len()).filter(|at| is_at(&operations[*at])).collect();
    if differing.is_empty() {
        return None;
    }
    let span = |at: &usize| {
        let lines = operations[*at].new_range();
        LineSpan::of_indices(lines.start, lines.end)
    };
    let changed = differing.iter().map(span).collect();
    let mut shown = Vec::new();
    for (place, at) in differing.iter().enumerate() {
        let follows = place > 0 && differing[place - 1] + 2 == *at;
        show(&mut shown, &operations, *at, follows, (&known_lines, &disk_lines));
    }
    let mut text = String::new();
    write_lines(&mut text, &shown, DELTA_LINES_MAX);
    Some(Delta { changed, text })
}

/// Whether a difference lies in `span`. Lines that are gone from between two lines of it do;
/// those gone next to it do not.
fn meets(op: &DiffOp, span: LineSpan) -> bool {
    let (lines, span) = (op.new_range(), span.indices());
    match (lines.is_empty(), span.is_empty()) {
        (false, false) => lines.start < span.end && span.start < lines.end,
        (true, false) => span.start < lines.start && lines.start < span.end,
        (false, true) => lines.start < span.start && span.start < lines.end,
        (true, true) => lines.start == span.start,
    }
}

/// Adds the difference at `at`, with equal lines around it.
fn show<'t>(
    shown: &mut Vec<Shown<'t>>,
    operations: &[DiffOp],
    at: usize,
    follows: bool,
    (known, disk): (&[&'t str], &[&'t str]),
) {
    let strip = |line: &'t str| text::lines(line).first().map_or("", |line| line.text);
    let equal =
        |index: usize| Shown { number: Some(index + 1), sign: ' ', text: strip(disk[index]) };
    let op = &operations[at];
    let before = at.checked_sub(1).and_then(|at| operations.get(at));
    if let Some(before) = before.filter(|op| op.tag() == DiffTag::Equal && !follows) {
        let range = before.new_range();
        shown.extend(
            (range.end.saturating_sub(CONTEXT_LINES).max(range.start)..range.end).map(equal),
        );
    }
    let line = |sign| {
        move |(number, text): (usize, &'t str)| Shown {
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
