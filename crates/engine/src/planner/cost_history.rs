//! The requests sent so far, with their costs and savings.

use foveal_pricing::prices::PriceCard;
use foveal_transcript::Timestamp;

use super::prompt_window::PromptWindow;
use crate::entry_costs::EntryCosts;
use crate::plan_step::{EntryState, PlanStep};
use crate::savings_balance::{SavingsBalance, SentRequest};

/// The requests sent so far, with their costs and savings.
#[derive(Debug, Clone, Default)]
pub(crate) struct CostHistory {
    /// Each request as it was sent.
    pub(crate) sent: Vec<SentRequest>,
    /// The tokens saved.
    pub(crate) balance: SavingsBalance,
    /// The cost of each part of the prompts.
    pub(crate) entry_costs: EntryCosts,
}

impl CostHistory {
    /// Returns the number of requests so far. It is the number of the next request.
    pub(crate) fn request_count(&self) -> u32 {
        self.sent.len() as u32
    }

    /// Returns whether nothing of the last prompt is cached any longer, by its age.
    pub(crate) fn is_expired(&self, prices: &PriceCard, now: Option<Timestamp>) -> bool {
        let last = || self.sent.iter().rev().find_map(|request| request.time);
        prices.cache_lifetime_ms.is_none_or(|lifetime| {
            now.zip(last()).is_some_and(|(now, last)| now.since_ms(last) > lifetime)
        })
    }

    /// Adds the request of `step`.
    pub(crate) fn add_request(
        &mut self,
        step: &PlanStep,
        window: &PromptWindow,
        states: &[EntryState],
        prices: &PriceCard,
    ) {
        self.balance.add_step(step, window, prices);
        let is_expired = window.sent_len == 0 || self.is_expired(prices, step.time);
        self.entry_costs.add_request(step, window, states, prices, is_expired);
        let PlanStep { answer, time, keeps_answer, .. } = *step;
        let tokens = window.tokens.total();
        self.sent.push(SentRequest { time, keeps_answer, answer, tokens });
    }
}
