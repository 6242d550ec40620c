//! When a rewrite happens, and what it reduces.

use foveal_pricing::tokens::Tokens;
use foveal_transcript::{EntryIndex, Timestamp};

use super::Planner;
use crate::conversation_record::ConversationRecord;
use crate::overrides::ResultOverride;
use crate::plan_step::RewriteReason;
use crate::reduction_level::ReductionLevel;
use crate::rewrite;
use crate::settings::RewriteSettings;

impl Planner {
    /// Chooses the reductions of a rewrite now, if it pays or is free, and updates which results
    /// are dead weight.
    pub(super) fn choose_rewrite(
        &mut self,
        record: &ConversationRecord,
        cut: Option<usize>,
        now: Option<Timestamp>,
        wished: &[ResultOverride],
        compacts: bool,
    ) -> rewrite::RewriteChoice {
        let Some(settings) = &self.settings.rewrite else {
            return rewrite::RewriteChoice::default();
        };
        let reason = self.rewrite_reason(cut, now);
        let free_from = if reason == Some(RewriteReason::ClientRewrote) { cut } else { None };
        let ask = self.rewrite_inputs(record, settings, now, reason, free_from.unwrap_or(0));
        let choice = rewrite::choose_rewrite(&rewrite::inputs::RewriteInputs {
            compacts,
            overrides: wished,
            ..ask
        });
        self.mark_dead_weight(choice.dead_weight.iter().copied());
        // No level is below a note, and in a long conversation most entries end there.
        self.reducible
            .retain(|index| self.entry_states[index.as_usize()].level != ReductionLevel::Note);
        choice
    }

    /// Predicts the reductions of a rewrite with the next request, if one is near; see
    /// [`rewrite::predict_rewrite`].
    pub(super) fn predict_rewrite(
        &self,
        record: &ConversationRecord,
    ) -> Vec<(EntryIndex, ReductionLevel)> {
        let Some(settings) = &self.settings.rewrite else { return Vec::new() };
        let reason = self.rewrite_reason(None, None);
        rewrite::predict_rewrite(&self.rewrite_inputs(record, settings, None, reason, 0))
    }

    /// Returns the inputs of a choice without overrides. `reason` is set where a rewrite is free
    /// from window position `free_from` on.
    fn rewrite_inputs<'a>(
        &'a self,
        record: &'a ConversationRecord,
        settings: &'a RewriteSettings,
        now: Option<Timestamp>,
        reason: Option<RewriteReason>,
        free_from: usize,
    ) -> rewrite::inputs::RewriteInputs<'a> {
        rewrite::inputs::RewriteInputs {
            record,
            settings,
            prices: &self.prices,
            window: self.window.entries(),
            window_tokens: &self.window_tokens,
            reducible: &self.reducible,
            entry_states: &self.entry_states,
            result_ages: &self.result_ages,
            interest: &self.interest,
            reuse_predictor: self.reuse_predictor.as_deref(),
            requests: self.requests,
            requests_sent: &self.requests_sent,
            now,
            compacts: false,
            overrides: &[],
            sent_len: self.sent_len,
            balance: &self.balance,
            old_read_settings: self.old_read_settings(),
            prelude: self.prelude,
            tokens_max: [settings.tokens_max, self.window_limit.map(|limit| limit.tokens_max())]
                .into_iter()
                .flatten()
                .min(),
            rewritable_from: self.rewritable_from(reason),
            free_reason: reason,
            free_from,
        }
    }

    /// Returns the first window position that may be rewritten. A provider that binds reasoning to
    /// its prefix refuses a prompt that changed before the reasoning, unless the client changed it.
    pub(super) fn rewritable_from(&self, reason: Option<RewriteReason>) -> usize {
        if !self.constraints.reasoning_is_bound || reason == Some(RewriteReason::ClientRewrote) {
            return 0;
        }
        let window = self.window.entries();
        let mut latest = self.reasoning.iter().rev();
        latest.find_map(|index| window.binary_search(index).ok()).map_or(0, |last| last + 1)
    }

    pub(super) fn rewrite_reason(
        &self,
        cut: Option<usize>,
        now: Option<Timestamp>,
    ) -> Option<RewriteReason> {
        if cut.is_some_and(|from| from < self.sent_len) {
            return Some(RewriteReason::ClientRewrote);
        }
        // Without a cached prompt a rewrite loses nothing.
        let is_cold = self.was_below_cache_minimum() || self.is_expired(now);
        (self.sent_len > 0 && is_cold).then_some(RewriteReason::CacheCold)
    }

    /// Returns whether nothing of the last prompt is cached any longer, by its age.
    pub fn is_expired(&self, now: Option<Timestamp>) -> bool {
        let expires = |lifetime| match (self.last_request, now) {
            (Some(last), Some(now)) => now.since_ms(last) > lifetime,
            (None, _) | (_, None) => false,
        };
        self.prices.cache_lifetime_ms.is_none_or(expires)
    }

    /// Returns whether the last prompt, of which nothing was cut, was too short to be cached.
    /// Without a known prelude its length is unknown.
    fn was_below_cache_minimum(&self) -> bool {
        let minimum = self.prices.cache_minimum;
        let messages = self.window_tokens.prefix_tokens(self.sent_len);
        self.prelude > Tokens(0) && self.prelude.0 + messages.0 < minimum.0
    }

    /// Marks the results in `dead` (in window order) as dead weight, and clears all others.
    fn mark_dead_weight(&mut self, dead: impl Iterator<Item = EntryIndex>) {
        let mut dead = dead.peekable();
        for index in &self.reducible {
            let is_dead = dead.next_if_eq(index).is_some();
            if let Some(life) = self.result_ages[index.as_usize()].as_mut() {
                life.dead_since =
                    if is_dead { life.dead_since.or(Some(self.requests)) } else { None };
            }
        }
    }
}
