//! What a prompt costs, given what the provider's cache holds.

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
}

/// A provider's cache as one conversation sees it: the last prompt, until it expires.
#[derive(Debug, Clone, Default)]
pub struct Cache {
    /// (entry, version, tokens) of each message of the last prompt.
    messages: Vec<Message>,
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
    /// Charges a prompt and remembers it. The cache is cold when more than its lifetime lies
    /// between two requests; where times are not recorded it never is.
    pub fn charge(
        &mut self,
        prompt: &[Message],
        now: Option<Timestamp>,
        prices: &PriceCard,
    ) -> Charge {
        let total: Tokens = prompt.iter().map(|message| message.tokens).sum();
        let same = self.messages.iter().zip(prompt).take_while(|(old, new)| old == new).count();
        let expired = match (prices.cache_lifetime_ms, self.last_used, now) {
            (None, _, _) => true,
            (Some(lifetime), Some(last), Some(now)) => now.since_ms(last) > lifetime,
            (Some(_), _, _) => false,
        };
        let mut cached: Tokens = prompt[..same].iter().map(|message| message.tokens).sum();
        if expired || cached < prices.cache_minimum {
            cached = Tokens(0);
        }
        self.messages.clear();
        self.messages.extend_from_slice(prompt);
        self.last_used = now.or(self.last_used);
        let fresh = if prices.cache_lifetime_ms.is_some() && total >= prices.cache_minimum {
            prices.cache_write
        } else {
            prices.input
        };
        let written = total - cached;
        let dollars = (written.0 as f64 * fresh + cached.0 as f64 * prices.cache_read) / 1e6;
        Charge { prompt: total, cached, dollars }
    }
}
