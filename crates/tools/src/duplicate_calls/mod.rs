//! Duplicate calls: a session's recent calls and their answers, so that a repeated call need not be
//! carried out again.
//!
//! [`CallTracker`] decides whether a call repeats an earlier one, by the rule of its tool: a
//! registered one, or that of [`ToolKind`](foveal_tool_effects::ToolKind). It knows nothing of results
//! and their dependencies: the caller checks whether these still hold, and then confirms or rejects
//! the answer. A call that is repeated right after such an answer must be carried out.

mod call_history;
mod key;
mod lookup;
mod settings;
mod similarity;
mod tracker;

pub use call_history::{
    CallStatistics, RecordedCall, RecordedCallId, SessionCallState, SessionCalls, TrackerHistory,
};
pub use key::{CallQuery, MatchExtent};
pub use lookup::{LookupHit, LookupMiss};
pub use settings::{CallLimits, CallSettings, ToolLimits};
pub use similarity::{CompareFn, Similarity, SimilarityRules};
pub use tracker::CallTracker;
