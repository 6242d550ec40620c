//! What a run was when it ended or broke off.

use std::collections::{HashMap, HashSet};

use foveal_transcript::{Block, Call, Entry, Role};

use crate::keep::Keep;
use crate::tool_answer::ToolAnswer;

/// What a run was when it ended or broke off: all that was kept of it, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Past {
    entries: Vec<Entry>,
    /// Of the last answer: calls that began.
    begun: HashSet<String>,
    /// Of the last answer: what is known of its calls that are no messages yet.
    answered: HashMap<String, ToolAnswer>,
}

/// A call without a result, and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OpenCall {
    pub(crate) call: Call,
    pub(crate) has_begun: bool,
    pub(crate) answer: Option<ToolAnswer>,
}

impl Past {
    /// Takes what was kept next.
    pub fn take(&mut self, keep: Keep) {
        match keep {
            Keep::Entry(entry) => {
                if entry.role == Role::Assistant {
                    // Ids may come again in a later answer.
                    self.begun.clear();
                    self.answered.clear();
                }
                self.entries.push(*entry);
            }
            Keep::Begun { id } => drop(self.begun.insert(id)),
            Keep::Answered { id, answer } => drop(self.answered.insert(id, answer)),
        }
    }

    /// The messages.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether the model said all that it had to say: it goes on only with a new task.
    pub fn is_done(&self) -> bool {
        let last = self.entries.last();
        last.is_none_or(|last| match last.role {
            Role::System => true,
            Role::Assistant => last.calls().next().is_none(),
            Role::User | Role::Tool => false,
        })
    }

    /// The same without what only their provider can read of the messages that `is_of_other` says
    /// are of another one, by their places.
    #[must_use]
    pub fn without_sealed(mut self, is_of_other: impl Fn(usize) -> bool) -> Self {
        for (at, entry) in self.entries.iter_mut().enumerate() {
            if entry.role == Role::Assistant && is_of_other(at) {
                entry.blocks.retain(|block| !matches!(block, Block::Opaque { .. }));
            }
        }
        self
    }

    /// The calls of the last answer that have no result.
    pub(crate) fn open(&self) -> Vec<OpenCall> {
        let last = self.entries.iter().rposition(|entry| entry.role == Role::Assistant);
        let Some(last) = last else { return Vec::new() };
        let results = self.entries[last..].iter().filter(|entry| entry.role == Role::Tool).count();
        let open = |call: &Call| OpenCall {
            has_begun: self.begun.contains(&call.id),
            answer: self.answered.get(&call.id).cloned(),
            call: call.clone(),
        };
        // Results stand in the order of the calls.
        self.entries[last].calls().skip(results).map(open).collect()
    }

    pub(crate) fn into_entries(self) -> Vec<Entry> {
        self.entries
    }
}
