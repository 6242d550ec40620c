//! Regular files, opened without ever waiting for one that is not, and read within bounds.

use std::ffi::OsStr;
use std::io::Read as _;
use std::time::SystemTime;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, File, FileExt as _, FileTypeExt as _, Metadata, MetadataExt as _};
use cap_std::fs::{OpenOptions, OpenOptionsExt as _};
use foveal_cancel::Cancel;
use foveal_transcript::ContentHash;
use rustix::fs::OFlags;
use thiserror::Error;

use crate::roots::{Located, PathError};
use crate::stamp::{Stamp, Version};

/// Bytes read at once; a cancelled read ends between two of them.
const CHUNK_BYTES: usize = 256 * 1024;

/// What stands at a path, if it is no regular file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// A folder.
    Folder,
    /// A named pipe, which would be waited on.
    Pipe,
    /// A socket.
    Socket,
    /// A device.
    Device,
    /// A symbolic link, put there after the path was resolved.
    Link,
    /// Something else.
    Other,
}

impl Special {
    /// What `metadata` is of, `None` for a regular file.
    pub fn of(metadata: &Metadata) -> Option<Self> {
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

    /// Its name with an article, for a message.
    pub fn name(self) -> &'static str {
        match self {
            Self::Folder => "a folder",
            Self::Pipe => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Link => "a symbolic link put there just now",
            Self::Other => "no regular file",
        }
    }
}

/// Why a file cannot be read.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum ReadError {
    /// The path is refused or leads to nothing.
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("`{path}` is {}, which cannot be read as a file", what.name())]
    Special { path: String, what: Special },
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

/// How much is read.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Bytes of the largest file that is read as a whole.
    pub bytes_max: u64,
}

impl Bounds {
    /// For comparing hashes, which takes time but no memory.
    pub(crate) fn for_hash() -> Self {
        Self { bytes_max: u64::MAX }
    }
}

/// A regular file that is open for reading.
#[derive(Debug)]
pub struct Opened {
    file: File,
    metadata: Metadata,
    shown: String,
}

impl Opened {
    /// Opens the regular file at `located`. Pipes, sockets and devices are refused before they
    /// are opened, and should one be put there in between, opening it does not wait.
    ///
    /// # Errors
    ///
    /// When there is nothing, or no regular file, or it may not be read.
    pub fn open(located: &Located) -> Result<Self, ReadError> {
        let (dir, name) = located.parent()?;
        match name {
            Some(name) => Self::open_in(&dir, name, located),
            None => {
                Err(ReadError::Special { path: located.shown().to_owned(), what: Special::Folder })
            }
        }
    }

