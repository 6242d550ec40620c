//! Recorded sessions on this machine: discovery and loading.

pub(crate) mod agent_folders;
mod discovery;
mod error;
mod loading;
mod opencode;
mod session_file;
mod sidecar_files;
mod stored_runs;
mod stored_sessions;

pub(crate) use self::discovery::find_session_files;
pub(crate) use self::error::LoadError;
pub(crate) use self::loading::{load_sessions, load_single_session};
pub(crate) use self::session_file::{FoundSessions, SessionFile};
pub(crate) use self::stored_sessions::{
    find_gateway_session, find_run, find_stored_session, load_stored_session, session_title,
    short_name, split_session_id,
};
