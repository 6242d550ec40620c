//! The arguments of commands about one session.

use std::path::PathBuf;

use anyhow::bail;
use foveal_store::SqliteStore;
use foveal_transcript::{Conversation, Session};
use foveal_wire::Format;

use crate::environment::Environment;
use crate::sessions;

/// Which session, and which of its conversations.
#[derive(Debug, clap::Args)]
pub(crate) struct OneSession {
    /// A recorded session: a file, a folder with one, or the name that `foveal sessions` lists
    /// it by, of which the beginning is enough.
    #[arg(value_name = "SESSION")]
    session: PathBuf,
    /// The format of the file. Detected if not given.
    #[arg(long, value_name = "NAME")]
    format: Option<Format>,
    /// The conversation of a sub-agent, by its id.
    #[arg(long, value_name = "ID")]
    conversation: Option<String>,
}

impl OneSession {
    /// Reads the session.
    ///
    /// # Errors
    /// If it cannot be read, or is not one session.
    pub(crate) fn load(&self, environment: &Environment) -> anyhow::Result<Session> {
        match self.session.to_str() {
            Some(name) if self.format.is_none() && !self.session.exists() => {
                sessions::load_kept(name, environment)
            }
            _ => sessions::load_one(std::slice::from_ref(&self.session), self.format),
        }
    }

    /// Returns the argument that names the session.
    pub(crate) fn argument(&self) -> String {
        self.session.display().to_string()
    }

    /// The conversation of the gateway that is named, with its store; `None` where it is
    /// something else.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub(crate) fn of_gateway(
        &self,
        environment: &Environment,
    ) -> anyhow::Result<Option<(SqliteStore, foveal_store::Session)>> {
        match self.session.to_str() {
            Some(name) if self.format.is_none() && !self.session.exists() => {
                sessions::of_gateway(name, environment)
            }
            _ => Ok(None),
        }
    }

    /// The conversation chosen in `session`.
    ///
    /// # Errors
    /// If there is no such conversation.
    pub(crate) fn choose<'a>(&self, session: &'a Session) -> anyhow::Result<&'a Conversation> {
        conversation(session, self.conversation.as_deref())
    }

    /// The conversations to show: the chosen one, or all.
    ///
    /// # Errors
    /// If there is no such conversation.
    pub(crate) fn choose_all<'a>(
        &self,
        session: &'a Session,
    ) -> anyhow::Result<Vec<&'a Conversation>> {
        match self.conversation {
            Some(_) => Ok(vec![self.choose(session)?]),
            None => Ok(session.conversations.iter().collect()),
        }
    }
}

/// The conversation called `id`; without an id, the main one.
///
/// # Errors
/// If there is no such conversation.
pub(crate) fn conversation<'a>(
    session: &'a Session,
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
    bail!("unknown conversation `{id}`: one of {} is expected", known.join(", "))
}

/// Checks that `conversation` has a `turn`-th turn, counted from 1.
///
/// # Errors
/// If it has not.
pub(crate) fn check_turn(conversation: &Conversation, turn: u32) -> anyhow::Result<()> {
    let turns = conversation.responses().count();
    if turn >= 1 && turn as usize <= turns {
        return Ok(());
    }
    let id = &conversation.id;
    match turns {
        0 => bail!("there is no turn {turn}: the model never answered in `{id}`"),
        _ => bail!("there is no turn {turn}: `{id}` has turns 1 to {turns}"),
    }
}
