//! Who waits while a model chooses views, and what they are told meanwhile.

use serde::{Deserialize, Serialize};

use foveal_transcript::Handle;

/// What a model does that helps with a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelWork {
    /// It was asked, and nothing came for a while.
    Waits,
    /// More of its thinking.
    Thinks(String),
    /// More of its answer.
    Answers(String),
    /// It is done.
    Chose(Box<ChosenBy>),
    /// Nothing comes of it, for this reason: what holds without a model holds.
    LeftOut(String),
}

/// Which model chose a view, and what that took.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ChosenBy {
    /// The model, as the user names it.
    pub model: Box<str>,
    /// Milliseconds from the question to the answer.
    pub time_ms: u64,
    /// Tokens of all questions and answers, as billed; none where the server does not tell.
    pub tokens: u64,
    /// Lines of the read.
    pub lines: u32,
    /// Of these, the lines that it chose.
    pub lines_kept: u32,
    /// Where its thinking is kept, if it told any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Handle>,
}

/// Who waits for a view.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Told what the model does.
    pub tell: &'a (dyn Fn(ModelWork) + Sync),
    /// Whether nobody waits any longer: no model is asked on.
    pub is_over: &'a (dyn Fn() -> bool + Sync),
}

impl Watch<'_> {
    /// Nobody is told, and it is waited for to the end.
    pub const NOBODY: Watch<'static> = Watch { tell: &|_| {}, is_over: &|| false };
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}
