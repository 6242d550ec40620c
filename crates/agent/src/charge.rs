//! What answers of models came to.

use foveal_context::prices::PriceCard;
use foveal_wire::response::Billed;
use serde::Serialize;

use crate::billed::{dollars, usage};

/// What one answer came to, or several together: tokens of prompts and answers, and money.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Charge {
    /// Tokens of prompts that were neither read from a cache nor written to one.
    pub uncached: u64,
    /// Tokens of prompts that were read from a cache.
    pub cache_read: u64,
    /// Tokens of prompts that were written to a cache.
    pub cache_write: u64,
    /// Tokens of answers.
    pub output: u64,
    /// US dollars: what the provider says, or else by the prices of the model.
    pub cost: f64,
}

impl Charge {
    /// What a server billed, by these prices where it names no sum; `None`: nothing.
    pub(crate) fn of(billed: &Billed, prices: Option<&PriceCard>) -> Self {
        let usage = usage(billed);
        Self {
            uncached: usage.input,
            cache_read: usage.cache_read,
            cache_write: usage.cache_write,
            output: usage.output,
            cost: dollars(billed, prices),
        }
    }

    /// All tokens, whatever each costs.
    pub fn tokens(&self) -> u64 {
        [self.uncached, self.cache_read, self.cache_write, self.output]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        Self {
            uncached: self.uncached.saturating_add(other.uncached),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            output: self.output.saturating_add(other.output),
            cost: self.cost + other.cost,
        }
    }

    /// What is left of it without `part`.
    #[must_use]
    pub fn without(self, part: &Self) -> Self {
        Self {
            uncached: self.uncached.saturating_sub(part.uncached),
            cache_read: self.cache_read.saturating_sub(part.cache_read),
            cache_write: self.cache_write.saturating_sub(part.cache_write),
            output: self.output.saturating_sub(part.output),
            cost: (self.cost - part.cost).max(0.0),
        }
    }
}
