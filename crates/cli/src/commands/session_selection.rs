//! Arguments of the commands about one session.

use std::path::PathBuf;

use anyhow::bail;
use foveal_session_readers::SessionFormat;
use foveal_store::SqliteStore;
use foveal_transcript::{Conversation, RecordedSession};

use crate::environment::Environment;
use crate::sessions;

/// The selection of a session and of its conversations.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionSelection {
    /// A recorded session: a file, a folder with one, or its name in `foveal sessions`; the
    /// beginning of the name is enough.
    #[arg(value_name = "SESSION")]
    session: PathBuf,
    /// The format of the file. Detected if not given.
    #[arg(long, value_name = "NAME")]
    format: Option<SessionFormat>,
    /// The conversation of a sub-agent, by its id.
    #[arg(long, value_name = "ID")]
    conversation: Option<String>,
}

impl SessionSelection {
    /// Reads the session.
    ///
    /// # Errors
    /// If it cannot be read, or the argument does not name exactly one session.
    pub(crate) fn load_session(
        &self,
        environment: &Environment,
    ) -> anyhow::Result<RecordedSession> {
        match self.session.to_str() {
            Some(name) if self.format.is_none() && !self.session.exists() => {
                sessions::load_stored_session(name, environment)
            }
            _ => sessions::load_single_session(std::slice::from_ref(&self.session), self.format),
        }
    }

    /// Returns the argument that names the session.
    pub(crate) fn session_argument(&self) -> String {
        self.session.display().to_string()
    }

    /// Returns the named gateway conversation with the store; `None` if the argument names another
    /// session.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) fn find_gateway_session(
        &self,
        environment: &Environment,
    ) -> anyhow::Result<Option<(SqliteStore, foveal_store::StoredSession)>> {
        match self.session.to_str() {
            Some(name) if self.format.is_none() && !self.session.exists() => {
                sessions::find_gateway_session(name, environment)
            }
            _ => Ok(None),
        }
    }

    /// Returns the selected conversation of `session`.
    ///
    /// # Errors
    /// If there is no such conversation.
    pub(crate) fn select_conversation<'a>(
        &self,
        session: &'a RecordedSession,
    ) -> anyhow::Result<&'a Conversation> {
        find_conversation(session, self.conversation.as_deref())
    }

    /// Returns the selected conversation, or all if none is selected.
    ///
    /// # Errors
    /// If there is no such conversation.
    pub(crate) fn select_conversations<'a>(
        &self,
        session: &'a RecordedSession,
    ) -> anyhow::Result<Vec<&'a Conversation>> {
        match self.conversation {
            Some(_) => Ok(vec![self.select_conversation(session)?]),
            None => Ok(session.conversations.iter().collect()),
        }
    }
}

/// Returns the conversation with this id; without an id, the main one.
///
/// # Errors
/// If there is no such conversation.
pub(crate) fn find_conversation<'a>(
    session: &'a RecordedSession,
    id: Option<&str>,
) -> anyhow::Result<&'a Conversation> {
    let found = match id {
        None => session.conversations.first(),
        Some(id) => session.conversations.iter().find(|conversation| conversation.id == id),
    };
    if let Some(found) = found {
        return Ok(found);
    }
    let Some(id) = id else { bail!("session `{}` has no conversation", session.id) };
    let known: Vec<&str> = session.conversations.iter().map(|known| known.id.as_str()).collect();
    bail!("unknown conversation `{id}`: expected one of {}", known.join(", "))
}

/// Checks that `conversation` has turn number `turn`, counted from 1.
///
/// # Errors
/// If there is no such turn.
pub(crate) fn check_turn(conversation: &Conversation, turn: u32) -> anyhow::Result<()> {
    let turns = conversation.response_indices().count();
    if turn >= 1 && turn as usize <= turns {
        return Ok(());
    }
    let id = &conversation.id;
    match turns {
        0 => bail!("there is no turn {turn}: the model never answered in `{id}`"),
        _ => bail!("there is no turn {turn}: `{id}` has turns 1 to {turns}"),
    }
}
