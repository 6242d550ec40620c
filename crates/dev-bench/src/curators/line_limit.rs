//! The limit of lines for curators that cannot tell how much is enough.

use crate::case::LineBudget;

/// The share that a curator without an idea of enough keeps under [`LineBudget::Adaptive`].
const ADAPTIVE_SHARE: f64 = 0.35;

/// Returns the most lines that a curator without an idea of enough keeps of `lines`.
pub(super) fn lines_max(budget: LineBudget, lines: u32) -> u32 {
    match budget {
        LineBudget::Share(_) => budget.lines_max(lines),
        LineBudget::Adaptive => LineBudget::Share(ADAPTIVE_SHARE).lines_max(lines),
    }
}
