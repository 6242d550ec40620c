//! How far an agent goes.

use serde::Serialize;

use crate::spent::Spent;

/// How far an agent goes without asking anybody; `None`: as far as it takes. Of an agent that stays,
/// requests and time are those of one turn, and tokens and money those of all turns together. Tokens
/// and money of models beside the main one count.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// Requests to the main model.
    pub turns: Option<u32>,
    /// Tokens of all prompts and answers together, cached ones too.
    pub tokens: Option<u64>,
    /// US dollars.
    pub cost: Option<f64>,
    /// Milliseconds since the task was given, or the conversation went on.
    pub time_ms: Option<i64>,
}

/// What an agent has reached that may not be passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Requests to the model.
    Turns,
    /// Tokens.
    Tokens,
    /// Money.
    Cost,
    /// Time.
    Time,
}

impl Limits {
    /// Which limit does not let another request go, if one does not. `turns` is how many went since
    /// the task was given.
    pub(crate) fn reached(&self, spent: &Spent, turns: u32) -> Option<Limit> {
        if self.turns.is_some_and(|most| turns >= most) {
            Some(Limit::Turns)
        } else {
            self.used_up(spent)
        }
    }

    /// Which limit lets no model be asked any more, the main one or one beside it, if one does.
    pub fn used_up(&self, spent: &Spent) -> Option<Limit> {
        if self.tokens.is_some_and(|most| spent.tokens() >= most) {
            Some(Limit::Tokens)
        } else if self.cost.is_some_and(|most| spent.charge.cost >= most) {
            Some(Limit::Cost)
        } else if self.is_late(spent) {
            Some(Limit::Time)
        } else {
            None
        }
    }

    /// What is left for a sub-agent. Of the requests one is held back: without it nobody would read
    /// what the sub-agent answers. The time is not its own: the agent that waits for it stops it.
    pub(crate) fn left(&self, spent: &Spent, turns: u32) -> Self {
        Self {
            turns: self.turns.map(|most| most.saturating_sub(turns).saturating_sub(1)),
            tokens: self.tokens.map(|most| most.saturating_sub(spent.tokens())),
            cost: self.cost.map(|most| (most - spent.charge.cost).max(0.0)),
            time_ms: None,
        }
    }

    /// Whether the time is up.
    pub(crate) fn is_late(&self, spent: &Spent) -> bool {
        self.time_ms.is_some_and(|most| spent.time_ms >= most)
    }
}

impl Limit {
    /// The words in messages.
    pub fn words(self) -> &'static str {
        match self {
            Self::Turns => "requests to the model",
            Self::Tokens => "tokens",
            Self::Cost => "cost",
            Self::Time => "time",
        }
    }
}
