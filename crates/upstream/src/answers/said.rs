//! What one answer is made of, whatever the protocol.

use crate::cache::Bill;
use crate::reply::Reply;

/// All that an answer is made of.
#[derive(Debug)]
pub(crate) struct Said<'a> {
    pub(crate) reply: &'a Reply,
    pub(crate) model: &'a str,
    /// Stands in every id, so that the same requests give the same bytes.
    pub(crate) number: usize,
    pub(crate) bill: Bill,
    /// Whether a Chat Completions stream was asked to tell its usage.
    pub(crate) tells_usage: bool,
}

impl Said<'_> {
    /// An id that no other answer has.
    pub(crate) fn id(&self, prefix: &str, at: usize) -> String {
        format!("{prefix}{:08}{at:04}", self.number)
    }
}

/// `text` in pieces of about `size` characters, as models stream it; an empty text is one piece.
pub(super) fn pieces(text: &str, size: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    if characters.is_empty() {
        return vec![String::new()];
    }
    characters.chunks(size).map(|piece| piece.iter().collect()).collect()
}
