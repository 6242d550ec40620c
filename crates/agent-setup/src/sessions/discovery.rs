//! Finds session files at and below the paths that the user names.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use foveal_session_readers::SessionFormat;

use super::opencode;
use super::session_file::{
    EXTENSIONS, FindError, FoundSessions, SessionFile, strip_compression_extension,
};

/// Finds the session files at and below `paths`, for `format` if the user named one.
///
/// # Errors
/// Returns a [`FindError`] if a path does not exist or cannot be read, or if a folder has no
/// session file.
pub fn find_session_files(
    paths: &[PathBuf],
    format: Option<SessionFormat>,
) -> Result<FoundSessions, FindError> {
    let mut walk = SessionWalk { format, ..SessionWalk::default() };
    for path in paths {
        let data = fs::metadata(path).map_err(|why| match why.kind() {
            io::ErrorKind::NotFound => FindError::Missing { path: path.clone() },
            _ => FindError::Unreadable { path: path.clone(), why },
        })?;
        if !data.is_dir() {
            let itself = || vec![SessionFile::new(path.clone(), true)];
            let sessions = opencode::find_in_database(path, true, format);
            walk.found.files.extend(sessions.unwrap_or_else(itself));
            continue;
        }
        let before = walk.found.files.len();
        walk.add_files_below(path)?;
        if walk.found.files.len() == before && walk.found.unlisted.is_empty() {
            return Err(FindError::NoFiles { path: path.clone() });
        }
    }
    let mut known = HashSet::new();
    walk.found.files.retain(|file| known.insert((file.path.clone(), file.session.clone())));
    Ok(walk.found)
}

/// The state of a walk through folders.
#[derive(Default)]
struct SessionWalk {
    format: Option<SessionFormat>,
    found: FoundSessions,
    /// The visited folders with links resolved, so that a link to a parent folder does not loop.
    visited: HashSet<PathBuf>,
    /// The paths that belong to opencode and have been searched.
    opencode_paths: HashSet<PathBuf>,
}

impl SessionWalk {
    /// Adds the session files below `folder`.
    fn add_files_below(&mut self, folder: &Path) -> Result<(), FindError> {
        let unreadable = |why| FindError::Unreadable { path: folder.to_owned(), why };
        if !self.visited.insert(fs::canonicalize(folder).map_err(unreadable)?) {
            return Ok(());
        }
        let mut entries = Vec::new();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            entries.push(entry.map_err(unreadable)?.path());
        }
        entries.sort();
        let kept = opencode::find_in_folder(folder, &entries, self.format, &self.opencode_paths);
        self.found.files.extend(kept.files);
        self.found.unlisted.extend(kept.unlisted);
        self.opencode_paths.extend(kept.owned);
        for path in entries {
            // A dangling link.
            let Ok(data) = fs::metadata(&path) else { continue };
            if self.opencode_paths.contains(&path) {
                continue;
            }
            if data.is_dir() {
                if let Err(error) = self.add_files_below(&path) {
                    self.found.unlisted.push(error);
                }
            } else if data.is_file() && has_session_extension(&path) {
                self.found.files.push(SessionFile::new(path, false));
            }
        }
        Ok(())
    }
}

fn has_session_extension(path: &Path) -> bool {
    let path = strip_compression_extension(path);
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| EXTENSIONS.iter().any(|e| extension.eq_ignore_ascii_case(e)))
}
