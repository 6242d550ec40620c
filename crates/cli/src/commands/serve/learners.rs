//! Who learns from the requests that pass, and by which prices.

use std::sync::Arc;

use foveal_live::prices::OwnPrices;

use super::warm::Warmth;

/// Who learns from them, each where it is wanted.
#[derive(Clone, Default)]
pub(crate) struct Learners {
    /// Who keeps caches warm.
    pub(crate) warmth: Option<Arc<Warmth>>,
    /// What the user says of prices.
    pub(crate) prices: Arc<OwnPrices>,
}
