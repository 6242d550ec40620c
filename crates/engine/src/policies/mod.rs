//! The policies of two design documents, which decide in place of the engine's rules.
//!
//! A policy decides anew for every request: a function from the present prompt to the shapes of its
//! results. A change to a part of the prompt that was sent before is a rewrite, regardless of its
//! cost.

pub mod content_reset;
pub mod first_last_sampled;
pub mod policy_view;

use foveal_transcript::EntryIndex;

use self::content_reset::ResetMarks;
use self::first_last_sampled::{SamplingForm, SamplingSettings};
use self::policy_view::PolicyView;
use crate::message_shape::MessageShape;
use crate::plan_step::RewriteReason;

/// A policy of a design document, with its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Keeps the first, the last and some reads of a file between, and the ends of long run output.
    FirstLastSampled(SamplingSettings),
    /// Removes contents of reads when the prompt reaches a size.
    ContentReset(ResetMarks),
}

impl Policy {
    /// Returns the policy of the profile called `name`, with the document's limits.
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
            Self::ContentReset(marks) if compacts && view.tokens() >= marks.low => {
                content_reset::decide_with_base_files(view, &[], *marks)
            }
            Self::ContentReset(marks) => content_reset::decide_between_marks(view, *marks),
        }
    }

    /// Returns the reason for a rewrite by this policy.
    pub fn rewrite_reason(&self, compacts: bool) -> RewriteReason {
        match self {
            Self::FirstLastSampled(_) => RewriteReason::Recomputed,
            Self::ContentReset(_) if compacts => RewriteReason::Compacted,
            Self::ContentReset(_) => RewriteReason::HighMark,
        }
    }
}
