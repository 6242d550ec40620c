//! The metadata of an answer: usage, model, stop reason and completion.

use super::billed_usage::BilledUsage;

/// Maximum length of ids, model names and stop reasons, in bytes; longer ones are cut.
pub const METADATA_TEXT_BYTES_MAX: usize = 256;

/// Maximum length of error messages, in bytes; longer ones are cut.
pub const ERROR_BYTES_MAX: usize = 2_000;

/// The metadata of one answer of a model API. Fields that the answer does not have are `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerMetadata {
    /// The tokens that the provider bills.
    pub billed: BilledUsage,
    /// The model that answered; it may be more precise than the requested one.
    pub model: Option<String>,
    /// The stop reason in the provider's word: `end_turn`, `tool_calls`, `MAX_TOKENS` …
    pub stop_reason: Option<String>,
    /// The provider's id of the answer.
    pub id: Option<String>,
    /// The provider's error, from an error body or in mid-stream.
    pub error: Option<AnswerError>,
    /// Whether the answer came to its end.
    pub completion: AnswerCompletion,
}

/// An error that a provider reports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnswerError {
    /// The provider's name for the error, such as `overloaded_error` or `RESOURCE_EXHAUSTED`; its
    /// code if it has no name.
    pub kind: Option<String>,
    /// The message. It may repeat parts of the request and must not be logged.
    pub message: String,
}

/// The completion of an answer, as far as its bytes tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerCompletion {
    /// The answer ended with the last event of its protocol, an error, or a complete JSON document.
    Complete,
    /// The bytes stopped before that.
    Truncated,
}

/// Returns `text`, cut at a character boundary if it is longer than `bytes_max`.
pub(super) fn truncate_text(text: &str, bytes_max: usize) -> String {
    text[..text.floor_char_boundary(bytes_max)].to_owned()
}
