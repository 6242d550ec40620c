//! The folders that a new file is in.

use std::ffi::OsString;
use std::io;

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;

use super::error::WriteError;
use crate::roots::{Located, reopened};

/// The folders of a new file, one in the other, those that were made for it removed again when
/// this is dropped before [`Self::keep`].
#[derive(Debug)]
pub(super) struct Folders<'a> {
    located: &'a Located,
    innermost: Dir,
    /// Where a folder was made, and its name.
    made: Vec<(Dir, OsString)>,
}

impl<'a> Folders<'a> {
    /// Makes the folders that are missing. Each is opened in the one before, never by a link.
    pub(super) fn make(located: &'a Located) -> Result<Self, WriteError> {
        if let Ok((innermost, _)) = located.parent() {
            return Ok(Self { located, innermost, made: Vec::new() });
        }
        let failed = |error| WriteError::of(located.shown(), error);
        let root = reopened(located.root().dir()).map_err(failed)?;
        let mut folders = Self { located, innermost: root, made: Vec::new() };
        let parents = located.relative().parent().into_iter().flat_map(|path| path.components());
        for name in parents.map(|part| part.as_os_str()) {
            let made = match folders.innermost.create_dir(name) {
                Ok(()) => true,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
                Err(error) => return Err(failed(error)),
            };
            let inner = folders.innermost.open_dir_nofollow(name);
            let inner = inner.map_err(|error| located.failed(error))?;
            let outer = std::mem::replace(&mut folders.innermost, inner);
            if made {
                folders.made.push((outer, name.to_owned()));
            }
        }
        Ok(folders)
    }

    /// A handle of the folder that the file is in.
    pub(super) fn innermost(&self) -> Result<Dir, WriteError> {
        reopened(&self.innermost).map_err(|error| WriteError::of(self.located.shown(), error))
    }

    /// Leaves the folders where they are, their names brought to the device.
    pub(super) fn keep(&mut self) -> io::Result<()> {
        let made = std::mem::take(&mut self.made);
        made.iter().try_for_each(|(outer, _)| sync(&reopened(outer)?))
    }
}

impl Drop for Folders<'_> {
    fn drop(&mut self) {
        for (outer, name) in self.made.drain(..).rev() {
            // Not if someone put something in meanwhile.
            let _ = outer.remove_dir(name);
        }
    }
}

/// Brings the names in `dir` to the device, where the file system can.
pub(super) fn sync(dir: &Dir) -> io::Result<()> {
    match rustix::fs::fsync(dir) {
        Ok(()) | Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOTSUP) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
