//! Files that may hold sessions.

use std::io;
use std::path::{Path, PathBuf};

/// A file that may hold sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionFile {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Whether the user named this very file, rather than a folder above it.
    pub(crate) named: bool,
    /// In a database, the session meant; elsewhere a file stands for all sessions in it.
    pub(crate) session: Option<String>,
    /// Whether the database is foveal's own store.
    pub(super) is_own: bool,
}

impl SessionFile {
    /// A file that stands for all sessions in it.
    pub(super) fn new(path: PathBuf, named: bool) -> Self {
        Self { path, named, session: None, is_own: false }
    }
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct FoundSessions {
    /// Files, those of one folder sorted, in the order they were named.
    pub(crate) files: Vec<SessionFile>,
    /// Folders that could not be listed.
    pub(crate) unlisted: Vec<FindError>,
}

/// Why there is nothing to read at a path; one line each, without a source to print behind it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FindError {
    /// Nothing has this name.
    #[error("`{path}` does not exist: check the path")]
    Missing {
        /// The path as given.
        path: PathBuf,
    },
    /// The folder cannot be listed, or the file's data not be had.
    #[error("`{path}` cannot be read: {why}")]
    Unreadable {
        /// The path as given or found.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// The folder has no file that could be a session.
    #[error("`{path}` holds no {} file: name a folder that does, or a file", EXTENSIONS.map(|e| format!(".{e}")).join(", "))]
    NoFiles {
        /// The folder.
        path: PathBuf,
    },
}

/// File name extensions that recordings have. A file the user names may have any.
pub(crate) const EXTENSIONS: [&str; 4] = ["json", "jsonl", "traj", "ndjson"];

/// The name that a file has when it is not compressed: Codex compresses rollouts of past weeks.
pub(super) fn without_compression(path: &Path) -> PathBuf {
    let is_compressed = path.extension().is_some_and(|extension| extension == "zst");
    if is_compressed { path.with_extension("") } else { path.to_owned() }
}
