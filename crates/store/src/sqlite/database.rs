//! The database file of a store: opens and migrates it, quarantines it if it is damaged, and
//! reopens it if another process replaced it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::database_file::{
    DatabaseFile, OpenAttempt, connect_read_only, ensure_private_file, open_with_quarantine,
    with_suffix,
};
use rusqlite::{Connection, TransactionBehavior};

use crate::error::StoreError;
use crate::store_notice::{StoreNotice, quarantine_path};

use super::schema::{self, StoreFileKind};
use super::wal_checkpoint::WalCheckpointer;

/// The default time for which a call waits while another process writes.
pub(super) const BUSY_TIME: Duration = Duration::from_millis(500);

/// The time after a time-out in which calls fail at once: a tool call uses the store several times.
const FAIL_FAST_TIME: Duration = Duration::from_secs(2);

/// The number of notices that are kept until a caller takes them.
const NOTICES_MAX: usize = 16;

/// The settings of a connection. With `NORMAL` and a write-ahead log, a commit reaches the
/// operating system before it is acknowledged: a killed process loses nothing, and a power failure
/// can lose the last commits but never the file. Waiting for the disk at every event would cost
/// each tool call milliseconds, and after a power failure the files themselves still hold the lost
/// content. The cache has half of the default pages, because the system caches them too.
const CONNECTION_PRAGMAS: &str = "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; \
                                  PRAGMA temp_store = MEMORY; PRAGMA cache_size = -1000";

/// The database file, shared by the threads of this process.
#[derive(Debug)]
pub(super) struct Database {
    state: Mutex<DatabaseState>,
}

#[derive(Debug)]
struct DatabaseState {
    connection: Connection,
    /// `None` in memory.
    file: Option<DatabaseFile>,
    checkpointer: WalCheckpointer,
    /// The path of a file that another process locked during opening. Every call tries again to
    /// open it. Until then the store is empty and keeps nothing.
    deferred_path: Option<PathBuf>,
    /// The time for which a call waits while another process writes.
    busy_time: Duration,
    /// The time of the last time-out.
    timed_out_at: Option<Instant>,
    notices: Vec<StoreNotice>,
}

impl Database {
    /// Opens or creates the file at `path` and its folder.
    pub(super) fn open(path: &Path, busy_time: Duration) -> Result<Self, StoreError> {
        Ok(Self { state: Mutex::new(DatabaseState::open(path, busy_time, busy_time)?) })
    }

    /// Opens the file at `path`. If another process locks it for longer than `busy_time`, a later
    /// call opens it.
    pub(super) fn open_or_defer(path: &Path, busy_time: Duration) -> Result<Self, StoreError> {
        let state = match DatabaseState::open(path, busy_time, busy_time) {
            Err(error) if error.is_busy() => DatabaseState {
                connection: Connection::open_in_memory()?,
                file: None,
                checkpointer: WalCheckpointer::default(),
                deferred_path: Some(path.to_owned()),
                busy_time,
                timed_out_at: Some(Instant::now()),
                notices: Vec::new(),
            },
            opened => opened?,
        };
        Ok(Self { state: Mutex::new(state) })
    }

