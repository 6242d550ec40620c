//! The cost of side models: models other than the main one that work for the run and count towards
//! its limits.

use foveal_protocols::response::BilledUsage;
use serde::Serialize;

use crate::billing::ModelPrice;
use crate::charge::UsageCharge;

/// The role of a side model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SideModelRole {
    /// Chooses the lines of files that the model is sent.
    Curator,
    /// Describes files for the index.
    Indexer,
}

/// The cost of one question to a side model, with its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SideModelCharge {
    /// The role of the model.
    pub agent: SideModelRole,
    /// The model, as the user names it.
    pub model: String,
    /// The tokens and cost of question and answer.
    #[serde(flatten)]
    pub charge: UsageCharge,
    /// Whether the tokens are estimated, because the server does not report them.
    pub estimated: bool,
}

/// The totals of all questions to side models.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct SideModelTotals {
    /// The number of questions.
    pub requests: u32,
    /// The tokens and cost of questions and answers.
    #[serde(flatten)]
    pub charge: UsageCharge,
}

impl SideModelCharge {
    /// Returns the charge of a billed answer. `price` gives the cost where the server states none.
    pub fn from_billed_usage(
        agent: SideModelRole,
        model: &str,
        billed: &BilledUsage,
        price: &ModelPrice,
    ) -> Self {
        let (model, charge) = (model.to_owned(), UsageCharge::from_billed_usage(billed, price));
        Self { agent, model, charge, estimated: false }
    }

    /// Returns the charge of a question and an answer with these estimated token counts.
    pub fn from_estimated_tokens(
        agent: SideModelRole,
        model: &str,
        question: u64,
        answer: u64,
        price: &ModelPrice,
    ) -> Self {
        let tokens = BilledUsage {
            uncached: Some(question),
            output: Some(answer),
            ..BilledUsage::default()
        };
        Self { estimated: true, ..Self::from_billed_usage(agent, model, &tokens, price) }
    }
}

impl SideModelTotals {
    /// Returns the sum of both totals.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            requests: self.requests.saturating_add(other.requests),
            charge: self.charge.plus(&other.charge),
        }
    }
}
