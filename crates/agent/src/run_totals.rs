//! The totals of a run: requests, tokens, cost and time.

use foveal_protocols::response::BilledUsage;
use serde::Serialize;

use crate::billing::ModelPrice;
use crate::charge::UsageCharge;
use crate::side_model::{SideModelCharge, SideModelTotals};

/// The totals of a run and its sub-agents. Tokens and cost include side models.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct RunTotals {
    /// Requests to the main model, over all tasks.
    pub turns: u32,
    /// Calls that repeated an earlier one: its answer was reused, or the prompt only points at it.
    pub repeats: u32,
    /// The tokens and cost of all requests, to side models too.
    #[serde(flatten)]
    pub charge: UsageCharge,
    /// Milliseconds since the last task was given or the conversation continued.
    pub time_ms: i64,
    /// The part of it that side models caused.
    pub side: SideModelTotals,
    /// The part of it that sub-agents caused.
    #[serde(skip_serializing_if = "SubAgentTotals::is_zero")]
    pub agents: SubAgentTotals,
}

/// The totals of a run's sub-agents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct SubAgentTotals {
    /// The number of sub-agents.
    pub count: u32,
    /// Their requests to the model.
    pub turns: u32,
    /// Their tokens, regardless of prices.
    pub tokens: u64,
    /// Their cost in US dollars.
    pub cost: f64,
}

impl SubAgentTotals {
    /// Returns whether no sub-agent was started.
    pub fn is_zero(&self) -> bool {
        self.count == 0
    }

    /// Returns the sum of both totals.
    #[must_use]
    pub fn plus(self, other: &Self) -> Self {
        Self {
            count: self.count.saturating_add(other.count),
            turns: self.turns.saturating_add(other.turns),
            tokens: self.tokens.saturating_add(other.tokens),
            cost: self.cost + other.cost,
        }
    }
}

impl RunTotals {
    /// Returns the sum of all tokens, regardless of their prices.
    pub fn total_tokens(&self) -> u64 {
        self.charge.total_tokens()
    }

    /// Returns the totals without side models.
    #[must_use]
    pub fn without_side_models(&self) -> Self {
        let charge = self.charge.minus(&self.side.charge);
        Self { charge, side: SideModelTotals::default(), ..*self }
    }

    /// Returns the sum of these totals and `later` ones. The time is that of `later`.
    #[must_use]
    pub fn plus(self, later: &Self) -> Self {
        Self {
            turns: self.turns.saturating_add(later.turns),
            repeats: self.repeats.saturating_add(later.repeats),
            charge: self.charge.plus(&later.charge),
            time_ms: later.time_ms,
            side: self.side.plus(later.side),
            agents: self.agents.plus(&later.agents),
        }
    }

    /// Returns the totals with one more question to a side model.
    #[must_use]
    pub fn with_side_question(self, side: &SideModelCharge) -> Self {
        let one = SideModelTotals { requests: 1, charge: side.charge };
        Self { charge: self.charge.plus(&one.charge), side: self.side.plus(one), ..self }
    }

    /// Returns the totals with a sub-agent's increase from `before` to `now`.
    pub(crate) fn with_sub_agent_increase(self, now: &Self, before: &Self) -> Self {
        let turns = now.turns.saturating_sub(before.turns);
        let repeats = now.repeats.saturating_sub(before.repeats);
        let charge = now.charge.minus(&before.charge);
        let agents = SubAgentTotals {
            count: 0,
            turns,
            tokens: now.total_tokens().saturating_sub(before.total_tokens()),
            cost: charge.cost,
        };
        Self {
            turns: self.turns.saturating_add(turns),
            repeats: self.repeats.saturating_add(repeats),
            charge: self.charge.plus(&charge),
            agents: self.agents.plus(&agents),
            ..self
        }
    }

    /// Returns the totals with one more answer of the main model.
    pub(crate) fn with_answer(self, billed: &BilledUsage, price: &ModelPrice) -> Self {
        Self { charge: self.charge.plus(&UsageCharge::from_billed_usage(billed, price)), ..self }
    }
}
