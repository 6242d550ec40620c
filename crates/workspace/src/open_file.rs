//! Regular files, opened without blocking on special files and read within bounds.

use std::ffi::OsStr;
use std::io::Read as _;
use std::time::SystemTime;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, File, FileExt as _, FileTypeExt as _, Metadata, MetadataExt as _};
use cap_std::fs::{OpenOptions, OpenOptionsExt as _};
use foveal_transcript::{CancelToken, ContentHash};
use rustix::fs::OFlags;
use thiserror::Error;

use crate::file_version::{FileStamp, FileVersion};
use crate::roots::{PathError, ResolvedPath};

/// Bytes per read; a cancellation takes effect between two reads.
const CHUNK_BYTES: usize = 256 * 1024;

/// The kind of a file that is not regular.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecialFile {
    /// A folder.
    Folder,
    /// A named pipe; opening it would block.
    Pipe,
    /// A socket.
    Socket,
    /// A device.
    Device,
    /// A symbolic link that appeared after the path was resolved.
    Link,
    /// Any other kind.
    Other,
}

impl SpecialFile {
    /// Returns the kind of the file that `metadata` describes, or `None` for a regular file.
    pub fn from_metadata(metadata: &Metadata) -> Option<Self> {
        let kind = metadata.file_type();
        if kind.is_file() {
            return None;
        }
        Some(match kind {
            kind if kind.is_dir() => Self::Folder,
            kind if kind.is_symlink() => Self::Link,
            kind if kind.is_fifo() => Self::Pipe,
            kind if kind.is_socket() => Self::Socket,
            kind if kind.is_block_device() || kind.is_char_device() => Self::Device,
            _ => Self::Other,
        })
    }

    /// Returns the name with its article, for messages.
    pub fn name_with_article(self) -> &'static str {
        match self {
            Self::Folder => "a folder",
            Self::Pipe => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Link => "a symbolic link that just appeared",
            Self::Other => "not a regular file",
        }
    }
}

/// An error of reading a file.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum FileReadError {
    /// The path is refused or does not exist.
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("`{path}` is {}, which cannot be read as a file", what.name_with_article())]
    Special { path: String, what: SpecialFile },
    #[error(
        "`{path}` has {bytes} bytes, more than the {limit} that are read at once; read it by range of lines"
    )]
    TooLarge { path: String, bytes: u64, limit: u64 },
    #[error("`{path}` was changed while it was read; read it again")]
    Changing { path: String },
    #[error("`{path}` is not text")]
    NotText { path: String },
    #[error("stopped while reading `{path}`")]
    Cancelled { path: String },
}

/// Limits of reading a whole file.
#[derive(Debug, Clone, Copy)]
pub struct ReadSizeLimit {
    /// The size in bytes of the largest file that is read.
    pub bytes_max: u64,
}

impl ReadSizeLimit {
    /// Returns a limit for hashing, which takes time but no memory.
    pub(crate) fn unlimited() -> Self {
        Self { bytes_max: u64::MAX }
    }
}

/// A regular file that is open for reading.
#[derive(Debug)]
pub struct OpenFile {
    file: File,
    metadata: Metadata,
    display_path: String,
}

impl OpenFile {
    /// Opens the regular file at `located`. Pipes, sockets and devices are refused before the open;
    /// if one appears in between, the open does not block.
    ///
    /// # Errors
    ///
    /// Fails if the file does not exist, is not regular or may not be read.
    pub fn open(located: &ResolvedPath) -> Result<Self, FileReadError> {
        let (dir, name) = located.open_parent()?;
        match name {
            Some(name) => Self::open_in(&dir, name, located),
            None => Err(FileReadError::Special {
                path: located.display_path().to_owned(),
                what: SpecialFile::Folder,
            }),
        }
    }

