//! New results that passed whole because what was decided about them came too late: they are shaped
//! once that is free, or once carrying them has cost as much as sending them again.

use foveal_transcript::EntryIndex;

use super::Planner;
use super::late_results::LateResults;
use crate::step::{BacklogChange, RewriteReason, Step};

/// Requests of which results may wait, at most; the oldest are given up first.
const BACKLOG_MAX: usize = 64;

/// Share of the cost of sending results again that carrying them must have reached, where the
/// settings do not say.
const RENTAL: f64 = 1.2;

/// Requests that are expected to follow, where the settings do not say.
const HORIZON: u32 = 20;

impl Planner {
    /// The first of the results that passed whole which are to be shaped now, and why they may be.
    /// Nothing before window position `fixed_until` may change.
    pub(super) fn due_backlog(
        &self,
        reason: Option<RewriteReason>,
        cut: Option<usize>,
        fixed_until: usize,
    ) -> Option<(EntryIndex, RewriteReason)> {
        let is_open = |late: &&LateResults| {
            let position = self.position(late.from);
            position >= fixed_until && position < self.sent
        };
        let free_from = match reason {
            Some(RewriteReason::ClientRewrote) => cut.unwrap_or(self.sent),
            _ => 0,
        };
        let mut open = self.backlog.iter().filter(is_open);
        if let Some(reason) = reason {
            let first = open.find(|late| self.position(late.from) >= free_from)?;
            return Some((first.from, reason));
        }
        let rewrite = self.settings.rewrite.as_ref();
        let rental = rewrite.map_or(RENTAL, |rewrite| rewrite.rental);
        let once = rewrite.and_then(|rewrite| rewrite.look_once.as_ref());
        let horizon = f64::from(once.map_or(HORIZON, |once| once.horizon));
        let sent = self.window_tokens.before(self.sent).0;
        let (mut saved, mut rent, mut due) = (0, 0.0, None);
        for late in open.rev() {
            saved += late.saving;
            let carried = self.requests.saturating_sub(late.request);
            rent += f64::from(carried) * late.saving as f64 * self.prices.read_ratio();
            let before = self.window_tokens.before(self.position(late.from)).0;
            let again = sent.saturating_sub(before).saturating_sub(saved);
            let cost = self.prices.premium() * again as f64;
            // As with what was looked at once, it may be paid for with what was saved before.
            let a_request = saved as f64 * self.prices.read_ratio();
            let is_expected = a_request * horizon > cost;
            let is_paid = is_expected && cost <= self.balance.tokens() + a_request;
            if rent > rental * cost || is_paid {
                due = Some((late.from, RewriteReason::SkiRental));
            }
        }
        due
    }

    /// Notes what a step adds to the results that wait, and takes from them.
    pub(super) fn settle_backlog(&mut self, step: &Step) {
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
