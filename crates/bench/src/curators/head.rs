//! The first lines of the file.

use super::room::lines_max;
use crate::case::{Budget, Case};
use crate::kept::{KeptLines, line_count};

/// Keeps as many lines from the start as the budget allows.
pub(super) fn choose(case: &Case, budget: Budget) -> KeptLines {
    match lines_max(budget, line_count(&case.content_before)) {
        0 => KeptLines::new(),
        last => vec![(1, last)],
    }
}