    pub(super) fn in_memory() -> Result<Self, StoreError> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch(CONNECTION_PRAGMAS)?;
        schema::migrate(&mut connection)?;
        Ok(Self { state: Mutex::new(DatabaseState::without_file(connection)) })
    }

    /// Opens the file at `path` for reading only.
    pub(super) fn open_read_only(path: &Path) -> Result<(Self, StoreFileKind), StoreError> {
        let connection = connect_read_only(path, BUSY_TIME)?;
        let was = schema::inspect_schema(&connection)?;
        Ok((Self { state: Mutex::new(DatabaseState::without_file(connection)) }, was))
    }

    pub(super) fn take_notices(&self) -> Vec<StoreNotice> {
        std::mem::take(&mut self.state().notices)
    }

    pub(super) fn path(&self) -> Option<PathBuf> {
        let state = self.state();
        let place = state.file.as_ref().map(|place| place.path().to_owned());
        place.or_else(|| state.deferred_path.clone())
    }

    /// Runs SQLite's integrity check and returns the problems.
    pub(super) fn check_integrity(&self) -> Result<Vec<String>, StoreError> {
        let mut state = self.state();
        state.open_deferred(BUSY_TIME)?;
        let mut statement = state.connection.prepare("PRAGMA integrity_check")?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        let found = rows.collect::<Result<Vec<_>, _>>()?;
        Ok(found.into_iter().filter(|row| row != "ok").collect())
    }

    fn state(&self) -> MutexGuard<'_, DatabaseState> {
        // A panic elsewhere leaves at worst a transaction that SQLite rolls back.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` in a transaction and commits it.
    pub(super) fn write<T>(
        &self,
        work: impl Fn(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut state = self.state();
        let done = state.with_busy_timeout(|connection| {
            let behavior = TransactionBehavior::Immediate;
            let transaction = connection.transaction_with_behavior(behavior)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })?;
        state.timed_out_at = None;
        if let Some(place) = &state.file {
            state.checkpointer.start_if_due(place.path());
        }
        Ok(done)
    }

    /// Runs `work`, which must not write.
    pub(super) fn read<T>(
        &self,
        work: impl Fn(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.state().with_busy_timeout(|connection| work(connection))
    }
}

impl DatabaseState {
    /// Creates the state of a database without a file that other processes could replace.
    fn without_file(connection: Connection) -> Self {
        Self {
            connection,
            file: None,
            checkpointer: WalCheckpointer::default(),
            deferred_path: None,
            busy_time: BUSY_TIME,
            timed_out_at: None,
            notices: Vec::new(),
        }
    }

    fn open(path: &Path, opening_time: Duration, busy_time: Duration) -> Result<Self, StoreError> {
        let (mut newer, mut put) = (Vec::new(), Vec::new());
        let attempt = |path: &Path| {
            ensure_private_file(path).map_err(|error| unwritable_error(path.to_owned(), error))?;
            match connect_and_migrate(path, opening_time) {
                Ok((connection, StoreFileKind::Store)) => Ok(OpenAttempt::Open(connection)),
                Ok((_, StoreFileKind::Newer)) => {
                    let instead = with_suffix(path, &format!(".v{}", schema::VERSION));
                    newer.push(StoreNotice::NewerVersion {
                        file: path.to_owned(),
                        instead: instead.clone(),
                    });
                    Ok(OpenAttempt::Redirect(instead))
                }
                Ok((_, StoreFileKind::Foreign | StoreFileKind::Older)) => Ok(OpenAttempt::Unusable),
                Err(error) if error.is_corruption() => Ok(OpenAttempt::Unusable),
                Err(error) => Err(error),
            }
        };
        let put_away = |place: &DatabaseFile| {
            put.extend(
                place
                    .quarantine(quarantine_path)?
                    .map(|aside| StoreNotice::Quarantined { quarantine: aside }),
            );
            Ok(())
        };
        let (mut connection, place) =
            open_with_quarantine(path, attempt, put_away, unwritable_error)?;
        newer.append(&mut put);
        let folding = WalCheckpointer::new(&mut connection)?;
        let (place, unopened, given_up) = (Some(place), None, None);
        Ok(Self {
            connection,
            file: place,
            checkpointer: folding,
            deferred_path: unopened,
            busy_time,
            timed_out_at: given_up,
            notices: newer,
        })
    }

    /// Opens the file if opening was deferred.
    fn open_deferred(&mut self, opening_time: Duration) -> Result<(), StoreError> {
        match self.deferred_path.clone() {
            Some(path) => self.reopen(&path, None, opening_time),
            None => Ok(()),
        }
    }

    /// Continues with the file that is at `path` now.
    fn reopen(
        &mut self,
        path: &Path,
        aside: Option<PathBuf>,
        opening_time: Duration,
    ) -> Result<(), StoreError> {
        let state = Self::open(path, opening_time, self.busy_time)?;
        let mut notices = std::mem::take(&mut self.notices);
        notices.extend(aside.map(|aside| StoreNotice::Quarantined { quarantine: aside }));
        notices.extend(state.notices);
        notices.truncate(NOTICES_MAX);
        *self = Self { notices, ..state };
        Ok(())
    }

    /// Runs `work` with the busy time-out that applies now.
    fn with_busy_timeout<T>(
        &mut self,
        work: impl Fn(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let has_given_up = self.timed_out_at.is_some_and(|since| since.elapsed() < FAIL_FAST_TIME);
        let time = if has_given_up { Duration::ZERO } else { self.busy_time };
        let opened = self.open_deferred(time);
        self.connection.busy_timeout(time)?;
        let done = opened.and_then(|()| self.retry_after_corruption(work));
        match &done {
            Err(error) if error.is_busy() && has_given_up => {}
            Err(error) if error.is_busy() => self.timed_out_at = Some(Instant::now()),
            // A long write of another process does not block readers.
            Ok(_) | Err(_) => {}
        }
        done
    }

    /// Runs `work`. If it finds the file damaged, quarantines the file and runs `work` again on a
    /// new one.
    fn retry_after_corruption<T>(
        &mut self,
        work: impl Fn(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        // Data written to a file that another process quarantined would be lost.
        if let Some(place) = self.file.clone().filter(|place| !place.is_current()) {
            self.reopen(place.path(), None, self.busy_time)?;
        }
        match (work(&mut self.connection), self.file.clone()) {
            (Err(error), Some(place)) if error.is_corruption() => {
                self.checkpointer.wait_until_idle();
                // Closes the file: some systems cannot move an open file.
                self.connection = Connection::open_in_memory()?;
                let aside = place.quarantine(quarantine_path);
                let aside =
                    aside.map_err(|error| unwritable_error(place.path().to_owned(), error))?;
                self.reopen(place.path(), aside, self.busy_time)?;
                work(&mut self.connection)
            }
            (done, _) => done,
        }
    }
}

fn unwritable_error(path: PathBuf, source: io::Error) -> StoreError {
    StoreError::Unwritable { path, source }
}

/// Opens the file and migrates it.
fn connect_and_migrate(
    path: &Path,
    busy_time: Duration,
) -> Result<(Connection, StoreFileKind), StoreError> {
    // With this, a collection can return free pages to the file system.
    let first = "PRAGMA auto_vacuum = INCREMENTAL";
    let mut connection = crate::database_file::connect(path, busy_time, first)?;
    connection.execute_batch(CONNECTION_PRAGMAS)?;
    let was = schema::migrate(&mut connection)?;
    Ok((connection, was))
}
