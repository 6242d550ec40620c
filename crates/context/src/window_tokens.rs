//! Tokens of the prompt from its beginning to any place in it, kept as it grows: what is asked
//! before each request must not take as long as the conversation has become.

use crate::step::Item;
use crate::tokens::Tokens;
use foveal_transcript::EntryIndex;

/// Sums over the entries of a prompt.
#[derive(Debug, Clone, Default)]
pub struct WindowTokens {
    /// Tokens of as many entries as the place in the list says, from the first on.
    sums: Vec<u64>,
}

impl WindowTokens {
    /// Counts anew from window position `from` on.
    pub fn update(&mut self, from: usize, window: &[EntryIndex], items: &[Item]) {
        self.sums.truncate(from + 1);
        if self.sums.is_empty() {
            self.sums.push(0);
        }
        let counted = self.sums.len() - 1;
        let mut sum = self.sums[counted];
        for index in window.get(counted..).unwrap_or_default() {
            sum += items[index.at()].tokens.0;
            self.sums.push(sum);
        }
        self.sums.truncate(window.len() + 1);
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
