//! What can go wrong with an index.

use std::path::PathBuf;

use foveal_code::embed::EmbedError;
use foveal_database::{is_busy, is_of_machine, is_of_place};
use rusqlite::ErrorCode;
use thiserror::Error;

/// Why an index cannot be built, kept or asked.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum IndexError {
    /// The folder to be indexed is not there, or is no folder.
    #[error("`{}` is no folder that can be read", path.display())]
    Root {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The store's folder or file cannot be made.
    #[error("the index `{}` cannot be written", path.display())]
    Place {
        /// The store's file.
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// SQLite refuses; a damaged file is rebuilt and gives this error only if it is damaged
    /// again at once.
    #[error("the index cannot be read or written")]
    Store(#[from] rusqlite::Error),
    #[error("the texts cannot be embedded")]
    Embed(#[from] EmbedError),
    #[error("the folder cannot be watched for changes")]
    Watch(#[from] notify::Error),
}

impl IndexError {
    /// Whether the store's folder or file refuses to be written, so that an index can only be
    /// kept in memory.
    pub fn is_place(&self) -> bool {
        match self {
            Self::Place { .. } => true,
            Self::Store(error) => is_of_place(error),
            Self::Root { .. } | Self::Embed(_) | Self::Watch(_) => false,
        }
    }

    /// Whether another process writes for longer than is waited for. What is there can be read.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Store(error) if is_busy(error))
    }

    /// Whether the file of the store is damaged, so that it has to be made anew.
    ///
    /// What this program asks of tables it made cannot fail but for the machine's sake; every
    /// other failure says that they are not as it made them.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            // A damaged length asks for more memory than there is; an index can be made anew.
            Self::Store(error) if error.sqlite_error_code() == Some(ErrorCode::OutOfMemory) => true,
            Self::Store(error) => !is_of_machine(error),
            Self::Root { .. } | Self::Place { .. } | Self::Embed(_) | Self::Watch(_) => false,
        }
    }
}
