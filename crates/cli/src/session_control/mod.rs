//! What a person does with a session of foveal's own agent beside talking: looks at its prompt,
//! changes what of it is sent, and goes back.
//!
//! For whoever drives an [`Agent`](foveal_agent::Agent), between its turns or during them:
//!
//! - [`map`] shows the prompt as it would go now;
//! - [`change`] drops, pins or restores a result in it, or takes the last change back;
//! - [`compact`] has old results rewritten;
//! - [`said_by_person`] lists what the conversation can go back to. To go back, take the agent
//!   there with [`Event::Rewind`](foveal_agent::Event::Rewind) and keep what it says, call
//!   [`Session::forget`](foveal_tools::Session::forget), and put files back by
//!   [`Session::files_since`](foveal_tools::Session::files_since) and
//!   [`Session::put_files_back`](foveal_tools::Session::put_files_back).
//!
//! What is changed holds from the next request on, and is kept with its decisions.

mod map;
mod request;
mod rewind;
mod scale;

use foveal_agent::{Agent, MapChange};
use foveal_context::wish::Unwishable;
use foveal_live::Conversations;
use foveal_live::request::Wait;
use foveal_live::wanting::{Change, ChangeError, Compaction};
use foveal_transcript::{EntryIndex, Timestamp};

pub(crate) use self::map::map;
use self::request::asked;
pub(crate) use self::rewind::{SaidByPerson, line_of, said_by_person};

/// Changes what is sent of a result. `shaper` is what decides about the agent's requests.
///
/// # Errors
/// Why it cannot be done, in words for the person.
pub(crate) fn change(
    shaper: &Conversations,
    agent: &Agent,
    change: MapChange,
    now: Timestamp,
) -> Result<(), ChangeError> {
    let (body, wait) = (agent.prompt(), Wait::default());
    let asked = asked(agent, &body, &wait, now);
    let index = |place| -> Result<EntryIndex, ChangeError> {
        let overview = shaper.overview(&asked)?;
        let index = map::index_of(agent, &overview, place);
        index.ok_or(ChangeError::Unwishable(Unwishable::NoResult))
    };
    let change = match change {
        MapChange::Drop(place) => Change::Drop(index(place)?),
        MapChange::Pin(place) => Change::Pin(index(place)?),
        MapChange::Restore(place) => Change::Restore(index(place)?),
        MapChange::Undo => Change::Undo,
    };
    shaper.change(&asked, change)
}

/// Has old results rewritten with the next request, as if the prompt had just passed the high mark
/// of its profile; what that will come to. Where nothing can be saved, nothing is done.
///
/// # Errors
/// Why it cannot be done.
pub(crate) fn compact(
    shaper: &Conversations,
    agent: &Agent,
    now: Timestamp,
) -> Result<Compaction, ChangeError> {
    let (body, wait) = (agent.prompt(), Wait::default());
    shaper.compact(&asked(agent, &body, &wait, now))
}

#[cfg(test)]
mod tests;
