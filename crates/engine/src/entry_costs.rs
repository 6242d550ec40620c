//! The cost of each entry of a conversation over all prompts so far.
//!
//! Each request is priced by the card: the part that the provider finds from the last request is
//! read from its cache, the rest is written there. Where the provider caches nothing, or the prompt
//! is too short for its cache, all of it is plain input. Answers are not included.

use crate::plan_step::{EntryState, PlanStep, RewriteReason};
use crate::planner::prompt_window::PromptWindow;
use foveal_pricing::prices::PriceCard;
use foveal_transcript::EntryIndex;

/// The cost of the parts of the prompts, in US dollars.
#[derive(Debug, Clone, Default)]
pub struct EntryCosts {
    entries: Vec<f64>,
    prelude: f64,
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

    /// Adds the cost of a request; `is_expired`: nothing of the last one is cached any longer.
    pub(crate) fn add_request(
        &mut self,
        step: &PlanStep,
        window: &PromptWindow,
        items: &[EntryState],
        prices: &PriceCard,
        is_expired: bool,
    ) {
        self.entries.resize(items.len(), 0.0);
        let PriceCard { cache_read, cache_write, input, .. } = *prices;
        let found = cached_entries(step, prices).filter(|_| !is_expired);
        let (prelude, tokens) = (window.system.tokens(), window.tokens.total());
        let is_cached =
            prices.cache_lifetime_ms.is_some() && prelude + tokens >= prices.cache_minimum;
        let price = |is_found: bool| match (is_cached, is_found) {
            (false, _) => input,
            (true, true) => cache_read,
            (true, false) => cache_write,
        };
        self.prelude += prelude.0 as f64 * price(found.is_some()) / 1e6;
        for (at, index) in window.entries().iter().enumerate() {
            let price = price(found.is_some_and(|found| at < found));
            self.entries[index.as_usize()] += items[index.as_usize()].tokens.0 as f64 * price / 1e6;
        }
    }
}

/// Returns how many entries a provider finds in its cache that has not expired; `None` if it does
/// not even find the prelude.
fn cached_entries(step: &PlanStep, prices: &PriceCard) -> Option<usize> {
    match step.rewrite {
        // A changed system prompt changes the beginning of the prefix.
        _ if step.base.is_some() => None,
        None | Some(RewriteReason::LookedOnce | RewriteReason::ClientRewrote) => Some(step.kept),
        Some(RewriteReason::CacheCold) => None,
        // A provider that caches up to breakpoints finds nothing far in front of the last one.
        Some(_) if prices.cache_lookback_blocks.is_some() => Some(0),
        Some(_) => Some(step.kept),
    }
}
