//! Figures by the size of files: a view of a long file may keep a smaller share of it.

use super::measurement::CurationMeasurement;
use super::ratio::ratio;

/// The most lines of a file of each class; the last has all longer ones.
pub(crate) const SIZES: [u32; 5] = [300, 600, 1_200, 2_400, u32::MAX];

/// Returns the index in [`SIZES`] of a file of this many lines.
pub(crate) fn size_class(lines: u32) -> usize {
    SIZES.iter().position(|most| lines <= *most).unwrap_or(SIZES.len() - 1)
}

/// Sums over the cases with files of one class.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct SizeFigures {
    /// Cases.
    pub(crate) cases: u32,
    cases_with_gold: u32,
    recalls: f64,
    line_countss: f64,
    token_shares: f64,
}

impl SizeFigures {
    /// Adds a measurement.
    pub(crate) fn add(&mut self, one: &CurationMeasurement) {
        self.cases += 1;
        self.line_countss += ratio(f64::from(one.lines_kept), f64::from(one.lines)).unwrap_or(1.0);
        self.token_shares += ratio(one.tokens_kept.0 as f64, one.tokens.0 as f64).unwrap_or(1.0);
        if let Some((gold, kept)) = one.gold {
            self.cases_with_gold += 1;
            self.recalls += f64::from(kept) / f64::from(gold);
        }
    }

    /// Returns the gold recall, as mean over the cases with gold lines.
    pub(crate) fn recall(&self) -> Option<f64> {
        ratio(self.recalls, f64::from(self.cases_with_gold))
    }

    /// Returns the kept share of a file's lines, as mean over the cases.
    pub(crate) fn lines_kept(&self) -> Option<f64> {
        ratio(self.line_countss, f64::from(self.cases))
    }

    /// Returns the kept share of a file's tokens, as mean over the cases.
    pub(crate) fn tokens_kept(&self) -> Option<f64> {
        ratio(self.token_shares, f64::from(self.cases))
    }
}
