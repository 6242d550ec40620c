//! Carries out the user's overrides of single results.

use foveal_transcript::{EntryIndex, MessageRole};

use super::entry_table::EntryTable;
use super::prompt_window::PromptWindow;
use crate::conversation_record::ConversationRecord;
use crate::overrides::{OverrideError, OverrideState, ResultOverride};
use crate::plan_step::EntryState;
use crate::reduction_level::ReductionLevel;
use crate::settings::RewriteSettings;
use crate::shaping::pipeline;

/// Checks an override where nothing before window position `fixed_until` may change.
pub(super) fn check_override(
    record: &ConversationRecord,
    window: &PromptWindow,
    entries: &EntryTable,
    wish: &ResultOverride,
    fixed_until: usize,
) -> Result<(), OverrideError> {
    let index = wish.entry;
    if index.as_usize() >= record.len() {
        return Err(OverrideError::NotThere);
    }
    if record.entry(index).role != MessageRole::Tool || record.entry(index).tool_result().is_none()
    {
        return Err(OverrideError::NoResult);
    }
    let new = EntryState { tokens: record.facts(index).tokens, ..EntryState::default() };
    let state = entries.states.get(index.as_usize());
    if let Some(state) = state {
        let position = window.find(index).ok_or(OverrideError::NotThere)?;
        if state.is_changed_by(wish) && position < fixed_until {
            return Err(OverrideError::Bound);
        }
    }
    let state = state.unwrap_or(&new);
    if state.override_state == wish.standing && !state.is_changed_by(wish) {
        return Err(OverrideError::IsSo);
    }
    let note = || pipeline::clear_result(record, index).map(|(_, tokens)| tokens);
    if wish.standing == OverrideState::Dropped
        && state.is_changed_by(wish)
        && note().is_none_or(|note| note >= state.tokens)
    {
        return Err(OverrideError::NoShorter);
    }
    Ok(())
}

/// Carries out overrides before a request.
pub(super) struct OverrideStage<'a> {
    pub(super) record: &'a ConversationRecord,
    pub(super) rewrite: Option<&'a RewriteSettings>,
    pub(super) window: &'a PromptWindow,
    pub(super) entries: &'a mut EntryTable,
    /// The number of the request.
    pub(super) request: u32,
}

impl OverrideStage<'_> {
    /// Carries out the overrides that are possible where nothing before window position
    /// `fixed_until` may change, and removes the others from `wishes`; returns the first entry that
    /// changes.
    pub(super) fn apply(
        &mut self,
        wishes: &mut Vec<ResultOverride>,
        fixed_until: usize,
    ) -> Option<EntryIndex> {
        let mut first = None;
        wishes.retain(|wish| {
            let Self { record, window, entries, .. } = self;
            let is_possible = check_override(record, window, entries, wish, fixed_until).is_ok();
            if is_possible {
                first = self.set(&[*wish]).into_iter().chain(first).min();
            }
            is_possible
        });
        first
    }

    /// Carries out overrides that are known to be possible; returns the first entry that changes.
    pub(super) fn set(&mut self, wishes: &[ResultOverride]) -> Option<EntryIndex> {
        let (mut first, known) = (None, self.entries.next_index());
        for wish in wishes.iter().filter(|wish| wish.entry < known) {
            if self.entries.set_override(wish, self.request) {
                first = first.into_iter().chain([wish.entry]).min();
            }
            self.make_reducible(wish.entry);
        }
        first
    }

    /// Adds a result to the reducible entries again, if a rewrite may reduce it.
    fn make_reducible(&mut self, index: EntryIndex) {
        let Self { record, rewrite, window, entries, .. } = self;
        let is_note = entries.state(index).level == ReductionLevel::Note;
        let is_reducible = !is_note && entries.is_reducible(record, *rewrite, index);
        if let Err(at) = entries.reducible.binary_search(&index)
            && is_reducible
            && window.find(index).is_some()
        {
            entries.reducible.insert(at, index);
        }
    }
}
