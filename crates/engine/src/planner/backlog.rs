//! New results that passed through whole because their decision came too late. They are shaped once
//! a change is free, or once carrying them has cost as much as sending them again.

use foveal_transcript::EntryIndex;

use super::Planner;
use super::late_results::LateResults;
use crate::plan_step::{BacklogChange, PlanStep, RewriteReason};

/// Most requests whose results may wait; the oldest are given up first.
const BACKLOG_MAX: usize = 64;

/// Multiple of the cost of a resend that the carrying cost must exceed, if the settings do not say.
const DEFAULT_RENTAL: f64 = 1.2;

/// Number of requests expected to follow, if the settings do not say.
const DEFAULT_HORIZON: u32 = 20;

impl Planner {
    /// Returns the first waiting result that is to be shaped now, with the reason. Nothing before
    /// window position `fixed_until` may change.
    pub(super) fn due_backlog(
        &self,
        reason: Option<RewriteReason>,
        cut: Option<usize>,
        fixed_until: usize,
    ) -> Option<(EntryIndex, RewriteReason)> {
        let is_open = |late: &&LateResults| {
            let position = self.window_position(late.from);
            position >= fixed_until && position < self.sent_len
        };
        let free_from = match reason {
            Some(RewriteReason::ClientRewrote) => cut.unwrap_or(self.sent_len),
            _ => 0,
        };
        let mut open = self.backlog.iter().filter(is_open);
        if let Some(reason) = reason {
            let first = open.find(|late| self.window_position(late.from) >= free_from)?;
            return Some((first.from, reason));
        }
        let rewrite = self.settings.rewrite.as_ref();
        let rental = rewrite.map_or(DEFAULT_RENTAL, |rewrite| rewrite.rental);
        let once = rewrite.and_then(|rewrite| rewrite.look_once.as_ref());
        let horizon = f64::from(once.map_or(DEFAULT_HORIZON, |once| once.horizon));
        let sent = self.window_tokens.prefix_tokens(self.sent_len).0;
        let (mut saved, mut rent, mut due) = (0, 0.0, None);
        for late in open.rev() {
            saved += late.saving;
            let carried = self.requests.saturating_sub(late.request);
            rent += f64::from(carried) * late.saving as f64 * self.prices.read_ratio();
            let before = self.window_tokens.prefix_tokens(self.window_position(late.from)).0;
            let again = sent.saturating_sub(before).saturating_sub(saved);
            let cost = self.prices.write_premium() * again as f64;
            // As with early reductions, earlier savings may pay for it.
            let a_request = saved as f64 * self.prices.read_ratio();
            let is_expected = a_request * horizon > cost;
            let is_paid = is_expected && cost <= self.balance.tokens() + a_request;
            if rent > rental * cost || is_paid {
                due = Some((late.from, RewriteReason::SkiRental));
            }
        }
        due
    }

    /// Updates the waiting results after a step.
    pub(super) fn update_backlog(&mut self, step: &PlanStep) {
        if let Some(BacklogChange::Shaped { from }) = step.backlog {
            self.backlog.retain(|late| late.from < from);
        }
        if step.rewrite.is_some() {
            let window = self.window.entries();
            self.backlog.retain(|late| {
                window.binary_search(&late.from).is_ok_and(|position| position < step.kept)
            });
        }
        if let Some(BacklogChange::Added { from, saving }) = step.backlog {
            if self.backlog.len() >= BACKLOG_MAX {
                self.backlog.remove(0);
            }
            self.backlog.push(LateResults { from, saving, request: self.requests });
        }
    }
}
