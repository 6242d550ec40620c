//! Why a file was not written.

use std::io;

use thiserror::Error;

use crate::open::{ReadError, Special};
use crate::roots::PathError;

/// Why a file was not written. Unless it says otherwise, nothing was changed.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum WriteError {
    /// The path is refused or leads to nothing.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The bytes that stand there cannot be read to be compared.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Something else than a regular file stands there.
    #[error("`{path}` is {}, which is not written to", what.name())]
    Special { path: String, what: Special },
    #[error("`{path}` was changed since it was read; read it again before changing it")]
    Changed { path: String },
    #[error("`{path}` is there already; edit it, or read it before replacing it")]
    Exists { path: String },
    /// The file's permissions let nobody write.
    #[error("`{path}` is read-only; change its permissions or ask the user to")]
    ReadOnly { path: String },
    #[error("no permission to write `{path}`")]
    Denied { path: String },
    /// The device or the user's share of it is full.
    #[error("no space left to write `{path}`; nothing was changed")]
    NoSpace { path: String },
    /// Another process writes in the folder and does not finish.
    #[error("`{path}` is being written by another process; try again")]
    Busy { path: String },
    /// What is to be done could not be noted first, so that it could be taken back after a kill.
    #[error("the journal of changes cannot be written ({source}); nothing was changed")]
    Journal { source: io::Error },
    /// Of several files, one could not be written, and what was done could not all be undone.
    #[error("{why}; {left}")]
    Torn { why: Box<Self>, left: String },
    #[error("stopped before writing `{path}`; nothing was changed")]
    Cancelled { path: String },
    #[error("`{path}` cannot be written: {source}")]
    Io { path: String, source: io::Error },
}

impl WriteError {
    /// What the system says about writing `path`.
    pub(super) fn of(path: &str, source: io::Error) -> Self {
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
