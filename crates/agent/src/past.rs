//! What a run was when it ended or broke off.

use std::collections::{HashMap, HashSet};

use foveal_transcript::{Block, Call, Entry, EntryIndex, Mark, Role, Source, Timestamp};

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

/// That a conversation went back behind a message. Nothing is said by it.
pub(crate) fn rewind_mark(to: EntryIndex, last: Option<Source>, now: Timestamp) -> Entry {
    let step = last.map_or(0, |last| last.step).saturating_add(1);
    Entry {
        source: Source { step, result: None },
        role: Role::User,
        time: Some(now),
        mark: Mark::Rewind { to },
        model: None,
        usage: None,
        blocks: Vec::new(),
    }
}

impl Past {
    /// Takes what was kept next.
    pub fn take(&mut self, keep: Keep) {
        match keep {
            Keep::Entry(entry) => {
                if entry.role == Role::Assistant || matches!(entry.mark, Mark::Rewind { .. }) {
                    // Ids may come again in a later answer.
                    self.begun.clear();
                    self.answered.clear();
                }
                self.entries.push(*entry);
            }
            Keep::Content(_) => {}
            Keep::Begun { id } => drop(self.begun.insert(id)),
            Keep::Answered { id, answer } => drop(self.answered.insert(id, answer)),
        }
    }

    /// All messages, those that it went back behind too.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The messages that the model is told, each with its place among all.
    pub fn window(&self) -> Vec<(EntryIndex, &Entry)> {
        let there = self.places().into_iter();
        there.map(|at| (EntryIndex(at as u32), &self.entries[at])).collect()
    }

    pub(crate) fn into_window(self) -> Vec<(EntryIndex, Entry)> {
        let mut there = self.places().into_iter().peekable();
        let entries = self.entries.into_iter().enumerate();
        let there = entries.filter(|(at, _)| there.next_if_eq(at).is_some());
        there.map(|(at, entry)| (EntryIndex(at as u32), entry)).collect()
    }

    /// What is to be kept where the conversation goes back to just before the message at this place
    /// of the [`window`](Self::window); `None` where that is no message of the person's.
    pub fn rewind(&self, to: usize, now: Timestamp) -> Option<Keep> {
        let place = *self.places().get(to)?;
        (self.entries[place].role == Role::User).then(|| {
            let last = self.entries.last().map(|entry| entry.source);
            Keep::Entry(Box::new(rewind_mark(EntryIndex(place as u32), last, now)))
        })
    }

    fn places(&self) -> Vec<usize> {
        let mut places: Vec<usize> = Vec::new();
        for (at, entry) in self.entries.iter().enumerate() {
            match entry.mark {
                Mark::Rewind { to } => places.retain(|place| *place < to.at()),
                _ => places.push(at),
            }
        }
        places
    }

    /// Whether the model said all that it had to say: it goes on only with a new task.
    pub fn is_done(&self) -> bool {
        let last = self.places().last().map(|at| &self.entries[*at]);
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
        let entries: Vec<&Entry> = self.places().into_iter().map(|at| &self.entries[at]).collect();
        let last = entries.iter().rposition(|entry| entry.role == Role::Assistant);
        let Some(last) = last else { return Vec::new() };
        let results = entries[last..].iter().filter(|entry| entry.role == Role::Tool).count();
        let open = |call: &Call| OpenCall {
            has_begun: self.begun.contains(&call.id),
            answer: self.answered.get(&call.id).cloned(),
            call: call.clone(),
        };
        // Results stand in the order of the calls.
        entries[last].calls().skip(results).map(open).collect()
    }
}
