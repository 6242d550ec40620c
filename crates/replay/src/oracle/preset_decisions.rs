//! Preset decisions, one per entry: for measurements of choices that were made with knowledge of
//! the whole conversation.

use std::collections::HashMap;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::message_shape::MessageShape;
use foveal_engine::plan_step::{EntryState, PlanStep, RewriteReason};
use foveal_engine::policies::policy_view::decide_by_size;
use foveal_engine::projector::RequestPlanner;
use foveal_transcript::{ClientPrompt, ClientPromptChange, EntryIndex, Timestamp};

/// Sends every result in a form that was chosen before the conversation began, and changes it only
/// at requests that were chosen too.
#[derive(Debug, Clone)]
pub(super) struct PresetProjector {
    window: ClientPrompt,
    entry_states: Vec<EntryState>,
    /// The rewrites, by the response to the request at which they happen.
    rewrites: HashMap<EntryIndex, PresetRewrite>,
    /// Number of entries taken so far.
    ingested: usize,
    sent_len: usize,
}

/// A preset change of results that were sent before.
#[derive(Debug, Clone)]
pub(super) struct PresetRewrite {
    /// The reason.
    pub(super) reason: RewriteReason,
    /// The new shapes. A shape that does not make its result smaller is ignored.
    pub(super) shapes: Vec<(EntryIndex, MessageShape)>,
}

impl PresetProjector {
    /// Creates a projector at the start of a conversation that is recorded in full. `shapes` are
    /// the results not sent as recorded; a shape that does not make its result smaller is ignored.
    pub(super) fn new(record: &ConversationRecord, shapes: &[(EntryIndex, MessageShape)]) -> Self {
        let count = record.len() as u32;
        let mut entry_states: Vec<EntryState> = (0..count)
            .map(|at| EntryState {
                tokens: record.facts(EntryIndex(at)).tokens,
                ..EntryState::default()
            })
            .collect();
        for (index, shape) in shapes {
            let (decision, tokens) = decide_by_size(record, *index, shape);
            let item = &mut entry_states[index.as_usize()];
            (item.decision, item.tokens) = (decision, tokens);
        }
        Self {
            window: ClientPrompt::default(),
            entry_states,
            rewrites: HashMap::new(),
            ingested: 0,
            sent_len: 0,
        }
    }

    /// Adds rewrites, by the response to the request at which they happen. Their results must be in
    /// the prompt then.
    #[must_use]
    pub(super) fn with_rewrites(self, rewrites: HashMap<EntryIndex, PresetRewrite>) -> Self {
        Self { rewrites, ..self }
    }
}

impl RequestPlanner for PresetProjector {
    fn advance(
        &mut self,
        record: &ConversationRecord,
        answer: EntryIndex,
        now: Option<Timestamp>,
    ) -> PlanStep {
        let mut kept = self.sent_len;
        let mut changed = Vec::new();
        while self.ingested < answer.as_usize() {
            let index = EntryIndex(self.ingested as u32);
            self.ingested += 1;
            if let ClientPromptChange::Cut { from } = self.window.push(record.conversation()) {
                kept = kept.min(from);
            }
            let decision = &self.entry_states[index.as_usize()].decision;
            if decision.shape().is_some() {
                changed.push((index, decision.clone()));
            }
        }
        self.sent_len = self.window.entries().len();
        let rewrite = self.rewrites.remove(&answer);
        for (index, shape) in rewrite.iter().flat_map(|rewrite| &rewrite.shapes) {
            let (decision, tokens) = decide_by_size(record, *index, shape);
            let position = self.window.entries().binary_search(index);
            kept = kept.min(position.unwrap_or(kept));
            let item = &mut self.entry_states[index.as_usize()];
            (item.decision, item.tokens) = (decision.clone(), tokens);
            changed.push((*index, decision));
        }
        PlanStep {
            changed,
            rewrite: rewrite.map(|rewrite| rewrite.reason),
            ..PlanStep::unchanged(answer, now, kept)
        }
    }

    fn window(&self) -> &[EntryIndex] {
        self.window.entries()
    }

    fn entry_state(&self, index: EntryIndex) -> &EntryState {
        &self.entry_states[index.as_usize()]
    }
}
