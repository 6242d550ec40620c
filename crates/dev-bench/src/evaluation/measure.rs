//! Runs every curator on every case.

use std::time::Instant;

use rayon::prelude::*;

use super::file_facts::FileFacts;
use super::measurement::CurationMeasurement;
use crate::case::{BUDGETS, CurationCase};
use crate::curators::{CURATORS, CuratorRow};

/// The measurements of a case: for each curator and each budget, in the order of [`CURATORS`]
/// and [`BUDGETS`].
pub(super) type CaseMeasurements = Vec<Vec<CurationMeasurement>>;

/// Measures all cases in parallel.
pub(super) fn measure_cases(cases: &[CurationCase]) -> Vec<CaseMeasurements> {
    cases.par_iter().map(measure_case).collect()
}

fn measure_case(case: &CurationCase) -> CaseMeasurements {
    let file = FileFacts::from_case(case);
    let measure_curator = |curator: &CuratorRow| {
        let measure_budget = |budget| {
            let start = Instant::now();
            let kept = (curator.choose)(case, budget);
            let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
            CurationMeasurement::new(case, budget, &file, kept, micros)
        };
        BUDGETS.into_iter().map(measure_budget).collect()
    };
    CURATORS.iter().map(measure_curator).collect()
}
