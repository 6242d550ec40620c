//! Recorded sessions of agents on this machine: discovery and loading.

mod discovery;
mod error;
mod loading;
mod opencode;
mod session_file;
mod session_folders;
mod sidecar_files;

pub use self::discovery::find_session_files;
pub use self::error::{LoadError, LoadResult, SkippedPart};
pub use self::loading::load_sessions;
pub use self::session_file::{FindError, FoundSessions, SessionFile};
pub(crate) use self::session_folders::SessionSearch;
pub use self::session_folders::{AgentSessions, SessionFolder, find_agent_sessions};
