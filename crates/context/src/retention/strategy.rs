//! The strategies of design documents that a live conversation can be planned by, as values.
//!
//! They decide anew for every request, as they do for replays. What of a prompt changes by them
//! that had gone before is a rewrite, whatever it costs.

use super::{PolicyView, content_reset, first_last_sampled};
use crate::shape::Shape;
use crate::step::RewriteReason;
use crate::tokens::Tokens;
use foveal_transcript::EntryIndex;

pub use super::first_last_sampled::{Form, Sampled};

/// A strategy of a design document, with its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Of a file's reads the first, the last and some between; the ends of long run output.
    FirstLastSampled(Sampled),
    /// Contents of reads leave when the prompt reaches a size.
    ContentReset(ResetMarks),
}

/// When contents leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResetMarks {
    /// The prompt size at which contents are removed, the system prompt included.
    pub high: Tokens,
    /// The prompt size at which removing stops.
    pub low: Tokens,
}

impl Default for ResetMarks {
    fn default() -> Self {
        Self { high: content_reset::HIGH, low: content_reset::LOW }
    }
}

/// The names of the strategies, as profiles have them.
pub const NAMES: [&str; 3] = ["first-last-sampled", "first-last-sampled-max5", "content-reset"];

impl Strategy {
    /// The strategy of the profile called `name`, with the document's limits.
    pub fn named(name: &str) -> Option<Self> {
        let sampled = |form| Some(Self::FirstLastSampled(Sampled::new(form)));
        match name {
            "first-last-sampled" => sampled(Form::Table),
            "first-last-sampled-max5" => sampled(Form::Code),
            "content-reset" => Some(Self::ContentReset(ResetMarks::default())),
            _ => None,
        }
    }

    /// The results that are not sent as recorded. `compacts`: a shorter prompt is wanted, whatever
    /// its size.
    pub fn decide(&self, view: &PolicyView<'_>, compacts: bool) -> Vec<(EntryIndex, Shape)> {
        match self {
            Self::FirstLastSampled(sampled) => first_last_sampled::decide(view, sampled),
            Self::ContentReset(ResetMarks { low, .. }) if compacts => {
                content_reset::decide_within(view, *low, *low)
            }
            Self::ContentReset(marks) => content_reset::decide_within(view, marks.high, marks.low),
        }
    }

    /// Why what had gone before changes by it.
    pub fn reason(&self, compacts: bool) -> RewriteReason {
        match self {
            Self::FirstLastSampled(_) => RewriteReason::Recomputed,
            Self::ContentReset(_) if compacts => RewriteReason::Compacted,
            Self::ContentReset(_) => RewriteReason::HighMark,
        }
    }
}
