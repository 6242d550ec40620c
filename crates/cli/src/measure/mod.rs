//! Replays many sessions in parallel and keeps their figures.

mod attachments;
mod files;
mod plan;
mod session;
mod tools;

pub(crate) use self::attachments::Attachments;
pub(crate) use self::files::{FileOutcome, measure};
pub(crate) use self::plan::{Plan, Report, candidates};
