//! Records that name the record before them, so that going back in a conversation is a branch.

use std::collections::HashMap;

use foveal_transcript::Role;

use crate::draft::{Draft, Step, StepIndex, StepMark};
use crate::output::Output;
use crate::problem::ProblemKind;

/// Where the records of one conversation stand.
#[derive(Default)]
pub(super) struct Chain {
    /// Number of steps before each record, and up to and with it.
    places: HashMap<String, (usize, usize)>,
    last: Option<String>,
    /// Where the next step goes back to.
    rewind: Option<StepIndex>,
}

impl Chain {
    /// Notes a branch: a record whose parent is not the record before it. `steps` are those of
    /// the conversation so far.
    pub(super) fn follow(&mut self, parent: Option<&str>, steps: usize, output: &mut Output<'_>) {
        if self.last.is_none() || parent == self.last.as_deref() {
            return;
        }
        let to = match parent {
            None => 0,
            Some(parent) => match self.places.get(parent) {
                Some((_, to)) => *to,
                None => {
                    output.problem(ProblemKind::UnknownRecord { id: parent.to_owned() });
                    return;
                }
            },
        };
        self.rewind = (to < steps).then_some(StepIndex(to));
    }

    /// Adds a record with the number of steps before it, and up to and with it.
    pub(super) fn add(&mut self, id: String, before: usize, after: usize) {
        self.places.insert(id.clone(), (before, after));
        self.last = Some(id);
    }

    /// The number of steps before a record.
    pub(super) fn before(&self, id: &str) -> Option<usize> {
        self.places.get(id).map(|(before, _)| *before)
    }

    /// Appends a step. A step that already means something cannot also go back, so an
    /// empty one in front of it does.
    pub(super) fn push(&mut self, draft: &mut Draft, mut step: Step) -> StepIndex {
        if let Some(to) = self.rewind.take() {
            let mark = StepMark::Rewind { to };
            if step.mark == StepMark::None {
                step.mark = mark;
            } else {
                let back = Step::with(Role::User, step.time, Vec::new());
                draft.push(back.marked(mark));
            }
        }
        draft.push(step)
    }
}
