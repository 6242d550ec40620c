//! The opencode sessions of a folder, collected during the search.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::sessions::session_file::{FindError, SessionFile};

/// The opencode sessions of a folder, and the paths that belong to them.
#[derive(Debug, Default)]
pub(crate) struct OpencodeFiles {
    /// The session files.
    pub(crate) files: Vec<SessionFile>,
    /// The files and folders that no other session reader has to search.
    pub(crate) owned: Vec<PathBuf>,
    /// The folders that could not be listed. They are also in `owned`.
    pub(crate) unlisted: Vec<FindError>,
}

impl OpencodeFiles {
    /// Returns the sorted entries of `folder`, which are none if it does not exist. A folder that
    /// cannot be listed is recorded.
    pub(super) fn list_folder(&mut self, folder: &Path) -> Vec<PathBuf> {
        sorted_entries(folder).unwrap_or_else(|why| {
            self.owned.push(folder.to_owned());
            self.unlisted.push(FindError::Unreadable { path: folder.to_owned(), why });
            Vec::new()
        })
    }
}

/// Returns the sorted entries of a folder, which are none if it does not exist.
///
/// # Errors
/// If the folder or its entries cannot be read.
pub(super) fn sorted_entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let list = || -> io::Result<Vec<PathBuf>> {
        // A folder can be listed without the permission to read its entries.
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
