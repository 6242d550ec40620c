//! What a choice of what to rewrite depends on.

use crate::balance::{Balance, Sent};
use crate::interest::Interest;
use crate::level::Life;
use crate::prices::PriceCard;
use crate::record::Record;
use crate::score::Score;
use crate::settings::{OldReads, RewriteSettings};
use crate::step::{Item, RewriteReason};
use crate::tokens::Tokens;
use crate::window_tokens::WindowTokens;
use crate::wish::{self, Wish};
use foveal_transcript::{EntryIndex, Role, Timestamp};

/// What a choice depends on.
pub struct Ask<'a> {
    /// The conversation and its facts.
    pub record: &'a Record,
    /// The settings.
    pub settings: &'a RewriteSettings,
    /// The prices.
    pub prices: &'a PriceCard,
    /// The entries of the prompt, in order.
    pub window: &'a [EntryIndex],
    /// Their tokens.
    pub window_tokens: &'a WindowTokens,
    /// Those of them that may be reduced.
    pub movable: &'a [EntryIndex],
    /// What stands in each entry's place.
    pub items: &'a [Item],
    /// When each result came and was last used.
    pub lives: &'a [Option<Life>],
    /// The files the conversation showed interest in.
    pub interest: &'a Interest,
    /// What judges results in place of the regression.
    pub score: Option<&'a dyn Score>,
    /// Requests planned so far.
    pub requests: u32,
    /// How each of them was sent.
    pub requests_sent: &'a [Sent],
    /// When the next one is sent, as far as known.
    pub now: Option<Timestamp>,
    /// Whether the person wants a shorter prompt.
    pub compacts: bool,
    /// What the person has just wanted of single results: these stay as they are wanted.
    pub wished: &'a [Wish],
    /// Entries of the window that were sent before.
    pub sent: usize,
    /// What was saved so far.
    pub balance: &'a Balance,
    /// What old reads become; `None`: an outline.
    pub old_reads: Option<&'a OldReads>,
    /// Tokens of what is in every prompt beside its messages.
    pub prelude: Tokens,
    /// Tokens that a prompt may have, where that is known.
    pub tokens_max: Option<Tokens>,
    /// The window position before which the provider allows no rewrite.
    pub fixed_until: usize,
    /// A moment at which rewriting is free.
    pub reason: Option<RewriteReason>,
    /// The first window position from which it is free; what stands before is still cached.
    pub free_from: usize,
}

impl Ask<'_> {
    pub(crate) fn item(&self, index: EntryIndex) -> &Item {
        &self.items[index.at()]
    }

    pub(crate) fn is_wished(&self, index: EntryIndex) -> bool {
        wish::has(self.wished, index)
    }

    /// Entries of the window that were sent before and stand before the latest answer, which
    /// included.
    pub(crate) fn sent_and_answered(&self) -> usize {
        let is_answer = |index: &EntryIndex| self.record.entry(*index).role == Role::Assistant;
        let sent = self.sent.min(self.window.len());
        self.window[sent..].iter().rposition(is_answer).map_or(0, |at| sent + at + 1)
    }
}

/// Tokens of a note with a handle, about.
pub(crate) const NOTE_TOKENS: u64 = 20;
