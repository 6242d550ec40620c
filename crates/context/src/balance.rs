//! What was saved so far: what a rewrite that may turn out to be in vain is paid for with.

use crate::prices::PriceCard;
use crate::step::{RewriteReason, Step};
use crate::tokens::Tokens;
use crate::window_tokens::WindowTokens;
use foveal_transcript::{EntryIndex, Timestamp};

/// A request as it was sent, as far as that decides what the provider finds of it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// When.
    pub time: Option<Timestamp>,
    /// Whether the provider was asked to keep it up to the latest answer in it.
    pub keeps_answer: bool,
    /// The response that answers it.
    pub answer: EntryIndex,
    /// Tokens of its messages.
    pub tokens: Tokens,
}

/// What the requests of a conversation have saved so far, less what rewrites have cost: at least,
/// in tokens of uncached input.
#[derive(Debug, Clone, Copy, Default)]
pub struct Balance(f64);

impl Balance {
    /// How much that is, in tokens of uncached input; below 0 where more was paid than saved.
    pub fn tokens(&self) -> f64 {
        self.0
    }

    /// Settles a request of which the first `sent` entries had been sent before. What it holds
    /// less than as recorded would have been written to the cache where it is new, and would at
    /// least have been read where it is old. What is old and stands behind a change is written.
    pub fn settle(&mut self, step: &Step, sent: usize, tokens: &WindowTokens, prices: &PriceCard) {
        let known = match step.rewrite {
            Some(RewriteReason::CacheCold) => Tokens(0),
            _ => tokens.saved_before(sent),
        };
        let new = tokens.saved_before(usize::MAX) - known;
        self.0 += prices.read_ratio() * known.0 as f64 + prices.write_ratio() * new.0 as f64;
        let written_from = match step.rewrite {
            None | Some(RewriteReason::CacheCold | RewriteReason::ClientRewrote) => return,
            Some(RewriteReason::LookedOnce) => step.kept,
            // Far in front of the last mark nothing is found that is kept up to marks.
            Some(_) if prices.cache_lookback_blocks.is_some() => 0,
            Some(_) => step.kept,
        };
        let written = tokens.before(sent) - tokens.before(written_from);
        self.0 -= prices.premium() * written.0 as f64;
    }
}
