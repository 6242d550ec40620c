//! The strategies of design documents that can plan a live conversation, as values.
//!
//! They decide anew for every request, as in replays. A change to a part of the prompt that was
//! sent before is a rewrite, regardless of its cost.

use super::{PolicyView, content_reset, first_last_sampled};
use crate::message_shape::MessageShape;
use crate::plan_step::RewriteReason;
use crate::tokens::Tokens;
use foveal_transcript::EntryIndex;

pub use super::first_last_sampled::{SamplingForm, SamplingSettings};

/// A strategy of a design document, with its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetentionStrategy {
    /// Keeps the first, the last and some reads of a file between, and the ends of long run output.
    FirstLastSampled(SamplingSettings),
    /// Removes contents of reads when the prompt reaches a size.
    ContentReset(ResetMarks),
}

/// The prompt sizes between which contents are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResetMarks {
    /// The prompt size at which contents are removed, including the system prompt.
    pub high: Tokens,
    /// The prompt size at which the removal stops.
    pub low: Tokens,
}

impl Default for ResetMarks {
    fn default() -> Self {
        Self { high: content_reset::HIGH_MARK, low: content_reset::LOW_MARK }
    }
}

/// The names of the strategies, which are those of their profiles.
pub const STRATEGY_NAMES: [&str; 3] =
    ["first-last-sampled", "first-last-sampled-max5", "content-reset"];

impl RetentionStrategy {
    /// Returns the strategy of the profile called `name`, with the document's limits.
    pub fn find(name: &str) -> Option<Self> {
        let sampled = |form| Some(Self::FirstLastSampled(SamplingSettings::new(form)));
        match name {
            "first-last-sampled" => sampled(SamplingForm::Table),
            "first-last-sampled-max5" => sampled(SamplingForm::Code),
            "content-reset" => Some(Self::ContentReset(ResetMarks::default())),
            _ => None,
        }
    }

    /// Returns the results that are not sent as recorded. With `compacts` the user asks for a
    /// shorter prompt, whatever its size.
    pub fn decide(&self, view: &PolicyView<'_>, compacts: bool) -> Vec<(EntryIndex, MessageShape)> {
        match self {
            Self::FirstLastSampled(sampled) => first_last_sampled::decide(view, sampled),
            Self::ContentReset(ResetMarks { low, .. }) if compacts => {
                content_reset::decide_between_marks(view, *low, *low)
            }
            Self::ContentReset(marks) => {
                content_reset::decide_between_marks(view, marks.high, marks.low)
            }
        }
    }

    /// Returns the reason for a rewrite by this strategy.
    pub fn rewrite_reason(&self, compacts: bool) -> RewriteReason {
        match self {
            Self::FirstLastSampled(_) => RewriteReason::Recomputed,
            Self::ContentReset(_) if compacts => RewriteReason::Compacted,
            Self::ContentReset(_) => RewriteReason::HighMark,
        }
    }
}
