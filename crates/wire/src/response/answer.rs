//! What is known of one answer once its bytes have passed.

use super::billed::Billed;

/// Longer ids, names of models and reasons to stop are cut here.
pub const TEXT_BYTES_MAX: usize = 256;

/// Longer messages of errors are cut here.
pub const ERROR_BYTES_MAX: usize = 2_000;

/// One answer of a model API. All that it does not tell is absent.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The tokens that the provider bills.
    pub billed: Billed,
    /// The model that answered, which may be more precise than the one asked for.
    pub model: Option<String>,
    /// Why the model stopped, in the provider's word: `end_turn`, `tool_calls`, `MAX_TOKENS` …
    pub stop_reason: Option<String>,
    /// The provider's id of the answer.
    pub id: Option<String>,
    /// What the provider says went wrong, in an error body or in mid-stream.
    pub error: Option<AnswerError>,
    /// Whether the answer came to its end.
    pub ended: End,
}

/// What a provider says went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnswerError {
    /// The provider's name for it: `overloaded_error`, `RESOURCE_EXHAUSTED` …; its code, where
    /// it has no name.
    pub kind: Option<String>,
    /// Its message. It may repeat parts of the request, so it belongs into no log.
    pub message: String,
}

/// How an answer ended, as far as its bytes tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// With the last event of its protocol, an error in its place, or a whole JSON document.
    Whole,
    /// Before that.
    Cut,
}

/// `text`, cut behind a whole character where it is longer than `bytes_max`.
pub(super) fn cut(text: &str, bytes_max: usize) -> String {
    text[..text.floor_char_boundary(bytes_max)].to_owned()
}
