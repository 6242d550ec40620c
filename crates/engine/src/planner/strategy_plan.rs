//! Plans a request by the strategy of a design document.

use std::collections::HashMap;
use std::sync::Arc;

use super::Planner;
use super::strategy_request::StrategyRequest;
use crate::conversation_record::ConversationRecord;
use crate::message_shape::{Decision, MessageShape, ShapeKind, ShapePiece};
use crate::note::{Note, NoteKind};
use crate::overrides::{OverrideState, RequestOverrides};
use crate::placement::base_files::BaseFile;
use crate::plan_step::{PlanStep, RewriteReason};
use crate::policies::strategy::RetentionStrategy;
use crate::policies::{content_reset, decide_by_size};
use crate::tokens::Tokens;
use foveal_transcript::{EntryIndex, MessageRole};

/// Follows a strategy's note whose target has other lines.
const DIFFERS_SUFFIX: &str = " [what this read gave differs from what stands there]";

impl Planner {
    /// Plans a request. Without overrides nothing that was sent changes. Nothing before bound
    /// reasoning changes in any case.
    pub(super) fn plan_by_strategy(
        &mut self,
        record: &ConversationRecord,
        strategy: RetentionStrategy,
        request: StrategyRequest,
        wishes: Option<&RequestOverrides>,
    ) -> PlanStep {
        let StrategyRequest { answer, now, known, cut } = request;
        let bound = self.rewritable_from(self.rewrite_reason(cut, now));
        let fixed = wishes.map_or(self.sent_len, |_| bound.min(self.sent_len));
        let results = wishes.map_or(&[][..], |wishes| &wishes.results);
        let (wished, wished_from) = self.apply_overrides(record, results, fixed);
        let compacts = wishes.is_some_and(|wishes| wishes.compacts);
        // Nothing in front of bound reasoning may change, least of all the system prompt.
        let base = match bound {
            0 if wishes.is_some() => self.choose_base_files(record, strategy, compacts),
            _ => None,
        };
        let mut chosen = self.strategy_shapes(record, strategy, compacts, base.as_deref());
        let wanted = self.strategy_decisions(record, fixed, known, &mut chosen);
        let differs = |(index, (decision, _)): &(&EntryIndex, &(Decision, Tokens))| {
            self.entry_states[index.as_usize()].decision != *decision
        };
        let first =
            wanted.iter().filter(differs).map(|(index, _)| self.window_position(*index)).min();
        let from = self.first_changed_position(cut, &[], [wished_from, None]);
        let from = first.map_or(from, |first| first.min(from));
        let mut changed = Vec::new();
        for index in self.forget_visible_from(record, from) {
            let is_settled = self.window_position(index) < fixed && index < known;
            let (decision, tokens) = match wanted.get(&index) {
                Some(wanted) => wanted.clone(),
                None if is_settled => self.current_decision(index),
                None => self.decide_entry(record, index),
            };
            if decision != self.entry_states[index.as_usize()].decision {
                changed.push((index, decision.clone()));
            }
            self.commit_decision(record, index, decision, tokens);
        }
        self.recount_tokens(record, from);
        let first =
            changed.first().map_or(self.sent_len, |(index, _)| self.window_position(*index));
        let kept = [Some(first), cut, Some(self.sent_len)].into_iter().flatten().min().unwrap_or(0);
        let sent = cut.map_or(self.sent_len, |cut| cut.min(self.sent_len));
        let is_wished = wished_from.is_some_and(|from| self.window_position(from) <= first);
        let rewrite = match changed.first() {
            Some((index, _)) if *index < known && is_wished => Some(RewriteReason::Wished),
            Some((index, _)) if *index < known && first < sent => {
                Some(strategy.rewrite_reason(compacts))
            }
            Some((index, _)) if *index < known => Some(RewriteReason::ClientRewrote),
            Some(_) | None => base.as_ref().map(|_| strategy.rewrite_reason(compacts)),
        };
        let kept = if base.is_some() { 0 } else { kept };
        let (levels, chosen) = (Vec::new(), Vec::new());
        let (time, keeps_answer, backlog) = (now, false, None);
        #[rustfmt::skip]
        let step =
            PlanStep { answer, time, changed, rewrite, levels, wished, chosen, kept, keeps_answer, base, backlog };
        self.finish_step(&step);
        step
    }

