//! What models beside the main one cost: they are asked because of the run, and count as it does.

use foveal_context::prices::PriceCard;
use foveal_wire::response::Billed;
use serde::Serialize;

use crate::charge::Charge;

/// What a model beside the main one is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SideKind {
    /// It chooses which lines of files are shown.
    Curator,
    /// It reads files into the index.
    Indexer,
}

/// What one question to such a model cost, with its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SideCharge {
    /// What the model is for.
    pub agent: SideKind,
    /// The model, as the user names it.
    pub model: String,
    /// What question and answer came to.
    #[serde(flatten)]
    pub charge: Charge,
    /// Whether the server did not tell the tokens: they are counted here, of what was asked and heard.
    pub estimated: bool,
}

/// What all such questions came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct SideSpent {
    /// Questions.
    pub requests: u32,
    /// What they came to with their answers.
    #[serde(flatten)]
    pub charge: Charge,
}

impl SideCharge {
    /// What a server billed for an answer, by these prices where it names no sum; `None`: nothing.
    pub fn billed(
        (agent, model): (SideKind, &str),
        billed: &Billed,
        prices: Option<&PriceCard>,
    ) -> Self {
        let (model, charge) = (model.to_owned(), Charge::of(billed, prices));
        Self { agent, model, charge, estimated: false }
    }

    /// The same of so many tokens of a question and of its answer, where no server tells them.
    pub fn estimated(
        who: (SideKind, &str),
        (question, answer): (u64, u64),
        prices: Option<&PriceCard>,
    ) -> Self {
        let tokens = Billed { uncached: Some(question), output: Some(answer), ..Billed::default() };
        Self { estimated: true, ..Self::billed(who, &tokens, prices) }
    }
}

impl SideSpent {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            requests: self.requests.saturating_add(other.requests),
            charge: self.charge.and(&other.charge),
        }
    }
}
