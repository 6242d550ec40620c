//! What models beside the main one cost: they are asked because of the run, and count as it does.

use foveal_context::prices::PriceCard;
use foveal_wire::response::Billed;
use serde::Serialize;

use crate::billed::{dollars, usage};

/// What a model beside the main one is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SideKind {
    /// It chooses which lines of files are shown.
    Curator,
    /// It tells old turns in words.
    Gist,
    /// It reads files into the index.
    Indexer,
}

/// What one question to such a model cost, with its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SideCharge {
    /// What the model is for.
    pub agent: SideKind,
    /// The model, as the user names it.
    pub model: String,
    /// Tokens of the question that were neither read from a cache nor written to one.
    pub uncached: u64,
    /// Tokens of it that were read from a cache.
    pub cache_read: u64,
    /// Tokens of it that were written to a cache.
    pub cache_write: u64,
    /// Tokens of the answer.
    pub output: u64,
    /// US dollars: what the provider says, or else by the prices of this model.
    pub cost: f64,
    /// Whether the server did not tell the tokens: they are counted here, of what was asked and heard.
    pub estimated: bool,
}

/// What all such questions came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct SideSpent {
    /// Questions.
    pub requests: u32,
    /// Tokens of them that were neither read from a cache nor written to one.
    pub uncached: u64,
    /// Tokens of them that were read from a cache.
    pub cache_read: u64,
    /// Tokens of them that were written to a cache.
    pub cache_write: u64,
    /// Tokens of answers.
    pub output: u64,
    /// US dollars.
    pub cost: f64,
}

impl SideCharge {
    /// What a server billed for an answer, by these prices where it names no sum; `None`: nothing.
    pub fn billed(
        (agent, model): (SideKind, &str),
        billed: &Billed,
        prices: Option<&PriceCard>,
    ) -> Self {
        let usage = usage(billed);
        Self {
            agent,
            model: model.to_owned(),
            uncached: usage.input,
            cache_read: usage.cache_read,
            cache_write: usage.cache_write,
            output: usage.output,
            cost: dollars(billed, prices),
            estimated: false,
        }
    }

    /// The same of so many tokens of a question and of its answer, where no server tells them.
    pub fn estimated(
        who: (SideKind, &str),
        (question, answer): (u64, u64),
        prices: Option<&PriceCard>,
    ) -> Self {
        let tokens = Billed { uncached: Some(question), output: Some(answer), ..Billed::default() };
        Self { estimated: true, ..Self::billed(who, &tokens, prices) }
    }
}

impl SideSpent {
    /// All tokens, whatever each costs.
    pub fn tokens(&self) -> u64 {
        [self.uncached, self.cache_read, self.cache_write, self.output]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            requests: self.requests.saturating_add(other.requests),
            uncached: self.uncached.saturating_add(other.uncached),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            output: self.output.saturating_add(other.output),
            cost: self.cost + other.cost,
        }
    }
}

impl From<&SideCharge> for SideSpent {
    fn from(charge: &SideCharge) -> Self {
        let SideCharge { uncached, cache_read, cache_write, output, cost, .. } = *charge;
        Self { requests: 1, uncached, cache_read, cache_write, output, cost }
    }
}
