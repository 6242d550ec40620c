//! Finds session files in what the user named: files, and folders with all that is below.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use foveal_wire::Format;

use super::opencode;

/// A file that may hold sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionFile {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Whether the user named this very file, rather than a folder above it.
    pub(crate) named: bool,
    /// In a database, the session meant; elsewhere a file stands for all sessions in it.
    pub(crate) session: Option<String>,
}

impl SessionFile {
    pub(super) fn new(path: PathBuf, named: bool) -> Self {
        Self { path, named, session: None }
    }
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
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

/// Finds the files at and below `paths`, to be read in `format` if the user named one.
///
/// # Errors
/// [`FindError`] if a path does not exist, cannot be looked at, or is a folder without
/// a file to read.
pub(crate) fn find(paths: &[PathBuf], format: Option<Format>) -> Result<Found, FindError> {
    let mut walk = Walk { format, ..Walk::default() };
    for path in paths {
        let data = fs::metadata(path).map_err(|why| match why.kind() {
            io::ErrorKind::NotFound => FindError::Missing { path: path.clone() },
            _ => FindError::Unreadable { path: path.clone(), why },
        })?;
        if !data.is_dir() {
            let itself = || vec![SessionFile::new(path.clone(), true)];
            let sessions = opencode::in_database(path, true, format);
            walk.found.files.extend(sessions.unwrap_or_else(itself));
            continue;
        }
        let before = walk.found.files.len();
        walk.below(path)?;
        if walk.found.files.len() == before && walk.found.unlisted.is_empty() {
            return Err(FindError::NoFiles { path: path.clone() });
        }
    }
    let mut known = HashSet::new();
    walk.found.files.retain(|file| known.insert((file.path.clone(), file.session.clone())));
    Ok(walk.found)
}

/// A look through folders.
#[derive(Default)]
struct Walk {
    format: Option<Format>,
    found: Found,
    /// The folders visited, links resolved: a link back to a folder above must not be
    /// followed for ever.
    seen: HashSet<PathBuf>,
    /// What opencode's sessions have been taken from.
    owned: HashSet<PathBuf>,
}

impl Walk {
    /// Adds the files below `folder`.
    fn below(&mut self, folder: &Path) -> Result<(), FindError> {
        let unreadable = |why| FindError::Unreadable { path: folder.to_owned(), why };
        if !self.seen.insert(fs::canonicalize(folder).map_err(unreadable)?) {
            return Ok(());
        }
        let mut entries = Vec::new();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            entries.push(entry.map_err(unreadable)?.path());
        }
        entries.sort();
        let kept = opencode::in_folder(folder, &entries, self.format, &self.owned);
        self.found.files.extend(kept.files);
        self.found.unlisted.extend(kept.unlisted);
        self.owned.extend(kept.owned);
        for path in entries {
            // A dangling link is nobody's session.
            let Ok(data) = fs::metadata(&path) else { continue };
            if self.owned.contains(&path) {
                continue;
            }
            if data.is_dir() {
                if let Err(error) = self.below(&path) {
                    self.found.unlisted.push(error);
                }
            } else if data.is_file() && has_extension(&path) {
                self.found.files.push(SessionFile::new(path, false));
            }
        }
        Ok(())
    }
}

fn has_extension(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| EXTENSIONS.iter().any(|e| extension.eq_ignore_ascii_case(e)))
}
