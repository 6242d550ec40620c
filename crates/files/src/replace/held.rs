//! One file while its folder is locked.

use std::ffi::OsStr;
use std::io;
use std::time::SystemTime;

use cap_std::fs::{Dir, Metadata, MetadataExt as _};
use foveal_cancel::Cancel;
use foveal_transcript::ContentHash;
use rustix::fs::AtFlags;

use super::error::WriteError;
use super::folders::sync;
use super::lock::Lock;
use super::temporary::Temporary;
use super::written::{Note, Written};
use crate::open::{Bounds, Opened, ReadError, Special};
use crate::roots::Located;
use crate::stamp::{Stamp, Version};

/// Bytes of the largest file that is replaced.
const REPLACED_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Permissions to write of anyone.
const WRITABLE: u32 = 0o222;

/// A file whose folder is locked.
pub(super) struct Held<'a> {
    located: &'a Located,
    pub(super) name: &'a OsStr,
    pub(super) lock: Lock,
}

/// What a file holds before it is replaced.
pub(super) struct Old {
    pub(super) bytes: Vec<u8>,
    pub(super) version: Version,
    metadata: Metadata,
}

impl<'a> Held<'a> {
    pub(super) fn take(located: &'a Located, cancel: &Cancel<'_>) -> Result<Self, WriteError> {
        let name = name(located)?;
        let (dir, _) = located.parent()?;
        Ok(Self { located, name, lock: Lock::take(dir, located.shown(), cancel)? })
    }

    fn path(&self) -> String {
        self.located.shown().to_owned()
    }

    /// The bytes that are there, if they may be replaced.
    pub(super) fn read(&self, cancel: &Cancel<'_>) -> Result<Old, WriteError> {
        let opened = match Opened::open_in(self.lock.dir(), self.name, self.located) {
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
        if rustix::fs::accessat(self.lock.dir(), self.name, access, AtFlags::empty()).is_err() {
            return Err(WriteError::Denied { path: self.path() });
        }
        let bounds = Bounds { bytes_max: REPLACED_BYTES_MAX };
        match opened.read(Vec::new(), &bounds, cancel) {
            Ok((bytes, version)) => Ok(Old { bytes, version, metadata }),
            Err(ReadError::Cancelled { path }) => Err(WriteError::Cancelled { path }),
            Err(ReadError::Changing { path }) => Err(WriteError::Changed { path }),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether the file is the one that was read, by its stamp.
    pub(super) fn still(&self, old: &Old) -> Result<bool, WriteError> {
        match self.lock.dir().symlink_metadata(self.name) {
            Ok(now) => Ok(Stamp::of(&now) == old.version.stamp),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(WriteError::of(self.located.shown(), error)),
        }
    }

    pub(super) fn replace(
        &self,
        old: Old,
        bytes: &[u8],
        cancel: &Cancel<'_>,
    ) -> Result<Written, WriteError> {
        let failed = |error| WriteError::of(self.located.shown(), error);
        let dir = self.lock.dir();
        let mut notes: Vec<Note> = through_link(self.located).into_iter().collect();
        let mut temporary = Temporary::new(dir, true).map_err(failed)?;
        // Before the bytes, so that nothing reads what it may not, and all is on the device.
        if !temporary.take_after(&old.metadata).map_err(failed)? {
            notes.push(Note::OwnerNotKept);
        }
        if !temporary.fill(bytes, cancel).map_err(failed)? {
            return Err(WriteError::Cancelled { path: self.path() });
        }
        if !self.still(&old)? {
            return Err(WriteError::Changed { path: self.path() });
        }
        self.take_place(temporary, &old)?;
        let count = old.metadata.nlink().saturating_sub(1);
        if count > 0 {
            notes.push(Note::OtherNames { count });
        }
        let version = placed(dir, self.name, bytes).map_err(failed)?;
        Ok(Written { version, before: Some(old.bytes), notes })
    }
}

/// Times that another program may put a file in the place of ours while we put back its last.
const EXCHANGES_MAX: usize = 16;

impl Held<'_> {
    /// Has the new file take the place of the old one, and of no other.
    fn take_place(&self, temporary: Temporary<'_>, old: &Old) -> Result<(), WriteError> {
        let dir = self.lock.dir();
        let changed = || WriteError::Changed { path: self.path() };
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => changed(),
            _ => WriteError::of(self.located.shown(), error),
        };
        let hash = |name: &OsStr| {
            let opened = Opened::open_in(dir, name, self.located).ok()?;
            Some(opened.hash(&Bounds::for_hash(), &Cancel::NEVER).ok()?.hash)
        };
        let inode = |name: &OsStr| Ok(Stamp::of(&dir.symlink_metadata(name)?).inode);
        let mut put = inode(temporary.name()).map_err(failed)?;
        if !temporary.exchange(self.name).map_err(failed)? {
            return temporary.replace(self.name).map_err(failed);
        }
        if hash(temporary.name()) == Some(old.version.hash) {
            return Ok(());
        }
        // Somebody else's file; if what comes back for it is not the one put there before, that
        // is a later one of theirs.
        for _ in 0..EXCHANGES_MAX {
            let theirs = inode(temporary.name()).map_err(failed)?;
            temporary.exchange(self.name).map_err(failed)?;
            if inode(temporary.name()).map_err(failed)? == put {
                break;
            }
            put = theirs;
        }
        Err(changed())
    }
}

pub(super) fn name(located: &Located) -> Result<&OsStr, WriteError> {
    let path = located.shown().to_owned();
    located.relative().file_name().ok_or(WriteError::Special { path, what: Special::Folder })
}

pub(super) fn through_link(located: &Located) -> Option<Note> {
    located.link().map(|link| Note::ThroughLink { link: link.to_owned() })
}

/// The version of the file at `name`, which was just put there, once its name is on the device.
pub(super) fn placed(dir: &Dir, name: &OsStr, bytes: &[u8]) -> io::Result<Version> {
    sync(dir)?;
    let stamp = Stamp::of(&dir.symlink_metadata(name)?);
    Ok(Version::new(stamp, ContentHash::of(bytes), SystemTime::now()))
}

#[cfg(test)]
mod tests;
