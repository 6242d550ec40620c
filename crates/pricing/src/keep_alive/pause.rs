//! The cached prefix after a request, and the pause until the next one.

use foveal_transcript::{Timestamp, Usage};
use serde::{Deserialize, Serialize};

use crate::bill::{BillAmount, HOUR_LIFETIME_MS, HOUR_WRITE_FACTOR};
use crate::prices::PriceCard;

/// Output tokens billed for a refresh, which ends at its first event but may have generated a few
/// tokens by then. An assumption, since no provider documents it.
const REFRESH_OUTPUT_TOKENS: f64 = 4.0;

/// Share of an entry's lifetime after which a refresh is sent. The rest covers the latency to the
/// provider.
const REFRESH_LIFETIME_SHARE: f64 = 0.9;

/// Lifetime of the shortest-lived entries. Pauses that end before their refresh give no
/// information.
const SHORTEST_LIFETIME_MS: i64 = 5 * 60 * 1000;

/// The cached prefix after a request, with its value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CachedPrefix {
    /// The time at which the request was sent.
    pub time: Timestamp,
    /// Lifetime of an unused entry, in milliseconds.
    pub lifetime_ms: i64,
    /// Price of reading it once more, in US dollars.
    pub refresh: f64,
    /// Price of writing it again less that of reading it, in US dollars.
    pub rewrite: f64,
}

impl CachedPrefix {
    /// Returns the cached prefix after a request with this usage. `None` if nothing is cached, or
    /// if writes are free: such providers evict entries at their discretion.
    pub fn from_usage(
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
        let write =
            if is_for_an_hour { HOUR_WRITE_FACTOR * prices.input } else { prices.cache_write };
        let refresh = cached * prices.cache_read
            + usage.input as f64 * prices.input
            + REFRESH_OUTPUT_TOKENS * prices.output;
        Some(Self {
            time,
            lifetime_ms: if is_for_an_hour { HOUR_LIFETIME_MS } else { lifetime_ms },
            refresh: refresh / 1e6,
            rewrite: cached * (write - prices.cache_read) / 1e6,
        })
    }

    /// Returns the time from the request to the `nth` refresh in milliseconds, counted from 1.
    pub fn refresh_offset_ms(&self, nth: u32) -> i64 {
        i64::from(nth).saturating_mul(self.refresh_interval_ms())
    }

    /// Returns the time from the request to the expiry of the entry after this many refreshes, in
    /// milliseconds.
    pub fn expiry_offset_ms(&self, refreshes: u32) -> i64 {
        self.refresh_offset_ms(refreshes).saturating_add(self.lifetime_ms)
    }

    fn refresh_interval_ms(&self) -> i64 {
        ((self.lifetime_ms as f64 * REFRESH_LIFETIME_SHARE) as i64).max(1)
    }
}

/// A pause between two requests of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pause {
    /// The cached prefix at its start.
    pub prefix: CachedPrefix,
    /// Length of the pause in milliseconds; `None` if no request has followed so far.
    pub lasted_ms: Option<i64>,
    /// Share of [`CachedPrefix::rewrite`] that a warm cache saves, or would have saved, at its end.
    /// 0 if the entry had not expired, or the client changed its prompt.
    pub worth: f64,
    /// Number of refreshes of the entry.
    pub refreshes: u32,
}

impl Pause {
    /// Creates a pause that has not ended.
    pub fn new(prefix: CachedPrefix) -> Self {
        Self { prefix, lasted_ms: None, worth: 0.0, refreshes: 0 }
    }

    /// Ends the pause with a request that paid again, or would have paid, the amount `expired`
    /// because the cache had expired.
    pub fn finish(&mut self, now: Timestamp, expired: BillAmount, prices: &PriceCard) {
        let saved = expired.dollars - expired.tokens as f64 * prices.cache_read / 1e6;
        let lasted = now.since_ms(self.prefix.time).max(0);
        let is_longer = lasted > self.prefix.lifetime_ms && self.prefix.rewrite > 0.0;
        self.worth = if is_longer { (saved / self.prefix.rewrite).clamp(0.0, 1.0) } else { 0.0 };
        self.lasted_ms = Some(lasted);
    }

    /// Returns whether the pause ended before the refresh of even the shortest-lived entry.
    pub fn is_short(&self) -> bool {
        self.lasted_ms.is_some_and(|lasted| {
            (lasted as f64) < SHORTEST_LIFETIME_MS as f64 * REFRESH_LIFETIME_SHARE
        })
    }

    /// Returns the most US dollars that this many refreshes save: nothing if the entry would have
    /// expired anyway.
    pub fn saving(&self, refreshes: u32) -> f64 {
        match self.lasted_ms {
            Some(lasted) if refreshes > 0 && lasted <= self.prefix.expiry_offset_ms(refreshes) => {
                self.worth * self.prefix.rewrite
            }
            Some(_) | None => 0.0,
        }
    }

    /// Returns how many of at most `most` refreshes are sent before the pause ends.
    pub fn refreshes_before_end(&self, most: u32) -> u32 {
        let comes = |nth: &u32| {
            self.lasted_ms.is_none_or(|lasted| self.prefix.refresh_offset_ms(*nth) < lasted)
        };
        (1..=most).take_while(comes).count() as u32
    }
}

/// The pauses of one conversation, tracked request by request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PauseTracker {
    now: Option<Pause>,
    is_for_an_hour: bool,
}

impl PauseTracker {
    /// Adds a request, which ends the current pause and begins the next one; returns the ended
    /// pause. `expired` is the amount that the request paid again, or would have paid, because the
    /// cache had expired.
    pub fn add_request(
        &mut self,
        time: Timestamp,
        usage: &Usage,
        expired: BillAmount,
        prices: &PriceCard,
    ) -> Option<Pause> {
        let mut ended = self.now.take();
        if let Some(pause) = &mut ended {
            pause.finish(time, expired, prices);
        }
        if usage.cache_write > 0 {
            self.is_for_an_hour = usage.cache_write_hour > 0;
        }
        self.now =
            CachedPrefix::from_usage(time, usage, self.is_for_an_hour, prices).map(Pause::new);
        ended
    }

    /// Counts a refresh of the entry.
    pub fn add_refresh(&mut self) {
        if let Some(pause) = &mut self.now {
            pause.refreshes += 1;
        }
    }

    /// Returns the pause that has not ended.
    pub fn current(&self) -> Option<&Pause> {
        self.now.as_ref()
    }
}
