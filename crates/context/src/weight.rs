//! How much of a prompt entries take: what takes longest to find out about them.

use crate::tokens::{Tokenizer, Tokens};
use foveal_transcript::Entry;

/// How much of a prompt an entry takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weight {
    /// Tokens of [`Entry::prompt_text`].
    pub(crate) tokens: Tokens,
    /// Its bytes.
    pub(crate) bytes: usize,
}

/// Finds out what each of some entries takes, in their order.
pub type Weigh = fn(&[&Entry], Tokenizer) -> Vec<Weight>;

impl Weight {
    /// What an entry takes.
    pub fn of(entry: &Entry, tokenizer: Tokenizer) -> Self {
        let count = |text: &str| Self { tokens: tokenizer.count(text), bytes: text.len() };
        match entry.result() {
            Some(result) => count(&result.content),
            None => count(&entry.prompt_text()),
        }
    }

    /// What each of some entries takes, one after the other: the plainest [`Weigh`].
    pub fn of_each(entries: &[&Entry], tokenizer: Tokenizer) -> Vec<Self> {
        entries.iter().map(|entry| Self::of(entry, tokenizer)).collect()
    }
}
