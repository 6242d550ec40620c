//! Links of records to the record before them; a rewind of the conversation makes a branch.

use std::collections::HashMap;

use foveal_protocols::conversation_builder::{ConversationBuilder, StepDraft, StepIndex, StepMark};
use foveal_protocols::problem::ProblemKind;
use foveal_transcript::MessageRole;

use crate::session_sink::SessionSink;

/// The positions of one conversation's records.
#[derive(Default)]
pub(super) struct RecordChain {
    /// The number of steps before each record, and including it.
    step_counts: HashMap<String, (usize, usize)>,
    last_record: Option<String>,
    /// The step to which the next step rewinds.
    pending_rewind: Option<StepIndex>,
}

impl RecordChain {
    /// Notes a branch: a record whose parent is not the record before it. `steps` is the number of
    /// steps of the conversation so far.
    pub(super) fn note_branch(
        &mut self,
        parent: Option<&str>,
        steps: usize,
        output: &mut SessionSink<'_>,
    ) {
        if self.last_record.is_none() || parent == self.last_record.as_deref() {
            return;
        }
        let to = match parent {
            None => 0,
            Some(parent) => match self.step_counts.get(parent) {
                Some((_, to)) => *to,
                None => {
                    output.report_problem(ProblemKind::UnknownRecord { id: parent.to_owned() });
                    return;
                }
            },
        };
        self.pending_rewind = (to < steps).then_some(StepIndex(to));
    }

    /// Adds a record with the number of steps before it, and including it.
    pub(super) fn add_record(&mut self, id: String, before: usize, after: usize) {
        self.step_counts.insert(id.clone(), (before, after));
        self.last_record = Some(id);
    }

    /// Returns the number of steps before a record.
    pub(super) fn steps_before_record(&self, id: &str) -> Option<usize> {
        self.step_counts.get(id).map(|(before, _)| *before)
    }

    /// Appends a step with the pending rewind. A step with another mark cannot carry it, so an
    /// empty step in front carries it.
    pub(super) fn push_step(
        &mut self,
        draft: &mut ConversationBuilder,
        mut step: StepDraft,
    ) -> StepIndex {
        if let Some(to) = self.pending_rewind.take() {
            let mark = StepMark::Rewind { to };
            if step.mark == StepMark::None {
                step.mark = mark;
            } else {
                let back = StepDraft::with_blocks(MessageRole::User, step.time, Vec::new());
                draft.push_step(back.with_mark(mark));
            }
        }
        draft.push_step(step)
    }
}
