//! What can go wrong with a store.

use std::path::PathBuf;

use foveal_database::{is_busy, is_of_machine, is_of_place};
use foveal_transcript::Handle;
use thiserror::Error;

use crate::keys::SessionId;

/// Why something was not stored or read.
#[derive(Debug, Error)]
pub enum StoreError {
    /// One item is larger than a store takes.
    #[error("{bytes} bytes are more than the {bytes_max} that are stored as one: store less of it")]
    TooLarge {
        /// What was to be stored.
        bytes: usize,
        /// What would have been taken.
        bytes_max: usize,
    },
    /// A value lies in more lists and objects than one that is read again may.
    #[error("values in more than {depth_max} lists and objects are not stored: flatten it")]
    TooDeep {
        /// How deep it may lie.
        depth_max: usize,
    },
    /// Other content has the handle.
    #[error("handle {handle} already stands for other content")]
    Collision {
        /// The shared handle.
        handle: Handle,
    },
    /// Content that was stored is not stored any more.
    #[error("the content behind {handle} is gone: store it once more")]
    Gone {
        /// Its handle.
        handle: Handle,
    },
    /// There is a secret in what is to be read again byte for byte.
    #[error("there is a secret in it, and none is kept")]
    Secret,
    /// The session was never opened, or was removed.
    #[error("there is no session `{session}`: open it first")]
    UnknownSession {
        /// The session that was named.
        session: SessionId,
    },
    /// The folder or file cannot be made.
    #[error("the store `{}` cannot be written", path.display())]
    Place {
        /// The store's file.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// What is to be stored cannot be written as JSON.
    #[error("what is to be stored is no JSON")]
    Json(#[from] serde_json::Error),
    /// Content cannot be compressed.
    #[error("the content cannot be compressed")]
    Compression(#[source] std::io::Error),
    /// SQLite refuses.
    #[error("the store cannot be read or written")]
    Database(#[from] rusqlite::Error),
}

impl StoreError {
    /// Whether the store's folder or file refuses to be written, so that a store can only be
    /// kept in memory.
    pub fn is_place(&self) -> bool {
        match self {
            Self::Place { .. } => true,
            Self::Database(error) => is_of_place(error),
            Self::TooLarge { .. }
            | Self::TooDeep { .. }
            | Self::Collision { .. }
            | Self::Gone { .. }
            | Self::UnknownSession { .. }
            | Self::Json(_)
            | Self::Secret
            | Self::Compression(_) => false,
        }
    }

    /// Whether another process writes for longer than was waited for.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Database(error) if is_busy(error))
    }

    /// Whether the file is damaged, so that it has to be put away.
    ///
    /// What this program asks of tables it made cannot fail but for the machine's sake or
    /// because of what it was given; every other failure says that they are not as it made them.
    pub(crate) fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode as Code;
        match self {
            Self::Database(error) => {
                let given = Some(Code::ConstraintViolation) == error.sqlite_error_code()
                    || Some(Code::TooBig) == error.sqlite_error_code();
                !given && !is_of_machine(error)
            }
            Self::TooLarge { .. }
            | Self::TooDeep { .. }
            | Self::Json(_)
            | Self::Collision { .. }
            | Self::Gone { .. }
            | Self::UnknownSession { .. }
            | Self::Place { .. }
            | Self::Secret
            | Self::Compression(_) => false,
        }
    }
}
