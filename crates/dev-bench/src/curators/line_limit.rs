//! The line limit of curators without a relevance threshold.

use crate::case::LineBudget;

/// The share of lines that a curator without a threshold keeps under [`LineBudget::Adaptive`].
const ADAPTIVE_SHARE: f64 = 0.35;

/// Returns the most lines that a curator without a threshold keeps of `lines`.
pub(super) fn lines_max(budget: LineBudget, lines: u32) -> u32 {
    match budget {
        LineBudget::Share(_) => budget.lines_max(lines),
        LineBudget::Adaptive => LineBudget::Share(ADAPTIVE_SHARE).lines_max(lines),
    }
}
