//! What opencode has in a folder, collected while it is looked through.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::sessions::file::{FindError, SessionFile};

/// What opencode has in a folder.
#[derive(Debug, Default)]
pub(crate) struct OpencodeFiles {
    /// The sessions.
    pub(crate) files: Vec<SessionFile>,
    /// Files and folders in which there is nothing else to look for.
    pub(crate) owned: Vec<PathBuf>,
    /// Folders that could not be listed; they are among those owned.
    pub(crate) unlisted: Vec<FindError>,
}

impl OpencodeFiles {
    /// The entries of `folder`, sorted; none where there is no such folder.
    pub(super) fn list(&mut self, folder: &Path) -> Vec<PathBuf> {
        listed(folder).unwrap_or_else(|why| {
            self.owned.push(folder.to_owned());
            self.unlisted.push(FindError::Unreadable { path: folder.to_owned(), why });
            Vec::new()
        })
    }
}

/// The entries of a folder, sorted; none where there is no such folder.
///
/// # Errors
/// If it cannot be listed, or what is in it not be had.
pub(super) fn listed(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let list = || -> io::Result<Vec<PathBuf>> {
        // A folder may be listed and what is in it still not be had.
        fs::metadata(folder.join("."))?;
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut paths = list().or_else(|why| match why.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(Vec::new()),
        _ => Err(why),
    })?;
    paths.sort();
    Ok(paths)
}
