//! The decision when foveal sets cache breakpoints in a prompt whose client sets none.
//!
//! The provider writes the prompt up to a breakpoint to its cache, for a quarter more than the
//! plain price. A request that finds it within five minutes pays a tenth. Whether such a request
//! will come is unknown, so this is the ski-rental problem: a conversation pays the plain price
//! until the savings that its requests missed equal the surcharge of a write. Then the prompt is
//! written, and as long as it is found in time, each request reads it and writes its new part.

use foveal_pricing::prices::PriceCard;
use foveal_transcript::Timestamp;
use serde::{Deserialize, Serialize};

/// The beginning of a prompt, up to its last breakpoint, that a provider may cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachePrefix {
    /// The time of the last request that sent it.
    pub time: Timestamp,
    /// The number of messages in it.
    pub messages: usize,
    /// Its tokens; 0 if it is too short to be cached.
    pub tokens: u64,
    /// A hash of system prompt, tools and model. A prefix with another hash shares nothing in the
    /// cache.
    pub head: u32,
}

/// The breakpoints that a request gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BreakpointPlacement {
    /// No breakpoint.
    None,
    /// One at an earlier breakpoint's position: the cached prefix is read, and nothing is written.
    Old {
        /// The number of messages in front of it.
        messages: usize,
    },
    /// One at the end of the prompt too, so that all of it is written.
    All {
        /// The number of messages in front of the earlier breakpoint that is set again.
        old: Option<usize>,
    },
}

/// The decision about one request, and the state on which the next decision depends. Amounts are in
/// thousandths of the price of an uncached token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BreakpointState {
    /// The breakpoints of this request.
    pub marks: BreakpointPlacement,
    /// The prefix of this request.
    last: CachePrefix,
    /// The prefix that was last written to, or read from, the cache.
    kept: Option<CachePrefix>,
    /// Whether that prefix was read since it was written.
    is_read: bool,
    /// The savings that were missed since the last write or read.
    missed: i64,
    /// The savings of all breakpoints so far, less their surcharges.
    balance: i64,
}

/// The facts about a request that the decision depends on.
#[derive(Debug, Clone, Copy)]
pub struct BreakpointInputs {
    /// The prefix that could be cached.
    pub prefix: CachePrefix,
    /// Whether the previous request's messages stand in it unchanged.
    pub continues: bool,
    /// Whether no request is expected to continue it.
    pub is_last: bool,
}

/// A provider's cache prices, in thousandths of the price of an uncached token.
#[derive(Debug, Clone, Copy)]
pub struct CacheRates {
    /// The extra price of a written token.
    surcharge: i64,
    /// The discount of a read token.
    saving: i64,
    /// The lifetime of a cache entry after its last write or read, in milliseconds.
    lifetime_ms: i64,
}

impl CacheRates {
    /// Returns the rates of a price card; `None` if its provider caches nothing.
    pub fn from_price_card(prices: &PriceCard) -> Option<Self> {
        let thousandths = |ratio: f64| (ratio * 1e3).round() as i64;
        Some(Self {
            surcharge: thousandths(prices.write_ratio() - 1.0),
            saving: thousandths(1.0 - prices.read_ratio()),
            lifetime_ms: prices.cache_lifetime_ms?,
        })
    }
}

impl BreakpointState {
    /// Decides the breakpoints of a request that follows `before` in its conversation.
    ///
    /// The first request of a conversation never gets one, nor does any request before the missed
    /// savings pay for a write: a conversation of one request costs the same as without
    /// breakpoints.
    ///
    /// The worst case is a write that no request reads, because the conversation ends or pauses for
    /// longer than the cache lives. Let `q` be the tokens that could have been read before it, and
    /// `w` the tokens that were written in vain so far, including this write. A write requires `.9
    /// q >= .25 w`, and without breakpoints all of `q + w` would have been paid for. So a
    /// conversation never costs more than `.25 / (1 + .25 / .9)` = 19.6 % above its cost without
    /// breakpoints; 12.5 % if its prompts are about equally long. Each write in vain delays the
    /// next one. While a prompt is found in time, writes are limited to what the savings pay for.
    pub fn decide(before: Option<&Self>, next: &BreakpointInputs, rates: &CacheRates) -> Self {
        let mut before = before.copied().unwrap_or_else(|| Self::new(next.prefix));
        if !next.continues {
            before.kept = None;
        }
        let now = next.prefix;
        let is_there = |earlier: &CachePrefix| {
            let age_ms = now.time.since_ms(earlier.time);
            let lives = (0..=rates.lifetime_ms).contains(&age_ms);
            next.continues && lives && earlier.head == now.head && earlier.tokens > 0
        };
        match before.kept.filter(is_there) {
            Some(found) => before.with_cache_hit(found, next, rates),
            None => before.with_cache_miss(is_there(&before.last), next, rates),
        }
    }

    /// Returns the state after a request that was sent without breakpoints.
    #[must_use]
    pub fn without_breakpoints(before: Option<&Self>, prefix: CachePrefix) -> Self {
        let before = before.copied().unwrap_or_else(|| Self::new(prefix));
        Self { last: prefix, marks: BreakpointPlacement::None, ..before }
    }

    fn new(prefix: CachePrefix) -> Self {
        let last = CachePrefix { tokens: 0, ..prefix };
        Self {
            marks: BreakpointPlacement::None,
            last,
            kept: None,
            is_read: false,
            missed: 0,
            balance: 0,
        }
    }

    /// The cached prefix is still there: it is read, and the new part is written unless that costs
    /// more than was saved.
    fn with_cache_hit(
        self,
        found: CachePrefix,
        next: &BreakpointInputs,
        rates: &CacheRates,
    ) -> Self {
        let now = next.prefix;
        let saved = price_tokens(found.tokens, rates.saving);
        let added = price_tokens(now.tokens.saturating_sub(found.tokens), rates.surcharge);
        let balance = self.balance.saturating_add(saved);
        let is_written = !next.is_last && balance >= added;
        let (marks, kept, added) = match is_written {
            true => (BreakpointPlacement::All { old: Some(found.messages) }, now, added),
            false => (
                BreakpointPlacement::Old { messages: found.messages },
                CachePrefix { time: now.time, ..found },
                0,
            ),
        };
        let balance = balance.saturating_sub(added);
        Self { marks, last: now, kept: Some(kept), is_read: true, missed: 0, balance }
    }

    /// Nothing is cached: the whole prompt is written if the balance, or the savings missed so far,
    /// pay for it.
    fn with_cache_miss(
        self,
        was_missed: bool,
        next: &BreakpointInputs,
        rates: &CacheRates,
    ) -> Self {
        let now = next.prefix;
        let price = price_tokens(now.tokens, rates.surcharge);
        let more = if was_missed { price_tokens(self.last.tokens, rates.saving) } else { 0 };
        let missed = self.missed.saturating_add(more);
        let is_won = self.is_read && self.balance >= price;
        let is_due = missed >= price.saturating_sub(self.balance.min(0));
        let is_written = now.tokens > 0 && !next.is_last && (is_won || is_due);
        if !is_written {
            return Self { marks: BreakpointPlacement::None, last: now, missed, ..self };
        }
        let marks = BreakpointPlacement::All { old: None };
        let balance = self.balance.saturating_sub(price);
        Self { marks, last: now, kept: Some(now), is_read: false, missed: 0, balance }
    }
}

fn price_tokens(tokens: u64, rate: i64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX).saturating_mul(rate)
}

#[cfg(test)]
mod tests;
