//! What the parts of the prompts of a conversation came to so far.
//!
//! Each request is priced by the card: what the provider finds again of the request before it is
//! read from its cache, the rest is written there; where it caches nothing, or the prompt is too
//! short for that, all of it is plain input. Answers cost besides, and are not counted here.

use crate::prices::PriceCard;
use crate::step::{Item, RewriteReason, Step};
use crate::tokens::Tokens;
use foveal_transcript::EntryIndex;

/// US dollars that the parts of the prompts came to.
#[derive(Debug, Clone, Default)]
pub struct Carried {
    entries: Vec<f64>,
    prelude: f64,
}

/// What a request is priced by.
#[derive(Debug, Clone, Copy)]
pub struct Priced<'a> {
    /// The prices.
    pub prices: &'a PriceCard,
    /// Tokens in front of its messages.
    pub prelude: Tokens,
    /// What was decided.
    pub step: &'a Step,
    /// Whether nothing of the request before it is cached any longer.
    pub is_expired: bool,
}

impl Carried {
    /// What an entry came to in all prompts that it stood in, in US dollars.
    pub fn entry(&self, index: EntryIndex) -> f64 {
        self.entries.get(index.at()).copied().unwrap_or_default()
    }

    /// What stands in front of the messages came to, in US dollars.
    pub fn prelude(&self) -> f64 {
        self.prelude
    }

    /// Adds a request with these entries.
    pub(crate) fn add(&mut self, window: &[EntryIndex], items: &[Item], priced: &Priced<'_>) {
        self.entries.resize(items.len(), 0.0);
        let PriceCard { cache_read, cache_write, input, .. } = *priced.prices;
        let found = priced.found();
        let tokens: Tokens = window.iter().map(|index| items[index.at()].tokens).sum();
        let is_cached = priced.prices.cache_lifetime_ms.is_some()
            && priced.prelude + tokens >= priced.prices.cache_minimum;
        let price = |is_found: bool| match (is_cached, is_found) {
            (false, _) => input,
            (true, true) => cache_read,
            (true, false) => cache_write,
        };
        self.prelude += priced.prelude.0 as f64 * price(found.is_some()) / 1e6;
        for (at, index) in window.iter().enumerate() {
            let price = price(found.is_some_and(|found| at < found));
            self.entries[index.at()] += items[index.at()].tokens.0 as f64 * price / 1e6;
        }
    }
}

impl Priced<'_> {
    /// How many entries the provider finds again; `None`: not even what stands in front of them.
    fn found(&self) -> Option<usize> {
        let is_far = match self.step.rewrite {
            // Another system prompt is another beginning.
            _ if self.step.base.is_some() => return None,
            None | Some(RewriteReason::LookedOnce | RewriteReason::ClientRewrote) => false,
            Some(RewriteReason::CacheCold) => return None,
            // Far in front of the last mark nothing is found that is kept up to marks.
            Some(_) => self.prices.cache_lookback_blocks.is_some(),
        };
        (!self.is_expired).then_some(if is_far { 0 } else { self.step.kept })
    }
}
