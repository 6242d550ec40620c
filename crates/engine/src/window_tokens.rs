//! Prefix sums of the prompt's tokens, updated as it grows, so that the cost of a lookup does not
//! grow with the conversation.

use crate::conversation_record::ConversationRecord;
use crate::plan_step::EntryState;
use foveal_pricing::tokens::Tokens;
use foveal_transcript::EntryIndex;

/// Prefix sums over the entries of a prompt.
#[derive(Debug, Clone, Default)]
pub struct WindowTokens {
    /// At index `n`, the tokens of the first `n` entries.
    sums: Vec<u64>,
    /// At index `n`, the tokens that these entries have fewer than recorded.
    saved: Vec<u64>,
}

impl WindowTokens {
    /// Recomputes the sums from window position `from` on.
    pub fn update(
        &mut self,
        from: usize,
        window: &[EntryIndex],
        items: &[EntryState],
        record: &ConversationRecord,
    ) {
        self.sums.truncate(from + 1);
        self.saved.truncate(from + 1);
        if self.sums.is_empty() {
            self.sums.push(0);
            self.saved.push(0);
        }
        let counted = self.sums.len() - 1;
        let (mut sum, mut saved) = (self.sums[counted], self.saved[counted]);
        for index in window.get(counted..).unwrap_or_default() {
            let tokens = items[index.as_usize()].tokens;
            sum += tokens.0;
            saved += (record.facts(*index).tokens - tokens).0;
            self.sums.push(sum);
            self.saved.push(saved);
        }
        self.sums.truncate(window.len() + 1);
        self.saved.truncate(window.len() + 1);
    }

    /// Returns the tokens that the first `count` entries (or all) have fewer than recorded.
    pub fn saved_in_prefix(&self, count: usize) -> Tokens {
        let sum = self.saved.get(count).or(self.saved.last());
        Tokens(sum.copied().unwrap_or_default())
    }

    /// Returns the tokens of the whole prompt.
    pub fn total(&self) -> Tokens {
        Tokens(self.sums.last().copied().unwrap_or_default())
    }

    /// Returns the tokens of the first `count` entries, or of all.
    pub fn prefix_tokens(&self, count: usize) -> Tokens {
        let sum = self.sums.get(count).or(self.sums.last());
        Tokens(sum.copied().unwrap_or_default())
    }

    /// Returns the tokens of the entries from window position `from` on.
    pub fn suffix_tokens(&self, from: usize) -> Tokens {
        self.total() - self.prefix_tokens(from)
    }
}
