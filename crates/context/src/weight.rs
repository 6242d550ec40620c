//! How much of a prompt entries take: what takes longest to find out about them.

use rayon::prelude::*;

use crate::tokens::{Tokenizer, Tokens};
use foveal_transcript::Entry;

/// Fewest bytes that are worth waking other threads for.
const BYTES_SHARED_MIN: usize = 64 << 10;

/// How much of a prompt an entry takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weight {
    /// Tokens of [`Entry::prompt_text`].
    pub(crate) tokens: Tokens,
    /// Its bytes.
    pub(crate) bytes: usize,
}

impl Weight {
    /// What an entry takes.
    pub fn of(entry: &Entry, tokenizer: Tokenizer) -> Self {
        let count = |text: &str| Self { tokens: tokenizer.count(text), bytes: text.len() };
        match entry.result() {
            Some(result) => count(&result.content),
            None => count(&entry.prompt_text()),
        }
    }

    /// What each of many entries takes, found out by all processors where that is much.
    pub fn of_all(entries: &[&Entry], tokenizer: Tokenizer) -> Vec<Self> {
        let results = entries.iter().filter_map(|entry| entry.result());
        let bytes: usize = results.map(|result| result.content.len()).sum();
        let weigh = |entry: &&Entry| Self::of(entry, tokenizer);
        match bytes < BYTES_SHARED_MIN {
            true => entries.iter().map(weigh).collect(),
            false => entries.par_iter().map(weigh).collect(),
        }
    }
}
