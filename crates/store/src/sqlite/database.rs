//! The file behind a store: opened, brought up to date, put aside where it is damaged, followed
//! where another process put another one in its place.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use foveal_database::{Attempt, DatabaseFile, connect_read_only, make_private, open, with};
use rusqlite::{Connection, TransactionBehavior};

use crate::error::StoreError;
use crate::file::{Notice, aside};

use super::folding::Folding;
use super::schema::{self, Was};

/// How long another process may write before a call gives up, if nothing else is said.
pub(super) const BUSY_TIME: Duration = Duration::from_millis(500);

/// How long after that calls give up at once: a call asks the store several times.
const GIVEN_UP_TIME: Duration = Duration::from_secs(2);

/// Notices that are kept until somebody asks for them.
const NOTICES_MAX: usize = 16;

/// Settings of a connection. `NORMAL` with a write-ahead log: a commit is handed to the system
/// before it is acknowledged, so a killed process loses nothing; a power failure may take the
/// last commits, never the file. Waiting for the disk at every event would cost each tool call
/// milliseconds, and what a power failure takes here the files themselves still hold. Half of the
/// usual pages are held in memory: the system holds them too.
const SETTINGS: &str = "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; \
                        PRAGMA temp_store = MEMORY; PRAGMA cache_size = -1000";

/// The file, shared by the threads of this process.
#[derive(Debug)]
pub(super) struct Database {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    connection: Connection,
    /// `None` in memory.
    place: Option<DatabaseFile>,
    folding: Folding,
    /// The file that another process held when it was to be opened. It is tried again with each
    /// call; until then there is nothing to read and nothing is kept.
    unopened: Option<PathBuf>,
    /// How long another process may write before this one gives up.
    busy_time: Duration,
    /// When another process last wrote for longer.
    given_up: Option<Instant>,
    notices: Vec<Notice>,
}

impl Database {
    /// Opens the file at `path`, or makes it with its folder.
    pub(super) fn open(path: &Path, busy_time: Duration) -> Result<Self, StoreError> {
        Ok(Self { state: Mutex::new(State::open(path, busy_time, busy_time)?) })
    }

    /// The same; if another process holds the file for longer, it is opened by a later call.
    pub(super) fn open_or_later(path: &Path, busy_time: Duration) -> Result<Self, StoreError> {
        let state = match State::open(path, busy_time, busy_time) {
            Err(error) if error.is_busy() => State {
                connection: Connection::open_in_memory()?,
                place: None,
                folding: Folding::default(),
                unopened: Some(path.to_owned()),
                busy_time,
                given_up: Some(Instant::now()),
                notices: Vec::new(),
            },
            opened => opened?,
        };
        Ok(Self { state: Mutex::new(state) })
    }

    pub(super) fn in_memory() -> Result<Self, StoreError> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch(SETTINGS)?;
        schema::prepare(&mut connection)?;
        Ok(Self { state: Mutex::new(State::without_file(connection)) })
    }

    /// Opens the file at `path` as it is: nothing can be written.
    pub(super) fn read_only(path: &Path) -> Result<(Self, Was), StoreError> {
        let connection = connect_read_only(path, BUSY_TIME)?;
        let was = schema::look(&connection)?;
        Ok((Self { state: Mutex::new(State::without_file(connection)) }, was))
    }

    pub(super) fn take_notices(&self) -> Vec<Notice> {
        std::mem::take(&mut self.state().notices)
    }

    pub(super) fn path(&self) -> Option<PathBuf> {
        let state = self.state();
        let place = state.place.as_ref().map(|place| place.path().to_owned());
        place.or_else(|| state.unopened.clone())
    }

    /// What SQLite itself finds wrong with the file.
    pub(super) fn check(&self) -> Result<Vec<String>, StoreError> {
        let mut state = self.state();
        state.open_now(BUSY_TIME)?;
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
        let mut state = self.state();
        let done = state.within_time(|connection| {
            let behavior = TransactionBehavior::Immediate;
            let transaction = connection.transaction_with_behavior(behavior)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })?;
        state.given_up = None;
        if let Some(place) = &state.place {
            state.folding.fold(place.path());
        }
        Ok(done)
    }

    /// Does `work`, which changes nothing.
    pub(super) fn read<T>(
        &self,
        work: impl Fn(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.state().within_time(|connection| work(connection))
    }
}

impl State {
    /// What has no file that others could put away.
    fn without_file(connection: Connection) -> Self {
        Self {
            connection,
            place: None,
            folding: Folding::default(),
            unopened: None,
            busy_time: BUSY_TIME,
            given_up: None,
            notices: Vec::new(),
        }
    }

