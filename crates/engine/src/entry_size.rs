//! The size of entries in a prompt: the most expensive fact about them.

use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_transcript::TranscriptEntry;

/// The size of an entry in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntrySize {
    /// Tokens of [`TranscriptEntry::prompt_text`].
    pub(crate) tokens: Tokens,
}

/// A function that measures entries, in their order, possibly in parallel.
pub type EntryMeasurer = fn(&[&TranscriptEntry], Tokenizer) -> Vec<EntrySize>;

impl EntrySize {
    /// Measures an entry.
    pub fn measure(entry: &TranscriptEntry, tokenizer: Tokenizer) -> Self {
        let count = |text: &str| Self { tokens: tokenizer.count(text) };
        match entry.tool_result() {
            Some(result) => count(&result.content),
            None => count(&entry.prompt_text()),
        }
    }

    /// Measures entries one after the other: the simplest [`EntryMeasurer`].
    pub fn measure_all(entries: &[&TranscriptEntry], tokenizer: Tokenizer) -> Vec<Self> {
        entries.iter().map(|entry| Self::measure(entry, tokenizer)).collect()
    }
}
