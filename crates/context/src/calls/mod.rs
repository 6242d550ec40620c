//! Duplicate calls: a session's recent calls and what they answered, so that the same question
//! need not be carried out twice.
//!
//! [`CallTracker`] says whether a call repeats an earlier one ([`similarity`] has the table of
//! what that means for which tool). It knows nothing of results and of what they depend on:
//! the caller looks whether these still hold, and then confirms or refuses the answer.
//! Whoever asks again right after such an answer needs the call carried out.

mod history;
mod key;
mod note;
mod settings;
pub mod similarity;
mod tracker;

pub use history::{History, Record, RecordId, Session, Statistics};
pub use key::{Asked, Extent};
pub use note::cached_note;
pub use settings::{CallLimits, CallSettings, ToolLimits};
pub use similarity::{Declared, Rule, Rules, Similarity};
pub use tracker::{CallTracker, Hit, Miss};
