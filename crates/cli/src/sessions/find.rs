//! Finds session files in what the user named: files, and folders with all that is below.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

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
    fn new(path: PathBuf, named: bool) -> Self {
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

/// Finds the files at and below `paths`.
///
/// # Errors
/// [`FindError`] if a path does not exist, cannot be looked at, or is a folder without
/// a file to read.
pub(crate) fn find(paths: &[PathBuf]) -> Result<Found, FindError> {
    let mut found = Found::default();
    let mut seen = HashSet::new();
    for path in paths {
        let data = fs::metadata(path).map_err(|why| match why.kind() {
            io::ErrorKind::NotFound => FindError::Missing { path: path.clone() },
            _ => FindError::Unreadable { path: path.clone(), why },
        })?;
        if !data.is_dir() {
            match opencode::in_database(path, true) {
                Some(sessions) => found.files.extend(sessions),
                None => found.files.push(SessionFile::new(path.clone(), true)),
            }
            continue;
        }
        let before = found.files.len();
        below(path, &mut found, &mut seen)?;
        if found.files.len() == before && found.unlisted.is_empty() {
            return Err(FindError::NoFiles { path: path.clone() });
        }
    }
    let mut known = HashSet::new();
    found.files.retain(|file| known.insert((file.path.clone(), file.session.clone())));
    Ok(found)
}

/// Adds the files below `folder`. `seen` holds the folders visited, links resolved: a link
/// back to a folder above must not be followed for ever.
fn below(folder: &Path, found: &mut Found, seen: &mut HashSet<PathBuf>) -> Result<(), FindError> {
    let unreadable = |why| FindError::Unreadable { path: folder.to_owned(), why };
    if !seen.insert(fs::canonicalize(folder).map_err(unreadable)?) {
        return Ok(());
    }
    if let Some(sessions) = opencode::in_folder(folder) {
        found.files.extend(sessions);
        return Ok(());
    }
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        entries.push(entry.map_err(unreadable)?.path());
    }
    entries.sort();
    for path in entries {
        // A dangling link is nobody's session.
        let Ok(data) = fs::metadata(&path) else { continue };
        if data.is_dir() {
            if let Err(error) = below(&path, found, seen) {
                found.unlisted.push(error);
            }
        } else if data.is_file() && has_extension(&path) {
            found.files.push(SessionFile::new(path, false));
        }
    }
    Ok(())
}

fn has_extension(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| EXTENSIONS.iter().any(|e| extension.eq_ignore_ascii_case(e)))
}
