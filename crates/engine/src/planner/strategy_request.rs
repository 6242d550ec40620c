//! The request that a retention strategy plans.

use foveal_transcript::{EntryIndex, Timestamp};

/// The request that a strategy plans. Its entries are ingested.
#[derive(Clone, Copy)]
pub(super) struct StrategyRequest {
    /// The entry of its answer.
    pub(super) answer: EntryIndex,
    pub(super) now: Option<Timestamp>,
    /// The first new entry.
    pub(super) known: EntryIndex,
    /// The window position from which on the client removed entries.
    pub(super) cut: Option<usize>,
}
