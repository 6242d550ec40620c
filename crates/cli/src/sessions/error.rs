//! Why sessions, or parts of them, could not be read.

use std::io;
use std::path::PathBuf;

use foveal_wire::{Problem, ReadError};

use super::file::FindError;

/// Why a file gave no session. Each is one line that says all: none has a source, which
/// would be printed behind it once more.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    /// The file cannot be opened or read.
    #[error("`{path}` cannot be read: {why}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// There is nothing in it.
    #[error("`{path}` is empty: there is no session in it")]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// It is not of the format asked for, or breaks off before its first record.
    #[error("`{path}` is {why}; leave out --format to have the format detected")]
    WrongFormat {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: ReadError,
    },
    /// It is of the format it seemed to be by its start, but nothing in it can be used.
    #[error("`{path}` is {why}")]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: ReadError,
    },
    /// Its format is not known.
    #[error(
        "`{path}` is not a recorded session of a known format; if it is one, name it with --format"
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// Another program keeps the database for itself.
    #[error("`{path}` is locked by another program: try again when opencode has ended")]
    Locked {
        /// The database.
        path: PathBuf,
    },
    /// The database is damaged or cannot be opened.
    #[error("`{path}` cannot be read as a database: {why}")]
    BrokenDatabase {
        /// The database.
        path: PathBuf,
        /// Why.
        why: rusqlite::Error,
    },
    /// foveal's own store does not have it.
    #[error("`{session}` cannot be read from the store: {why}")]
    NotKept {
        /// The session.
        session: String,
        /// Why.
        why: String,
    },
    /// The database is not made as opencode's are.
    #[error(
        "`{path}` is not made as opencode's databases known here ({why}); to read a session, \
         export it: `opencode export SESSION > session.json`"
    )]
    UnknownDatabase {
        /// The database.
        path: PathBuf,
        /// What was not found.
        why: rusqlite::Error,
    },
    /// No session in the database has messages where they are looked for.
    #[error(
        "`{path}` holds no messages in the tables known here; to read a session, export it: \
         `opencode export SESSION > session.json`"
    )]
    NoMessages {
        /// The database.
        path: PathBuf,
    },
}

/// What is missing from a session that was read; one line each.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotRead {
    /// Something in a file.
    #[error("{0}")]
    Problem(Problem),
    /// Something in a session of foveal's own.
    #[error("{0}")]
    OfRun(String),
    /// All files of a folder.
    #[error("{0}")]
    Folder(FindError),
}

/// What came of reading: what was left out, where there is a session.
pub(super) type Loaded = Result<Vec<NotRead>, LoadError>;
