//! One file while its folder is locked.

use std::ffi::OsStr;
use std::io;
use std::time::SystemTime;

use cap_std::fs::{Dir, Metadata, MetadataExt as _};
use foveal_cancel::Cancel;
use foveal_transcript::ContentHash;
use rustix::fs::AtFlags;

use super::error::WriteError;
use super::extent::Extent;
use super::temporary::Temporary;
use super::written::Note;
use crate::open::{Bounds, Opened, ReadError, Special};
use crate::roots::Located;
use crate::stamp::{Stamp, Version};

/// Bytes of the largest file that is replaced.
const REPLACED_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Permissions to write of anyone.
const WRITABLE: u32 = 0o222;

/// A file whose folder is locked.
pub(super) struct Held<'a> {
    pub(super) located: &'a Located,
    pub(super) name: &'a OsStr,
    pub(super) dir: &'a Dir,
}

/// What a file holds before it is replaced.
pub(super) struct Old {
    pub(super) bytes: Vec<u8>,
    pub(super) version: Version,
    pub(super) metadata: Metadata,
}

impl Held<'_> {
    fn path(&self) -> String {
        self.located.shown().to_owned()
    }

    /// The error that says that somebody else changed the file.
    pub(super) fn changed(&self) -> WriteError {
        WriteError::Changed { path: self.path() }
    }

    /// What the system says about the file; one that is gone was changed.
    pub(super) fn failed(&self, error: io::Error) -> WriteError {
        match error.kind() {
            io::ErrorKind::NotFound => self.changed(),
            _ => WriteError::of(self.located.shown(), error),
        }
    }

    /// The bytes that are there, if they may be replaced and are what is `expected`.
    pub(super) fn read(
        &self,
        expected: &ContentHash,
        cancel: &Cancel<'_>,
    ) -> Result<Old, WriteError> {
        let opened = match Opened::open_in(self.dir, self.name, self.located) {
            Err(ReadError::Special { path, what }) => {
                return Err(WriteError::Special { path, what });
            }
            opened => opened?,
        };
        let metadata = opened.metadata().clone();
        if metadata.mode() & WRITABLE == 0 {
            return Err(WriteError::ReadOnly { path: self.path() });
        }
        let access = rustix::fs::Access::WRITE_OK;
        if rustix::fs::accessat(self.dir, self.name, access, AtFlags::empty()).is_err() {
            return Err(WriteError::Denied { path: self.path() });
        }
        let bounds = Bounds { bytes_max: REPLACED_BYTES_MAX };
        match opened.read(Vec::new(), &bounds, cancel) {
            Ok((_, version)) if version.hash != *expected => Err(self.changed()),
            Ok((bytes, version)) => Ok(Old { bytes, version, metadata }),
            Err(ReadError::Cancelled { path }) => Err(WriteError::Cancelled { path }),
            Err(ReadError::Changing { .. }) => Err(self.changed()),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether the file is the one that was read, by its stamp.
    pub(super) fn still(&self, old: &Old) -> Result<bool, WriteError> {
        match self.dir.symlink_metadata(self.name) {
            Ok(now) => Ok(Stamp::of(&now) == old.version.stamp),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(WriteError::of(self.located.shown(), error)),
        }
    }

    /// Has the new file take the place of the old one, which holds `before`, and of no other.
    pub(super) fn take_place(
        &self,
        temporary: &mut Temporary<'_>,
        before: &Extent,
        exchanges: bool,
    ) -> Result<(), WriteError> {
        let failed = |error| self.failed(error);
        temporary.take_place(self.name, exchanges).map_err(failed)?;
        if temporary.displaced_holds(before) {
            return Ok(());
        }
        // Somebody else's file, or text.
        temporary.give_back(self.name).map_err(failed)?;
        Err(self.changed())
    }

    /// The version of the file that was just put there.
    pub(super) fn version(
        &self,
        temporary: &Temporary<'_>,
        after: Extent,
    ) -> Result<Version, WriteError> {
        let metadata = temporary.metadata().map_err(|error| self.failed(error))?;
        Ok(Version::new(Stamp::of(&metadata), after.hash, SystemTime::now()))
    }
}

/// The name of the file in its folder.
pub(super) fn name(located: &Located) -> Result<&OsStr, WriteError> {
    let path = located.shown().to_owned();
    located.relative().file_name().ok_or(WriteError::Special { path, what: Special::Folder })
}

pub(super) fn through_link(located: &Located) -> Option<Note> {
    located.link().map(|link| Note::ThroughLink { link: link.to_owned() })
}

#[cfg(test)]
mod tests;
