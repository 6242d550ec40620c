//! Cases to measure.

use crate::case::CurationCase;

/// Cases that were found, and how their figures are headed.
#[derive(Debug)]
pub(crate) struct CaseSample {
    /// The cases.
    pub(crate) cases: Vec<CurationCase>,
    /// The title of the first table.
    pub(crate) title: &'static str,
    /// The seed, where cases were drawn.
    pub(crate) seed: Option<u64>,
}
