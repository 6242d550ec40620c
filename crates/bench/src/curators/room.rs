//! How much a curator may keep that cannot tell how much is enough.

use crate::case::Budget;

/// What a curator that cannot tell how much is enough keeps under [`Budget::Adaptive`].
const ADAPTIVE_SHARE: f64 = 0.35;

/// The most lines that a curator without an idea of enough keeps of `lines`.
pub(super) fn lines_max(budget: Budget, lines: u32) -> u32 {
    match budget {
        Budget::Share(_) => budget.lines_max(lines),
        Budget::Adaptive => Budget::Share(ADAPTIVE_SHARE).lines_max(lines),
    }
}
