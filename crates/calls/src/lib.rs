//! Duplicate calls: a session's recent calls and what they answered, so that the same question
//! need not be carried out twice.
//!
//! [`CallTracker`] says whether a call repeats an earlier one, by the rule of its tool: one that
//! was registered, or that of [`ToolKind`](foveal_effects::ToolKind). It knows nothing of
//! results and of what they depend on: the caller looks whether these still hold, and then
//! confirms or refuses the answer. A call that is repeated right after such an answer must be
//! carried out.

mod find;
mod history;
mod key;
mod settings;
mod similarity;
mod tracker;

pub use find::{Hit, Miss};
pub use history::{History, Record, RecordId, Session, SessionState, Statistics};
pub use key::{Extent, Query};
pub use settings::{CallLimits, CallSettings, ToolLimits};
pub use similarity::{Compare, Declared, Rules, Similarity};
pub use tracker::CallTracker;