    fn open(path: &Path, opening_time: Duration, busy_time: Duration) -> Result<Self, StoreError> {
        let (mut newer, mut put) = (Vec::new(), Vec::new());
        let attempt = |path: &Path| {
            make_private(path).map_err(|error| refused(path.to_owned(), error))?;
            match connect(path, opening_time) {
                Ok((connection, Was::Store)) => Ok(Attempt::Open(connection)),
                Ok((_, Was::Newer)) => {
                    let instead = with(path, &format!(".v{}", schema::VERSION));
                    newer.push(Notice::Newer { file: path.to_owned(), instead: instead.clone() });
                    Ok(Attempt::Instead(instead))
                }
                Ok((_, Was::Foreign | Was::Older)) => Ok(Attempt::Unusable),
                Err(error) if error.is_damage() => Ok(Attempt::Unusable),
                Err(error) => Err(error),
            }
        };
        let put_away = |place: &DatabaseFile| {
            put.extend(place.set_aside(aside)?.map(|aside| Notice::SetAside { aside }));
            Ok(())
        };
        let (mut connection, place) = open(path, attempt, put_away, refused)?;
        newer.append(&mut put);
        let folding = Folding::of(&mut connection)?;
        let (place, unopened, given_up) = (Some(place), None, None);
        Ok(Self { connection, place, folding, unopened, busy_time, given_up, notices: newer })
    }

    /// Opens the file, if another process held it when it was to be opened.
    fn open_now(&mut self, opening_time: Duration) -> Result<(), StoreError> {
        match self.unopened.clone() {
            Some(path) => self.reopen(&path, None, opening_time),
            None => Ok(()),
        }
    }

    /// Goes on with what is at `path` by now.
    fn reopen(
        &mut self,
        path: &Path,
        aside: Option<PathBuf>,
        opening_time: Duration,
    ) -> Result<(), StoreError> {
        let state = Self::open(path, opening_time, self.busy_time)?;
        let mut notices = std::mem::take(&mut self.notices);
        notices.extend(aside.map(|aside| Notice::SetAside { aside }));
        notices.extend(state.notices);
        notices.truncate(NOTICES_MAX);
        *self = Self { notices, ..state };
        Ok(())
    }

    /// Does `work`, which waits for other processes no longer than it may.
    fn within_time<T>(
        &mut self,
        work: impl Fn(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let has_given_up = self.given_up.is_some_and(|since| since.elapsed() < GIVEN_UP_TIME);
        let time = if has_given_up { Duration::ZERO } else { self.busy_time };
        let opened = self.open_now(time);
        self.connection.busy_timeout(time)?;
        let done = opened.and_then(|()| self.unless_damaged(work));
        match &done {
            Err(error) if error.is_busy() && has_given_up => {}
            Err(error) if error.is_busy() => self.given_up = Some(Instant::now()),
            // Who writes for long does not keep others from reading.
            Ok(_) | Err(_) => {}
        }
        done
    }

    /// Does `work`; where it finds the file damaged, once more with a new file.
    fn unless_damaged<T>(
        &mut self,
        work: impl Fn(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        // What is stored in a file that another process put away nobody would find.
        if let Some(place) = self.place.clone().filter(|place| !place.is_current()) {
            self.reopen(place.path(), None, self.busy_time)?;
        }
        match (work(&mut self.connection), self.place.clone()) {
            (Err(error), Some(place)) if error.is_damage() => {
                self.folding.wait();
                // Closes the file, which some systems do not move while it is open.
                self.connection = Connection::open_in_memory()?;
                let aside = place.set_aside(aside);
                let aside = aside.map_err(|error| refused(place.path().to_owned(), error))?;
                self.reopen(place.path(), aside, self.busy_time)?;
                work(&mut self.connection)
            }
            (done, _) => done,
        }
    }
}

fn refused(path: PathBuf, source: io::Error) -> StoreError {
    StoreError::Place { path, source }
}

/// Opens the file and brings it up to date.
fn connect(path: &Path, busy_time: Duration) -> Result<(Connection, Was), StoreError> {
    // Room that a collection frees is given back.
    let first = "PRAGMA auto_vacuum = INCREMENTAL";
    let mut connection = foveal_database::connect(path, busy_time, first)?;
    connection.execute_batch(SETTINGS)?;
    let was = schema::prepare(&mut connection)?;
    Ok((connection, was))
}
