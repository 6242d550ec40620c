//! Agent hooks: shape the results of an agent's own tools before the model reads them.
//!
//! The session's transcript defines what the model can see: a note never points at entries that a
//! compaction or a rewind removed. Where a result was shaped here, the replacement counts, whatever
//! the transcript records. A call that the model repeats at once is answered in full. In case of
//! doubt the hook does not answer, and the result stays unchanged.

mod agent_edit;
mod agent_hook;
mod event;
mod expand_command;
mod failure_advice;
mod history;
mod reply;
mod reply_invariants;
mod result_shaping;
mod tool_output;
mod transcript;

pub use self::agent_hook::AgentHook;
pub(crate) use self::agent_hook::{HookResultForm, TextResults};
pub use self::event::HookEvent;
pub use self::expand_command::ExpandCommand;
pub use self::history::{RecordedReplacement, recorded_call, recorded_replacement};
pub use self::reply::{ReplyContext, reply_to_event};
#[doc(hidden)]
pub use self::reply_invariants::check_reply_invariants;
