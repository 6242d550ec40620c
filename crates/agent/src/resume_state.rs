//! The state from which a run is resumed.

use std::collections::{HashMap, HashSet};

use foveal_transcript::{
    ContentBlock, EntryIndex, EntryMark, MessageRole, RecordingPosition, Timestamp, ToolCall,
    TranscriptEntry,
};

use crate::run_log_entry::RunLogEntry;
use crate::tool_answer::ToolAnswer;

/// The state of a run that ended or broke off, built from its log entries in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResumeState {
    entries: Vec<TranscriptEntry>,
    /// The ids of the last answer's calls that began.
    begun_calls: HashSet<String>,
    /// The answers to calls of the last answer that are not messages yet, by call id.
    call_answers: HashMap<String, ToolAnswer>,
}

/// A call of an earlier run that has no result message, with its state in the log.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResumedCall {
    pub(crate) call: ToolCall,
    pub(crate) has_begun: bool,
    pub(crate) answer: Option<ToolAnswer>,
}

/// Returns the message that marks a rewind to `to`. It has no content.
pub(crate) fn rewind_entry(
    to: EntryIndex,
    last: Option<RecordingPosition>,
    now: Timestamp,
) -> TranscriptEntry {
    let step = last.map_or(0, |last| last.step).saturating_add(1);
    TranscriptEntry {
        source: RecordingPosition { step, result: None },
        role: MessageRole::User,
        time: Some(now),
        mark: EntryMark::Rewind { to },
        model: None,
        usage: None,
        blocks: Vec::new(),
    }
}

impl ResumeState {
    /// Applies the next log entry.
    pub fn apply(&mut self, keep: RunLogEntry) {
        match keep {
            RunLogEntry::Message(entry) => {
                if entry.role == MessageRole::Assistant
                    || matches!(entry.mark, EntryMark::Rewind { .. })
                {
                    // Ids may occur again in a later answer.
                    self.begun_calls.clear();
                    self.call_answers.clear();
                }
                self.entries.push(*entry);
            }
            RunLogEntry::Content(_) => {}
            RunLogEntry::CallBegun { id } => drop(self.begun_calls.insert(id)),
            RunLogEntry::CallAnswered { id, answer } => drop(self.call_answers.insert(id, answer)),
        }
    }

    /// Returns all messages, including those that a rewind removed.
    pub fn entries(&self) -> &[TranscriptEntry] {
        &self.entries
    }

    /// Returns the messages that the model sees, each with its index among all messages.
    pub fn active_entries(&self) -> Vec<(EntryIndex, &TranscriptEntry)> {
        let there = self.active_indices().into_iter();
        there.map(|at| (EntryIndex(at as u32), &self.entries[at])).collect()
    }

    pub(crate) fn into_active_entries(self) -> Vec<(EntryIndex, TranscriptEntry)> {
        let mut there = self.active_indices().into_iter().peekable();
        let entries = self.entries.into_iter().enumerate();
        let there = entries.filter(|(at, _)| there.next_if_eq(at).is_some());
        there.map(|(at, entry)| (EntryIndex(at as u32), entry)).collect()
    }

    /// Returns the log entry that removes the message at index `to` of
    /// [`active_entries`](Self::active_entries) and all later ones. Returns `None` unless that is a
    /// message of the user.
    pub fn rewind_log_entry(&self, to: usize, now: Timestamp) -> Option<RunLogEntry> {
        let place = *self.active_indices().get(to)?;
        (self.entries[place].role == MessageRole::User).then(|| {
            let last = self.entries.last().map(|entry| entry.source);
            RunLogEntry::Message(Box::new(rewind_entry(EntryIndex(place as u32), last, now)))
        })
    }

    fn active_indices(&self) -> Vec<usize> {
        let mut places: Vec<usize> = Vec::new();
        for (at, entry) in self.entries.iter().enumerate() {
            match entry.mark {
                EntryMark::Rewind { to } => places.retain(|place| *place < to.as_usize()),
                _ => places.push(at),
            }
        }
        places
    }

    /// Returns whether the model's last turn is complete, so that the conversation continues only
    /// with a new task.
    pub fn is_turn_complete(&self) -> bool {
        let last = self.active_indices().last().map(|at| &self.entries[*at]);
        last.is_none_or(|last| match last.role {
            MessageRole::System => true,
            MessageRole::Assistant => last.tool_calls().next().is_none(),
            MessageRole::User | MessageRole::Tool => false,
        })
    }

    /// Removes the opaque blocks of the model's messages for which `is_of_other` returns true. Such
    /// blocks can be read only by the provider that made them. `is_of_other` takes the index among
    /// all messages.
    #[must_use]
    pub fn without_opaque_blocks(mut self, is_of_other: impl Fn(usize) -> bool) -> Self {
        for (at, entry) in self.entries.iter_mut().enumerate() {
            if entry.role == MessageRole::Assistant && is_of_other(at) {
                entry.blocks.retain(|block| !matches!(block, ContentBlock::Opaque { .. }));
            }
        }
        self
    }

    /// Returns the calls of the last answer that have no result.
    pub(crate) fn unanswered_calls(&self) -> Vec<ResumedCall> {
        let entries: Vec<&TranscriptEntry> =
            self.active_indices().into_iter().map(|at| &self.entries[at]).collect();
        let last = entries.iter().rposition(|entry| entry.role == MessageRole::Assistant);
        let Some(last) = last else { return Vec::new() };
        let results =
            entries[last..].iter().filter(|entry| entry.role == MessageRole::Tool).count();
        let open = |call: &ToolCall| ResumedCall {
            has_begun: self.begun_calls.contains(&call.id),
            answer: self.call_answers.get(&call.id).cloned(),
            call: call.clone(),
        };
        // Results have the order of their calls.
        entries[last].tool_calls().skip(results).map(open).collect()
    }
}
