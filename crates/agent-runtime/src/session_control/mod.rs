//! Controls a session of foveal's own agent apart from its messages: shows its prompt, changes the
//! parts that are sent, and rewinds.
//!
//! For the code that drives an [`Agent`](foveal_agent::Agent), between its turns or during them:
//!
//! - [`build_prompt_map`] shows the prompt that would be sent now;
//! - [`change_prompt`] drops, pins or restores a result in it, or undoes the last change;
//! - [`request_compaction`] has old results rewritten;
//! - [`rewind_points`] lists the messages that the conversation can go back to. To go back, send
//!   the agent [`AgentInput::Rewind`](foveal_agent::AgentInput::Rewind) and store the entries that
//!   it returns, call [`clear_visibility`](foveal_tools::ToolSession::clear_visibility), and restore
//!   files by [`files_written_since`](foveal_tools::ToolSession::files_written_since) and
//!   [`rewind_files`](foveal_tools::ToolSession::rewind_files).
//!
//! A change applies from the next request on, and is stored with its decisions.

mod next_request;
mod prompt_map;
mod rewind;
mod token_scale;

use foveal_agent::{Agent, PromptMapChange};
use foveal_engine::overrides::OverrideError;
use foveal_proxy::RequestShaper;
use foveal_proxy::prompt_changes::{CompactionEstimate, PromptChange, PromptChangeError};
use foveal_proxy::request::DecisionSlot;
use foveal_transcript::{EntryIndex, Timestamp};

use self::next_request::next_request;
pub use self::prompt_map::build_prompt_map;
pub use self::rewind::{RewindPoint, RewindStage, describe_file_rewind, rewind_points};

/// Changes the form in which a result is sent. `shaper` decides about the agent's requests.
///
/// # Errors
/// Returns an error with a message for the user if the change is not possible.
pub fn change_prompt(
    shaper: &RequestShaper,
    agent: &Agent,
    change: PromptMapChange,
    now: Timestamp,
) -> Result<(), PromptChangeError> {
    let (body, wait) = (agent.request_body(), DecisionSlot::default());
    let asked = next_request(agent, &body, &wait, now);
    let index = |place| -> Result<EntryIndex, PromptChangeError> {
        let overview = shaper.overview(&asked)?;
        let index = prompt_map::result_entry_index(agent, &overview, place);
        index.ok_or(PromptChangeError::Unwishable(OverrideError::NoResult))
    };
    let change = match change {
        PromptMapChange::Drop(place) => PromptChange::Drop(index(place)?),
        PromptMapChange::Pin(place) => PromptChange::Pin(index(place)?),
        PromptMapChange::Restore(place) => PromptChange::Restore(index(place)?),
        PromptMapChange::Undo => PromptChange::Undo,
    };
    shaper.change_prompt(&asked, change)
}

/// Requests a rewrite of old results with the next request, as if the prompt had just passed the
/// high mark of its profile, and returns the estimated saving. If nothing can be saved, no rewrite
/// is requested.
///
/// # Errors
/// Returns an error if compaction is not possible.
pub fn request_compaction(
    shaper: &RequestShaper,
    agent: &Agent,
    now: Timestamp,
) -> Result<CompactionEstimate, PromptChangeError> {
    let (body, wait) = (agent.request_body(), DecisionSlot::default());
    shaper.request_compaction(&next_request(agent, &body, &wait, now))
}

#[cfg(test)]
mod tests;
