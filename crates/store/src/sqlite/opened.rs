//! A SQLite file as a store that keeps no secrets.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::StoreError;
use crate::file::Notice;
use crate::redacting::Redacting;

use super::backend::{ReadOnly, Sqlite};
use super::uptime::Uptime;

/// A [`Store`](crate::Store) in a SQLite file, or in memory, that keeps no secrets.
pub type SqliteStore = Redacting<Sqlite>;

impl SqliteStore {
    /// [`Sqlite::open`].
    ///
    /// # Errors
    /// Those of [`Sqlite::open`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self::new(Sqlite::open(path)?))
    }

    /// [`Sqlite::open_within`].
    ///
    /// # Errors
    /// Those of [`Sqlite::open`].
    pub fn open_within(path: &Path, busy_time: Duration) -> Result<Self, StoreError> {
        Ok(Self::new(Sqlite::open_within(path, busy_time)?))
    }

    /// [`Sqlite::told_uptime`].
    #[must_use]
    pub fn told_uptime(self, tell: impl Fn() -> Option<Uptime> + Send + Sync + 'static) -> Self {
        Self { store: self.store.told_uptime(tell) }
    }

    /// [`Sqlite::open_read_only`].
    ///
    /// # Errors
    /// Those of [`Sqlite::open_read_only`].
    pub fn open_read_only(path: &Path) -> Result<ReadOnly<Self>, StoreError> {
        Ok(match Sqlite::open_read_only(path)? {
            ReadOnly::Store(store) => ReadOnly::Store(Self::new(store)),
            ReadOnly::Older => ReadOnly::Older,
            ReadOnly::Newer => ReadOnly::Newer,
            ReadOnly::Foreign => ReadOnly::Foreign,
        })
    }

    /// [`Sqlite::in_memory`].
    ///
    /// # Errors
    /// Those of [`Sqlite::in_memory`].
    pub fn in_memory() -> Result<Self, StoreError> {
        Ok(Self::new(Sqlite::in_memory()?))
    }

    /// [`Sqlite::take_notices`].
    pub fn take_notices(&self) -> Vec<Notice> {
        self.store.take_notices()
    }

    /// [`Sqlite::path`].
    pub fn path(&self) -> Option<PathBuf> {
        self.store.path()
    }

    /// [`Sqlite::check`].
    ///
    /// # Errors
    /// Those of [`Sqlite::check`].
    pub fn check(&self) -> Result<Vec<String>, StoreError> {
        self.store.check()
    }
}
