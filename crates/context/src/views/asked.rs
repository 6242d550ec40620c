//! What becomes of a question to a model, and a model that whoever waits for a view lends.

use std::time::Duration;

/// Why a model gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// It took too long.
    #[error("the model did not answer in time")]
    TimedOut,
    /// Who waited has given it up.
    #[error("the question was taken back")]
    Cancelled,
    /// It could not be asked, or its server failed.
    #[error("the model could not be asked: {message}")]
    Failed {
        /// What went wrong, as the client says.
        message: String,
    },
}

/// A question to a lent model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LentQuestion<'a> {
    /// What it is to do.
    pub system: &'a str,
    /// With what.
    pub user: &'a str,
    /// How freely it answers, from 0 to 1.
    pub temperature: f32,
    /// Tokens of its answer at most.
    pub output_tokens_max: u32,
    /// How long the answer is waited for.
    pub time: Duration,
}

/// What a lent model answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LentAnswer {
    /// What it says.
    pub text: String,
    /// What it is called, as whoever lends it says.
    pub model: String,
}

/// Asks a lent model, and calls the second argument now and then while it waits. Blocks.
pub type LentModel<'a> =
    dyn Fn(LentQuestion<'_>, &dyn Fn()) -> Result<LentAnswer, AskError> + Sync + 'a;
