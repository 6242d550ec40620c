//! Decides the form of each message in the window, from the first new or changed one on, in order.

use std::sync::Arc;

use foveal_pricing::tokens::Tokens;
use foveal_transcript::{EntryIndex, MessageRole};

use super::entry_table::EntryTable;
use super::planner_config::PlannerConfig;
use super::prompt_window::PromptWindow;
use crate::conversation_record::ConversationRecord;
use crate::message_shape::Decision;
use crate::overrides::OverrideState;
use crate::plan_step::EntryState;
use crate::reduction_level::ReductionLevel;
use crate::shaping::pipeline::{self, ResultShapingInputs, ShapingOutcome};
use crate::token_cache::TokenCache;
use crate::visible_prompt::VisiblePrompt;

/// Shapes the messages of the window, each against the messages before it.
pub(super) struct WindowShaper<'a> {
    pub(super) record: &'a ConversationRecord,
    pub(super) config: &'a PlannerConfig,
    pub(super) window: &'a mut PromptWindow,
    pub(super) entries: &'a mut EntryTable,
    pub(super) visible: &'a mut VisiblePrompt,
    pub(super) token_cache: &'a mut TokenCache,
}

impl WindowShaper<'_> {
    /// Sets the decisions that `decide` returns for the entries from window position `from` on, in
    /// order; returns those that differ from before.
    pub(super) fn shape_window(
        &mut self,
        from: usize,
        mut decide: impl FnMut(&mut Self, EntryIndex) -> (Decision, Tokens),
    ) -> Vec<(EntryIndex, Decision)> {
        let (stay, go) = self.window.entries().split_at(from.min(self.window.entries().len()));
        // The visible prompt holds entries that were sent; while all of them stay, it stays too.
        if stay.len() < self.window.sent_len {
            self.visible.retain_prefix(stay);
        }
        let (go, mut changed) = (go.to_vec(), Vec::new());
        for index in go {
            let (decision, tokens) = decide(self, index);
            if decision != self.entries.state(index).decision {
                changed.push((index, decision.clone()));
            }
            self.visible.push_message(self.record, index, &decision);
            self.entries.set_decision(index, decision, tokens);
        }
        let PromptWindow { tokens, messages, .. } = &mut *self.window;
        tokens.update(from, messages.entries(), &self.entries.states, self.record);
        changed
    }

    /// Decides the form of a message by the rules; returns it with its tokens.
    pub(super) fn decide_entry(&mut self, index: EntryIndex) -> (Decision, Tokens) {
        let is_result = self.record.entry(index).role == MessageRole::Tool;
        let shaped = match is_result && !self.entries.state(index).is_kept_by_override() {
            false => None,
            true => match self.shape_result(index) {
                ShapingOutcome::Unchanged => return self.entries.decision(index),
                ShapingOutcome::Shaped(shaped, dependencies) => {
                    self.entries.dependencies[index.as_usize()] = Some(dependencies);
                    shaped
                }
            },
        };
        let before = self.entries.state(index).decision.shape();
        match shaped {
            Some((shape, _)) if before.is_some_and(|old| old.is_same_projection(&shape)) => {
                self.entries.decision(index)
            }
            Some((shape, tokens)) => (Decision::Replace(Arc::new(shape)), tokens),
            None => (Decision::Keep, self.record.facts(index).tokens),
        }
    }

    /// Shapes a result for its level. If that is larger than the form sent so far, takes the less
    /// reduced level with the fewest tokens.
    fn shape_result(&mut self, index: EntryIndex) -> ShapingOutcome {
        let EntryState { level, tokens: stands, override_state, .. } = *self.entries.state(index);
        let mut outcome = self.shape_at_level(index, level);
        if override_state == OverrideState::Dropped {
            return outcome;
        }
        let facts = self.record.facts(index);
        for lower in level.less_reduced() {
            let Some(tokens) = outcome.projected_tokens(facts) else { break };
            if tokens <= stands {
                break;
            }
            let other = self.shape_at_level(index, *lower);
            if other.projected_tokens(facts).is_none_or(|less| less < tokens) {
                outcome = other;
            }
        }
        outcome
    }

    fn shape_at_level(&mut self, index: EntryIndex, level: ReductionLevel) -> ShapingOutcome {
        let inputs =
            shaping_inputs(self.record, self.config, self.entries, self.visible, index, level);
        pipeline::shape_result(&inputs, self.token_cache)
    }

    /// Returns a recorded decision on an entry with the tokens of its form.
    pub(super) fn count_decision(
        &mut self,
        index: EntryIndex,
        decision: Decision,
    ) -> (Decision, Tokens) {
        let tokens = match (decision.shape(), self.record.entry(index).tool_result()) {
            (Some(shape), Some(result)) => {
                self.token_cache.count(self.record.tokenizer(), &shape.render(&result.content))
            }
            (Some(_), None) | (None, _) => self.record.facts(index).tokens,
        };
        (decision, tokens)
    }
}

/// Returns the inputs for shaping a result at a level behind the messages of `visible`.
pub(super) fn shaping_inputs<'a>(
    record: &'a ConversationRecord,
    config: &'a PlannerConfig,
    entries: &'a EntryTable,
    visible: &'a VisiblePrompt,
    index: EntryIndex,
    level: ReductionLevel,
) -> ResultShapingInputs<'a> {
    ResultShapingInputs {
        record,
        ledger: visible.ledger(),
        settings: &config.settings,
        index,
        level,
        is_repeated_call: visible.wants_full_result(record, index),
        current_state: entries.state(index),
        current_dependencies: entries.dependencies[index.as_usize()].as_ref(),
        outlined_later: config.rewrite().is_some() && config.old_reads().is_none(),
        chosen_views: entries.chosen_views.get(index, level),
        first_views: entries.chosen_views.get(index, ReductionLevel::Arrival),
    }
}
