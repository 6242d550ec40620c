//! The user's overrides of decisions on single results.

use serde::{Deserialize, Serialize};

use crate::reduction_level::ReductionLevel;
use foveal_transcript::EntryIndex;

/// The user's choice for a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum OverrideState {
    /// No override.
    #[default]
    Free,
    /// All of it is sent until a later rewrite reduces it.
    Whole,
    /// All of it is sent, regardless of rewrites.
    Pinned,
    /// A note stands in its place.
    Dropped,
}

/// An override for one result, in effect from the next request on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultOverride {
    /// The result.
    pub entry: EntryIndex,
    /// The user's choice.
    pub standing: OverrideState,
    /// The reduction level under the override.
    pub level: ReductionLevel,
    /// Whether all of the result is sent.
    pub is_whole: bool,
}

impl ResultOverride {
    /// Drops a result: a note stands in its place.
    pub fn dropped(entry: EntryIndex) -> Self {
        Self {
            entry,
            standing: OverrideState::Dropped,
            level: ReductionLevel::Note,
            is_whole: false,
        }
    }

    /// Pins a result: all of it is sent, regardless of rewrites.
    pub fn pinned(entry: EntryIndex) -> Self {
        Self {
            entry,
            standing: OverrideState::Pinned,
            level: ReductionLevel::Arrival,
            is_whole: true,
        }
    }

    /// Restores a result: all of it is sent until the rules reduce it again.
    pub fn restored(entry: EntryIndex) -> Self {
        Self {
            entry,
            standing: OverrideState::Whole,
            level: ReductionLevel::Arrival,
            is_whole: true,
        }
    }
}

/// Returns whether `wishes` holds an override for this result.
pub(crate) fn has_override(wishes: &[ResultOverride], entry: EntryIndex) -> bool {
    wishes.iter().any(|wish| wish.entry == entry)
}

/// The user's overrides for the next request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestOverrides {
    /// Overrides of single results, in the order in which the user chose them.
    pub results: Vec<ResultOverride>,
    /// Whether old results are rewritten as if the prompt had just passed the high mark.
    pub compacts: bool,
}

impl RequestOverrides {
    /// No overrides.
    pub const NONE: RequestOverrides = RequestOverrides { results: Vec::new(), compacts: false };

    /// Returns whether there is no override that needs a request.
    pub fn is_empty(&self) -> bool {
        self.results.is_empty() && !self.compacts
    }
}

/// The reason why an override cannot be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OverrideError {
    /// The entry is no tool result.
    #[error("only tool results can be changed")]
    NoResult,
    /// The entry is not part of the prompt.
    #[error("it is no longer part of the prompt")]
    NotThere,
    /// The override changes nothing.
    #[error("it is already in this state")]
    IsSo,
    /// A note would be no shorter than the result.
    #[error("a note in its place would not be shorter than what is sent")]
    NoShorter,
    /// Reasoning behind the result is bound to it.
    #[error("this model's thinking depends on the messages before it: a change would be rejected")]
    Bound,
}
