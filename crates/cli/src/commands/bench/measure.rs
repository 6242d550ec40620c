//! Runs every curator on every case.

use std::time::Instant;

use foveal_bench::{BUDGETS, CURATORS, Case, FileFacts, Measurement};
use foveal_cancel::Cancel;
use rayon::prelude::*;

/// What came of a case: for each curator and each budget, in the order of [`CURATORS`] and
/// [`BUDGETS`].
pub(super) type Measured = Vec<Vec<Measurement>>;

/// Measures all cases in parallel; `done` is called after each. What was not reached before
/// an interruption is `None`.
pub(super) fn measure(
    cases: &[Case],
    cancel: &Cancel<'_>,
    done: &(dyn Fn() + Sync),
) -> Vec<Option<Measured>> {
    let one = |case: &Case| {
        let measured = (!cancel.is_cancelled()).then(|| one_case(case));
        done();
        measured
    };
    cases.par_iter().map(one).collect()
}

fn one_case(case: &Case) -> Measured {
    let file = FileFacts::of(case);
    let of_curator = |curator: &foveal_bench::Curator| {
        let of_budget = |budget| {
            let start = Instant::now();
            let kept = (curator.choose)(case, budget);
            let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
            Measurement::of(case, budget, &file, kept, micros)
        };
        BUDGETS.into_iter().map(of_budget).collect()
    };
    CURATORS.iter().map(of_curator).collect()
}
