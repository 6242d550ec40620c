//! The limits of a run.

use serde::Serialize;

use crate::run_totals::RunTotals;

/// The limits of a run; `None` is unlimited. For an agent that waits for tasks, requests and time
/// count per turn, tokens and cost over all turns. Tokens and cost include side models.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RunLimits {
    /// Requests to the main model.
    pub turns: Option<u32>,
    /// Tokens of all prompts and answers together, including cached ones.
    pub tokens: Option<u64>,
    /// US dollars.
    pub cost: Option<f64>,
    /// Milliseconds since the task was given or the conversation continued.
    pub time_ms: Option<i64>,
}

/// The advice where a limit of cost ends a run because the cost is not known.
pub const UNKNOWN_COST_ADVICE: &str = "no price of the model is known, so the limit on cost cannot be \
    checked: set the price in `[[gateway.prices]]`, or use another limit";

/// The kind of a limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// Requests to the model.
    Turns,
    /// Tokens.
    Tokens,
    /// Cost.
    Cost,
    /// Cost, which cannot be checked: that of an answer is not known.
    UnknownCost,
    /// Time.
    Time,
}

impl RunLimits {
    /// Returns the limit that forbids another request to the main model, if any. `turns` is the
    /// number of requests since the task was given.
    pub(crate) fn reached_limit(&self, spent: &RunTotals, turns: u32) -> Option<LimitKind> {
        if self.turns.is_some_and(|most| turns >= most) {
            Some(LimitKind::Turns)
        } else {
            self.exhausted_limit(spent)
        }
    }

    /// Returns the limit that forbids a request to any model, main or side, if any.
    pub fn exhausted_limit(&self, spent: &RunTotals) -> Option<LimitKind> {
        if self.tokens.is_some_and(|most| spent.total_tokens() >= most) {
            Some(LimitKind::Tokens)
        } else if self.cost.is_some_and(|most| spent.charge.cost >= most) {
            Some(LimitKind::Cost)
        } else if self.cost.is_some() && spent.charge.has_unknown_cost {
            Some(LimitKind::UnknownCost)
        } else if self.is_time_exceeded(spent) {
            Some(LimitKind::Time)
        } else {
            None
        }
    }

    /// Returns the limits that remain for a sub-agent. One request is held back, in which the model
    /// reads the sub-agent's answer. Time is unlimited, since the waiting agent stops the
    /// sub-agent.
    pub(crate) fn remaining_for_sub_agent(&self, spent: &RunTotals, turns: u32) -> Self {
        Self {
            turns: self.turns.map(|most| most.saturating_sub(turns).saturating_sub(1)),
            tokens: self.tokens.map(|most| most.saturating_sub(spent.total_tokens())),
            cost: self.cost.map(|most| (most - spent.charge.cost).max(0.0)),
            time_ms: None,
        }
    }

    /// Returns whether the time limit is reached.
    pub(crate) fn is_time_exceeded(&self, spent: &RunTotals) -> bool {
        self.time_ms.is_some_and(|most| spent.time_ms >= most)
    }
}

impl LimitKind {
    /// Returns the name of the limit in messages.
    pub fn display_name(self) -> &'static str {
        match self {
            Self::Turns => "requests to the model",
            Self::Tokens => "tokens",
            Self::Cost | Self::UnknownCost => "cost",
            Self::Time => "time",
        }
    }
}
