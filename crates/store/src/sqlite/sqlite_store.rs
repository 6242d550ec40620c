//! A SQLite file as a store without secrets.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::StoreError;
use crate::redacting_store::RedactingStore;
use crate::store_notice::StoreNotice;

use super::backend::{ReadOnlyStore, SqliteBackend};
use super::uptime::Uptime;

/// A [`Store`](crate::Store) in a SQLite file, or in memory, that keeps no secrets.
pub type SqliteStore = RedactingStore<SqliteBackend>;

impl SqliteStore {
    /// Opens a store as [`SqliteBackend::open`] does.
    ///
    /// # Errors
    /// Those of [`SqliteBackend::open`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self::new(SqliteBackend::open(path)?))
    }

    /// Opens a store as [`SqliteBackend::open_within`] does.
    ///
    /// # Errors
    /// Those of [`SqliteBackend::open_within`].
    pub fn open_within(path: &Path, busy_time: Duration) -> Result<Self, StoreError> {
        Ok(Self::new(SqliteBackend::open_within(path, busy_time)?))
    }

    /// Adds a clock as [`SqliteBackend::with_uptime_clock`] does.
    #[must_use]
    pub fn with_uptime_clock(
        self,
        tell: impl Fn() -> Option<Uptime> + Send + Sync + 'static,
    ) -> Self {
        Self { store: self.store.with_uptime_clock(tell) }
    }

    /// Opens a store as [`SqliteBackend::open_read_only`] does.
    ///
    /// # Errors
    /// Those of [`SqliteBackend::open_read_only`].
    pub fn open_read_only(path: &Path) -> Result<ReadOnlyStore<Self>, StoreError> {
        Ok(match SqliteBackend::open_read_only(path)? {
            ReadOnlyStore::Store(store) => ReadOnlyStore::Store(Self::new(store)),
            ReadOnlyStore::Older => ReadOnlyStore::Older,
            ReadOnlyStore::Newer => ReadOnlyStore::Newer,
            ReadOnlyStore::Foreign => ReadOnlyStore::Foreign,
        })
    }

    /// Creates a store as [`SqliteBackend::in_memory`] does.
    ///
    /// # Errors
    /// Those of [`SqliteBackend::in_memory`].
    pub fn in_memory() -> Result<Self, StoreError> {
        Ok(Self::new(SqliteBackend::in_memory()?))
    }

    /// Returns the notices, see [`SqliteBackend::take_notices`].
    pub fn take_notices(&self) -> Vec<StoreNotice> {
        self.store.take_notices()
    }

    /// Returns the path, see [`SqliteBackend::path`].
    pub fn path(&self) -> Option<PathBuf> {
        self.store.path()
    }

    /// Checks the file, see [`SqliteBackend::check_integrity`].
    ///
    /// # Errors
    /// Those of [`SqliteBackend::check_integrity`].
    pub fn check_integrity(&self) -> Result<Vec<String>, StoreError> {
        self.store.check_integrity()
    }
}
