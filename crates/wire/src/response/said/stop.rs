//! Why a model stopped, in one word for all protocols.

use crate::prompt::Dialect;

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// It has said what it had to say.
    End,
    /// It waits for the results of its calls.
    Calls,
    /// The answer may not be longer.
    Length,
    /// The prompt and the answer together are longer than the model can hold.
    Window,
    /// The model, or a filter of its provider, refuses.
    Refused,
    /// Something else, in the provider's word; empty where it says nothing.
    Other(String),
}

impl StopReason {
    /// What the provider's word means.
    pub(super) fn of(dialect: Dialect, word: Option<&str>, calls: bool) -> Self {
        let reason = match (dialect, word.unwrap_or_default()) {
            (Dialect::Messages, "end_turn" | "stop_sequence")
            | (Dialect::Chat, "stop")
            | (Dialect::Responses, "completed") => Self::End,
            (Dialect::Messages, "tool_use") | (Dialect::Chat, "tool_calls" | "function_call") => {
                Self::Calls
            }
            (Dialect::Messages, "max_tokens")
            | (Dialect::Chat, "length")
            | (Dialect::Responses, "max_output_tokens") => Self::Length,
            (Dialect::Messages, "model_context_window_exceeded") => Self::Window,
            (Dialect::Messages, "refusal")
            | (Dialect::Chat | Dialect::Responses, "content_filter") => Self::Refused,
            (_, word) => Self::Other(word.to_owned()),
        };
        // Responses has no word for it, and other servers use the wrong one.
        match reason {
            Self::End if calls => Self::Calls,
            reason => reason,
        }
    }
}
