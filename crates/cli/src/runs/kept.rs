//! What is kept of a run, as values.

use foveal_store::{Session, SessionId, Store, StoreError};
use foveal_transcript::{Handle, Mark, Role, Source, Timestamp, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the names of runs begin with.
pub(crate) const KIND: &str = "run";

/// Stands between the name of a run and the number of its sub-agent.
const OF: char = '/';

/// Whether a session is a run of foveal's own agent, and none of a sub-agent.
pub(crate) fn is_run(session: &Session) -> bool {
    let kind_and_name = session.id.0.split_once(' ');
    kind_and_name.is_some_and(|(kind, name)| kind == KIND && !name.contains(OF))
}

/// Whether a session is that of a run's sub-agent.
pub(crate) fn is_agent(session: &Session) -> bool {
    let kind_and_name = session.id.0.split_once(' ');
    kind_and_name.is_some_and(|(kind, name)| kind == KIND && name.contains(OF))
}

/// The session of a run's sub-agent with this number.
pub(crate) fn of_agent(run: &SessionId, number: u32) -> SessionId {
    SessionId(format!("{run}{OF}{number}"))
}

/// The number of the sub-agent whose session this is, where it is one of this run.
pub(crate) fn agent_number(run: &SessionId, session: &SessionId) -> Option<u32> {
    session.0.strip_prefix(&run.0)?.strip_prefix(OF)?.parse().ok()
}

/// The highest number of a sub-agent of this run whose session is kept; 0 if there is none.
///
/// # Errors
/// Those of the store.
pub(crate) fn latest_agent(store: &dyn Store, run: &SessionId) -> Result<u32, StoreError> {
    let sessions = store.sessions()?;
    Ok(sessions.iter().filter_map(|kept| agent_number(run, &kept.id)).max().unwrap_or(0))
}

/// Has the sub-agents of a run be kept as long as the run: they count as used with it, and are pinned
/// where it is.
///
/// # Errors
/// Those of the store.
pub(crate) fn keep_agents(
    store: &dyn Store,
    run: &SessionId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sessions = store.sessions()?;
    let is_pinned = sessions.iter().any(|kept| kept.id == *run && kept.pinned);
    for agent in sessions.iter().filter(|kept| agent_number(run, &kept.id).is_some()) {
        store.open_session(&agent.id, &agent.facts, now)?;
        if is_pinned && !agent.pinned {
            store.set_pinned(&agent.id, true)?;
        }
    }
    Ok(())
}

/// How a session is gone on with from here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Run {
    /// The model, as users name it.
    pub(crate) model: String,
    /// The API that its server speaks.
    pub(crate) protocol: String,
    /// By which rules its requests are decided about.
    pub(crate) profile: String,
    /// The same with their limits. Earlier versions did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rules: Option<String>,
    /// The call that a sub-agent carries out; `None`: nobody's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) of: Option<OfCall>,
}

/// A call of the run that started a sub-agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OfCall {
    /// The step of the conversation whose answer has the call.
    pub(crate) step: u32,
    /// Its place among the calls of that answer, from 0.
    pub(crate) place: usize,
}

impl Run {
    /// Whether what was decided by another stands by this one.
    pub(crate) fn decides_as(&self, other: &Self) -> bool {
        let is_alike = self.rules.is_none() || other.rules.is_none() || self.rules == other.rules;
        is_alike && (&self.protocol, &self.profile) == (&other.protocol, &other.profile)
    }
}

/// One message of the log.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kept {
    Run(Run),
    Entry(KeptEntry),
    /// The call with this place among the sealed ids.
    Begun {
        id: usize,
    },
    Answered {
        id: usize,
        text: Text,
        is_error: bool,
        cached: bool,
    },
}

/// A message of the conversation.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptEntry {
    pub(super) source: Source,
    pub(super) role: Role,
    pub(super) time: Option<Timestamp>,
    pub(super) mark: Mark,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<Usage>,
    pub(super) blocks: Vec<KeptBlock>,
}

/// A part of it. Ids may look like secrets, and a prompt needs them as they are: they are sealed, all
/// of a message in one list, and here stand their places in it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum KeptBlock {
    Text(Text),
    Reasoning(Text),
    Call {
        id: usize,
        name: String,
        arguments: Arguments,
    },
    Result {
        call: usize,
        content: Text,
        is_error: bool,
    },
    /// The part with this place among what is sealed.
    Opaque {
        kind: String,
        sealed: usize,
    },
}

/// A text, here or as a content of its own.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Text {
    Here(String),
    Behind(Handle),
}

/// Arguments of a call, here or as a content of its own.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Arguments {
    Here(Value),
    Behind(Handle),
}
