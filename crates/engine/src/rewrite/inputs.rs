//! The inputs of a choice of results to rewrite.

use crate::conversation_record::ConversationRecord;
use crate::file_interest::FileInterestTable;
use crate::overrides::{self, ResultOverride};
use crate::plan_step::{EntryState, RewriteReason};
use crate::reduction_level::ResultAge;
use crate::reuse_score::ReusePredictor;
use crate::savings_balance::{SavingsBalance, SentRequest};
use crate::settings::{OldReadSettings, RewriteSettings};
use crate::window_tokens::WindowTokens;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokens;
use foveal_transcript::{EntryIndex, MessageRole, Timestamp};

/// The inputs of a choice of results to rewrite.
pub struct RewriteInputs<'a> {
    /// The conversation and its facts.
    pub record: &'a ConversationRecord,
    /// The settings.
    pub settings: &'a RewriteSettings,
    /// The prices.
    pub prices: &'a PriceCard,
    /// The entries of the prompt, in order.
    pub window: &'a [EntryIndex],
    /// The token counts of the window.
    pub window_tokens: &'a WindowTokens,
    /// The entries of the window that may be reduced.
    pub reducible: &'a [EntryIndex],
    /// The state of each entry.
    pub entry_states: &'a [EntryState],
    /// The request numbers at which each result arrived and was last used.
    pub result_ages: &'a [Option<ResultAge>],
    /// The files that the conversation mentioned, read or edited.
    pub interest: &'a FileInterestTable,
    /// A predictor of reuse in place of the regression.
    pub reuse_predictor: Option<&'a dyn ReusePredictor>,
    /// Requests planned so far.
    pub requests: u32,
    /// Each of these requests as it was sent.
    pub requests_sent: &'a [SentRequest],
    /// The time at which the next request is sent, if known.
    pub now: Option<Timestamp>,
    /// Whether the user asks for a shorter prompt.
    pub compacts: bool,
    /// The overrides of this request; their results are not rewritten now.
    pub overrides: &'a [ResultOverride],
    /// Number of entries of the window that were sent before.
    pub sent_len: usize,
    /// Tokens saved so far.
    pub balance: &'a SavingsBalance,
    /// The settings for old reads; `None`: they become outlines.
    pub old_read_settings: Option<&'a OldReadSettings>,
    /// Tokens of every prompt outside its messages.
    pub prelude: Tokens,
    /// Most tokens that a prompt may have, if known.
    pub tokens_max: Option<Tokens>,
    /// The first window position that the provider allows to rewrite.
    pub rewritable_from: usize,
    /// The reason why a rewrite is free now, if it is.
    pub free_reason: Option<RewriteReason>,
    /// The first window position from which it is free; entries before it are still cached.
    pub free_from: usize,
}

impl RewriteInputs<'_> {
    pub(crate) fn entry_state(&self, index: EntryIndex) -> &EntryState {
        &self.entry_states[index.as_usize()]
    }

    pub(crate) fn has_override(&self, index: EntryIndex) -> bool {
        overrides::has_override(self.overrides, index)
    }

    /// Returns the number of entries of the window up to the latest answer, if that answer is new;
    /// 0 otherwise.
    pub(crate) fn answered_len(&self) -> usize {
        let is_answer =
            |index: &EntryIndex| self.record.entry(*index).role == MessageRole::Assistant;
        let sent = self.sent_len.min(self.window.len());
        self.window[sent..].iter().rposition(is_answer).map_or(0, |at| sent + at + 1)
    }
}

/// Approximate tokens of a note with a handle.
pub(crate) const NOTE_TOKENS: u64 = 20;
