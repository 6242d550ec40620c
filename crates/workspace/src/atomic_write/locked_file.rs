//! Access to one file while its folder is locked.

use std::ffi::OsStr;
use std::io;
use std::time::SystemTime;

use cap_std::fs::{Dir, Metadata, MetadataExt as _};
use foveal_transcript::{CancelToken, ContentHash};
use rustix::fs::AtFlags;

use super::content_digest::ContentDigest;
use super::error::WriteError;
use super::temporary_file::TemporaryFile;
use super::write_outcome::WriteNotice;
use crate::file_version::{FileStamp, FileVersion};
use crate::open_file::{FileReadError, OpenFile, ReadSizeLimit, SpecialFile};
use crate::roots::ResolvedPath;

/// Bytes of the largest file that can be replaced.
const REPLACED_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// The write permissions of user, group and others.
const WRITABLE: u32 = 0o222;

/// A file whose folder is locked.
pub(super) struct LockedFile<'a> {
    pub(super) located: &'a ResolvedPath,
    pub(super) name: &'a OsStr,
    pub(super) dir: &'a Dir,
}

/// The content of a file before its replacement.
pub(super) struct OldContent {
    pub(super) bytes: Vec<u8>,
    pub(super) version: FileVersion,
    pub(super) metadata: Metadata,
}

impl LockedFile<'_> {
    fn display_path(&self) -> String {
        self.located.display_path().to_owned()
    }

    /// Returns the error for a file that another program changed.
    pub(super) fn changed_error(&self) -> WriteError {
        WriteError::Changed { path: self.display_path() }
    }

    /// Converts an I/O error; a missing file counts as changed.
    pub(super) fn write_error(&self, error: io::Error) -> WriteError {
        match error.kind() {
            io::ErrorKind::NotFound => self.changed_error(),
            _ => WriteError::from_io(self.located.display_path(), error),
        }
    }

    /// Reads the file, if it may be replaced and has the hash `expected`.
    pub(super) fn read_expected(
        &self,
        expected: &ContentHash,
        cancel: &CancelToken<'_>,
    ) -> Result<OldContent, WriteError> {
        let opened = match OpenFile::open_in(self.dir, self.name, self.located) {
            Err(FileReadError::Special { path, what }) => {
                return Err(WriteError::Special { path, what });
            }
            opened => opened?,
        };
        let metadata = opened.metadata().clone();
        if metadata.mode() & WRITABLE == 0 {
            return Err(WriteError::ReadOnly { path: self.display_path() });
        }
        let access = rustix::fs::Access::WRITE_OK;
        if rustix::fs::accessat(self.dir, self.name, access, AtFlags::empty()).is_err() {
            return Err(WriteError::Denied { path: self.display_path() });
        }
        let bounds = ReadSizeLimit { bytes_max: REPLACED_BYTES_MAX };
        match opened.read_all(Vec::new(), &bounds, cancel) {
            Ok((_, version)) if version.hash != *expected => Err(self.changed_error()),
            Ok((bytes, version)) => Ok(OldContent { bytes, version, metadata }),
            Err(FileReadError::Cancelled { path }) => Err(WriteError::Cancelled { path }),
            Err(FileReadError::Changing { .. }) => Err(self.changed_error()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns whether the file is still the one that was read, judged by its stamp.
    pub(super) fn has_stamp_of(&self, old: &OldContent) -> Result<bool, WriteError> {
        match self.dir.symlink_metadata(self.name) {
            Ok(now) => Ok(FileStamp::from_metadata(&now) == old.version.stamp),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(WriteError::from_io(self.located.display_path(), error)),
        }
    }

    /// Exchanges the new file with the old one, if that has the content `before`; any other file is
    /// put back.
    pub(super) fn exchange_expected(
        &self,
        temporary: &mut TemporaryFile<'_>,
        before: &ContentDigest,
        exchanges: bool,
    ) -> Result<(), WriteError> {
        let failed = |error| self.write_error(error);
        temporary.exchange_with(self.name, exchanges).map_err(failed)?;
        if temporary.displaced_matches(before) {
            return Ok(());
        }
        // Another program replaced or changed the file.
        temporary.restore_displaced(self.name).map_err(failed)?;
        Err(self.changed_error())
    }

    /// Returns the version of the new file after the exchange.
    pub(super) fn new_version(
        &self,
        temporary: &TemporaryFile<'_>,
        after: ContentDigest,
    ) -> Result<FileVersion, WriteError> {
        let metadata = temporary.metadata().map_err(|error| self.write_error(error))?;
        Ok(FileVersion::new(FileStamp::from_metadata(&metadata), after.hash, SystemTime::now()))
    }
}

/// Returns the name of the file in its folder.
pub(super) fn file_name_of(located: &ResolvedPath) -> Result<&OsStr, WriteError> {
    let path = located.display_path().to_owned();
    located
        .relative_path()
        .file_name()
        .ok_or(WriteError::Special { path, what: SpecialFile::Folder })
}

pub(super) fn followed_link_notice(located: &ResolvedPath) -> Option<WriteNotice> {
    located.followed_link().map(|link| WriteNotice::ThroughLink { link: link.to_owned() })
}

#[cfg(test)]
mod tests;
