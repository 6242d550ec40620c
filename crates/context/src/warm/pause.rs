//! What a cache holds after a request, and how long nobody came for it.

use foveal_transcript::{Timestamp, Usage};
use serde::{Deserialize, Serialize};

use crate::bill::{Amount, HOUR_MS, HOUR_WRITE};
use crate::prices::PriceCard;

/// Output tokens that a refresh is billed for: it ends with its first event, and a few tokens may
/// have been made by then. An assumption; no provider tells.
const OUTPUT_TOKENS: f64 = 4.0;

/// A refresh comes when so much of an entry's lifetime is over. What is left is for the way to the
/// provider.
const REFRESHED_AFTER: f64 = 0.9;

/// The lifetime of the shortest entries: pauses that end before these are refreshed are nothing to
/// learn from.
const SHORTEST_MS: i64 = 5 * 60 * 1000;

/// What a cache holds after a request, and what it is worth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Prefix {
    /// When the request was sent.
    pub time: Timestamp,
    /// How long an entry lives that nobody reads, in milliseconds.
    pub lifetime_ms: i64,
    /// US dollars for reading it once more.
    pub refresh: f64,
    /// US dollars that writing it again costs more than reading it.
    pub rewrite: f64,
}

impl Prefix {
    /// What is in the cache behind a request that was billed so. `None` where nothing is, and where
    /// writing costs nothing: such providers keep entries as they like.
    pub fn of(
        time: Timestamp,
        usage: &Usage,
        is_for_an_hour: bool,
        prices: &PriceCard,
    ) -> Option<Self> {
        let lifetime_ms = prices.cache_lifetime_ms?;
        let cached = usage.cache_read.saturating_add(usage.cache_write) as f64;
        if cached == 0.0 || prices.cache_write <= prices.input {
            return None;
        }
        let write = if is_for_an_hour { HOUR_WRITE * prices.input } else { prices.cache_write };
        let refresh = cached * prices.cache_read
            + usage.input as f64 * prices.input
            + OUTPUT_TOKENS * prices.output;
        Some(Self {
            time,
            lifetime_ms: if is_for_an_hour { HOUR_MS } else { lifetime_ms },
            refresh: refresh / 1e6,
            rewrite: cached * (write - prices.cache_read) / 1e6,
        })
    }

    /// How long after the request the `nth` refresh comes, in milliseconds. They count from 1.
    pub fn refreshed_at_ms(&self, nth: u32) -> i64 {
        i64::from(nth).saturating_mul(self.step_ms())
    }

    /// How long after the request the entry lives with so many refreshes, in milliseconds.
    pub fn lives_ms(&self, refreshes: u32) -> i64 {
        self.refreshed_at_ms(refreshes).saturating_add(self.lifetime_ms)
    }

    fn step_ms(&self) -> i64 {
        ((self.lifetime_ms as f64 * REFRESHED_AFTER) as i64).max(1)
    }
}

/// A pause between two requests of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pause {
    /// What the cache held when it began.
    pub prefix: Prefix,
    /// After how long the next request came, in milliseconds; `None`: none came, so far.
    pub lasted_ms: Option<i64>,
    /// The share of [`Prefix::rewrite`] that a warm cache saves, or would have saved, at its end. 0
    /// where the entry had not expired, or the client changed its prompt.
    pub worth: f64,
    /// How often the entry was refreshed.
    pub refreshes: u32,
}

impl Pause {
    /// One that has not ended.
    pub fn begins(prefix: Prefix) -> Self {
        Self { prefix, lasted_ms: None, worth: 0.0, refreshes: 0 }
    }

    /// It ends with a request of which so much was, or would have been, paid for again because the
    /// cache had expired.
    pub fn end(&mut self, now: Timestamp, expired: Amount, prices: &PriceCard) {
        let saved = expired.dollars - expired.tokens as f64 * prices.cache_read / 1e6;
        let lasted = now.since_ms(self.prefix.time).max(0);
        let is_longer = lasted > self.prefix.lifetime_ms && self.prefix.rewrite > 0.0;
        self.worth = if is_longer { (saved / self.prefix.rewrite).clamp(0.0, 1.0) } else { 0.0 };
        self.lasted_ms = Some(lasted);
    }

    /// Whether it has ended, as of `now`, before even the shortest-lived entry would have been
    /// refreshed.
    pub fn is_short(&self) -> bool {
        self.lasted_ms.is_some_and(|lasted| (lasted as f64) < SHORTEST_MS as f64 * REFRESHED_AFTER)
    }

    /// US dollars that so many refreshes save at most: nothing where the entry would have expired
    /// all the same.
    pub fn saved(&self, refreshes: u32) -> f64 {
        match self.lasted_ms {
            Some(lasted) if refreshes > 0 && lasted <= self.prefix.lives_ms(refreshes) => {
                self.worth * self.prefix.rewrite
            }
            Some(_) | None => 0.0,
        }
    }

    /// How many of at most so many refreshes come before it ends.
    pub fn refreshes_of(&self, most: u32) -> u32 {
        let comes = |nth: &u32| {
            self.lasted_ms.is_none_or(|lasted| self.prefix.refreshed_at_ms(*nth) < lasted)
        };
        (1..=most).take_while(comes).count() as u32
    }
}

/// The pauses of one conversation, as its requests come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pauses {
    now: Option<Pause>,
    is_for_an_hour: bool,
}

impl Pauses {
    /// A request ends a pause, which is given back, and begins the next one. `expired` is what was,
    /// or would have been, paid for again because the cache had expired.
    pub fn request(
        &mut self,
        time: Timestamp,
        usage: &Usage,
        expired: Amount,
        prices: &PriceCard,
    ) -> Option<Pause> {
        let mut ended = self.now.take();
        if let Some(pause) = &mut ended {
            pause.end(time, expired, prices);
        }
        if usage.cache_write > 0 {
            self.is_for_an_hour = usage.cache_write_hour > 0;
        }
        self.now = Prefix::of(time, usage, self.is_for_an_hour, prices).map(Pause::begins);
        ended
    }

    /// The entry was refreshed.
    pub fn refreshed(&mut self) {
        if let Some(pause) = &mut self.now {
            pause.refreshes += 1;
        }
    }

    /// The one that has not ended.
    pub fn now(&self) -> Option<&Pause> {
        self.now.as_ref()
    }
}
