//! The first lines of the file.

use super::line_limit::lines_max;
use crate::case::{CurationCase, LineBudget};
use crate::line_ranges::{LineRanges, line_count};

/// Keeps as many lines from the start as the budget allows.
pub(super) fn choose(case: &CurationCase, budget: LineBudget) -> LineRanges {
    match lines_max(budget, line_count(&case.content_before)) {
        0 => LineRanges::new(),
        last => vec![(1, last)],
    }
}
