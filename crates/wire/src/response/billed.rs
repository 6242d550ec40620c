//! The tokens that a provider bills for one answer, in the same words for all providers.

/// What one answer was billed for. `None`: the provider did not tell.
///
/// The parts of the prompt do not overlap: `uncached`, `cache_read` and the two `cache_write`
/// add up to it. Output includes reasoning.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Billed {
    /// Tokens of the prompt that were neither read from a cache nor written to one.
    pub uncached: Option<u64>,
    /// Tokens of the prompt that were read from a cache.
    pub cache_read: Option<u64>,
    /// Tokens of the prompt that were written to a cache for the provider's usual time: 5
    /// minutes at Anthropic, 30 at OpenAI.
    pub cache_write_5m: Option<u64>,
    /// Tokens of the prompt that were written to Anthropic's cache for an hour.
    pub cache_write_1h: Option<u64>,
    /// Tokens of the answer, reasoning included.
    pub output: Option<u64>,
    /// The tokens of `output` that were spent on reasoning.
    pub reasoning: Option<u64>,
    /// Web searches that the provider did itself, which it bills by the piece.
    pub web_searches: Option<u64>,
    /// What the provider says it charged, in US dollars.
    pub cost: Option<f64>,
}

impl Billed {
    /// Tokens of the whole prompt, whatever each costs; `None` where nothing of it was told.
    pub fn prompt(&self) -> Option<u64> {
        let parts = [self.uncached, self.cache_read, self.cache_write_5m, self.cache_write_1h];
        sum(parts)
    }

    /// Tokens written to a cache, for whatever time.
    pub fn cache_write(&self) -> Option<u64> {
        sum([self.cache_write_5m, self.cache_write_1h])
    }
}

/// The sum of what was told, `None` where nothing was.
pub(super) fn sum<const N: usize>(parts: [Option<u64>; N]) -> Option<u64> {
    parts.into_iter().flatten().reduce(u64::saturating_add)
}
