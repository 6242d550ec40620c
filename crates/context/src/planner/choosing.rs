//! Whether a request is a moment for a rewrite, and what then goes.

use foveal_transcript::{EntryIndex, Timestamp};

use super::Planner;
use crate::level::Level;
use crate::record::Record;
use crate::rewrite;
use crate::settings::RewriteSettings;
use crate::step::RewriteReason;
use crate::tokens::Tokens;
use crate::wish::Wish;

impl Planner {
    /// What a rewrite now takes, if it pays or costs nothing; notes what is dead weight since.
    pub(super) fn choose(
        &mut self,
        record: &Record,
        cut: Option<usize>,
        (now, wished, compacts): (Option<Timestamp>, &[Wish], bool),
    ) -> rewrite::Choice {
        let Some(settings) = &self.settings.rewrite else { return rewrite::Choice::default() };
        let reason = self.rewrite_reason(cut, now);
        let free_from = if reason == Some(RewriteReason::ClientRewrote) { cut } else { None };
        let free = (reason, free_from.unwrap_or(0));
        let ask = self.about_rewrite((record, settings), now, free);
        let choice = rewrite::choose(&rewrite::ask::Ask { compacts, wished, ..ask });
        self.mark_dead(choice.dead.iter().copied());
        // No level is below a note: of a long conversation most entries come to stand there.
        self.movable.retain(|index| self.items[index.at()].level != Level::Note);
        choice
    }

    /// What a rewrite with the next request would reduce, where one is near; see
    /// [`rewrite::foresee`].
    pub(super) fn foresee_rewrite(&self, record: &Record) -> Vec<(EntryIndex, Level)> {
        let Some(settings) = &self.settings.rewrite else { return Vec::new() };
        let free = (self.rewrite_reason(None, None), 0);
        rewrite::foresee(&self.about_rewrite((record, settings), None, free))
    }

    /// What is asked about a rewrite where the person wants none, and why it is free, if it is, from
    /// which window position on.
    fn about_rewrite<'a>(
        &'a self,
        (record, settings): (&'a Record, &'a RewriteSettings),
        now: Option<Timestamp>,
        (reason, free_from): (Option<RewriteReason>, usize),
    ) -> rewrite::ask::Ask<'a> {
        rewrite::ask::Ask {
            record,
            settings,
            prices: &self.prices,
            window: self.window.entries(),
            window_tokens: &self.window_tokens,
            movable: &self.movable,
            items: &self.items,
            lives: &self.lives,
            interest: &self.interest,
            score: self.score.as_deref(),
            requests: self.requests,
            requests_sent: &self.requests_sent,
            now,
            compacts: false,
            wished: &[],
            sent: self.sent,
            balance: &self.balance,
            old_reads: self.old_reads(),
            prelude: self.prelude,
            tokens_max: self.window_limit.map(|limit| limit.tokens_max()),
            fixed_until: self.fixed_until(reason),
            reason,
            free_from,
        }
    }

    /// The window position before which nothing may be rewritten: reasoning that is bound to
    /// its prefix would be refused behind a change, unless the client changed it.
    pub(super) fn fixed_until(&self, reason: Option<RewriteReason>) -> usize {
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
        if cut.is_some_and(|from| from < self.sent) {
            return Some(RewriteReason::ClientRewrote);
        }
        // Where nothing is cached, nothing is lost.
        let is_cold = self.was_short() || self.is_expired(now);
        (self.sent > 0 && is_cold).then_some(RewriteReason::CacheCold)
    }

    /// Whether nothing of the last prompt is cached any longer.
    pub fn is_expired(&self, now: Option<Timestamp>) -> bool {
        let expires = |lifetime| match (self.last_request, now) {
            (Some(last), Some(now)) => now.since_ms(last) > lifetime,
            (None, _) | (_, None) => false,
        };
        self.prices.cache_lifetime_ms.is_none_or(expires)
    }

    /// Whether the last prompt, of which nothing was cut, was too short to be cached. Without the
    /// prelude nobody knows how long it was.
    fn was_short(&self) -> bool {
        let minimum = self.prices.cache_minimum;
        let messages = self.window_tokens.before(self.sent);
        self.prelude > Tokens(0) && self.prelude.0 + messages.0 < minimum.0
    }

    /// Notes which results are dead weight now, in window order; all others are not.
    fn mark_dead(&mut self, dead: impl Iterator<Item = EntryIndex>) {
        let mut dead = dead.peekable();
        for index in &self.movable {
            let is_dead = dead.next_if_eq(index).is_some();
            if let Some(life) = self.lives[index.at()].as_mut() {
                life.dead_since =
                    if is_dead { life.dead_since.or(Some(self.requests)) } else { None };
            }
        }
    }
}
