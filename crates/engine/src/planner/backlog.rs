//! New results that passed through whole because their decision came too late. They are shaped once
//! a change is free, or once carrying them has cost as much as sending them again.

use foveal_transcript::EntryIndex;

use super::cost_history::CostHistory;
use super::planned_request::PlannedRequest;
use super::planner_config::PlannerConfig;
use super::prompt_window::PromptWindow;
use crate::plan_step::{BacklogChange, PlanStep, RewriteReason};

/// Most requests whose results may wait; the oldest are given up first.
const BACKLOG_MAX: usize = 64;

/// Multiple of the cost of a resend that the carrying cost must exceed, if the settings do not say.
const DEFAULT_RENTAL: f64 = 1.2;

/// Number of requests expected to follow, if the settings do not say.
const DEFAULT_HORIZON: u32 = 20;

/// Results that wait to be shaped.
#[derive(Debug, Clone, Default)]
pub(super) struct Backlog(Vec<LateResults>);

/// The results of one request that passed through whole.
#[derive(Debug, Clone, Copy)]
struct LateResults {
    /// The first of these results.
    from: EntryIndex,
    /// Tokens that shaping them would have saved.
    saving: u64,
    /// The request that they arrived with.
    request: u32,
}

impl Backlog {
    /// Returns the first waiting result that is to be shaped now, with the reason.
    pub(super) fn due(
        &self,
        request: &PlannedRequest,
        config: &PlannerConfig,
        window: &PromptWindow,
        history: &CostHistory,
    ) -> Option<(EntryIndex, RewriteReason)> {
        let is_open = |late: &&LateResults| {
            let position = window.position(late.from);
            position >= request.rewritable_from && position < window.sent_len
        };
        let mut open = self.0.iter().filter(is_open);
        if let Some(reason) = request.free_reason {
            let first = open.find(|late| window.position(late.from) >= request.free_from())?;
            return Some((first.from, reason));
        }
        let (rewrite, prices) = (config.rewrite(), &config.prices);
        let rental = rewrite.map_or(DEFAULT_RENTAL, |rewrite| rewrite.rental);
        let once = rewrite.and_then(|rewrite| rewrite.look_once.as_ref());
        let horizon = f64::from(once.map_or(DEFAULT_HORIZON, |once| once.horizon));
        let sent = window.sent_tokens().0;
        let (mut saved, mut rent, mut due) = (0, 0.0, None);
        for late in open.rev() {
            saved += late.saving;
            let carried = history.request_count().saturating_sub(late.request);
            rent += f64::from(carried) * late.saving as f64 * prices.read_ratio();
            let before = window.tokens.prefix_tokens(window.position(late.from)).0;
            let again = sent.saturating_sub(before).saturating_sub(saved);
            let cost = prices.write_premium() * again as f64;
            // As with early reductions, earlier savings may pay for it.
            let a_request = saved as f64 * prices.read_ratio();
            let is_expected = a_request * horizon > cost;
            let is_paid = is_expected && cost <= history.balance.tokens() + a_request;
            if rent > rental * cost || is_paid {
                due = Some((late.from, RewriteReason::SkiRental));
            }
        }
        due
    }

    /// Updates the waiting results after the step of request `request`.
    pub(super) fn add_step(&mut self, step: &PlanStep, window: &PromptWindow, request: u32) {
        if let Some(BacklogChange::Shaped { from }) = step.backlog {
            self.0.retain(|late| late.from < from);
        }
        if step.rewrite.is_some() {
            let is_kept =
                |late: &LateResults| window.find(late.from).is_some_and(|at| at < step.kept);
            self.0.retain(is_kept);
        }
        if let Some(BacklogChange::Added { from, saving }) = step.backlog {
            if self.0.len() >= BACKLOG_MAX {
                self.0.remove(0);
            }
            self.0.push(LateResults { from, saving, request });
        }
    }
}
