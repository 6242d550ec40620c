//! The errors of a store.

use std::path::PathBuf;

use crate::database_file::{is_busy, is_environment_error, is_inaccessible};
use foveal_transcript::Handle;
use thiserror::Error;

use crate::keys::SessionId;

/// The reason why a store operation failed.
#[derive(Debug, Error)]
pub enum StoreError {
    /// One item exceeds the size limit of the store.
    #[error("the content has {bytes} bytes, more than the limit of {bytes_max}: store less of it")]
    TooLarge {
        /// The size of the item, in bytes.
        bytes: usize,
        /// The limit, in bytes.
        bytes_max: usize,
    },
    /// A value is nested more deeply than a reader accepts.
    #[error("the value is nested more than {depth_max} levels deep: flatten it")]
    TooDeep {
        /// The greatest allowed depth.
        depth_max: usize,
    },
    /// Another content has the same handle.
    #[error("handle {handle} already refers to other content")]
    Collision {
        /// The shared handle.
        handle: Handle,
    },
    /// Content that was stored has been removed.
    #[error("the content of {handle} is no longer stored: store it again")]
    Gone {
        /// The handle of the content.
        handle: Handle,
    },
    /// A text that must be read back byte for byte contains a secret.
    #[error("the content contains a secret, and secrets are not stored")]
    ContainsSecret,
    /// The session was never opened, or was deleted.
    #[error("session `{session}` not found: open it first")]
    UnknownSession {
        /// The requested session.
        session: SessionId,
    },
    /// The folder or the file cannot be created.
    #[error("the store `{}` cannot be written", path.display())]
    Unwritable {
        /// The file of the store.
        path: PathBuf,
        /// The I/O error of the system.
        #[source]
        source: std::io::Error,
    },
    /// The value cannot be serialized as JSON.
    #[error("the value cannot be stored as JSON")]
    Json(#[from] serde_json::Error),
    /// The content cannot be compressed.
    #[error("the content cannot be compressed")]
    Compression(#[source] std::io::Error),
    /// SQLite returned an error.
    #[error("the store cannot be read or written")]
    Database(#[from] rusqlite::Error),
}

impl StoreError {
    /// Returns whether the folder or the file of the store cannot be written, so that a store can
    /// only be kept in memory.
    pub fn is_inaccessible(&self) -> bool {
        match self {
            Self::Unwritable { .. } => true,
            Self::Database(error) => is_inaccessible(error),
            Self::TooLarge { .. }
            | Self::TooDeep { .. }
            | Self::Collision { .. }
            | Self::Gone { .. }
            | Self::UnknownSession { .. }
            | Self::Json(_)
            | Self::ContainsSecret
            | Self::Compression(_) => false,
        }
    }

    /// Returns whether another process held the lock for longer than the busy time-out.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Database(error) if is_busy(error))
    }

    /// Returns whether the file is damaged and has to be quarantined.
    ///
    /// Statements on tables that this program created fail only because of the machine or because
    /// of their arguments. Every other failure means that the tables differ from those that were
    /// created.
    pub(crate) fn is_corruption(&self) -> bool {
        use rusqlite::ErrorCode as Code;
        match self {
            Self::Database(error) => {
                let given = Some(Code::ConstraintViolation) == error.sqlite_error_code()
                    || Some(Code::TooBig) == error.sqlite_error_code();
                !given && !is_environment_error(error)
            }
            Self::TooLarge { .. }
            | Self::TooDeep { .. }
            | Self::Json(_)
            | Self::Collision { .. }
            | Self::Gone { .. }
            | Self::UnknownSession { .. }
            | Self::Unwritable { .. }
            | Self::ContainsSecret
            | Self::Compression(_) => false,
        }
    }
}
