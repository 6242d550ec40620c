//! The file behind a store: opened, brought up to date, put aside where it is damaged, followed
//! where another process put another one in its place.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use foveal_database::{FileId, set_aside, with};
use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use crate::error::StoreError;
use crate::file::{Notice, aside, make_private};

use super::schema::{self, Was};

/// How long another process may write before this one gives up.
const BUSY_TIME: Duration = Duration::from_secs(10);

/// How often a file is opened that is set aside meanwhile, by this process or others.
const OPENINGS_MAX: u32 = 3;

/// Notices that are kept until somebody asks for them.
const NOTICES_MAX: usize = 16;

/// Settings of a connection. `NORMAL` with a write-ahead log: a commit is handed to the system
/// before it is acknowledged, so a killed process loses nothing; a power failure may take the
/// last commits, never the file. Waiting for the disk at every event would cost each tool call
/// milliseconds, and what a power failure takes here the files themselves still hold.
const SETTINGS: &str = "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; \
                        PRAGMA temp_store = MEMORY";

/// The file, shared by the threads of this process.
#[derive(Debug)]
pub(super) struct Database {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    connection: Connection,
    /// `None` in memory.
    place: Option<Place>,
    notices: Vec<Notice>,
}

/// Where a store is kept.
#[derive(Debug, Clone)]
struct Place {
    path: PathBuf,
    /// The file that was opened; another process may have put another one there since.
    file: Option<FileId>,
}

impl Database {
    /// Opens the file at `path`, or makes it with its folder.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { state: Mutex::new(State::open(path)?) })
    }

    pub(super) fn in_memory() -> Result<Self, StoreError> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch(SETTINGS)?;
        schema::prepare(&mut connection)?;
        Ok(Self { state: Mutex::new(State { connection, place: None, notices: Vec::new() }) })
    }

    pub(super) fn take_notices(&self) -> Vec<Notice> {
        std::mem::take(&mut self.state().notices)
    }

    pub(super) fn path(&self) -> Option<PathBuf> {
        self.state().place.as_ref().map(|place| place.path.clone())
    }

    /// What SQLite itself finds wrong with the file.
    pub(super) fn check(&self) -> Result<Vec<String>, StoreError> {
        let state = self.state();
        let mut statement = state.connection.prepare("PRAGMA integrity_check")?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        let found = rows.collect::<Result<Vec<_>, _>>()?;
        Ok(found.into_iter().filter(|row| row != "ok").collect())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves at worst a transaction that SQLite rolls back.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does `work` and commits it; all of it is done, or nothing.
    pub(super) fn write<T>(
        &self,
        work: impl Fn(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.state().unless_damaged(|connection| {
            let behavior = TransactionBehavior::Immediate;
            let transaction = connection.transaction_with_behavior(behavior)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })
    }

    /// Does `work`, which changes nothing.
    pub(super) fn read<T>(
        &self,
        work: impl Fn(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.state().unless_damaged(|connection| work(connection))
    }
}

impl State {
    fn open(path: &Path) -> Result<Self, StoreError> {
        let place = |source| StoreError::Place { path: path.to_owned(), source };
        let mut notices = Vec::new();
        let mut path = path.to_owned();
        for _ in 0..OPENINGS_MAX {
            make_private(&path).map_err(place)?;
            let file = FileId::of(&path);
            match connect(&path) {
                Ok((connection, Was::Store)) => {
                    return Ok(Self { connection, place: Some(Place { path, file }), notices });
                }
                Ok((_, Was::Newer)) => {
                    let instead = with(&path, &format!(".v{}", schema::VERSION));
                    notices.push(Notice::Newer { file: path, instead: instead.clone() });
                    path = instead;
                    continue;
                }
                Err(error) if !error.is_damage() => return Err(error),
                // The connection is closed by now.
                Ok((_, Was::Foreign)) | Err(_) => {}
            }
            let aside = set_aside(&path, file, || aside(&path)).map_err(place)?;
            notices.extend(aside.map(|aside| Notice::SetAside { aside }));
        }
        Err(place(std::io::ErrorKind::AlreadyExists.into()))
    }

    /// Opens what is at the place by now, if that is no longer the file that was opened: another
    /// process put it away, or a person removed it. What is stored there nobody would find.
    fn follow(&mut self) -> Result<(), StoreError> {
        let Some(Place { path, file }) = &self.place else { return Ok(()) };
        if FileId::of(path) == *file {
            return Ok(());
        }
        let mut state = Self::open(path)?;
        self.connection = state.connection;
        self.place = state.place;
        self.notices.append(&mut state.notices);
        self.notices.truncate(NOTICES_MAX);
        Ok(())
    }

    /// Does `work`; where it finds the file damaged, once more with a new file.
    fn unless_damaged<T>(
        &mut self,
        work: impl Fn(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.follow()?;
        match work(&mut self.connection) {
            Err(error) if error.is_damage() && self.place.is_some() => {
                self.begin_anew()?;
                work(&mut self.connection)
            }
            other => other,
        }
    }

    /// Puts the file away and goes on with another; with what another process has made in its
    /// place, if one has.
    fn begin_anew(&mut self) -> Result<(), StoreError> {
        let Some(Place { path, file }) = self.place.clone() else { return Ok(()) };
        // Closes the file, which some systems do not move while it is open.
        self.connection = Connection::open_in_memory()?;
        let aside = set_aside(&path, file, || aside(&path))
            .map_err(|source| StoreError::Place { path: path.clone(), source })?;
        let mut state = Self::open(&path)?;
        self.notices.extend(aside.map(|aside| Notice::SetAside { aside }));
        self.notices.append(&mut state.notices);
        self.notices.truncate(NOTICES_MAX);
        self.connection = state.connection;
        self.place = state.place;
        Ok(())
    }
}

/// Opens the file and brings it up to date.
fn connect(path: &Path) -> Result<(Connection, Was), StoreError> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIME)?;
    // Only a file without tables takes it. Room that a collection frees is given back.
    connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
    match connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())) {
        // Another process is about to set it.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {}
        other => other?,
    }
    connection.execute_batch(SETTINGS)?;
    let was = schema::prepare(&mut connection)?;
    Ok((connection, was))
}
