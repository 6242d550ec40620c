//! Results that wait to be shaped.

use foveal_transcript::EntryIndex;

/// The results of one request that passed through whole.
#[derive(Debug, Clone, Copy)]
pub(super) struct LateResults {
    /// The first of these results.
    pub(super) from: EntryIndex,
    /// Tokens that shaping them would have saved.
    pub(super) saving: u64,
    /// The request that they arrived with.
    pub(super) request: u32,
}
