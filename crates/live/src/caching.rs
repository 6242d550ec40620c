//! When a prompt is marked for the provider's cache, where its client marks nothing.
//!
//! What stands in front of a mark is written to the cache, for a quarter more than its plain price.
//! A request that finds it there within five minutes pays a tenth. Nobody knows whether there will
//! be one. So it is decided as renting or buying skis is: a conversation pays the plain price until
//! what its requests could have read comes to what a write costs more. Then it is written, and as
//! long as it is found in time each request reads it and writes what is new.

use foveal_context::prices::PriceCard;
use foveal_transcript::Timestamp;
use serde::{Deserialize, Serialize};

/// The beginning of a prompt that a provider may keep, up to its last mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prefix {
    /// When it was sent last.
    pub time: Timestamp,
    /// How many of the messages it has.
    pub messages: usize,
    /// Its tokens; 0 where it is too short to be kept.
    pub tokens: u64,
    /// Tells one system prompt, list of tools and model from another: behind another, nothing of
    /// the messages is found.
    pub head: u32,
}

/// Which marks a request gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Marks {
    /// None.
    None,
    /// One behind so many messages, where one stood before: what is kept is read, and nothing is
    /// written.
    Old {
        /// How many.
        messages: usize,
    },
    /// At its end too, so that all of it is written.
    All {
        /// Behind how many messages one stands because one stood there before.
        old: Option<usize>,
    },
}

/// What is decided about one request, and what the next decision depends on. Amounts are
/// thousandths of what a token costs uncached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caching {
    /// What goes with this request.
    pub marks: Marks,
    /// The request.
    last: Prefix,
    /// What the provider was asked to keep last.
    kept: Option<Prefix>,
    /// Whether that was read.
    is_read: bool,
    /// What could have been read since it was asked last.
    missed: i64,
    /// What marks saved so far less what they cost.
    balance: i64,
}

/// A request that is decided about.
#[derive(Debug, Clone, Copy)]
pub struct Next {
    /// What could be kept of it.
    pub prefix: Prefix,
    /// Whether what was sent before stands in it as it was.
    pub continues: bool,
    /// Whether none is expected to continue it.
    pub is_last: bool,
}

/// What a provider charges, as thousandths of what a token costs uncached.
#[derive(Debug, Clone, Copy)]
pub struct Rates {
    /// What writing costs more.
    surcharge: i64,
    /// What reading costs less.
    saving: i64,
    /// How long what is kept lives after it was written or read.
    lifetime_ms: i64,
}

impl Rates {
    /// Those of a card; `None` where nothing is cached.
    pub fn of(prices: &PriceCard) -> Option<Self> {
        let thousandths = |ratio: f64| (ratio * 1e3).round() as i64;
        Some(Self {
            surcharge: thousandths(prices.write_ratio() - 1.0),
            saving: thousandths(1.0 - prices.read_ratio()),
            lifetime_ms: prices.cache_lifetime_ms?,
        })
    }
}

impl Caching {
    /// What is decided about a request that follows `before` in its conversation.
    ///
    /// The first request of a conversation is never marked, and neither is one that nothing is read
    /// by as long as reading pays no write: a conversation of one request costs what it costs
    /// without marks.
    ///
    /// The worst case is a write that nobody reads, since the conversation ends right there or
    /// pauses for longer than the cache lives. Let `q` be what could have been read before it (in
    /// tokens) and `w` what was written in vain so far, this time included. A write comes only when
    /// `.9 q >= .25 w`, and without marks all of `q + w` would have been paid for. So at no time
    /// has a conversation cost more than `.25 / (1 + .25 / .9)` = 19.6 % more than without marks;
    /// 12.5 % where its prompts are about as long as each other. Each write in vain makes the next one wait for longer.
    /// Where a prompt is found in time, no more is written than what was won by then pays for.
    pub fn decide(before: Option<&Self>, next: &Next, rates: &Rates) -> Self {
        let mut before = before.copied().unwrap_or_else(|| Self::new(next.prefix));
        if !next.continues {
            before.kept = None;
        }
        let now = next.prefix;
        let is_there = |earlier: &Prefix| {
            let age_ms = now.time.since_ms(earlier.time);
            let lives = (0..=rates.lifetime_ms).contains(&age_ms);
            next.continues && lives && earlier.head == now.head && earlier.tokens > 0
        };
        match before.kept.filter(is_there) {
            Some(found) => before.read(found, next, rates),
            None => before.written(is_there(&before.last), next, rates),
        }
    }

    /// The same of a request that went without marks.
    #[must_use]
    pub fn unmarked(before: Option<&Self>, prefix: Prefix) -> Self {
        let before = before.copied().unwrap_or_else(|| Self::new(prefix));
        Self { last: prefix, marks: Marks::None, ..before }
    }

    fn new(prefix: Prefix) -> Self {
        let last = Prefix { tokens: 0, ..prefix };
        Self { marks: Marks::None, last, kept: None, is_read: false, missed: 0, balance: 0 }
    }

    /// What is kept is there: it is read, and what is new is written unless that costs more than
    /// was won.
    fn read(self, found: Prefix, next: &Next, rates: &Rates) -> Self {
        let now = next.prefix;
        let saved = times(found.tokens, rates.saving);
        let added = times(now.tokens.saturating_sub(found.tokens), rates.surcharge);
        let balance = self.balance.saturating_add(saved);
        let is_written = !next.is_last && balance >= added;
        let (marks, kept, added) = match is_written {
            true => (Marks::All { old: Some(found.messages) }, now, added),
            false => {
                (Marks::Old { messages: found.messages }, Prefix { time: now.time, ..found }, 0)
            }
        };
        let balance = balance.saturating_sub(added);
        Self { marks, last: now, kept: Some(kept), is_read: true, missed: 0, balance }
    }

    /// Nothing is kept: all of it is written if what marks won pays for it, or what could have been
    /// read until now.
    fn written(self, was_missed: bool, next: &Next, rates: &Rates) -> Self {
        let now = next.prefix;
        let price = times(now.tokens, rates.surcharge);
        let more = if was_missed { times(self.last.tokens, rates.saving) } else { 0 };
        let missed = self.missed.saturating_add(more);
        let is_won = self.is_read && self.balance >= price;
        let is_due = missed >= price.saturating_sub(self.balance.min(0));
        let is_written = now.tokens > 0 && !next.is_last && (is_won || is_due);
        if !is_written {
            return Self { marks: Marks::None, last: now, missed, ..self };
        }
        let marks = Marks::All { old: None };
        let balance = self.balance.saturating_sub(price);
        Self { marks, last: now, kept: Some(now), is_read: false, missed: 0, balance }
    }
}

fn times(tokens: u64, rate: i64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX).saturating_mul(rate)
}

#[cfg(test)]
mod tests;
