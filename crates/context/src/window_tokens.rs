//! Tokens of the prompt from its beginning to any place in it, kept as it grows: what is asked
//! before each request must not take as long as the conversation has become.

use crate::record::Record;
use crate::step::Item;
use crate::tokens::Tokens;
use foveal_transcript::EntryIndex;

/// Sums over the entries of a prompt.
#[derive(Debug, Clone, Default)]
pub struct WindowTokens {
    /// Tokens of as many entries as the place in the list says, from the first on.
    sums: Vec<u64>,
    /// How many fewer these are than as recorded.
    saved: Vec<u64>,
}

impl WindowTokens {
    /// Counts anew from window position `from` on.
    pub fn update(&mut self, from: usize, window: &[EntryIndex], items: &[Item], record: &Record) {
        self.sums.truncate(from + 1);
        self.saved.truncate(from + 1);
        if self.sums.is_empty() {
            self.sums.push(0);
            self.saved.push(0);
        }
        let counted = self.sums.len() - 1;
        let (mut sum, mut saved) = (self.sums[counted], self.saved[counted]);
        for index in window.get(counted..).unwrap_or_default() {
            let tokens = items[index.at()].tokens;
            sum += tokens.0;
            saved += (record.facts(*index).tokens - tokens).0;
            self.sums.push(sum);
            self.saved.push(saved);
        }
        self.sums.truncate(window.len() + 1);
        self.saved.truncate(window.len() + 1);
    }

    /// How many fewer tokens the first `count` entries have than as recorded, or all.
    pub fn saved_before(&self, count: usize) -> Tokens {
        let sum = self.saved.get(count).or(self.saved.last());
        Tokens(sum.copied().unwrap_or_default())
    }

    /// Tokens of the whole prompt.
    pub fn all(&self) -> Tokens {
        Tokens(self.sums.last().copied().unwrap_or_default())
    }

    /// Tokens of the first `count` entries, or of all.
    pub fn before(&self, count: usize) -> Tokens {
        let sum = self.sums.get(count).or(self.sums.last());
        Tokens(sum.copied().unwrap_or_default())
    }

    /// Tokens of the entries from window position `from` on.
    pub fn behind(&self, from: usize) -> Tokens {
        self.all() - self.before(from)
    }
}
