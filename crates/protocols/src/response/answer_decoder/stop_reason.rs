//! The reason that a model stopped, in one form for all protocols.

use crate::prompt::ApiDialect;

/// The reason that a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// The model completed its answer.
    EndOfTurn,
    /// The model waits for the results of its calls.
    ToolCalls,
    /// The answer reached its maximum length.
    OutputLimit,
    /// The prompt and the answer together exceed the model's context window.
    ContextWindow,
    /// The model or a filter of its provider refused.
    Refusal,
    /// Another reason, in the provider's word; empty if the provider gives none.
    Other(String),
}

impl StopReason {
    /// Returns the meaning of the provider's word.
    pub(super) fn from_provider_word(dialect: ApiDialect, word: Option<&str>, calls: bool) -> Self {
        let reason = match (dialect, word.unwrap_or_default()) {
            (ApiDialect::Messages, "end_turn" | "stop_sequence")
            | (ApiDialect::Chat, "stop")
            | (ApiDialect::Responses, "completed") => Self::EndOfTurn,
            (ApiDialect::Messages, "tool_use")
            | (ApiDialect::Chat, "tool_calls" | "function_call") => Self::ToolCalls,
            (ApiDialect::Messages, "max_tokens")
            | (ApiDialect::Chat, "length")
            | (ApiDialect::Responses, "max_output_tokens") => Self::OutputLimit,
            (ApiDialect::Messages, "model_context_window_exceeded") => Self::ContextWindow,
            (ApiDialect::Messages, "refusal")
            | (ApiDialect::Chat | ApiDialect::Responses, "content_filter") => Self::Refusal,
            (_, word) => Self::Other(word.to_owned()),
        };
        // Responses has no word for calls, and some servers use the wrong one.
        match reason {
            Self::EndOfTurn if calls => Self::ToolCalls,
            reason => reason,
        }
    }
}
