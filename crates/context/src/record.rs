//! The record: a conversation and the facts about its entries, append-only and in step.

use crate::facts::{FactTable, Facts};
use crate::lines::ExcerptSource;
use crate::tokens::Tokenizer;
use crate::weight::Weight;
use foveal_transcript::{Conversation, Entry, EntryIndex};

/// What happened in one conversation, as every plan of it reads it. Many plans can share one.
#[derive(Debug, Clone)]
pub struct Record {
    conversation: Conversation,
    facts: FactTable,
}

impl Record {
    /// A record of `conversation` as far as it goes; tokens are counted with `tokenizer`.
    pub fn of(conversation: Conversation, tokenizer: Tokenizer) -> Self {
        let mut facts = FactTable::new(tokenizer, conversation.directory.as_deref());
        for entry in conversation.entries() {
            facts.push(entry, Weight::of(entry, tokenizer));
        }
        Self { conversation, facts }
    }

    /// Appends the next entry.
    pub fn push(&mut self, entry: Entry) -> EntryIndex {
        let weight = Weight::of(&entry, self.tokenizer());
        self.push_weighed(entry, weight)
    }

    /// The same for an entry of which is known what it takes.
    pub fn push_weighed(&mut self, entry: Entry, weight: Weight) -> EntryIndex {
        self.facts.push(&entry, weight);
        self.conversation.push(entry)
    }

    /// The same for an entry in whose place nothing can stand.
    pub fn push_fixed(&mut self, entry: Entry, weight: Weight) -> EntryIndex {
        let index = self.push_weighed(entry, weight);
        self.facts.fix_last();
        index
    }

    /// Sets the content of which the result at `index` is an excerpt.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn set_excerpt_source(&mut self, index: EntryIndex, source: ExcerptSource) {
        self.facts.set_excerpt_source(index, source);
    }

    /// Has relative paths of the next calls start at `directory`, where that is known better
    /// than from the calls before.
    pub fn start_in(&mut self, directory: &str) {
        self.facts.start_in(directory);
    }

    /// The entry at `index`.
    ///
    /// # Panics
    /// If there is none.
    pub fn entry(&self, index: EntryIndex) -> &Entry {
        self.conversation.entry(index)
    }

    /// Facts about the entry at `index`.
    ///
    /// # Panics
    /// If there is none.
    pub fn facts(&self, index: EntryIndex) -> &Facts {
        self.facts.facts(index)
    }

    /// The entries, in order.
    pub fn entries(&self) -> &[Entry] {
        self.conversation.entries()
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Whether there is no entry yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The conversation.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// The tokenizer that facts are counted with.
    pub fn tokenizer(&self) -> Tokenizer {
        self.facts.tokenizer()
    }
}
