//! What a run has come to so far.

use foveal_context::prices::PriceCard;
use foveal_wire::response::Billed;
use serde::Serialize;

use crate::charge::Charge;
use crate::side::{SideCharge, SideSpent};

/// What a run has come to so far, with its sub-agents. Tokens and money are those of all models that
/// were asked for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Spent {
    /// Requests to the main model, all tasks together.
    pub turns: u32,
    /// What they and all others came to.
    #[serde(flatten)]
    pub charge: Charge,
    /// Milliseconds since the last task was given, or the conversation went on.
    pub time_ms: i64,
    /// What of it models beside the main one came to.
    pub side: SideSpent,
    /// What of it is of sub-agents.
    #[serde(skip_serializing_if = "OfAgents::are_none")]
    pub agents: OfAgents,
}

/// What sub-agents have come to so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct OfAgents {
    /// How many there were.
    pub count: u32,
    /// Their requests to the model.
    pub turns: u32,
    /// Their tokens, whatever each costs.
    pub tokens: u64,
    /// US dollars.
    pub cost: f64,
}

impl OfAgents {
    /// Whether there were none.
    pub fn are_none(&self) -> bool {
        self.count == 0
    }

    /// These and others.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        Self {
            count: self.count.saturating_add(other.count),
            turns: self.turns.saturating_add(other.turns),
            tokens: self.tokens.saturating_add(other.tokens),
            cost: self.cost + other.cost,
        }
    }
}

impl Spent {
    /// All tokens, whatever each costs.
    pub fn tokens(&self) -> u64 {
        self.charge.tokens()
    }

    /// What of it the main model came to alone.
    #[must_use]
    pub fn main(&self) -> Self {
        let charge = self.charge.without(&self.side.charge);
        Self { charge, side: SideSpent::default(), ..*self }
    }

    /// What this came to, and `later` after it.
    #[must_use]
    pub fn and(self, later: &Self) -> Self {
        Self {
            turns: self.turns.saturating_add(later.turns),
            charge: self.charge.and(&later.charge),
            time_ms: later.time_ms,
            side: self.side.and(later.side),
            agents: self.agents.and(&later.agents),
        }
    }

    /// The same with one more question to a model beside the main one.
    #[must_use]
    pub fn with_side(self, side: &SideCharge) -> Self {
        let one = SideSpent { requests: 1, charge: side.charge };
        Self { charge: self.charge.and(&one.charge), side: self.side.and(one), ..self }
    }

    /// The same with what a sub-agent came to since it had come to `before`.
    pub(crate) fn with_agent(self, now: &Self, before: &Self) -> Self {
        let turns = now.turns.saturating_sub(before.turns);
        let charge = now.charge.without(&before.charge);
        let agents = OfAgents {
            count: 0,
            turns,
            tokens: now.tokens().saturating_sub(before.tokens()),
            cost: charge.cost,
        };
        Self {
            turns: self.turns.saturating_add(turns),
            charge: self.charge.and(&charge),
            agents: self.agents.and(&agents),
            ..self
        }
    }

    /// The same with one more answer of the main model.
    pub(crate) fn with(self, billed: &Billed, prices: Option<&PriceCard>) -> Self {
        Self { charge: self.charge.and(&Charge::of(billed, prices)), ..self }
    }
}
