//! Finds session files in what the user named: files, and folders with all that is below.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use foveal_wire::Format;

use super::file::{EXTENSIONS, FindError, FoundSessions, SessionFile, without_compression};
use super::opencode;

/// Finds the files at and below `paths`, to be read in `format` if the user named one.
///
/// # Errors
/// [`FindError`] if a path does not exist, cannot be looked at, or is a folder without
/// a file to read.
pub(crate) fn find(paths: &[PathBuf], format: Option<Format>) -> Result<FoundSessions, FindError> {
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
    found: FoundSessions,
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
    let path = without_compression(path);
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| EXTENSIONS.iter().any(|e| extension.eq_ignore_ascii_case(e)))
}
