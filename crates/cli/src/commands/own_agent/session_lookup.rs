//! Finds and opens the session that a command continues.

use std::path::Path;

use anyhow::Context;
use foveal_agent_runtime::ResumableSession;
use foveal_store::SessionStore;

use crate::environment::Environment;
use crate::sessions::find_stored_session;
use crate::toolbox;

/// Opens the session with this name, or with a name that has this unique prefix.
///
/// # Errors
/// If there is no such session or several, or it cannot be continued here.
pub(crate) fn open_session_by_name(
    name: &str,
    directory: &Path,
    environment: &Environment,
) -> anyhow::Result<ResumableSession> {
    let store = toolbox::open_store_for_reading(environment)?;
    let sessions = store.as_ref().map(|store| store.sessions()).transpose()?.unwrap_or_default();
    let session = find_stored_session(&sessions, name)?;
    let store = store.context("there is no store")?;
    let data = environment.user.data_folder();
    Ok(ResumableSession::open(&store, session, directory, data.as_deref())?)
}

/// Opens the most recently used session of a folder.
///
/// # Errors
/// If there is none, or it cannot be continued.
pub(crate) fn open_latest_session(
    directory: &Path,
    environment: &Environment,
) -> anyhow::Result<ResumableSession> {
    let none = "no session of `foveal run` is stored for this folder: give a task to start one; \
                `foveal sessions` lists those of all folders";
    let store = toolbox::open_store_for_reading(environment)?.context(none)?;
    let sessions = store.sessions()?;
    let session = ResumableSession::find_latest(&sessions, directory).context(none)?;
    let data = environment.user.data_folder();
    Ok(ResumableSession::open(&store, session, directory, data.as_deref())?)
}
