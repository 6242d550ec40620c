//! Agent hooks: shape the results of an agent's own tools before the model reads them.
//!
//! The session's transcript defines what the model can see: a note never points at entries that a
//! compaction or a rewind removed. Where a result was shaped here, the replacement counts, whatever
//! the transcript records. A call that the model repeats at once is answered in full. In case of
//! doubt the hook does not answer, and the result stays unchanged.

mod agent_edit;
mod event;
mod expand_command;
mod failure_advice;
mod handler;
mod history;
mod hook_agent;
mod reply;
mod result_shaping;
mod tool_output;
mod transcript;

#[cfg(test)]
mod corpora;
#[cfg(test)]
mod fuzzed;

pub(crate) use self::handler::handle_event;
pub(crate) use self::history::{RecordedReplacement, recorded_call, recorded_replacement};
pub(crate) use self::hook_agent::{HookAgent, is_hook_session_kind};