    /// The same in the folder `dir`, which is open already.
    pub(crate) fn open_in(dir: &Dir, name: &OsStr, located: &Located) -> Result<Self, ReadError> {
        let regular = |metadata: &Metadata| match Special::of(metadata) {
            Some(what) => Err(ReadError::Special { path: located.shown().to_owned(), what }),
            None => Ok(()),
        };
        let failed = |error| located.failed(error);
        regular(&dir.symlink_metadata(name).map_err(failed)?)?;
        let waits_for_nobody = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No).custom_flags(waits_for_nobody);
        let file = dir.open_with(name, &options).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        regular(&metadata)?;
        Ok(Self { file, metadata, shown: located.shown().to_owned() })
    }

    /// What the file system said of the file when it was opened.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The stamp of the file when it was opened.
    pub fn stamp(&self) -> Stamp {
        Stamp::of(&self.metadata)
    }

    /// How many names the file has; with more than one, replacing it parts this name from the
    /// others.
    pub fn names(&self) -> u64 {
        self.metadata.nlink()
    }

    /// The file as it is shown.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Fills `buffer` from the byte `offset` on, as far as the file goes. How much was read.
    pub(crate) fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, ReadError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.file.read_at(&mut buffer[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(PathError::of(&self.shown, error).into()),
            }
        }
        Ok(filled)
    }

    /// That the file was not written to since it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), ReadError> {
        let now = self.file.metadata().map_err(|error| PathError::of(&self.shown, error))?;
        let (before, now) = (self.stamp(), Stamp::of(&now));
        if (before.mtime_ns, before.len) == (now.mtime_ns, now.len) {
            Ok(())
        } else {
            Err(ReadError::Changing { path: self.shown.clone() })
        }
    }

    /// The open file itself, for what reads by its own means.
    pub fn into_std(self) -> std::fs::File {
        self.file.into_std()
    }

    /// Up to `bytes` from the beginning of what was not read yet.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn head(&mut self, bytes: usize) -> Result<Vec<u8>, ReadError> {
        let mut head = Vec::new();
        let limit = u64::try_from(bytes).unwrap_or(u64::MAX);
        (&mut self.file)
            .take(limit)
            .read_to_end(&mut head)
            .map_err(|error| PathError::of(&self.shown, error))?;
        Ok(head)
    }

    /// All bytes after `head`, which was read before, and the version they are.
    ///
    /// # Errors
    ///
    /// When the file is too large, cannot be read, or changes meanwhile; or
    /// [`ReadError::Cancelled`].
    pub fn read(
        mut self,
        head: Vec<u8>,
        bounds: &Bounds,
        cancel: &Cancel<'_>,
    ) -> Result<(Vec<u8>, Version), ReadError> {
        let mut bytes = head;
        bytes.reserve(usize::try_from(self.metadata.len().min(bounds.bytes_max)).unwrap_or(0));
        self.each_chunk(bytes.len(), bounds, cancel, |chunk| bytes.extend_from_slice(chunk))?;
        let version = self.version(ContentHash::of(&bytes), bytes.len())?;
        Ok((bytes, version))
    }

    /// The version of the file, without keeping its bytes.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub fn hash(mut self, bounds: &Bounds, cancel: &Cancel<'_>) -> Result<Version, ReadError> {
        let mut hasher = blake3::Hasher::new();
        self.each_chunk(0, bounds, cancel, |chunk| {
            hasher.update(chunk);
        })?;
        let len = usize::try_from(hasher.count()).unwrap_or(usize::MAX);
        self.version(ContentHash::from_bytes(*hasher.finalize().as_bytes()), len)
    }

    fn each_chunk(
        &mut self,
        before: usize,
        bounds: &Bounds,
        cancel: &Cancel<'_>,
        mut take: impl FnMut(&[u8]),
    ) -> Result<(), ReadError> {
        let path = || self.shown.clone();
        let too_large =
            |bytes| ReadError::TooLarge { path: path(), bytes, limit: bounds.bytes_max };
        if self.metadata.len() > bounds.bytes_max {
            return Err(too_large(self.metadata.len()));
        }
        let mut total = before as u64;
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            if cancel.is_cancelled() {
                return Err(ReadError::Cancelled { path: path() });
            }
            let read = match self.file.read(&mut chunk) {
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(PathError::of(&self.shown, error).into()),
            };
            total += read as u64;
            // A file that grows while it is read does not end by itself.
            if total > bounds.bytes_max {
                return Err(too_large(total));
            }
            take(&chunk[..read]);
        }
    }

    /// The version with `hash`, if the file stayed as it was while its `len` bytes were read.
    fn version(&self, hash: ContentHash, len: usize) -> Result<Version, ReadError> {
        let now = SystemTime::now();
        let after = self.file.metadata().map_err(|error| PathError::of(&self.shown, error))?;
        let (before, after) = (self.stamp(), Stamp::of(&after));
        // Permissions and names may change, the content may not.
        if (before.mtime_ns, before.len) != (after.mtime_ns, after.len) || after.len != len as u64 {
            return Err(ReadError::Changing { path: self.shown.clone() });
        }
        Ok(Version::new(after, hash, now))
    }
}
