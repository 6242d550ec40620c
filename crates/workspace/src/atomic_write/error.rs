//! Errors of writing files.

use std::io;

use thiserror::Error;

use crate::open_file::{FileReadError, SpecialFile};
use crate::roots::PathError;

/// An error of writing a file. Unless the message says otherwise, nothing was changed.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum WriteError {
    /// The path is refused or does not exist.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The current content cannot be read for the comparison.
    #[error(transparent)]
    Read(#[from] FileReadError),
    /// The path leads to something other than a regular file.
    #[error("`{path}` is {}, which cannot be written", what.name_with_article())]
    Special { path: String, what: SpecialFile },
    #[error("`{path}` was changed since it was read; read it again before changing it")]
    Changed { path: String },
    #[error("`{path}` already exists; edit it, or read it before replacing it")]
    Exists { path: String },
    /// The file has no write permission for any user.
    #[error("`{path}` is read-only; change its permissions or ask the user to")]
    ReadOnly { path: String },
    #[error("no permission to write `{path}`")]
    Denied { path: String },
    /// The device or the user's quota is full.
    #[error("no space left to write `{path}`; nothing was changed")]
    NoSpace { path: String },
    /// Another process holds the folder's lock too long.
    #[error("`{path}` is being written by another process; try again")]
    Busy { path: String },
    /// The write could not be recorded in the journal, so it could not be rolled back after a kill.
    #[error("the journal of changes cannot be written ({source}); nothing was changed")]
    Journal { source: io::Error },
    /// One of several files could not be written, and the others could not all be restored.
    #[error("{why}; {left}")]
    Torn { why: Box<Self>, left: String },
    #[error("stopped before writing `{path}`; nothing was changed")]
    Cancelled { path: String },
    #[error("`{path}` cannot be written: {source}")]
    Io { path: String, source: io::Error },
}

impl WriteError {
    /// Converts an I/O error of writing `path`.
    pub(super) fn from_io(path: &str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::PermissionDenied => Self::Denied { path },
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path },
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => Self::NoSpace { path },
            io::ErrorKind::AlreadyExists => Self::Exists { path },
            _ => Self::Io { path, source },
        }
    }
}
