//! Results that wait to be shaped.

use foveal_transcript::EntryIndex;

/// Results of one request that passed whole.
#[derive(Debug, Clone, Copy)]
pub(super) struct LateResults {
    /// The first of them.
    pub(super) from: EntryIndex,
    /// Tokens that shaping them would have saved.
    pub(super) saving: u64,
    /// The request that they came with.
    pub(super) request: u32,
}
