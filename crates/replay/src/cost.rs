//! What a prompt costs, given what the provider's cache holds.

use foveal_context::bill::Kept;
use foveal_context::prices::PriceCard;
use foveal_context::tokens::Tokens;
use foveal_transcript::Timestamp;
use serde::{Deserialize, Serialize};

/// Input tokens of one request, by how they are charged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Charge {
    /// All input tokens.
    pub prompt: Tokens,
    /// Those read from the cache.
    pub cached: Tokens,
    /// US dollars for the input.
    pub dollars: f64,
    /// How much of the last prompt stands at its beginning, whether that was cached or not.
    pub kept: Kept,
}

/// Whether a request at `now` finds nothing cached of a prompt that was last sent at `last`.
pub fn has_expired(last: Option<Timestamp>, now: Option<Timestamp>, prices: &PriceCard) -> bool {
    match (prices.cache_lifetime_ms, last, now) {
        (None, _, _) => true,
        (Some(lifetime), Some(last), Some(now)) => now.since_ms(last) > lifetime,
        (Some(_), _, _) => false,
    }
}

/// A prompt as it goes on, and a provider's cache as one conversation sees it: the last prompt that
/// was charged, until it expires. A request costs the time of what is new in it.
#[derive(Debug, Clone, Default)]
pub struct Cache {
    messages: Vec<Message>,
    /// The tokens up to each message and with it.
    totals: Vec<Tokens>,
    /// The messages of the last prompt that was charged.
    charged: Vec<Message>,
    /// With how many of those the prompt begins.
    same: usize,
    last_used: Option<Timestamp>,
}

/// One message of a prompt, for comparing prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// The entry's index.
    pub entry: u32,
    /// How often its text has changed.
    pub version: u32,
    /// Its tokens.
    pub tokens: Tokens,
}

impl Cache {
    /// The messages of the prompt.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Takes all messages but the first `kept` out of the prompt.
    pub fn keep(&mut self, kept: usize) -> impl Iterator<Item = Message> + '_ {
        let kept = kept.min(self.messages.len());
        self.totals.truncate(kept);
        self.same = self.same.min(kept);
        self.messages.drain(kept..)
    }

    /// Puts a message at the end of the prompt.
    pub fn push(&mut self, message: Message) {
        let at = self.messages.len();
        if self.same == at && self.charged.get(at) == Some(&message) {
            self.same += 1;
        }
        let before = self.totals.last().copied().unwrap_or_default();
        self.totals.push(before + message.tokens);
        self.messages.push(message);
    }

    /// The tokens of the first messages.
    pub fn tokens(&self, count: usize) -> Tokens {
        count.checked_sub(1).and_then(|last| self.totals.get(last).copied()).unwrap_or_default()
    }

    /// Charges the prompt and remembers it. The cache is cold when more than its lifetime lies
    /// between two requests; where times are not recorded it never is.
    pub fn charge(&mut self, now: Option<Timestamp>, prices: &PriceCard) -> Charge {
        let total = self.tokens(self.messages.len());
        let expired = has_expired(self.last_used, now, prices);
        let kept = match self.same == self.charged.len() {
            true => Kept::All,
            false => Kept::First(self.tokens(self.same)),
        };
        let mut cached = self.tokens(self.same);
        if expired || cached < prices.cache_minimum {
            cached = Tokens(0);
        }
        self.charged.truncate(self.same);
        self.charged.extend_from_slice(&self.messages[self.same..]);
        self.same = self.messages.len();
        self.last_used = now.or(self.last_used);
        let fresh = if prices.cache_lifetime_ms.is_some() && total >= prices.cache_minimum {
            prices.cache_write
        } else {
            prices.input
        };
        let written = total - cached;
        let dollars = (written.0 as f64 * fresh + cached.0 as f64 * prices.cache_read) / 1e6;
        Charge { prompt: total, cached, dollars, kept }
    }
}
