//! The content of an answer, independent of the protocol.

use crate::provider_cache::TokenBill;
use crate::reply_script::ModelReply;

/// The content of an answer.
#[derive(Debug)]
pub(crate) struct AnswerContent<'a> {
    pub(crate) reply: &'a ModelReply,
    pub(crate) model: &'a str,
    /// Part of every id, so that the same requests give the same bytes.
    pub(crate) request_number: usize,
    pub(crate) bill: TokenBill,
    /// Whether the client requested the usage in a Chat Completions stream.
    pub(crate) includes_usage: bool,
}

impl AnswerContent<'_> {
    /// Returns an id that is unique among all answers.
    pub(crate) fn unique_id(&self, prefix: &str, at: usize) -> String {
        format!("{prefix}{:08}{at:04}", self.request_number)
    }
}

/// Splits `text` into pieces of about `size` characters, as models stream it; an empty text is one
/// piece.
pub(super) fn split_text(text: &str, size: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    if characters.is_empty() {
        return vec![String::new()];
    }
    characters.chunks(size).map(|piece| piece.iter().collect()).collect()
}
