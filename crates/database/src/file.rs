//! Where a database is kept, and how it is opened there while other processes may do the same.

use std::io;
use std::path::{Path, PathBuf};

use crate::aside::{FileId, set_aside};

/// How often a file is opened that is set aside meanwhile, by this process or others.
const OPENINGS_MAX: u32 = 3;

/// Where a database is kept that was opened.
#[derive(Debug, Clone)]
pub struct DatabaseFile {
    path: PathBuf,
    /// The file that was opened.
    file: Option<FileId>,
}

impl DatabaseFile {
    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file that was opened is still the one at the path. If not, another process
    /// put it away or a person removed it, and nobody will find what is written to it.
    pub fn is_current(&self) -> bool {
        FileId::of(&self.path) == self.file
    }

    /// Puts the file away, if it is still the one at the path, to where `aside` says; tells
    /// where it is now. Close it first: some systems do not move a file that is open.
    ///
    /// # Errors
    /// What the system says.
    pub fn set_aside(&self, aside: impl FnOnce(&Path) -> PathBuf) -> io::Result<Option<PathBuf>> {
        set_aside(&self.path, self.file, || aside(&self.path))
    }
}

/// What came of opening one file.
#[derive(Debug)]
pub enum Attempt<T> {
    /// It is open.
    Open(T),
    /// It stays as it is; the one at this path is used instead.
    Instead(PathBuf),
    /// It is damaged or another program's, and no connection to it is open.
    Unusable,
}

/// Opens the database at `path` with `attempt`. What is unusable is given to `put_away`, and a
/// new file is opened in its place, or the one that another process has made there meanwhile.
/// `refused` makes an error of what the system says of a path.
///
/// # Errors
/// Those of `attempt`, `put_away`, and of `refused` where the file is unusable again and again.
pub fn open<T, E>(
    path: &Path,
    mut attempt: impl FnMut(&Path) -> Result<Attempt<T>, E>,
    mut put_away: impl FnMut(&DatabaseFile) -> io::Result<()>,
    refused: impl Fn(PathBuf, io::Error) -> E,
) -> Result<(T, DatabaseFile), E> {
    let mut path = path.to_owned();
    for _ in 0..OPENINGS_MAX {
        let before = FileId::of(&path);
        match attempt(&path)? {
            Attempt::Open(opened) => {
                let file = before.or_else(|| FileId::of(&path));
                return Ok((opened, DatabaseFile { path, file }));
            }
            Attempt::Instead(other) => path = other,
            Attempt::Unusable => {
                let place = DatabaseFile { path, file: before };
                let put = put_away(&place);
                path = place.path;
                put.map_err(|error| refused(path.clone(), error))?;
            }
        }
    }
    Err(refused(path, io::ErrorKind::AlreadyExists.into()))
}
