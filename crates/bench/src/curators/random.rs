//! Single lines at random, the same ones for a case in every run.

use super::room::lines_max;
use crate::case::{Budget, Case};
use crate::kept::{KeptLines, line_count, ranges};
use crate::seeded::Seeded;

/// Keeps as many lines as the budget allows; a larger budget keeps those of a smaller one.
pub(super) fn choose(case: &Case, budget: Budget) -> KeptLines {
    let lines = line_count(&case.content_before);
    let mut order: Vec<usize> = (0..lines as usize).collect();
    Seeded::new(0, &case.id).shuffle(&mut order);
    let mut marks = vec![false; order.len()];
    for at in order.into_iter().take(lines_max(budget, lines) as usize) {
        marks[at] = true;
    }
    ranges(&marks)
}
