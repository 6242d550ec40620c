//! One interface over the engine, policies that decide anew for every request, and preset
//! decisions.

use std::sync::Arc;

use crate::conversation_record::ConversationRecord;
use crate::plan_step::{EntryState, PlanStep};
use crate::planner::Planner;
use crate::policies::PolicyProjector;
use crate::policies::preset_decisions::PresetProjector;
use crate::prices::ProviderConstraints;
use crate::views::ViewSource;
use foveal_transcript::{EntryIndex, Timestamp};

/// A value that turns a conversation into projections, request by request.
#[derive(Debug, Clone)]
pub enum Projector {
    /// The engine.
    Engine(Box<Planner>),
    /// A policy that decides anew for every request.
    Policy(PolicyProjector),
    /// Preset decisions.
    Preset(PresetProjector),
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
            Projector::Policy(_) | Projector::Preset(_) => self,
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
            Projector::Policy(_) | Projector::Preset(_) => self,
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
            Projector::Policy(policy) => policy.advance(record, answer, now),
            Projector::Preset(fixed) => fixed.advance(record, answer, now),
        }
    }

    /// Returns the entries of the prompt, in order.
    pub fn window(&self) -> &[EntryIndex] {
        match self {
            Projector::Engine(planner) => planner.window(),
            Projector::Policy(policy) => policy.window(),
            Projector::Preset(fixed) => fixed.window(),
        }
    }

    /// Returns the decision on an entry and its state.
    pub fn entry_state(&self, index: EntryIndex) -> &EntryState {
        match self {
            Projector::Engine(planner) => planner.entry_state(index),
            Projector::Policy(policy) => policy.entry_state(index),
            Projector::Preset(fixed) => fixed.entry_state(index),
        }
    }
}
