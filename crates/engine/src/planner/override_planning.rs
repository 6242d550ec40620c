//! Carries out the user's overrides of single results.

use super::{Planner, is_reducible};
use crate::conversation_record::ConversationRecord;
use crate::overrides::{OverrideError, OverrideState, ResultOverride};
use crate::plan_step::EntryState;
use crate::reduction_level::ReductionLevel;
use crate::shaping::pipeline;
use foveal_pricing::tokens::Tokens;
use foveal_transcript::{ContentBlock, EntryIndex, MessageRole};

impl Planner {
    /// Checks whether the next request can carry out an override, as far as known before it.
    ///
    /// # Errors
    /// The reason why it cannot.
    pub fn check_override(
        &self,
        record: &ConversationRecord,
        wish: &ResultOverride,
    ) -> Result<(), OverrideError> {
        // Entries since the last request may hold reasoning.
        let new = (self.entry_states.len()..record.len()).rev().map(|at| EntryIndex(at as u32));
        let mut new = new.filter(|index| has_reasoning(record, *index));
        let is_bound = self.constraints.reasoning_is_bound;
        if is_bound && new.next().is_some_and(|last| wish.entry < last) {
            return Err(OverrideError::Bound);
        }
        self.check_override_from(record, wish, self.rewritable_from(None))
    }

    /// Checks an override where nothing before window position `fixed_until` may change.
    fn check_override_from(
        &self,
        record: &ConversationRecord,
        wish: &ResultOverride,
        fixed_until: usize,
    ) -> Result<(), OverrideError> {
        let index = wish.entry;
        if index.as_usize() >= record.len() {
            return Err(OverrideError::NotThere);
        }
        if record.entry(index).role != MessageRole::Tool
            || record.entry(index).tool_result().is_none()
        {
            return Err(OverrideError::NoResult);
        }
        let new = EntryState { tokens: record.facts(index).tokens, ..EntryState::default() };
        let item = self.entry_states.get(index.as_usize()).unwrap_or(&new);
        if index.as_usize() < self.entry_states.len() {
            let position = self.window.entries().binary_search(&index);
            let position = position.map_err(|_| OverrideError::NotThere)?;
            if changes_projection(item, wish) && position < fixed_until {
                return Err(OverrideError::Bound);
            }
        }
        if item.override_state == wish.standing && !changes_projection(item, wish) {
            return Err(OverrideError::IsSo);
        }
        let note = || self.note_tokens(record, index);
        if wish.standing == OverrideState::Dropped
            && changes_projection(item, wish)
            && note().is_none_or(|note| note >= item.tokens)
        {
            return Err(OverrideError::NoShorter);
        }
        Ok(())
    }

    /// Returns the tokens of a note in place of a result; `None` if the note would be no shorter
    /// than the result.
    pub fn note_tokens(&self, record: &ConversationRecord, index: EntryIndex) -> Option<Tokens> {
        pipeline::clear_result(record, index).map(|(_, tokens)| tokens)
    }

    /// Carries out the possible overrides; returns these and the first entry that changes.
    pub(super) fn apply_overrides(
        &mut self,
        record: &ConversationRecord,
        wishes: &[ResultOverride],
        fixed_until: usize,
    ) -> (Vec<ResultOverride>, Option<EntryIndex>) {
        let mut applied = Vec::new();
        let mut first = None;
        for wish in wishes {
            if self.check_override_from(record, wish, fixed_until).is_ok() {
                applied.push(*wish);
                first = self.set_overrides(record, &[*wish]).into_iter().chain(first).min();
            }
        }
        (applied, first)
    }

    /// Sets overrides that are known to be possible; returns the first entry that changes.
    pub(super) fn set_overrides(
        &mut self,
        record: &ConversationRecord,
        wishes: &[ResultOverride],
    ) -> Option<EntryIndex> {
        let mut first = None;
        for wish in wishes {
            let (index, requests) = (wish.entry, self.requests);
            let Some(item) = self.entry_states.get_mut(index.as_usize()) else { continue };
            if changes_projection(item, wish) {
                first = first.map_or(Some(index), |first: EntryIndex| Some(first.min(index)));
                self.inputs[index.as_usize()] = None;
            }
            (item.override_state, item.level) = (wish.standing, wish.level);
            if let Some(life) = self.result_ages[index.as_usize()].as_mut() {
                life.last_use = requests;
            }
            self.make_reducible(record, index);
        }
        first
    }

    /// Adds a result to the reducible entries again, if a rewrite may reduce it.
    fn make_reducible(&mut self, record: &ConversationRecord, index: EntryIndex) {
        let is_reduced = self.entry_states[index.as_usize()].level == ReductionLevel::Note;
        if is_reduced || !is_reducible(&self.settings, &self.result_ages, record, index) {
            return;
        }
        let is_there = self.window.entries().binary_search(&index).is_ok();
        if let (Err(at), true) = (self.reducible.binary_search(&index), is_there) {
            self.reducible.insert(at, index);
        }
    }
}

/// Returns whether an override changes what is sent of a result.
fn changes_projection(item: &EntryState, wish: &ResultOverride) -> bool {
    item.level != wish.level || item.decision.shape().is_none() != wish.is_whole
}

fn has_reasoning(record: &ConversationRecord, index: EntryIndex) -> bool {
    record.entry(index).blocks.iter().any(|block| matches!(block, ContentBlock::Reasoning(_)))
}
