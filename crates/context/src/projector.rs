//! One interface over the engine, the policies that decide anew for every request, and
//! decisions taken beforehand.

use std::sync::Arc;

use crate::planner::Planner;
use crate::prices::Constraints;
use crate::record::Record;
use crate::retention::Recomputed;
use crate::retention::fixed::Fixed;
use crate::step::{Item, Step};
use crate::views::Views;
use foveal_transcript::{EntryIndex, Timestamp};

/// Something that turns a conversation into projections, request by request.
#[derive(Debug, Clone)]
pub enum Projector {
    /// The engine.
    Engine(Box<Planner>),
    /// A policy that decides anew for every request.
    Recomputed(Recomputed),
    /// Decisions taken beforehand.
    Fixed(Fixed),
}

impl Projector {
    /// The same with someone to ask for views of reads; see [`Planner::with_views`]. Only the
    /// engine asks.
    #[must_use]
    pub fn with_views(self, views: Arc<dyn Views>) -> Self {
        match self {
            Projector::Engine(planner) => Projector::Engine(Box::new(planner.with_views(views))),
            Projector::Recomputed(_) | Projector::Fixed(_) => self,
        }
    }

    /// The same for a provider that allows less; see [`Planner::with_constraints`]. Only the engine
    /// keeps to it.
    #[must_use]
    pub fn with_constraints(self, constraints: Constraints) -> Self {
        match self {
            Projector::Engine(planner) => {
                Projector::Engine(Box::new(planner.with_constraints(constraints)))
            }
            Projector::Recomputed(_) | Projector::Fixed(_) => self,
        }
    }

    /// Plans the request that `answer` answers; see [`Planner::advance`].
    pub fn advance(&mut self, record: &Record, answer: EntryIndex, now: Option<Timestamp>) -> Step {
        match self {
            Projector::Engine(planner) => planner.advance(record, answer, now),
            Projector::Recomputed(policy) => policy.advance(record, answer, now),
            Projector::Fixed(fixed) => fixed.advance(record, answer, now),
        }
    }

    /// The entries of the prompt, in order.
    pub fn window(&self) -> &[EntryIndex] {
        match self {
            Projector::Engine(planner) => planner.window(),
            Projector::Recomputed(policy) => policy.window(),
            Projector::Fixed(fixed) => fixed.window(),
        }
    }

    /// What was decided about an entry.
    pub fn item(&self, index: EntryIndex) -> &Item {
        match self {
            Projector::Engine(planner) => planner.item(index),
            Projector::Recomputed(policy) => policy.item(index),
            Projector::Fixed(fixed) => fixed.item(index),
        }
    }
}
