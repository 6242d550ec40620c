//! What a run has come to so far.

use foveal_context::prices::PriceCard;
use foveal_transcript::Usage;
use foveal_wire::response::Billed;
use serde::Serialize;

/// What a run has come to so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Spent {
    /// Requests to the model, all tasks together.
    pub turns: u32,
    /// Tokens of prompts that were neither read from a cache nor written to one.
    pub uncached: u64,
    /// Tokens of prompts that were read from a cache.
    pub cache_read: u64,
    /// Tokens of prompts that were written to a cache.
    pub cache_write: u64,
    /// Tokens of answers.
    pub output: u64,
    /// US dollars: what the provider says, or else by its prices.
    pub cost: f64,
    /// Milliseconds since the last task was given, or the conversation went on.
    pub time_ms: i64,
}

impl Spent {
    /// All tokens, whatever each costs.
    pub fn tokens(&self) -> u64 {
        [self.uncached, self.cache_read, self.cache_write, self.output]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// The same with one more answer.
    pub(crate) fn with(self, billed: &Billed, prices: Option<&PriceCard>) -> Self {
        let usage = usage(billed);
        let priced = prices.map_or(0.0, |prices| {
            let million = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
            million(usage.input, prices.input)
                + million(usage.cache_read, prices.cache_read)
                + million(usage.cache_write, prices.cache_write)
                + million(usage.output, prices.output)
        });
        Self {
            uncached: self.uncached.saturating_add(usage.input),
            cache_read: self.cache_read.saturating_add(usage.cache_read),
            cache_write: self.cache_write.saturating_add(usage.cache_write),
            output: self.output.saturating_add(usage.output),
            cost: self.cost + billed.cost.unwrap_or(priced),
            ..self
        }
    }
}

/// What was billed, as a transcript keeps it.
pub(crate) fn usage(billed: &Billed) -> Usage {
    Usage {
        input: billed.uncached.unwrap_or(0),
        cache_read: billed.cache_read.unwrap_or(0),
        cache_write: billed.cache_write().unwrap_or(0),
        cache_write_hour: billed.cache_write_1h.unwrap_or(0),
        output: billed.output.unwrap_or(0),
    }
}
