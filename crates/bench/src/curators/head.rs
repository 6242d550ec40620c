//! The first lines of the file.

use super::room::lines_max;
use crate::case::{Budget, Case};
use crate::kept::{Kept, line_count};

/// Keeps as many lines from the start as the budget allows.
pub(super) fn choose(case: &Case, budget: Budget) -> Kept {
    match lines_max(budget, line_count(&case.content_before)) {
        0 => Kept::new(),
        last => vec![(1, last)],
    }
}
