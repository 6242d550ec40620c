//! One interface over the engine and the planners that a replay compares it with.

use std::fmt::Debug;
use std::sync::Arc;

use foveal_transcript::{EntryIndex, Timestamp};

use crate::conversation_record::ConversationRecord;
use crate::plan_step::{EntryState, PlanStep};
use crate::planner::Planner;
use crate::provider_constraints::ProviderConstraints;
use crate::views::ViewSource;

/// Plans the prompts of a recorded conversation, request by request, for comparison with the
/// engine.
pub trait RequestPlanner: Debug {
    /// Plans the request that `answer` answers; see [`Planner::advance`].
    fn advance(
        &mut self,
        record: &ConversationRecord,
        answer: EntryIndex,
        now: Option<Timestamp>,
    ) -> PlanStep;

    /// Returns the entries of the prompt, in order.
    fn window(&self) -> &[EntryIndex];

    /// Returns the decision on an entry and its state.
    fn entry_state(&self, index: EntryIndex) -> &EntryState;
}

/// A value that turns a conversation into projections, request by request.
#[derive(Debug)]
pub enum Projector {
    /// The engine.
    Engine(Box<Planner>),
    /// Another planner.
    Comparison(Box<dyn RequestPlanner>),
}

impl Projector {
    /// Sets the source of views of reads; see [`Planner::with_view_source`]. Only the engine uses
    /// it.
    #[must_use]
    pub fn with_view_source(self, views: Arc<dyn ViewSource>) -> Self {
        match self {
            Projector::Engine(planner) => {
                Projector::Engine(Box::new(planner.with_view_source(views)))
            }
            Projector::Comparison(_) => self,
        }
    }

    /// Sets the constraints of the provider; see [`Planner::with_constraints`]. Only the engine
    /// observes them.
    #[must_use]
    pub fn with_constraints(self, constraints: ProviderConstraints) -> Self {
        match self {
            Projector::Engine(planner) => {
                Projector::Engine(Box::new(planner.with_constraints(constraints)))
            }
            Projector::Comparison(_) => self,
        }
    }

    /// Plans the request that `answer` answers; see [`Planner::advance`].
    pub fn advance(
        &mut self,
        record: &ConversationRecord,
        answer: EntryIndex,
        now: Option<Timestamp>,
    ) -> PlanStep {
        match self {
            Projector::Engine(planner) => planner.advance(record, answer, now),
            Projector::Comparison(planner) => planner.advance(record, answer, now),
        }
    }

    /// Returns the entries of the prompt, in order.
    pub fn window(&self) -> &[EntryIndex] {
        match self {
            Projector::Engine(planner) => planner.window(),
            Projector::Comparison(planner) => planner.window(),
        }
    }

    /// Returns the decision on an entry and its state.
    pub fn entry_state(&self, index: EntryIndex) -> &EntryState {
        match self {
            Projector::Engine(planner) => planner.entry_state(index),
            Projector::Comparison(planner) => planner.entry_state(index),
        }
    }
}
