//! Who learns from the requests that pass.

use std::sync::Arc;

use super::shortening::Shortening;
use super::warm::Warmth;

/// Who learns from them, each where it is wanted.
#[derive(Clone, Default)]
pub(crate) struct Learners {
    /// Who keeps caches warm.
    pub(crate) warmth: Option<Arc<Warmth>>,
    /// Who says which tools are shortened.
    pub(crate) shortening: Option<Arc<Shortening>>,
}
