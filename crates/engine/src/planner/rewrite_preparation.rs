//! Work between requests that makes the next rewrite faster.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use foveal_transcript::{EntryIndex, MessageRole};

use super::Planner;
use super::entry_table::EntryTable;
use super::planner_config::PlannerConfig;
use super::rewrite_choice;
use super::window_shaping::shaping_inputs;
use crate::conversation_record::ConversationRecord;
use crate::message_shape::Decision;
use crate::reduction_level::ReductionLevel;
use crate::shaping::pipeline::{self, ResultShapingInputs, ShapingOutcome};
use crate::token_cache::TokenCache;
use crate::views::{self, ChosenView};
use crate::visible_prompt::VisiblePrompt;

impl Planner {
    /// Prepares a rewrite with the next request, as long as `go_on` returns true: requests the
    /// views of reads that it may need and, if the rewrite is near, counts the tokens of its
    /// results. Decides nothing. All entries of `record` must be planned.
    pub fn prepare_rewrite(&mut self, record: &ConversationRecord, go_on: &dyn Fn() -> bool) {
        let Some(views) = &self.config.view_source else { return };
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
        let Self { config, entries, token_cache, .. } = self;
        let visible = self.visible.clone();
        let forecast = RewriteForecast { record, config, entries, visible, token_cache };
        let is_done = forecast.count_tokens(self.window.entries(), &levels, &chosen, go_on);
        self.prepared_rewrite = is_done.then_some(hash);
    }

    /// Predicts the reductions of a rewrite with the next request, if one is near; see
    /// [`rewrite_choice::predict_rewrite`].
    fn predict_rewrite(
        &mut self,
        record: &ConversationRecord,
    ) -> Vec<(EntryIndex, ReductionLevel)> {
        let request = self.start_request(record, self.entries.next_index(), None);
        let inputs = self.rewrite_inputs(record, &request, &[]);
        inputs.map_or(Vec::new(), |inputs| rewrite_choice::predict_rewrite(&inputs))
    }
}

/// Counts the tokens of the forms that a rewrite will probably choose, so that they are cached.
struct RewriteForecast<'a> {
    record: &'a ConversationRecord,
    config: &'a PlannerConfig,
    entries: &'a EntryTable,
    /// The prompt in front of the next result.
    visible: VisiblePrompt,
    token_cache: &'a mut TokenCache,
}

impl RewriteForecast<'_> {
    /// Counts the tokens of the entries of `window` with these levels and views; returns false if
    /// `go_on` stopped it. Results are shaped in window order, since later ones must not point at
    /// lines that earlier ones lose.
    fn count_tokens(
        mut self,
        window: &[EntryIndex],
        levels: &[(EntryIndex, ReductionLevel)],
        chosen: &[ChosenView],
        go_on: &dyn Fn() -> bool,
    ) -> bool {
        let Some((first, _)) = levels.first() else { return true };
        let (stay, go) = window.split_at(window.partition_point(|index| index < first));
        self.visible.retain_prefix(stay);
        let mut levels = levels.iter().peekable();
        for index in go {
            let raised = levels.next_if(|(next, _)| next == index);
            let state = self.entries.state(*index);
            let is_shaped =
                self.record.entry(*index).role == MessageRole::Tool && !state.is_kept_by_override();
            if is_shaped && !go_on() {
                return false;
            }
            let decision = if is_shaped {
                let level = raised.map_or(state.level, |(_, level)| *level);
                let place = chosen.binary_search_by_key(index, |chosen| chosen.entry);
                self.shape_result(*index, level, place.ok().map(|place| &chosen[place]))
            } else {
                state.decision.clone()
            };
            self.visible.push_message(self.record, *index, &decision);
        }
        true
    }

    /// Shapes a result at a level and caches its tokens.
    fn shape_result(
        &mut self,
        index: EntryIndex,
        level: ReductionLevel,
        chosen: Option<&ChosenView>,
    ) -> Decision {
        let inputs =
            shaping_inputs(self.record, self.config, self.entries, &self.visible, index, level);
        let chosen_views = chosen.map_or(inputs.chosen_views, std::slice::from_ref);
        // Single chunks are not cached: there are many.
        self.token_cache.set_frozen(true);
        let inputs = ResultShapingInputs { chosen_views, ..inputs };
        let outcome = pipeline::shape_result(&inputs, self.token_cache);
        self.token_cache.set_frozen(false);
        match (outcome, self.record.entry(index).tool_result()) {
            (ShapingOutcome::Unchanged, _) => self.entries.state(index).decision.clone(),
            (ShapingOutcome::Shaped(Some((shape, tokens)), _), Some(result)) => {
                let text = shape.render(&result.content);
                self.token_cache.remember_text(self.record.tokenizer(), &text, tokens);
                Decision::Replace(Arc::new(shape))
            }
            (ShapingOutcome::Shaped(..), _) => Decision::Keep,
        }
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
