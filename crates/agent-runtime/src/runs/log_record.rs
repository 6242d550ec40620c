//! The stored form of a run's log, and the names of run sessions.

use foveal_store::{SessionId, SessionStore, StoreError, StoredSession};
use foveal_transcript::{EntryMark, Handle, MessageRole, RecordingPosition, Timestamp, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The first word of the session ids of runs.
pub(crate) const RUN_SESSION_KIND: &str = "run";

/// Separates the id of a run from the number of its sub-agent.
const SUB_AGENT_SEPARATOR: char = '/';

/// Returns whether a session is a run of foveal's own agent, and not of a sub-agent.
pub fn is_main_run(session: &StoredSession) -> bool {
    let kind_and_name = session.id.0.split_once(' ');
    kind_and_name
        .is_some_and(|(kind, name)| kind == RUN_SESSION_KIND && !name.contains(SUB_AGENT_SEPARATOR))
}

/// Returns whether a session is a run of a sub-agent.
pub fn is_sub_agent_run(session: &StoredSession) -> bool {
    let kind_and_name = session.id.0.split_once(' ');
    kind_and_name
        .is_some_and(|(kind, name)| kind == RUN_SESSION_KIND && name.contains(SUB_AGENT_SEPARATOR))
}

/// Returns the session id of the sub-agent with this number.
pub fn sub_agent_session_id(run: &SessionId, number: u32) -> SessionId {
    SessionId(format!("{run}{SUB_AGENT_SEPARATOR}{number}"))
}

/// Returns the number of the sub-agent whose session it is; `None` if it is none of `run`.
pub fn sub_agent_number(run: &SessionId, session: &SessionId) -> Option<u32> {
    session.0.strip_prefix(&run.0)?.strip_prefix(SUB_AGENT_SEPARATOR)?.parse().ok()
}

/// Returns the highest number of a stored sub-agent of `run`; 0 if there is none.
///
/// # Errors
/// Returns errors of the store.
pub(crate) fn latest_sub_agent_number(
    store: &dyn SessionStore,
    run: &SessionId,
) -> Result<u32, StoreError> {
    let sessions = store.sessions()?;
    Ok(sessions.iter().filter_map(|kept| sub_agent_number(run, &kept.id)).max().unwrap_or(0))
}

/// Gives the sub-agents of a run its retention: they count as used when it is, and are pinned if it
/// is.
///
/// # Errors
/// Returns errors of the store.
pub(crate) fn retain_sub_agents(
    store: &dyn SessionStore,
    run: &SessionId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sessions = store.sessions()?;
    let is_pinned = sessions.iter().any(|kept| kept.id == *run && kept.pinned);
    for agent in sessions.iter().filter(|kept| sub_agent_number(run, &kept.id).is_some()) {
        store.open_session(&agent.id, &agent.metadata, now)?;
        if is_pinned && !agent.pinned {
            store.set_pinned(&agent.id, true)?;
        }
    }
    Ok(())
}

/// The settings with which a session starts or is resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunSettings {
    /// The name that users give the model.
    pub(crate) model: String,
    /// The API of its server.
    pub(crate) protocol: String,
    /// The profile that decides about its requests.
    pub(crate) profile: String,
    /// The profile's rules with their limits. Earlier versions did not store them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rules: Option<String>,
    /// The key of the user's settings with which the session began, by which its decisions are
    /// found; `None` for the defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) settings_key: Option<String>,
    /// The call that this sub-agent carries out; `None` in a main run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) of: Option<ParentCall>,
}

/// The call of a run that started a sub-agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ParentCall {
    /// The step of the conversation whose answer holds the call.
    pub(crate) step: u32,
    /// Its index among the calls of that answer, from 0.
    pub(crate) place: usize,
}

impl RunSettings {
    /// Returns whether decisions under `other` are valid under these settings.
    pub(crate) fn has_compatible_rules(&self, other: &Self) -> bool {
        let is_alike = self.rules.is_none() || other.rules.is_none() || self.rules == other.rules;
        is_alike && (&self.protocol, &self.profile) == (&other.protocol, &other.profile)
    }
}

/// One record of a run's log.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RunLogRecord {
    Run(RunSettings),
    Entry(StoredEntry),
    /// The start of a call, by its index among the sealed ids.
    Begun {
        id: usize,
    },
    Answered {
        id: usize,
        text: StoredText,
        is_error: bool,
        cached: bool,
    },
}

/// A stored message of the conversation.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StoredEntry {
    pub(super) source: RecordingPosition,
    pub(super) role: MessageRole,
    pub(super) time: Option<Timestamp>,
    pub(super) mark: EntryMark,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<Usage>,
    pub(super) blocks: Vec<StoredBlock>,
}

/// A stored block of a message. Ids may look like secrets, but a prompt needs them unchanged: all
/// ids of a message are sealed in one list, and blocks hold their indices.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StoredBlock {
    Text(StoredText),
    Reasoning(StoredText),
    Call {
        id: usize,
        name: String,
        arguments: StoredArguments,
    },
    Result {
        call: usize,
        content: StoredText,
        is_error: bool,
    },
    /// An opaque part, by its index among the sealed parts.
    Opaque {
        kind: String,
        sealed: usize,
    },
}

/// A text, inline or as a content of its own.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StoredText {
    Here(String),
    Behind(Handle),
}

/// The arguments of a call, inline or as a content of their own.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StoredArguments {
    Here(Value),
    Behind(Handle),
}
