//! The errors of an index.

use std::path::PathBuf;

use foveal_relevance::embedding::EmbeddingError;
use foveal_store::database_file::{is_busy, is_environment_error, is_inaccessible};
use rusqlite::ErrorCode;
use thiserror::Error;

/// The reason why an index operation failed.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum IndexError {
    /// The root does not exist or is no folder.
    #[error("`{}` is not a readable folder", path.display())]
    Root {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The folder or the file of the index cannot be created.
    #[error("the index `{}` cannot be written", path.display())]
    Unwritable {
        /// The file of the index.
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// SQLite returned an error. A damaged file is rebuilt, and returns this error only if it is
    /// damaged again at once.
    #[error("the index cannot be read or written")]
    Store(#[from] rusqlite::Error),
    #[error("the texts cannot be embedded")]
    Embed(#[from] EmbeddingError),
    #[error("the folder cannot be watched for changes")]
    Watch(#[from] notify::Error),
}

impl IndexError {
    /// Returns whether the folder or the file of the index cannot be written, so that an index can
    /// only be kept in memory.
    pub fn is_inaccessible(&self) -> bool {
        match self {
            Self::Unwritable { .. } => true,
            Self::Store(error) => is_inaccessible(error),
            Self::Root { .. } | Self::Embed(_) | Self::Watch(_) => false,
        }
    }

    /// Returns whether another process held the lock for longer than the wait. Reading still works.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Store(error) if is_busy(error))
    }

    /// Returns whether the file of the index is damaged and has to be rebuilt.
    ///
    /// Statements on tables that this program created fail only because of the machine. Every other
    /// failure means that the tables differ from those that were created.
    pub(crate) fn is_corruption(&self) -> bool {
        match self {
            // A damaged length field asks for more memory than there is. An index can be rebuilt.
            Self::Store(error) if error.sqlite_error_code() == Some(ErrorCode::OutOfMemory) => true,
            Self::Store(error) => !is_environment_error(error),
            Self::Root { .. } | Self::Unwritable { .. } | Self::Embed(_) | Self::Watch(_) => false,
        }
    }
}
