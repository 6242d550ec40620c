//! A conversation with the facts about its entries, append-only and in step.

use crate::entry_facts::{EntryFacts, FactTable};
use crate::entry_size::EntrySize;
use crate::lines::ExcerptSource;
use foveal_pricing::tokens::Tokenizer;
use foveal_transcript::{Conversation, EntryIndex, TranscriptEntry};

/// A conversation with its facts, as input of every plan. Several planners can share one.
#[derive(Debug, Clone)]
pub struct ConversationRecord {
    conversation: Conversation,
    facts: FactTable,
}

impl ConversationRecord {
    /// Creates a record of the present entries of `conversation`; tokens are counted with
    /// `tokenizer`.
    pub fn from_conversation(conversation: Conversation, tokenizer: Tokenizer) -> Self {
        let mut facts = FactTable::new(tokenizer, conversation.directory.as_deref());
        for entry in conversation.entries() {
            facts.push(entry, EntrySize::measure(entry, tokenizer));
        }
        Self { conversation, facts }
    }

    /// Appends the next entry.
    pub fn push(&mut self, entry: TranscriptEntry) -> EntryIndex {
        let weight = EntrySize::measure(&entry, self.tokenizer());
        self.push_measured(entry, weight)
    }

    /// Appends the next entry, whose size is already known.
    pub fn push_measured(&mut self, entry: TranscriptEntry, weight: EntrySize) -> EntryIndex {
        self.facts.push(&entry, weight);
        self.conversation.push(entry)
    }

    /// Appends an entry of known size that must never be replaced.
    pub fn push_fixed(&mut self, entry: TranscriptEntry, weight: EntrySize) -> EntryIndex {
        let index = self.push_measured(entry, weight);
        self.facts.mark_last_fixed();
        index
    }

    /// Sets the full content behind the excerpt in the result at `index`.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn set_excerpt_source(&mut self, index: EntryIndex, source: ExcerptSource) {
        self.facts.set_excerpt_source(index, source);
    }

    /// Sets the folder that relative paths of the next calls start from, where it is known better
    /// than from the calls before.
    pub fn set_directory(&mut self, directory: &str) {
        self.facts.set_directory(directory);
    }

    /// Returns the entry at `index`.
    ///
    /// # Panics
    /// If there is none.
    pub fn entry(&self, index: EntryIndex) -> &TranscriptEntry {
        self.conversation.entry(index)
    }

    /// Returns the facts about the entry at `index`.
    ///
    /// # Panics
    /// If there is none.
    pub fn facts(&self, index: EntryIndex) -> &EntryFacts {
        self.facts.facts(index)
    }

    /// Returns the entries, in order.
    pub fn entries(&self) -> &[TranscriptEntry] {
        self.conversation.entries()
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Returns whether there is no entry yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the conversation.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// Returns the tokenizer that counts the facts' tokens.
    pub fn tokenizer(&self) -> Tokenizer {
        self.facts.tokenizer()
    }
}