    /// Returns the strategy's shapes; `base` are the files that move to the system prompt with the
    /// same request.
    fn strategy_shapes(
        &self,
        record: &ConversationRecord,
        strategy: RetentionStrategy,
        compacts: bool,
        base: Option<&[BaseFile]>,
    ) -> HashMap<EntryIndex, MessageShape> {
        let view = self.policy_view(record, base);
        match (base, strategy) {
            (Some(base), RetentionStrategy::ContentReset(marks)) => {
                content_reset::decide_with_base_files(&view, base, marks.low).into_iter().collect()
            }
            (_, _) => strategy.decide(&view, compacts).into_iter().collect(),
        }
    }

    /// Returns the decision on each result from window position `fixed` on that has no override.
    fn strategy_decisions(
        &mut self,
        record: &ConversationRecord,
        fixed: usize,
        known: EntryIndex,
        chosen: &mut HashMap<EntryIndex, MessageShape>,
    ) -> HashMap<EntryIndex, (Decision, Tokens)> {
        let mut wanted = HashMap::new();
        let window = self.window.entries();
        for index in window.get(fixed..).unwrap_or_default() {
            let item = &self.entry_states[index.as_usize()];
            if record.entry(*index).role != MessageRole::Tool
                || item.override_state != OverrideState::Free
            {
                continue;
            }
            let decided = match chosen.remove(index) {
                Some(shape) if item.decision.shape() == Some(&shape) => {
                    self.current_decision(*index)
                }
                Some(shape) => {
                    let shape =
                        correct_notes(record, *index, shape, |target| self.is_sent_whole(target));
                    decide_by_size(record, *index, &shape)
                }
                None => (Decision::Keep, record.facts(*index).tokens),
            };
            // Results that no prompt can hold are shaped by the settings on arrival, and stay so.
            let is_too_long = self.settings.read_bytes_max.is_some_and(|most| {
                record.entry(*index).tool_result().is_some_and(|result| result.content.len() > most)
            });
            let is_whole = decided.0.shape().is_none();
            match is_whole && is_too_long {
                true if *index < known => {
                    drop(wanted.insert(*index, self.current_decision(*index)));
                }
                true => {}
                false => drop(wanted.insert(*index, decided)),
            }
        }
        wanted
    }

    /// Returns whether the prompt holds all of a result, as far as known.
    fn is_sent_whole(&self, index: EntryIndex) -> bool {
        let item = &self.entry_states[index.as_usize()];
        item.decision.shape().is_none() && item.override_state != OverrideState::Dropped
    }

    fn current_decision(&self, index: EntryIndex) -> (Decision, Tokens) {
        let item = &self.entry_states[index.as_usize()];
        (item.decision.clone(), item.tokens)
    }
}

/// Corrects the notes of a strategy's shape: each gets the handle of its content, and a pointer at
/// a result with other content says so.
fn correct_notes(
    record: &ConversationRecord,
    index: EntryIndex,
    mut shape: MessageShape,
    is_whole: impl Fn(EntryIndex) -> bool,
) -> MessageShape {
    let content =
        |index: EntryIndex| record.entry(index).tool_result().map(|it| it.content.as_str());
    let own = content(index);
    let mut differs = false;
    for piece in &mut shape.pieces {
        let ShapePiece::Note(_, note) = piece else { continue };
        let mut told = Note { handle: Some(shape.handle), ..(**note).clone() };
        let is_another = |target: &EntryIndex| content(*target) != own || !is_whole(*target);
        if told.refers_to.iter().any(is_another) {
            differs = true;
            told.refers_to.clear();
            if let NoteKind::Quoted(text) = &mut told.kind {
                *text = format!("{text}{DIFFERS_SUFFIX}").into_boxed_str();
            }
        }
        *note = Arc::new(told);
    }
    if differs {
        shape.kind = ShapeKind::Note;
    }
    shape
}
