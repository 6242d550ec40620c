//! Keeps the index's outline of a file, independent of the question.

use foveal_syntax::{outline, parse_file};

use crate::case::{CurationCase, LineBudget};
use crate::line_ranges::{LineRanges, line_count, marked_ranges};

/// Keeps the lines of the outline, those of outer entities first, then from the top.
pub(super) fn choose(case: &CurationCase, budget: LineBudget) -> LineRanges {
    let count = line_count(&case.content_before);
    let parsed = parse_file(&case.path, &case.content_before);
    let depth = |line| parsed.innermost_entity(line).map_or(0, |at| parsed.ancestry(at).count());
    let mut leading: Vec<(usize, u32)> = outline(&parsed, &case.content_before)
        .parts
        .iter()
        .flat_map(|part| part.lines.first.0..=part.lines.last.0)
        .map(|line| (depth(foveal_transcript::LineNumber(line)), line))
        .filter(|(_, line)| (1..=count).contains(line))
        .collect();
    leading.sort_unstable();
    let mut marks = vec![false; count as usize];
    for (_, line) in leading.into_iter().take(budget.lines_max(count) as usize) {
        marks[line as usize - 1] = true;
    }
    marked_ranges(&marks)
}
