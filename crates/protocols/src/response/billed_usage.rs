//! The tokens billed for one answer, in one form for all providers.

/// The tokens billed for one answer. `None` means that the provider did not report the count.
///
/// The parts of the prompt do not overlap: the prompt is the sum of `uncached`, `cache_read` and
/// the two `cache_write` counts. Output includes reasoning.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BilledUsage {
    /// Prompt tokens that were neither read from a cache nor written to one.
    pub uncached: Option<u64>,
    /// Prompt tokens that were read from a cache.
    pub cache_read: Option<u64>,
    /// Prompt tokens that were written to a cache for the provider's default lifetime: 5 minutes at
    /// Anthropic, 30 at OpenAI.
    pub cache_write_5m: Option<u64>,
    /// Prompt tokens that were written to Anthropic's cache for one hour.
    pub cache_write_1h: Option<u64>,
    /// Output tokens, with reasoning.
    pub output: Option<u64>,
    /// Output tokens that were spent on reasoning.
    pub reasoning: Option<u64>,
    /// Web searches that the provider ran itself and bills per search.
    pub web_searches: Option<u64>,
    /// The charge that the provider reports, in US dollars.
    pub cost: Option<f64>,
}

impl BilledUsage {
    /// Returns the tokens of the whole prompt; `None` if no part of it was reported.
    pub fn prompt_tokens(&self) -> Option<u64> {
        let parts = [self.uncached, self.cache_read, self.cache_write_5m, self.cache_write_1h];
        sum_reported(parts)
    }

    /// Returns the tokens written to a cache, for either lifetime.
    pub fn cache_write_tokens(&self) -> Option<u64> {
        sum_reported([self.cache_write_5m, self.cache_write_1h])
    }
}

/// Returns the sum of the reported counts; `None` if none was reported.
pub(crate) fn sum_reported<const N: usize>(parts: [Option<u64>; N]) -> Option<u64> {
    parts.into_iter().flatten().reduce(u64::saturating_add)
}
