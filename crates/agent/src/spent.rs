//! What a run has come to so far.

use foveal_context::prices::PriceCard;
use foveal_transcript::Usage;
use foveal_wire::response::Billed;
use serde::Serialize;

/// What a run has come to so far, with its sub-agents.
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

    /// The same with what a sub-agent came to since it had come to `before`.
    pub(crate) fn with_agent(self, now: &Self, before: &Self) -> Self {
        let more = |now: u64, before: u64| now.saturating_sub(before);
        let turns = now.turns.saturating_sub(before.turns);
        let cost = (now.cost - before.cost).max(0.0);
        let tokens = more(now.tokens(), before.tokens());
        let plus = |sum: u64, now: u64, before: u64| sum.saturating_add(more(now, before));
        Self {
            turns: self.turns.saturating_add(turns),
            uncached: plus(self.uncached, now.uncached, before.uncached),
            cache_read: plus(self.cache_read, now.cache_read, before.cache_read),
            cache_write: plus(self.cache_write, now.cache_write, before.cache_write),
            output: plus(self.output, now.output, before.output),
            cost: self.cost + cost,
            agents: self.agents.and(&OfAgents { count: 0, turns, tokens, cost }),
            ..self
        }
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
