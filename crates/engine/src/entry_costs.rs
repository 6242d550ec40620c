//! The cost of each entry of a conversation over all prompts so far.
//!
//! Each request is priced by the card: the part that the provider finds from the last request is
//! read from its cache, the rest is written there. Where the provider caches nothing, or the prompt
//! is too short for its cache, all of it is plain input. Answers are not included.

use crate::plan_step::{EntryState, PlanStep, RewriteReason};
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokens;
use foveal_transcript::EntryIndex;

/// The cost of the parts of the prompts, in US dollars.
#[derive(Debug, Clone, Default)]
pub struct EntryCosts {
    entries: Vec<f64>,
    prelude: f64,
}

/// The inputs of the price of a request.
#[derive(Debug, Clone, Copy)]
pub struct RequestPricing<'a> {
    /// The prices.
    pub prices: &'a PriceCard,
    /// Tokens in front of the messages.
    pub prelude: Tokens,
    /// The step planned for the request.
    pub step: &'a PlanStep,
    /// Whether the cached last request has expired.
    pub is_expired: bool,
}

impl EntryCosts {
    /// Returns the cost of an entry over all prompts that held it, in US dollars.
    pub fn entry(&self, index: EntryIndex) -> f64 {
        self.entries.get(index.as_usize()).copied().unwrap_or_default()
    }

    /// Returns the cost of the prelude over all prompts, in US dollars.
    pub fn prelude(&self) -> f64 {
        self.prelude
    }

    /// Adds the cost of a request with these entries.
    pub(crate) fn add_request(
        &mut self,
        window: &[EntryIndex],
        items: &[EntryState],
        priced: &RequestPricing<'_>,
    ) {
        self.entries.resize(items.len(), 0.0);
        let PriceCard { cache_read, cache_write, input, .. } = *priced.prices;
        let found = priced.cached_entries();
        let tokens: Tokens = window.iter().map(|index| items[index.as_usize()].tokens).sum();
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
            self.entries[index.as_usize()] += items[index.as_usize()].tokens.0 as f64 * price / 1e6;
        }
    }
}

impl RequestPricing<'_> {
    /// Returns how many entries the provider finds in its cache; `None` if it does not even find
    /// the prelude.
    fn cached_entries(&self) -> Option<usize> {
        let is_far = match self.step.rewrite {
            // A changed system prompt changes the beginning of the prefix.
            _ if self.step.base.is_some() => return None,
            None | Some(RewriteReason::LookedOnce | RewriteReason::ClientRewrote) => false,
            Some(RewriteReason::CacheCold) => return None,
            // A provider that caches up to breakpoints finds nothing far in front of the last one.
            Some(_) => self.prices.cache_lookback_blocks.is_some(),
        };
        (!self.is_expired).then_some(if is_far { 0 } else { self.step.kept })
    }
}
