//! Replays many sessions in parallel and keeps their figures.

mod attachments;
mod files;
mod past_savings;
mod plan;
mod session;

pub(crate) use self::attachments::Attachments;
pub(crate) use self::files::{FileOutcome, measure};
pub(crate) use self::past_savings::PastSavings;
pub(crate) use self::plan::{Past, Plan, Report, candidates};