    /// Opens the regular file `name` in the folder `dir`, which is already open.
    pub(crate) fn open_in(
        dir: &Dir,
        name: &OsStr,
        located: &ResolvedPath,
    ) -> Result<Self, FileReadError> {
        let regular = |metadata: &Metadata| match SpecialFile::from_metadata(metadata) {
            Some(what) => {
                Err(FileReadError::Special { path: located.display_path().to_owned(), what })
            }
            None => Ok(()),
        };
        let failed = |error| located.path_error(error);
        regular(&dir.symlink_metadata(name).map_err(failed)?)?;
        let waits_for_nobody = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No).custom_flags(waits_for_nobody);
        let file = dir.open_with(name, &options).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        regular(&metadata)?;
        Ok(Self { file, metadata, display_path: located.display_path().to_owned() })
    }

    /// Returns the metadata from the time of the open.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Returns the stamp from the time of the open.
    pub fn stamp(&self) -> FileStamp {
        FileStamp::from_metadata(&self.metadata)
    }

    /// Returns the number of hard links. If there are several, a replacement separates this name
    /// from the others.
    pub fn link_count(&self) -> u64 {
        self.metadata.nlink()
    }

    /// Returns the path as messages show it.
    pub fn display_path(&self) -> &str {
        &self.display_path
    }

    /// Fills `buffer` from byte `offset` on and returns the number of bytes read, which is smaller
    /// only at the end of the file.
    pub(crate) fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, FileReadError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.file.read_at(&mut buffer[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(PathError::from_io(&self.display_path, error).into()),
            }
        }
        Ok(filled)
    }

    /// Checks that the file was not written to since it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), FileReadError> {
        let now =
            self.file.metadata().map_err(|error| PathError::from_io(&self.display_path, error))?;
        let (before, now) = (self.stamp(), FileStamp::from_metadata(&now));
        if (before.mtime_ns, before.len) == (now.mtime_ns, now.len) {
            Ok(())
        } else {
            Err(FileReadError::Changing { path: self.display_path.clone() })
        }
    }

    /// Returns the open file, for callers with their own way of reading.
    pub fn into_std(self) -> std::fs::File {
        self.file.into_std()
    }

    /// Returns up to `bytes` bytes from the current position.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn read_head(&mut self, bytes: usize) -> Result<Vec<u8>, FileReadError> {
        let mut head = Vec::new();
        let limit = u64::try_from(bytes).unwrap_or(u64::MAX);
        (&mut self.file)
            .take(limit)
            .read_to_end(&mut head)
            .map_err(|error| PathError::from_io(&self.display_path, error))?;
        Ok(head)
    }

    /// Returns `head`, which was read before, with all bytes after it, and their version.
    ///
    /// # Errors
    ///
    /// Fails if the file is too large, cannot be read or changes during the read, or with
    /// [`FileReadError::Cancelled`].
    pub fn read_all(
        mut self,
        head: Vec<u8>,
        bounds: &ReadSizeLimit,
        cancel: &CancelToken<'_>,
    ) -> Result<(Vec<u8>, FileVersion), FileReadError> {
        let mut bytes = head;
        bytes.reserve(usize::try_from(self.metadata.len().min(bounds.bytes_max)).unwrap_or(0));
        self.for_each_chunk(bytes.len(), bounds, cancel, |chunk| bytes.extend_from_slice(chunk))?;
        let version = self.version_if_unchanged(ContentHash::from_content(&bytes), bytes.len())?;
        Ok((bytes, version))
    }

    /// Returns the version of the file without keeping its bytes.
    ///
    /// # Errors
    ///
    /// See [`Self::read_all`].
    pub fn compute_version(
        mut self,
        bounds: &ReadSizeLimit,
        cancel: &CancelToken<'_>,
    ) -> Result<FileVersion, FileReadError> {
        let mut hasher = blake3::Hasher::new();
        self.for_each_chunk(0, bounds, cancel, |chunk| {
            hasher.update(chunk);
        })?;
        let len = usize::try_from(hasher.count()).unwrap_or(usize::MAX);
        self.version_if_unchanged(ContentHash::from_bytes(*hasher.finalize().as_bytes()), len)
    }

    fn for_each_chunk(
        &mut self,
        before: usize,
        bounds: &ReadSizeLimit,
        cancel: &CancelToken<'_>,
        mut take: impl FnMut(&[u8]),
    ) -> Result<(), FileReadError> {
        let path = || self.display_path.clone();
        let too_large =
            |bytes| FileReadError::TooLarge { path: path(), bytes, limit: bounds.bytes_max };
        if self.metadata.len() > bounds.bytes_max {
            return Err(too_large(self.metadata.len()));
        }
        let mut total = before as u64;
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            if cancel.is_cancelled() {
                return Err(FileReadError::Cancelled { path: path() });
            }
            let read = match self.file.read(&mut chunk) {
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(PathError::from_io(&self.display_path, error).into()),
            };
            total += read as u64;
            // A file that grows during the read may never end.
            if total > bounds.bytes_max {
                return Err(too_large(total));
            }
            take(&chunk[..read]);
        }
    }

    /// Returns the version with `hash`, if the file stayed unchanged while its `len` bytes were
    /// read.
    fn version_if_unchanged(
        &self,
        hash: ContentHash,
        len: usize,
    ) -> Result<FileVersion, FileReadError> {
        let now = SystemTime::now();
        let after =
            self.file.metadata().map_err(|error| PathError::from_io(&self.display_path, error))?;
        let (before, after) = (self.stamp(), FileStamp::from_metadata(&after));
        // Permissions and names may change; the content may not.
        if (before.mtime_ns, before.len) != (after.mtime_ns, after.len) || after.len != len as u64 {
            return Err(FileReadError::Changing { path: self.display_path.clone() });
        }
        Ok(FileVersion::new(after, hash, now))
    }
}
