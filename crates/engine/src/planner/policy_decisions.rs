//! Plans a request by the policy of a design document.

use std::collections::HashMap;
use std::sync::Arc;

use foveal_pricing::tokens::Tokens;
use foveal_transcript::{EntryIndex, MessageRole};

use super::{PlannedRequest, Planner};
use crate::conversation_record::ConversationRecord;
use crate::message_shape::{Decision, MessageShape, ShapeKind, ShapePiece};
use crate::note::{Note, NoteKind};
use crate::overrides::OverrideState;
use crate::placement::base_files::BaseFile;
use crate::plan_step::{PlanStep, RewriteReason};
use crate::policies::policy_view::decide_by_size;
use crate::policies::{Policy, content_reset};

/// Follows a policy's note whose target has other lines.
const DIFFERS_SUFFIX: &str = " [what this read gave differs from what stands there]";

impl Planner {
    /// Decides a request by a policy. Nothing before bound reasoning changes in any case.
    /// `wished_from` is the first entry that an override changes.
    pub(super) fn plan_by_policy(
        &mut self,
        record: &ConversationRecord,
        policy: Policy,
        request: &PlannedRequest,
        wished_from: Option<EntryIndex>,
    ) -> PlanStep {
        let PlannedRequest { answer, now, known, cut, bound, may_rewrite, compacts, .. } = *request;
        let fixed = if may_rewrite { bound.min(self.sent_len) } else { self.sent_len };
        // Nothing in front of bound reasoning may change, least of all the system prompt.
        let base = match bound {
            0 if may_rewrite => self.choose_base_files(record, policy, compacts),
            _ => None,
        };
        let mut wanted = self.policy_decisions(record, policy, request, fixed, base.as_deref());
        let differs = |(index, (decision, _)): &(&EntryIndex, &(Decision, Tokens))| {
            self.entry_states[index.as_usize()].decision != *decision
        };
        let first =
            wanted.iter().filter(differs).map(|(index, _)| self.window_position(*index)).min();
        let from = self.first_changed_position(cut, &[], [wished_from, None]);
        let from = first.map_or(from, |first| first.min(from));
        for index in self.window.entries().iter().take(fixed).filter(|index| **index < known) {
            wanted.insert(*index, self.current_decision(*index));
        }
        let changed = self.shape_window(record, from, &wanted);
        let first = changed.first().map(|(index, _)| *index);
        let is_wished = wished_from.zip(first).is_some_and(|(from, first)| from <= first);
        let reason = policy.rewrite_reason(compacts);
        let rewrite = match first.filter(|first| *first < known) {
            Some(_) if is_wished => Some(RewriteReason::Wished),
            Some(first) if self.is_before_cut(first, cut) => Some(reason),
            Some(_) => Some(RewriteReason::ClientRewrote),
            None => base.as_ref().map(|_| reason),
        };
        let unchanged = PlanStep::unchanged(answer, now, self.sent_len);
        PlanStep { changed, rewrite, base, ..unchanged }
    }

    /// Returns the decision of the policy on each result from window position `fixed` on that has
    /// no override; `base` are the files that move to the system prompt with the same request.
    fn policy_decisions(
        &self,
        record: &ConversationRecord,
        policy: Policy,
        request: &PlannedRequest,
        fixed: usize,
        base: Option<&[BaseFile]>,
    ) -> HashMap<EntryIndex, (Decision, Tokens)> {
        let view = self.policy_view(record, base);
        let shapes = match (base, policy) {
            (Some(base), Policy::ContentReset(marks)) => {
                content_reset::decide_with_base_files(&view, base, marks)
            }
            (_, _) => policy.decide(&view, request.compacts),
        };
        let mut chosen: HashMap<EntryIndex, MessageShape> = shapes.into_iter().collect();
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
                true if *index < request.known => {
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

/// Corrects the notes of a policy's shape: each gets the handle of its content, and a pointer at
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
