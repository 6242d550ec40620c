//! Errors and warnings of reading sessions.

use std::io;
use std::path::PathBuf;

use foveal_protocols::problem::Problem;
use foveal_session_readers::ReadError;

use super::session_file::FindError;

/// An error of loading a session file. Each message is one complete line. No variant has a
/// `source`, because a caller would print it a second time.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be opened or read.
    #[error("`{path}` cannot be read: {why}")]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The fault.
        why: io::Error,
    },
    /// The file is empty.
    #[error("`{path}` is empty: it contains no session")]
    Empty {
        /// The path of the file.
        path: PathBuf,
    },
    /// The file is not in the format that the user named, or ends before its first record.
    #[error("`{path}` is {why}; omit --format to detect the format")]
    WrongFormat {
        /// The path of the file.
        path: PathBuf,
        /// The fault.
        why: ReadError,
    },
    /// The start of the file has a known format, but no record in it can be used.
    #[error("`{path}` is {why}")]
    Broken {
        /// The path of the file.
        path: PathBuf,
        /// The fault.
        why: ReadError,
    },
    /// The format of the file is unknown.
    #[error(
        "`{path}` is not a recorded session of a known format; if it is one, name it with --format"
    )]
    UnknownFormat {
        /// The path of the file.
        path: PathBuf,
    },
    /// Another program has locked the database.
    #[error("`{path}` is locked by another program: try again when opencode has ended")]
    Locked {
        /// The path of the file.
        path: PathBuf,
    },
    /// The database is damaged or cannot be opened.
    #[error("`{path}` cannot be read as a database: {why}")]
    BrokenDatabase {
        /// The path of the file.
        path: PathBuf,
        /// The fault.
        why: rusqlite::Error,
    },
    /// foveal's own store does not hold the session.
    #[error("`{session}` cannot be read from the store: {why}")]
    NotStored {
        /// The id of the session.
        session: String,
        /// The fault.
        why: String,
    },
    /// The database has another schema than the known ones of opencode.
    #[error(
        "`{path}` does not have a known opencode database schema ({why}); to read a session, \
         export it: `opencode export SESSION > session.json`"
    )]
    UnknownDatabase {
        /// The path of the file.
        path: PathBuf,
        /// The error about the missing table or column.
        why: rusqlite::Error,
    },
    /// No session in the database has messages in the known tables.
    #[error(
        "`{path}` has no messages in the known tables; to read a session, export it: `opencode \
         export SESSION > session.json`"
    )]
    NoMessages {
        /// The path of the file.
        path: PathBuf,
    },
}

/// A part that is missing from a session that was read. Each message is one line.
#[derive(Debug, thiserror::Error)]
pub enum SkippedPart {
    /// A part of a file.
    #[error("{0}")]
    Problem(Problem),
    /// A part of a run of foveal's own agent.
    #[error("{0}")]
    Run(String),
    /// All files of a folder.
    #[error("{0}")]
    Folder(FindError),
}

/// The result of loading a file: the parts that were skipped, or an error without a session.
pub type LoadResult = Result<Vec<SkippedPart>, LoadError>;
