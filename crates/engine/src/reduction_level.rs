//! The reduction level of a result, and its age in requests.

use serde::{Deserialize, Serialize};

/// How far a result has been reduced.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub enum ReductionLevel {
    /// As shaped on arrival.
    #[default]
    Arrival,
    /// The part that matters.
    Reduced,
    /// A note with a handle.
    Note,
}

impl ReductionLevel {
    /// Returns the less reduced levels, nearest first.
    pub(crate) fn less_reduced(self) -> &'static [ReductionLevel] {
        match self {
            ReductionLevel::Arrival => &[],
            ReductionLevel::Reduced => &[ReductionLevel::Arrival],
            ReductionLevel::Note => &[ReductionLevel::Reduced, ReductionLevel::Arrival],
        }
    }
}

/// The request numbers at which a result arrived and was last used.
#[derive(Debug, Clone, Copy, Default)]
pub struct ResultAge {
    /// The first request that sent it.
    pub arrived: u32,
    /// The last request before which something showed that it still matters.
    pub last_use: u32,
    /// The first request of the uninterrupted time in which it has been dead weight.
    pub dead_since: Option<u32>,
}
