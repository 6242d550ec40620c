//! The line format of a record.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use cap_std::fs::MetadataExt as _;
use serde::{Deserialize, Serialize};

use crate::atomic_write::content_digest::ContentDigest;
use crate::atomic_write::error::WriteError;
use crate::atomic_write::locked_file::LockedFile;

/// One line of a record, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum JournalLine {
    /// The files are about to be written.
    Begin { write: u64, files: Vec<PlannedWrite> },
    /// The new file of the file at index `file` was created.
    Made { write: u64, file: usize, inode: u64 },
    /// The write is complete, or nothing was written.
    End { write: u64 },
}

/// A file that is about to be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::atomic_write) struct PlannedWrite {
    /// The parent folder, identified by its path, device and inode.
    pub(super) folder: OsName,
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) name: OsName,
    /// The name of the new file.
    pub(super) temporary: String,
    /// The content before; `None` for a new file.
    pub(super) before: Option<ContentDigest>,
    pub(super) after: ContentDigest,
}

impl PlannedWrite {
    pub(in crate::atomic_write) fn new(
        held: &LockedFile<'_>,
        temporary: &str,
        before: Option<ContentDigest>,
        after: ContentDigest,
    ) -> Result<Self, WriteError> {
        let folder = held.dir.dir_metadata().map_err(|error| held.write_error(error))?;
        let absolute = held.located.absolute_path();
        Ok(Self {
            folder: OsName::from_os_str(absolute.parent().unwrap_or(&absolute).as_os_str()),
            device: folder.dev(),
            inode: folder.ino(),
            name: OsName::from_os_str(held.name),
            temporary: temporary.to_owned(),
            before,
            after,
        })
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(self.folder.to_os_string()).join(self.name.to_os_string())
    }
}

/// A path or a name that need not be UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum OsName {
    Text(String),
    Bytes(Vec<u8>),
}

impl OsName {
    fn from_os_str(name: &OsStr) -> Self {
        match name.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(name.as_bytes().to_owned()),
        }
    }

    pub(super) fn to_os_string(&self) -> OsString {
        match self {
            Self::Text(text) => text.into(),
            Self::Bytes(bytes) => OsString::from_vec(bytes.clone()),
        }
    }
}
