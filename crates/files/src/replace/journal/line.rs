//! One line of a record.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use cap_std::fs::MetadataExt as _;
use serde::{Deserialize, Serialize};

use crate::replace::error::WriteError;
use crate::replace::extent::Extent;
use crate::replace::held::Held;

/// One line of a record, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    /// Files are about to be written.
    Begin { write: u64, files: Vec<Planned> },
    /// The new file of one of them was made.
    Made { write: u64, file: usize, inode: u64 },
    /// All was done, or nothing.
    End { write: u64 },
}

/// A file that is about to be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::replace) struct Planned {
    /// The folder it is in, and the numbers by which that is known.
    pub(super) folder: Spelled,
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) name: Spelled,
    /// What the new file is called.
    pub(super) temporary: String,
    /// What it holds before; nothing where it is new.
    pub(super) before: Option<Extent>,
    pub(super) after: Extent,
}

impl Planned {
    pub(in crate::replace) fn of(
        held: &Held<'_>,
        temporary: &str,
        before: Option<Extent>,
        after: Extent,
    ) -> Result<Self, WriteError> {
        let folder = held.dir.dir_metadata().map_err(|error| held.failed(error))?;
        let absolute = held.located.absolute();
        Ok(Self {
            folder: Spelled::of(absolute.parent().unwrap_or(&absolute).as_os_str()),
            device: folder.dev(),
            inode: folder.ino(),
            name: Spelled::of(held.name),
            temporary: temporary.to_owned(),
            before,
            after,
        })
    }

    /// The file.
    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(self.folder.os()).join(self.name.os())
    }
}

/// A path or a name, which need not be text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Spelled {
    Text(String),
    Bytes(Vec<u8>),
}

impl Spelled {
    fn of(name: &OsStr) -> Self {
        match name.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(name.as_bytes().to_owned()),
        }
    }

    pub(super) fn os(&self) -> OsString {
        match self {
            Self::Text(text) => text.into(),
            Self::Bytes(bytes) => OsString::from_vec(bytes.clone()),
        }
    }
}
