//! The tokens and cost of model answers.

use foveal_protocols::response::BilledUsage;
use serde::Serialize;

use crate::billing::{ModelPrice, cost_in_dollars, transcript_usage};

/// The tokens and cost of one answer or of several together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct UsageCharge {
    /// Prompt tokens that were neither read from a cache nor written to one.
    pub uncached: u64,
    /// Prompt tokens that were read from a cache.
    pub cache_read: u64,
    /// Prompt tokens that were written to a cache.
    pub cache_write: u64,
    /// Answer tokens.
    pub output: u64,
    /// The cost in US dollars as far as it is known: the sum that the provider states, else the sum
    /// by the model's prices.
    pub cost: f64,
    /// Whether the cost of some tokens is not known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_unknown_cost: bool,
}

impl UsageCharge {
    /// Returns the charge of a billed answer. `price` gives the cost where the provider states none.
    pub(crate) fn from_billed_usage(billed: &BilledUsage, price: &ModelPrice) -> Self {
        let usage = transcript_usage(billed);
        let cost = cost_in_dollars(billed, price);
        Self {
            uncached: usage.input,
            cache_read: usage.cache_read,
            cache_write: usage.cache_write,
            output: usage.output,
            cost: cost.unwrap_or_default(),
            has_unknown_cost: cost.is_none(),
        }
    }

    /// Returns the sum of all tokens, regardless of their prices.
    pub fn total_tokens(&self) -> u64 {
        [self.uncached, self.cache_read, self.cache_write, self.output]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// Returns the sum of both charges.
    #[must_use]
    pub fn plus(self, other: &Self) -> Self {
        Self {
            uncached: self.uncached.saturating_add(other.uncached),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            output: self.output.saturating_add(other.output),
            cost: self.cost + other.cost,
            has_unknown_cost: self.has_unknown_cost || other.has_unknown_cost,
        }
    }

    /// Returns this charge less `part`, never below zero.
    #[must_use]
    pub fn minus(self, part: &Self) -> Self {
        Self {
            uncached: self.uncached.saturating_sub(part.uncached),
            cache_read: self.cache_read.saturating_sub(part.cache_read),
            cache_write: self.cache_write.saturating_sub(part.cache_write),
            output: self.output.saturating_sub(part.output),
            cost: (self.cost - part.cost).max(0.0),
            has_unknown_cost: self.has_unknown_cost && !part.has_unknown_cost,
        }
    }
}
