//! Parent folders of a new file.

use std::ffi::OsString;
use std::io;

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;

use super::error::WriteError;
use crate::roots::{ResolvedPath, reopen_folder};

/// The parent folders of a new file. Dropping this before [`Self::persist`] removes the folders
/// that were created.
#[derive(Debug)]
pub(super) struct ParentFolders<'a> {
    located: &'a ResolvedPath,
    innermost: Dir,
    /// The parent handle and name of each created folder.
    made: Vec<(Dir, OsString)>,
}

impl<'a> ParentFolders<'a> {
    /// Creates the missing folders. Each is opened from the one before, never through a link.
    pub(super) fn create_missing(located: &'a ResolvedPath) -> Result<Self, WriteError> {
        if let Ok((innermost, _)) = located.open_parent() {
            return Ok(Self { located, innermost, made: Vec::new() });
        }
        let failed = |error| WriteError::from_io(located.display_path(), error);
        let root = reopen_folder(located.root().dir()).map_err(failed)?;
        let mut folders = Self { located, innermost: root, made: Vec::new() };
        let parents =
            located.relative_path().parent().into_iter().flat_map(|path| path.components());
        for name in parents.map(|part| part.as_os_str()) {
            let made = match folders.innermost.create_dir(name) {
                Ok(()) => true,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
                Err(error) => return Err(failed(error)),
            };
            let inner = folders.innermost.open_dir_nofollow(name);
            let inner = inner.map_err(|error| located.path_error(error))?;
            let outer = std::mem::replace(&mut folders.innermost, inner);
            if made {
                folders.made.push((outer, name.to_owned()));
            }
        }
        Ok(folders)
    }

    /// Opens a new handle of the folder that directly contains the file.
    pub(super) fn open_innermost(&self) -> Result<Dir, WriteError> {
        reopen_folder(&self.innermost)
            .map_err(|error| WriteError::from_io(self.located.display_path(), error))
    }

    /// Keeps the created folders and syncs their names to the device.
    pub(super) fn persist(&mut self) -> io::Result<()> {
        let made = std::mem::take(&mut self.made);
        made.iter().try_for_each(|(outer, _)| sync_folder(&reopen_folder(outer)?))
    }
}

impl Drop for ParentFolders<'_> {
    fn drop(&mut self) {
        for (outer, name) in self.made.drain(..).rev() {
            // Fails if another program put something into the folder meanwhile.
            let _ = outer.remove_dir(name);
        }
    }
}

/// Syncs the names in `dir` to the device, where the file system supports it.
pub(super) fn sync_folder(dir: &Dir) -> io::Result<()> {
    match rustix::fs::fsync(dir) {
        Ok(()) | Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOTSUP) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
