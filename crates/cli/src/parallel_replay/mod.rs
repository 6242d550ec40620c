//! Replays many sessions in parallel and keeps their figures.

mod attachments;
mod file_replay;
mod past_savings;
mod replay_plan;
mod session_replay;

pub(crate) use self::attachments::Attachments;
pub(crate) use self::file_replay::{FileOutcome, replay_files_in_parallel};
pub(crate) use self::past_savings::PastSavings;
pub(crate) use self::replay_plan::{ReplayPlan, ReportPlan, ShapingHistory, list_candidates};
