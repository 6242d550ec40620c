//! What a run has come to so far.

use foveal_context::prices::PriceCard;
use foveal_wire::response::Billed;
use serde::Serialize;

use crate::billed::{dollars, usage};
use crate::side::{SideCharge, SideSpent};

/// What a run has come to so far, with its sub-agents. Tokens and money are those of all models that
/// were asked for it.
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
    /// What of it is of sub-agents.
    #[serde(skip_serializing_if = "OfAgents::are_none")]
    pub agents: OfAgents,
}

/// What sub-agents have come to so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct OfAgents {
    /// How many there were.
    pub count: u32,
    /// Their requests to the model.
    pub turns: u32,
    /// Their tokens, whatever each costs.
    pub tokens: u64,
    /// US dollars.
    pub cost: f64,
}

impl OfAgents {
    /// Whether there were none.
    pub fn are_none(&self) -> bool {
        self.count == 0
    }

    /// These and others.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        Self {
            count: self.count.saturating_add(other.count),
            turns: self.turns.saturating_add(other.turns),
            tokens: self.tokens.saturating_add(other.tokens),
            cost: self.cost + other.cost,
        }
    }
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
            agents: self.agents.and(&later.agents),
        }
    }

    /// The same with one more question to a model beside the main one.
    #[must_use]
    pub fn with_side(self, charge: &SideCharge) -> Self {
        let side = SideSpent::from(charge);
        let SideSpent { uncached, cache_read, cache_write, output, cost, .. } = side;
        let time_ms = self.time_ms;
        let more = Self {
            uncached,
            cache_read,
            cache_write,
            output,
            cost,
            time_ms,
            side,
            ..Self::default()
        };
        self.and(&more)
    }

    /// The same with what a sub-agent came to since it had come to `before`.
    pub(crate) fn with_agent(self, now: &Self, before: &Self) -> Self {
        let turns = now.turns.saturating_sub(before.turns);
        let cost = (now.cost - before.cost).max(0.0);
        let tokens = now.tokens().saturating_sub(before.tokens());
        self.and(&Self {
            turns,
            uncached: now.uncached.saturating_sub(before.uncached),
            cache_read: now.cache_read.saturating_sub(before.cache_read),
            cache_write: now.cache_write.saturating_sub(before.cache_write),
            output: now.output.saturating_sub(before.output),
            cost,
            time_ms: self.time_ms,
            side: SideSpent::default(),
            agents: OfAgents { count: 0, turns, tokens, cost },
        })
    }

    /// The same with one more answer of the main model.
    pub(crate) fn with(self, billed: &Billed, prices: Option<&PriceCard>) -> Self {
        let usage = usage(billed);
        self.and(&Self {
            uncached: usage.input,
            cache_read: usage.cache_read,
            cache_write: usage.cache_write,
            output: usage.output,
            cost: dollars(billed, prices),
            time_ms: self.time_ms,
            ..Self::default()
        })
    }
}
