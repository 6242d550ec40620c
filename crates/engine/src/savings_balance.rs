//! The tokens saved so far, which pay for rewrites that may turn out not to pay off.

use crate::plan_step::{PlanStep, RewriteReason};
use crate::planner::prompt_window::PromptWindow;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokens;
use foveal_transcript::{EntryIndex, Timestamp};

/// A request as it was sent, as far as it determines the cached part of the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentRequest {
    /// The time at which it was sent.
    pub time: Option<Timestamp>,
    /// Whether the provider was asked to cache it up to its latest answer.
    pub keeps_answer: bool,
    /// The response to it.
    pub answer: EntryIndex,
    /// Tokens of its messages.
    pub tokens: Tokens,
}

/// A lower bound of what the requests of a conversation have saved, less the cost of rewrites, in
/// tokens of uncached input.
#[derive(Debug, Clone, Copy, Default)]
pub struct SavingsBalance(f64);

impl SavingsBalance {
    /// Returns the balance in tokens of uncached input; negative if rewrites cost more than was
    /// saved.
    pub fn tokens(&self) -> f64 {
        self.0
    }

    /// Adds the savings of a request, and subtracts the cost of its rewrite. Omitted new tokens would
    /// have been written to the cache; omitted old tokens would at least have been read from it. Old
    /// tokens behind a change are written again.
    pub(crate) fn add_step(&mut self, step: &PlanStep, window: &PromptWindow, prices: &PriceCard) {
        let PromptWindow { tokens, sent_len, .. } = window;
        let known = match step.rewrite {
            Some(RewriteReason::CacheCold) => Tokens(0),
            _ => tokens.saved_in_prefix(*sent_len),
        };
        let new = tokens.saved_in_prefix(usize::MAX) - known;
        self.0 += prices.read_ratio() * known.0 as f64 + prices.write_ratio() * new.0 as f64;
        let written_from = match step.rewrite {
            None | Some(RewriteReason::CacheCold | RewriteReason::ClientRewrote) => return,
            Some(RewriteReason::LookedOnce) => step.kept,
            // A provider that caches up to breakpoints finds nothing far in front of the last one.
            Some(_) if prices.cache_lookback_blocks.is_some() => 0,
            Some(_) => step.kept,
        };
        let written = window.sent_tokens() - tokens.prefix_tokens(written_from);
        self.0 -= prices.write_premium() * written.0 as f64;
    }
}
