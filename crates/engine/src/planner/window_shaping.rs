//! Decides the form of each message in the window, from the first new or changed one on, in order.

use std::collections::HashMap;
use std::sync::Arc;

use foveal_pricing::tokens::Tokens;
use foveal_transcript::{EntryIndex, MessageRole};

use super::Planner;
use crate::conversation_record::ConversationRecord;
use crate::message_shape::{Decision, MessageShape};
use crate::overrides::OverrideState;
use crate::plan_step::EntryState;
use crate::reduction_level::ReductionLevel;
use crate::shaping::pipeline::{self, ShapingOutcome};

impl Planner {
    /// Returns the first window position to shape again: the first that is new, cut or rewritten.
    pub(super) fn first_changed_position(
        &self,
        cut: Option<usize>,
        levels: &[(EntryIndex, ReductionLevel)],
        others: [Option<EntryIndex>; 2],
    ) -> usize {
        let place = |first| self.window_position(first);
        let others = others.into_iter().flatten();
        let rewritten = levels.iter().map(|(index, _)| *index).chain(others).min().map(place);
        [Some(self.sent_len), cut, rewritten].into_iter().flatten().min().unwrap_or(0)
    }

    /// Shapes the window from position `from` on, in order, against the messages before it. The
    /// entries of `decided` get their decisions from there.
    pub(super) fn shape_window(
        &mut self,
        record: &ConversationRecord,
        from: usize,
        decided: &HashMap<EntryIndex, (Decision, Tokens)>,
    ) -> Vec<(EntryIndex, Decision)> {
        let mut changed = Vec::new();
        for index in self.forget_visible_from(from) {
            let (decision, tokens) = match decided.get(&index) {
                Some(decided) => decided.clone(),
                None => self.decide_entry(record, index),
            };
            if decision != self.entry_states[index.as_usize()].decision {
                changed.push((index, decision.clone()));
            }
            self.commit_decision(record, index, decision, tokens);
        }
        self.recount_tokens(record, from);
        changed
    }

    /// Removes the messages from window position `from` on from the visible prompt; returns the
    /// entries that stand there now.
    pub(super) fn forget_visible_from(&mut self, from: usize) -> Vec<EntryIndex> {
        let (stay, go) = self.window.entries().split_at(from.min(self.window.entries().len()));
        // The visible prompt holds entries that were sent; while all of them stay, it stays too.
        if stay.len() < self.sent_len {
            self.visible.retain_prefix(stay);
        }
        go.to_vec()
    }

    /// Decides the form of a message; returns it with its tokens.
    fn decide_entry(
        &mut self,
        record: &ConversationRecord,
        index: EntryIndex,
    ) -> (Decision, Tokens) {
        let shaped = match record.entry(index).role {
            MessageRole::Tool if self.entry_states[index.as_usize()].is_kept_by_override() => None,
            MessageRole::Tool => match self.shape_result(record, index) {
                ShapingOutcome::Unchanged => {
                    let item = &self.entry_states[index.as_usize()];
                    return (item.decision.clone(), item.tokens);
                }
                ShapingOutcome::Shaped(shaped, inputs) => {
                    self.inputs[index.as_usize()] = Some(inputs);
                    shaped
                }
            },
            MessageRole::System | MessageRole::User | MessageRole::Assistant => None,
        };
        let before = &self.entry_states[index.as_usize()].decision;
        match shaped {
            Some((shape, _))
                if before.shape().is_some_and(|old| old.is_same_projection(&shape)) =>
            {
                (before.clone(), self.entry_states[index.as_usize()].tokens)
            }
            Some((shape, tokens)) => (Decision::Replace(Arc::new(shape)), tokens),
            None => (Decision::Keep, record.facts(index).tokens),
        }
    }

    /// Shapes a result for its level. If that is larger than the form sent so far, takes the less
    /// reduced level with the fewest tokens.
    fn shape_result(&mut self, record: &ConversationRecord, index: EntryIndex) -> ShapingOutcome {
        let EntryState { level, tokens: stands, override_state: standing, .. } =
            self.entry_states[index.as_usize()];
        let mut outcome = self.shape_at_level(record, index, level);
        if standing == OverrideState::Dropped {
            return outcome;
        }
        for lower in level.less_reduced() {
            let Some(tokens) = outcome.projected_tokens(record.facts(index)) else { break };
            if tokens <= stands {
                break;
            }
            let other = self.shape_at_level(record, index, *lower);
            if other.projected_tokens(record.facts(index)).is_none_or(|less| less < tokens) {
                outcome = other;
            }
        }
        outcome
    }

    fn shape_at_level(
        &mut self,
        record: &ConversationRecord,
        index: EntryIndex,
        level: ReductionLevel,
    ) -> ShapingOutcome {
        let mut cache = std::mem::take(&mut self.cache);
        let ask = self.result_inputs(record, index, level);
        let outcome = pipeline::shape_result(&ask, &mut cache);
        self.cache = cache;
        outcome
    }

    /// Returns the inputs for shaping a result at a level.
    pub(super) fn result_inputs<'a>(
        &'a self,
        record: &'a ConversationRecord,
        index: EntryIndex,
        level: ReductionLevel,
    ) -> pipeline::ResultShapingInputs<'a> {
        let before = &self.entry_states[index.as_usize()];
        pipeline::ResultShapingInputs {
            record,
            ledger: self.visible.ledger(),
            settings: &self.settings,
            index,
            level,
            is_repeated_call: self.visible.wants_full_result(record, index),
            current_state: before,
            current_dependencies: self.inputs[index.as_usize()].as_ref(),
            outlined_later: self.settings.rewrite.is_some() && self.old_read_settings().is_none(),
            chosen_views: self.chosen_views.get(index, level),
            first_views: self.chosen_views.get(index, ReductionLevel::Arrival),
        }
    }

    /// Commits a decision: records its tokens and its visible lines.
    pub(super) fn commit_decision(
        &mut self,
        record: &ConversationRecord,
        index: EntryIndex,
        decision: Decision,
        tokens: Tokens,
    ) {
        self.visible.push_message(record, index, &decision);
        // A pointer to a message shows that it still matters.
        let shape = decision.shape();
        let arrived = self.result_ages[index.as_usize()].map_or(0, |life| life.arrived);
        for target in shape.map(MessageShape::referenced_entries).unwrap_or_default() {
            if let Some(life) = self.result_ages[target.as_usize()].as_mut() {
                life.last_use = life.last_use.max(arrived);
            }
        }
        let item = &mut self.entry_states[index.as_usize()];
        (item.decision, item.tokens) = (decision, tokens);
    }

    /// Counts the tokens of an entry as sent under `decision`.
    pub(super) fn count_projected_tokens(
        &mut self,
        record: &ConversationRecord,
        index: EntryIndex,
        decision: &Decision,
    ) -> Tokens {
        match (decision.shape(), record.entry(index).tool_result()) {
            (Some(shape), Some(result)) => {
                self.cache.count(record.tokenizer(), &shape.render(&result.content))
            }
            (Some(_), None) | (None, _) => record.facts(index).tokens,
        }
    }
}
