//! What a run has come to so far.

use foveal_context::prices::PriceCard;
use foveal_wire::response::Billed;
use serde::Serialize;

use crate::billed::{dollars, usage};
use crate::side::{SideCharge, SideSpent};

/// What a run has come to so far. Tokens and money are those of all models that were asked for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Spent {
    /// Requests to the main model, all tasks together.
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
    /// What of it models beside the main one came to.
    pub side: SideSpent,
}

impl Spent {
    /// All tokens, whatever each costs.
    pub fn tokens(&self) -> u64 {
        [self.uncached, self.cache_read, self.cache_write, self.output]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// What of it the main model came to alone.
    #[must_use]
    pub fn main(&self) -> Self {
        let side = self.side;
        Self {
            uncached: self.uncached.saturating_sub(side.uncached),
            cache_read: self.cache_read.saturating_sub(side.cache_read),
            cache_write: self.cache_write.saturating_sub(side.cache_write),
            output: self.output.saturating_sub(side.output),
            cost: (self.cost - side.cost).max(0.0),
            side: SideSpent::default(),
            ..*self
        }
    }

    /// What this came to, and `later` after it.
    #[must_use]
    pub fn and(self, later: &Self) -> Self {
        Self {
            turns: self.turns.saturating_add(later.turns),
            uncached: self.uncached.saturating_add(later.uncached),
            cache_read: self.cache_read.saturating_add(later.cache_read),
            cache_write: self.cache_write.saturating_add(later.cache_write),
            output: self.output.saturating_add(later.output),
            cost: self.cost + later.cost,
            time_ms: later.time_ms,
            side: self.side.and(later.side),
        }
    }

    /// The same with one more question to a model beside the main one.
    #[must_use]
    pub fn with_side(self, charge: &SideCharge) -> Self {
        let side = SideSpent::from(charge);
        let SideSpent { uncached, cache_read, cache_write, output, cost, .. } = side;
        let time_ms = self.time_ms;
        let more =
            Self { turns: 0, uncached, cache_read, cache_write, output, cost, time_ms, side };
        self.and(&more)
    }

    /// The same with one more answer of the main model.
    pub(crate) fn with(self, billed: &Billed, prices: Option<&PriceCard>) -> Self {
        let usage = usage(billed);
        Self {
            uncached: self.uncached.saturating_add(usage.input),
            cache_read: self.cache_read.saturating_add(usage.cache_read),
            cache_write: self.cache_write.saturating_add(usage.cache_write),
            output: self.output.saturating_add(usage.output),
            cost: self.cost + dollars(billed, prices),
            ..self
        }
    }
}
