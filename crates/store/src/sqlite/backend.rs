//! A store in one SQLite file or in memory. The modules beside this one implement its concerns,
//! with one transaction for each call.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use foveal_transcript::Timestamp;
use rusqlite::Connection;

use crate::error::StoreError;
use crate::keys::SessionId;
use crate::store_notice::StoreNotice;

use super::database::{BUSY_TIME, Database};
use super::prepared_contents::PreparedContents;
use super::schema::StoreFileKind;
use super::uptime::{self, ClockReading, Uptime, UptimeClock};

/// A [`Store`](crate::Store) in a SQLite file that several processes use at once, or in memory. It
/// does not redact: programs use [`SqliteStore`](crate::SqliteStore).
#[derive(Debug)]
pub struct SqliteBackend {
    database: Database,
    uptime: Option<UptimeClock>,
    prepared: Mutex<PreparedContents>,
}

/// The kind of a file that was opened for reading.
#[derive(Debug)]
pub enum ReadOnlyStore<S> {
    /// A store.
    Store(S),
    /// A store of an earlier version, or an empty file. It must be migrated before it can be read.
    Older,
    /// A store of a later version.
    Newer,
    /// A file of another program.
    Foreign,
}

impl SqliteBackend {
    /// Opens or creates the file at `path` and its folder. Migrates a file of an earlier version.
    /// Quarantines a damaged file, and leaves a file of a later version unchanged and uses another
    /// one: [`SqliteBackend::take_notices`] reports both. While another process writes for longer
    /// than half a second, calls fail, and the calls after that fail at once. If another process
    /// locks the file for that long during opening, calls fail in the same way until one of them
    /// can open it.
    ///
    /// # Errors
    /// [`StoreError::Unwritable`] or [`StoreError::Database`] if the file cannot be created or
    /// used.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self::from_database(Database::open_or_defer(path, BUSY_TIME)?))
    }

    /// Opens the file at `path` for a caller that cannot wait. Calls fail if another process writes
    /// for longer than `busy_time`.
    ///
    /// # Errors
    /// Those of [`SqliteBackend::open`], and an error with [`StoreError::is_busy`] if another
    /// process locks the file for longer.
    pub fn open_within(path: &Path, busy_time: Duration) -> Result<Self, StoreError> {
        Ok(Self::from_database(Database::open(path, busy_time)?))
    }

    /// Creates a store in memory.
    ///
    /// # Errors
    /// [`StoreError::Database`] if there is no memory.
    pub fn in_memory() -> Result<Self, StoreError> {
        Ok(Self::from_database(Database::in_memory()?))
    }

    /// Opens the file at `path` without any change to it or beside it. Every call that writes
    /// fails.
    ///
    /// # Errors
    /// [`StoreError::Database`] if there is no file, or it cannot be read as a database.
    pub fn open_read_only(path: &Path) -> Result<ReadOnlyStore<Self>, StoreError> {
        let (database, was) = Database::open_read_only(path)?;
        Ok(match was {
            StoreFileKind::Store => ReadOnlyStore::Store(Self::from_database(database)),
            StoreFileKind::Older => ReadOnlyStore::Older,
            StoreFileKind::Newer => ReadOnlyStore::Newer,
            StoreFileKind::Foreign => ReadOnlyStore::Foreign,
        })
    }

    fn from_database(database: Database) -> Self {
        Self { database, uptime: None, prepared: Mutex::default() }
    }

    /// Adds a clock that reads the uptime of the machine. With it, a session in use keeps its data
    /// even if the system clock is set years ahead.
    #[must_use]
    pub fn with_uptime_clock(
        mut self,
        tell: impl Fn() -> Option<Uptime> + Send + Sync + 'static,
    ) -> Self {
        self.uptime = Some(UptimeClock::new(tell));
        self
    }

    pub(super) fn uptime(&self) -> Option<Uptime> {
        self.uptime.as_ref().and_then(UptimeClock::read)
    }

    pub(super) fn lock_prepared(&self) -> MutexGuard<'_, PreparedContents> {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn clock_reading(&self, clock: Timestamp) -> ClockReading {
        ClockReading { clock, uptime: self.uptime() }
    }

    /// Runs `work`, which must not write.
    pub(super) fn read<T>(
        &self,
        work: impl Fn(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.database.read(work)
    }

    /// Runs `work` in a transaction and commits it.
    pub(super) fn write<T>(
        &self,
        work: impl Fn(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.database.write(work)
    }

    /// Runs `work` in a transaction and records the use of `session`.
    pub(super) fn write_for_session<T>(
        &self,
        session: Option<&SessionId>,
        work: impl Fn(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let uptime = session.and_then(|_| self.uptime());
        self.database.write(|connection| {
            let done = work(connection)?;
            if let Some(session) = session {
                uptime::note_session_uptime(connection, session, uptime.as_ref())?;
            }
            Ok(done)
        })
    }

    /// Returns the notices about the file and clears them.
    pub fn take_notices(&self) -> Vec<StoreNotice> {
        self.database.take_notices()
    }

    /// Returns the path of the file in use, or `None` in memory.
    pub fn path(&self) -> Option<PathBuf> {
        self.database.path()
    }

    /// Runs SQLite's integrity check, which reads the whole file. Returns the problems that it
    /// found.
    ///
    /// # Errors
    /// [`StoreError::Database`] if the file cannot be read at all.
    pub fn check_integrity(&self) -> Result<Vec<String>, StoreError> {
        self.database.check_integrity()
    }
}
