//! Sums of measurements.

use super::measurement::CurationMeasurement;
use super::ratio::ratio;
use super::size_classes::{SIZES, SizeFigures, size_class};

/// Sums over cases, for one curator under one budget.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct CurationFigures {
    /// The number of cases.
    pub(crate) cases: u32,
    /// The number of cases with gold lines.
    pub(crate) cases_with_gold: u32,
    /// The number of measurements with invalid ranges or an exceeded budget.
    pub(crate) unsound: u32,
    all_kept: u32,
    gold: u64,
    gold_kept: u64,
    functions: u64,
    functions_kept: u64,
    sizes: [SizeFigures; SIZES.len()],
    recalls: f64,
    line_countss: f64,
    token_shares: f64,
    micros: Vec<u64>,
}

impl CurationFigures {
    /// Adds a measurement.
    pub(crate) fn add(&mut self, one: &CurationMeasurement) {
        self.cases += 1;
        self.unsound += u32::from(!one.is_valid);
        self.line_countss += ratio(f64::from(one.lines_kept), f64::from(one.lines)).unwrap_or(1.0);
        self.token_shares += ratio(one.tokens_kept.0 as f64, one.tokens.0 as f64).unwrap_or(1.0);
        self.functions += u64::from(one.functions.0);
        self.functions_kept += u64::from(one.functions.1);
        self.sizes[size_class(one.lines)].add(one);
        self.micros.push(one.micros);
        if let Some((gold, kept)) = one.gold {
            self.cases_with_gold += 1;
            self.all_kept += u32::from(gold == kept);
            self.gold += u64::from(gold);
            self.gold_kept += u64::from(kept);
            self.recalls += f64::from(kept) / f64::from(gold);
        }
    }

    /// Returns the gold recall: the kept share of a case's gold lines, as mean over all cases, from
    /// 0 to 1; `None` without gold lines.
    pub(crate) fn recall(&self) -> Option<f64> {
        ratio(self.recalls, f64::from(self.cases_with_gold))
    }

    /// Returns the kept share of the gold lines of all cases together.
    pub(crate) fn recall_pooled(&self) -> Option<f64> {
        ratio(self.gold_kept as f64, self.gold as f64)
    }

    /// Returns the share of cases with all gold lines kept.
    pub(crate) fn complete_case_share(&self) -> Option<f64> {
        ratio(f64::from(self.all_kept), f64::from(self.cases_with_gold))
    }

    /// Returns the share of the touched functions of up to 60 lines, of all cases together, that is
    /// kept completely: from the header to the end, without the documentation.
    pub(crate) fn whole_functions(&self) -> Option<f64> {
        ratio(self.functions_kept as f64, self.functions as f64)
    }

    /// Returns the figures of each class of [`SIZES`].
    pub(crate) fn by_size(&self) -> &[SizeFigures] {
        &self.sizes
    }

    /// Returns the kept share of a file's lines, as mean over all cases.
    pub(crate) fn lines_kept(&self) -> Option<f64> {
        ratio(self.line_countss, f64::from(self.cases))
    }

    /// Returns the kept share of a file's tokens, as mean over all cases.
    pub(crate) fn tokens_kept(&self) -> Option<f64> {
        ratio(self.token_shares, f64::from(self.cases))
    }

    /// Returns the time in microseconds that `share` of the calls, from 0 to 1, did not exceed.
    pub(crate) fn micros_percentile(&self, share: f64) -> Option<u64> {
        let mut micros = self.micros.clone();
        micros.sort_unstable();
        let place = (share.clamp(0.0, 1.0) * micros.len() as f64).ceil() as usize;
        micros.get(place.saturating_sub(1)).copied()
    }
}
