//! Keeps random single lines, the same ones for a case in every run.

use super::line_limit::lines_max;
use crate::case::{CurationCase, LineBudget};
use crate::line_ranges::{LineRanges, line_count, marked_ranges};
use crate::seeded_random::SeededRandom;

/// Keeps as many lines as the budget allows; a larger budget keeps those of a smaller one.
pub(super) fn choose(case: &CurationCase, budget: LineBudget) -> LineRanges {
    let lines = line_count(&case.content_before);
    let mut order: Vec<usize> = (0..lines as usize).collect();
    SeededRandom::new(0, &case.id).shuffle(&mut order);
    let mut marks = vec![false; order.len()];
    for at in order.into_iter().take(lines_max(budget, lines) as usize) {
        marks[at] = true;
    }
    marked_ranges(&marks)
}
