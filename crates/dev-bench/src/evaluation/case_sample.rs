//! Cases to measure.

use crate::case::CurationCase;

/// Cases to measure, with the heading of their figures.
#[derive(Debug)]
pub(crate) struct CaseSample {
    /// The cases.
    pub(crate) cases: Vec<CurationCase>,
    /// The title of the first table.
    pub(crate) title: &'static str,
    /// The seed, if cases were sampled.
    pub(crate) seed: Option<u64>,
}
