//! The cost of a prompt, given the content of the provider's cache.

use foveal_pricing::bill::RetainedPrefix;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokens;
use foveal_transcript::Timestamp;
use serde::{Deserialize, Serialize};

/// The input tokens of one request, by price, and their cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PromptCharge {
    /// All input tokens.
    pub prompt: Tokens,
    /// Tokens read from the cache.
    pub cached: Tokens,
    /// US dollars for the input.
    pub dollars: f64,
    /// The part of the last prompt at the beginning of this one, whether it was cached or not.
    pub kept: RetainedPrefix,
}

/// Returns whether the cache entry of a prompt last sent at `last` has expired at `now`.
pub fn is_cache_expired(
    last: Option<Timestamp>,
    now: Option<Timestamp>,
    prices: &PriceCard,
) -> bool {
    match (prices.cache_lifetime_ms, last, now) {
        (None, _, _) => true,
        (Some(lifetime), Some(last), Some(now)) => now.since_ms(last) > lifetime,
        (Some(_), _, _) => false,
    }
}

/// A growing prompt, and a provider's cache as one conversation sees it: the last charged prompt,
/// until it expires. The time of a request is proportional to the new part of its prompt.
#[derive(Debug, Clone, Default)]
pub struct PromptCacheModel {
    messages: Vec<PromptMessage>,
    /// The tokens of the prompt up to and including each message.
    totals: Vec<Tokens>,
    /// The messages of the last charged prompt.
    charged: Vec<PromptMessage>,
    /// The number of leading messages that equal those of `charged`.
    unchanged: usize,
    last_used: Option<Timestamp>,
}

/// One message of a prompt, for comparing prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptMessage {
    /// The entry's index.
    pub entry: u32,
    /// The number of changes of its text.
    pub version: u32,
    /// Its token count.
    pub tokens: Tokens,
}

impl PromptCacheModel {
    /// Returns the messages of the prompt.
    pub fn messages(&self) -> &[PromptMessage] {
        &self.messages
    }

    /// Removes all messages but the first `kept`, and returns the removed ones.
    pub fn truncate(&mut self, kept: usize) -> impl Iterator<Item = PromptMessage> + '_ {
        let kept = kept.min(self.messages.len());
        self.totals.truncate(kept);
        self.unchanged = self.unchanged.min(kept);
        self.messages.drain(kept..)
    }

    /// Appends a message to the prompt.
    pub fn push(&mut self, message: PromptMessage) {
        let at = self.messages.len();
        if self.unchanged == at && self.charged.get(at) == Some(&message) {
            self.unchanged += 1;
        }
        let before = self.totals.last().copied().unwrap_or_default();
        self.totals.push(before + message.tokens);
        self.messages.push(message);
    }

    /// Returns the tokens of the first `count` messages.
    pub fn prefix_tokens(&self, count: usize) -> Tokens {
        count.checked_sub(1).and_then(|last| self.totals.get(last).copied()).unwrap_or_default()
    }

    /// Charges the prompt and stores it as the last one. The cache is cold if more than its
    /// lifetime lies between two requests; without recorded times it never is.
    pub fn charge(&mut self, now: Option<Timestamp>, prices: &PriceCard) -> PromptCharge {
        let total = self.prefix_tokens(self.messages.len());
        let expired = is_cache_expired(self.last_used, now, prices);
        let kept = match self.unchanged == self.charged.len() {
            true => RetainedPrefix::All,
            false => RetainedPrefix::First(self.prefix_tokens(self.unchanged)),
        };
        let mut cached = self.prefix_tokens(self.unchanged);
        if expired || cached < prices.cache_minimum {
            cached = Tokens(0);
        }
        self.charged.truncate(self.unchanged);
        self.charged.extend_from_slice(&self.messages[self.unchanged..]);
        self.unchanged = self.messages.len();
        self.last_used = now.or(self.last_used);
        let fresh = if prices.cache_lifetime_ms.is_some() && total >= prices.cache_minimum {
            prices.cache_write
        } else {
            prices.input
        };
        let written = total - cached;
        let dollars = (written.0 as f64 * fresh + cached.0 as f64 * prices.cache_read) / 1e6;
        PromptCharge { prompt: total, cached, dollars, kept }
    }
}
