//! The location of a database, and opening it while other processes may do the same.

use std::io;
use std::path::{Path, PathBuf};

use super::quarantine::{FileId, quarantine_file};

/// The number of attempts to open a file that this or another process quarantines meanwhile.
const OPEN_ATTEMPTS_MAX: u32 = 3;

/// The location of an open database.
#[derive(Debug, Clone)]
pub struct DatabaseFile {
    path: PathBuf,
    /// The identity of the file that was opened.
    file_id: Option<FileId>,
}

impl DatabaseFile {
    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the opened file is still the file at its path. If it is not, another process
    /// quarantined it or the user removed it, and later writes to it are lost.
    pub fn is_current(&self) -> bool {
        FileId::from_path(&self.path) == self.file_id
    }

    /// Moves the file to the path that `aside` returns, if it is still the file at its path.
    /// Returns the new path. Close all connections first: some systems cannot move an open file.
    ///
    /// # Errors
    /// The I/O error of the system.
    pub fn quarantine(&self, aside: impl FnOnce(&Path) -> PathBuf) -> io::Result<Option<PathBuf>> {
        quarantine_file(&self.path, self.file_id, || aside(&self.path))
    }
}

/// The result of one attempt to open a file.
#[derive(Debug)]
pub enum OpenAttempt<T> {
    /// The file is open.
    Open(T),
    /// The file is left as it is. Open the file at this path instead.
    Redirect(PathBuf),
    /// The file is damaged or belongs to another program. No connection to it is open.
    Unusable,
}

/// Opens the database at `path` with `attempt`. Passes an unusable file to `put_away` and tries
/// again with the new file in its place, which another process may have created meanwhile.
/// `refused` converts an I/O error with its path.
///
/// # Errors
/// The errors of `attempt` and `put_away`, and that of `refused` if the file is unusable at every
/// attempt.
pub fn open_with_quarantine<T, E>(
    path: &Path,
    mut attempt: impl FnMut(&Path) -> Result<OpenAttempt<T>, E>,
    mut put_away: impl FnMut(&DatabaseFile) -> io::Result<()>,
    refused: impl Fn(PathBuf, io::Error) -> E,
) -> Result<(T, DatabaseFile), E> {
    let mut path = path.to_owned();
    for _ in 0..OPEN_ATTEMPTS_MAX {
        let before = FileId::from_path(&path);
        match attempt(&path)? {
            OpenAttempt::Open(opened) => {
                let file = before.or_else(|| FileId::from_path(&path));
                return Ok((opened, DatabaseFile { path, file_id: file }));
            }
            OpenAttempt::Redirect(other) => path = other,
            OpenAttempt::Unusable => {
                let place = DatabaseFile { path, file_id: before };
                let put = put_away(&place);
                path = place.path;
                put.map_err(|error| refused(path.clone(), error))?;
            }
        }
    }
    Err(refused(path, io::ErrorKind::AlreadyExists.into()))
}
