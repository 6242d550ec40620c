//! Work between requests that makes the next rewrite faster.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use foveal_transcript::{EntryIndex, MessageRole};

use super::Planner;
use crate::conversation_record::ConversationRecord;
use crate::message_shape::Decision;
use crate::reduction_level::ReductionLevel;
use crate::shaping::pipeline::{self, ShapingOutcome};
use crate::views::{self, ChosenView};
use crate::visible_prompt::VisiblePrompt;

impl Planner {
    /// Prepares a rewrite with the next request, as long as `go_on` returns true: requests the
    /// views of reads that it may need and, if the rewrite is near, counts the tokens of its
    /// results. Decides nothing. All entries of `record` must be planned.
    pub fn prepare_rewrite(&mut self, record: &ConversationRecord, go_on: &dyn Fn() -> bool) {
        let Some(views) = &self.view_source else { return };
        let known = EntryIndex(record.len() as u32);
        let levels: Vec<_> =
            self.unreduced_entries().map(|index| (index, ReductionLevel::Reduced)).collect();
        let chosen =
            views::predict_views(&**views, &self.view_inputs(record, known, &levels, known), go_on);
        if !go_on() {
            return;
        }
        let levels = self.predict_rewrite(record);
        let of_levels = |chosen: &ChosenView| levels.contains(&(chosen.entry, chosen.level));
        let chosen: Vec<ChosenView> = chosen.into_iter().filter(of_levels).collect();
        let hash = rewrite_hash(&levels, &chosen);
        if levels.is_empty() || self.prepared_rewrite == Some(hash) {
            return;
        }
        let is_done = self.count_predicted(record, &levels, &chosen, go_on);
        self.prepared_rewrite = is_done.then_some(hash);
    }

    /// Counts the tokens of the predicted forms with these levels and views; returns false if
    /// `go_on` stopped it. Results are shaped in window order, since later ones must not point at
    /// lines that earlier ones lose.
    fn count_predicted(
        &mut self,
        record: &ConversationRecord,
        levels: &[(EntryIndex, ReductionLevel)],
        chosen: &[ChosenView],
        go_on: &dyn Fn() -> bool,
    ) -> bool {
        let Some((first, _)) = levels.first() else { return true };
        let from = self.window_position(*first);
        let mut visible = self.visible.clone();
        visible.retain_prefix(&self.window.entries()[..from]);
        let mut levels = levels.iter().peekable();
        for at in from..self.window.entries().len() {
            let index = self.window.entries()[at];
            let raised = levels.next_if(|(next, _)| *next == index);
            let item = &self.entry_states[index.as_usize()];
            let is_shaped =
                record.entry(index).role == MessageRole::Tool && !item.is_kept_by_override();
            if is_shaped && !go_on() {
                return false;
            }
            let decision = if is_shaped {
                let level = raised.map_or(item.level, |(_, level)| *level);
                let place = chosen.binary_search_by_key(&index, |chosen| chosen.entry);
                let chosen = place.ok().map(|place| &chosen[place]);
                self.shape_predicted(record, index, level, chosen, &visible)
            } else {
                item.decision.clone()
            };
            visible.push_message(record, index, &decision);
        }
        true
    }

    /// Shapes a result at a level against `visible` and caches its tokens.
    fn shape_predicted(
        &mut self,
        record: &ConversationRecord,
        index: EntryIndex,
        level: ReductionLevel,
        chosen: Option<&ChosenView>,
        visible: &VisiblePrompt,
    ) -> Decision {
        let mut cache = std::mem::take(&mut self.cache);
        let ask = self.result_inputs(record, index, level);
        let ask = pipeline::ResultShapingInputs {
            ledger: visible.ledger(),
            is_repeated_call: visible.wants_full_result(record, index),
            chosen_views: chosen.map_or(ask.chosen_views, std::slice::from_ref),
            ..ask
        };
        // Single chunks are not cached: there are many.
        cache.set_frozen(true);
        let outcome = pipeline::shape_result(&ask, &mut cache);
        cache.set_frozen(false);
        self.cache = cache;
        match (outcome, record.entry(index).tool_result()) {
            (ShapingOutcome::Unchanged, _) => self.entry_states[index.as_usize()].decision.clone(),
            (ShapingOutcome::Shaped(Some((shape, tokens)), _), Some(result)) => {
                let text = shape.render(&result.content);
                self.cache.remember_text(record.tokenizer(), &text, tokens);
                Decision::Replace(Arc::new(shape))
            }
            (ShapingOutcome::Shaped(..), _) => Decision::Keep,
        }
    }

    /// Returns the entries that a rewrite may reduce for the first time, in order.
    pub fn unreduced_entries(&self) -> impl Iterator<Item = EntryIndex> {
        let movable = self.reducible.iter().copied();
        movable.filter(|index| self.entry_states[index.as_usize()].level == ReductionLevel::Arrival)
    }

    /// Takes over the token cache of another planner of the same conversation.
    pub(crate) fn take_token_cache(&mut self, other: &mut Self) {
        self.cache = std::mem::take(&mut other.cache);
    }
}

/// Returns a hash that identifies a rewrite by its levels and views.
fn rewrite_hash(levels: &[(EntryIndex, ReductionLevel)], chosen: &[ChosenView]) -> u64 {
    let mut hasher = DefaultHasher::new();
    levels.hash(&mut hasher);
    for chosen in chosen {
        (chosen.entry, &chosen.view).hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests;
