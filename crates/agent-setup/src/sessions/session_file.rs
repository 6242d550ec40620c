//! Files that may hold sessions.

use std::io;
use std::path::{Path, PathBuf};

/// A file that may hold sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile {
    /// The path of the file.
    pub path: PathBuf,
    /// Whether the user named this file itself, not a folder above it.
    pub is_named_by_user: bool,
    /// The id of one session in a database; `None` for all sessions of the file.
    pub session: Option<String>,
    /// Whether the file is foveal's own store.
    pub is_foveal_store: bool,
}

impl SessionFile {
    /// Creates an entry for all sessions of a file.
    pub fn new(path: PathBuf, is_named_by_user: bool) -> Self {
        Self { path, is_named_by_user, session: None, is_foveal_store: false }
    }
}

/// The result of a search for session files.
#[derive(Debug, Default)]
pub struct FoundSessions {
    /// The files in the order of the paths that the user named, sorted within each folder.
    pub files: Vec<SessionFile>,
    /// The folders that could not be listed.
    pub unlisted: Vec<FindError>,
}

/// An error of finding session files. Each message is one complete line; no variant has a `source`.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// The path does not exist.
    #[error("`{path}` does not exist: check the path")]
    Missing {
        /// The path that the user gave.
        path: PathBuf,
    },
    /// The folder cannot be listed, or the file has no readable metadata.
    #[error("`{path}` cannot be read: {why}")]
    Unreadable {
        /// The path that the user gave, or one below it.
        path: PathBuf,
        /// The error of the system.
        why: io::Error,
    },
    /// The folder has no file with the extension of a session.
    #[error("`{path}` contains no {} file: give a folder that does, or a file", EXTENSIONS.map(|e| format!(".{e}")).join(", "))]
    NoFiles {
        /// The path that the user gave.
        path: PathBuf,
    },
}

/// The file name extensions of recorded sessions. A file that the user names may have any.
pub(crate) const EXTENSIONS: [&str; 4] = ["json", "jsonl", "traj", "ndjson"];

/// Returns the name of the uncompressed file. Codex compresses the sessions of past weeks.
pub(super) fn strip_compression_extension(path: &Path) -> PathBuf {
    let is_compressed = path.extension().is_some_and(|extension| extension == "zst");
    if is_compressed { path.with_extension("") } else { path.to_owned() }
}
