//! The user's overrides since the last request of each conversation, and the history to undo them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use foveal_engine::overrides::{OverrideError, RequestOverrides, ResultOverride};
use foveal_engine::plan_step::PlanStep;
use foveal_transcript::{ContentHash, EntryIndex};

use crate::conversation_state::ConversationState;

/// The largest number of conversations with overrides; with one more, all overrides are dropped.
const CONVERSATIONS_MAX: usize = 64;

/// The largest number of changes of a conversation that can be undone.
const UNDO_MAX: usize = 100;

/// The overrides of all conversations, by the fingerprint of their first message.
#[derive(Debug, Default)]
pub(crate) struct PendingOverrides(Mutex<HashMap<ContentHash, ConversationOverrides>>);

/// The overrides of one conversation.
#[derive(Debug, Default, Clone)]
pub(crate) struct ConversationOverrides {
    /// The overrides since the last request, each with the fingerprint behind the message of its
    /// result.
    overrides: Vec<(ContentHash, ResultOverride)>,
    compacts: bool,
    /// The overrides that undo the changes so far, latest last.
    undo_stack: Vec<(ContentHash, ResultOverride)>,
}

impl PendingOverrides {
    fn lock(&self) -> MutexGuard<'_, HashMap<ContentHash, ConversationOverrides>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the overrides of the conversation with this first message.
    pub(crate) fn get(&self, first: ContentHash) -> ConversationOverrides {
        self.lock().get(&first).cloned().unwrap_or_default()
    }

    /// Replaces the overrides of a conversation.
    pub(crate) fn set(&self, first: ContentHash, wanted: ConversationOverrides) {
        let mut all = self.lock();
        if all.len() >= CONVERSATIONS_MAX && !all.contains_key(&first) {
            all.clear();
        }
        all.insert(first, wanted);
    }

    /// Removes the overrides that a step was planned with. Returns the number of those that could
    /// not be applied.
    pub(crate) fn clear_applied(
        &self,
        first: ContentHash,
        wishes: &RequestOverrides,
        step: &PlanStep,
    ) -> usize {
        if wishes.is_empty() {
            return 0;
        }
        if let Some(wanted) = self.lock().get_mut(&first) {
            (wanted.overrides, wanted.compacts) = (Vec::new(), false);
        }
        wishes.results.iter().filter(|wish| !step.wished.contains(wish)).count()
    }
}

impl ConversationOverrides {
    /// Returns the overrides whose results are still part of the conversation.
    pub(crate) fn applicable_overrides(&self, live: &ConversationState) -> RequestOverrides {
        let is_there = |(end, wish): &&(ContentHash, ResultOverride)| {
            live.entry_fingerprint(wish.entry) == Some(*end)
        };
        let results = self.overrides.iter().filter(is_there).map(|(_, wish)| *wish).collect();
        RequestOverrides { results, compacts: self.compacts }
    }

    /// Sets whether old results are rewritten at the next request.
    pub(crate) fn set_compaction(&mut self, compacts: bool) {
        self.compacts = compacts;
    }

    /// Overrides the state of a result.
    ///
    /// # Errors
    /// The reason why the override cannot be set.
    pub(crate) fn set_override(
        &mut self,
        live: &ConversationState,
        wish: ResultOverride,
    ) -> Result<(), OverrideError> {
        let end = live.entry_fingerprint(wish.entry).ok_or(OverrideError::NotThere)?;
        if !live.texts.is_replaceable(wish.entry) {
            return Err(OverrideError::NoResult);
        }
        let before = self.current_override(live, wish.entry);
        if before == wish {
            return Err(OverrideError::IsSo);
        }
        match live.engine.check_override(&wish) {
            // It undoes an override since the last request.
            Err(OverrideError::IsSo) if before != live.current_override(wish.entry) => {}
            checked => checked?,
        }
        if self.undo_stack.len() == UNDO_MAX {
            self.undo_stack.remove(0);
        }
        self.undo_stack.push((end, before));
        self.overrides.retain(|(_, other)| other.entry != wish.entry);
        self.overrides.push((end, wish));
        Ok(())
    }

    /// Takes the override that undoes the last change.
    pub(crate) fn pop_undo(&mut self) -> Option<(ContentHash, ResultOverride)> {
        self.undo_stack.pop()
    }

    /// Restores the state of a result before the last change.
    ///
    /// # Errors
    /// The reason why the change cannot be undone.
    pub(crate) fn undo_override(
        &mut self,
        live: &ConversationState,
        end: ContentHash,
        wish: ResultOverride,
    ) -> Result<(), OverrideError> {
        if live.entry_fingerprint(wish.entry) != Some(end) {
            return Err(OverrideError::NotThere);
        }
        self.overrides.retain(|(_, other)| other.entry != wish.entry);
        if live.current_override(wish.entry) != wish {
            live.engine.check_override(&wish)?;
            self.overrides.push((end, wish));
        }
        Ok(())
    }

    /// Returns the state of a result by its override since the last request, or else by the last
    /// decision.
    fn current_override(&self, live: &ConversationState, entry: EntryIndex) -> ResultOverride {
        let last = self.overrides.iter().rev().find(|(_, wish)| wish.entry == entry);
        last.map_or_else(|| live.current_override(entry), |(_, wish)| *wish)
    }
}
