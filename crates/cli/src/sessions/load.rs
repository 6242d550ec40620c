//! Opens session files.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::PathBuf;

use anyhow::{Context, bail};
use foveal_transcript::Session;
use foveal_wire::{Format, Problem, ReadError};

use super::find::{self, FindError, SessionFile};
use super::opencode;

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
    /// All files of a folder.
    #[error("{0}")]
    Folder(FindError),
}

/// Reads all sessions of a file and gives each to `sink`; returns what could not be read.
///
/// # Errors
/// [`LoadError`] if the file gives no session at all, or reading failed on the way.
pub(crate) fn load(
    file: &SessionFile,
    format: Option<Format>,
    sink: &mut dyn FnMut(Session),
) -> Result<Vec<NotRead>, LoadError> {
    if let Some(loaded) = opencode::load(file, format, sink) {
        return loaded;
    }
    let path = file.path.clone();
    let name = path.display().to_string();
    let file = match File::open(&path) {
        Ok(file) => BufReader::with_capacity(1 << 16, file),
        Err(why) => return Err(LoadError::Unreadable { path, why }),
    };
    let read = match format {
        Some(format) => foveal_wire::read(format, &name, file, sink),
        None => foveal_wire::read_detected(&name, file, sink).map(|(_, problems)| problems),
    };
    let problems = read.map_err(|error| match error {
        ReadError::Io(why) => LoadError::Unreadable { path, why },
        ReadError::Empty => LoadError::Empty { path },
        ReadError::UnknownFormat => LoadError::UnknownFormat { path },
        ReadError::WrongFormat { .. } if format.is_some() => {
            LoadError::WrongFormat { path, why: error }
        }
        ReadError::WrongFormat { .. } => LoadError::Broken { path, why: error },
    })?;
    Ok(problems.into_iter().map(NotRead::Problem).collect())
}

/// Reads the one session at `paths`.
///
/// # Errors
/// If there is none, more than one, or it cannot be read.
pub(crate) fn load_one(paths: &[PathBuf], format: Option<Format>) -> anyhow::Result<Session> {
    let found = find::find(paths, format)?;
    let mut first: Option<(Session, &SessionFile)> = None;
    let mut more: Option<String> = None;
    for file in &found.files {
        load(file, format, &mut |session| match &first {
            None => first = Some((session, file)),
            Some(_) => more = Some(session.id),
        })?;
        if let (Some((one, at)), Some(two)) = (&first, &more) {
            let (at, also) = (at.path.display(), file.path.display());
            if at.to_string() == also.to_string() {
                let one = &one.id;
                let way = match file.session {
                    Some(_) => format!("export one: `opencode export {one} > session.json`"),
                    None => "name a file of one".to_owned(),
                };
                bail!("`{at}` holds several sessions (`{one}`, `{two}` …): {way}");
            }
            bail!(
                "there are several sessions (`{}` in `{at}`, `{two}` in `{also}` …): name the file \
                 of one",
                one.id
            );
        }
    }
    first.map(|(session, _)| session).context("there is no session at this path")
}
