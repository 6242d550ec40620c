//! The summary of a replay, as text or as JSON.

pub(crate) mod json;
mod keep_alive;
mod summary_contents;
pub(crate) mod text;

pub(crate) use self::summary_contents::{ReplaySummary, SummaryOrder, sort_sessions};
