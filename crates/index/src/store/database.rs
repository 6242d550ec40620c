//! The open database file: opening, rebuilding, reading and writing.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use foveal_store::database_file::{
    DatabaseFile, OpenAttempt, ensure_private_file, open_with_quarantine, with_suffix,
};
use foveal_transcript::CancelToken;
use rusqlite::{Connection, OptionalExtension, Transaction};

use super::index_change::IndexChange;
use super::lock_wait::{LockWait, LockWaiter};
use super::rows::{
    EncodedContent, FileRow, IndexSize, IndexedFile, LoadedFileRow, ModelNumber, RowId, VectorsId,
    checksum, content_checksum, has_valid_checksum, known_file_from_row,
};
use super::schema::{IndexFileKind, connect_and_prepare, prepare_tables};
use super::settings::{read_settings, read_settings_of_file, write_missing_settings};
use crate::error::IndexError;

/// The columns that the checksum of a file row covers, and the checksum.
const FILE_COLUMNS: &str = "path, hash, class, chunks, checksum";

/// An open store.
pub(crate) struct IndexStore {
    pub(super) connection: Connection,
    /// `None` in memory.
    file: Option<DatabaseFile>,
    lock_wait: LockWaiter,
}

/// Returns the quarantine path of a file that is no store. An earlier file there is replaced.
fn quarantine_path(path: &Path) -> PathBuf {
    with_suffix(path, ".set-aside")
}

impl IndexStore {
    /// Opens or creates the file at `path`. Replaces the tables of another version, and quarantines
    /// a file that is damaged or belongs to another program; the second value is true in both
    /// cases. The user's choices are kept. `wait` limits the wait for other processes that lock the
    /// file.
    pub(crate) fn open(path: &Path, wait: LockWait) -> Result<(Self, bool), IndexError> {
        let refused = |path, source| IndexError::Unwritable { path, source };
        let mut taken_over = None;
        let attempt = |path: &Path| {
            ensure_private_file(path).map_err(|error| refused(path.to_owned(), error))?;
            match connect_and_prepare(path, wait.longest()) {
                Ok((_, IndexFileKind::Foreign)) => Ok(OpenAttempt::Unusable),
                Err(error) if error.is_corruption() => Ok(OpenAttempt::Unusable),
                opened => opened.map(OpenAttempt::Open),
            }
        };
        let put_away = |place: &DatabaseFile| {
            let settings = read_settings_of_file(place.path());
            if place.quarantine(quarantine_path)?.is_some() {
                taken_over = Some(settings);
            }
            Ok(())
        };
        let ((connection, was), place) = open_with_quarantine(path, attempt, put_away, refused)?;
        write_missing_settings(&connection, taken_over.as_deref().unwrap_or_default())?;
        let is_new = taken_over.is_some() || was == IndexFileKind::Other;
        let waiting = LockWaiter::new(wait);
        Ok((Self { connection, file: Some(place), lock_wait: waiting }, is_new))
    }

    /// Creates a store in memory.
    pub(crate) fn in_memory() -> Result<Self, IndexError> {
        let mut connection = Connection::open_in_memory()?;
        prepare_tables(&mut connection)?;
        Ok(Self { connection, file: None, lock_wait: LockWaiter::new(LockWait::INDEXER) })
    }

    /// Quarantines the file and continues with a new one, or with the one that another process
    /// created meanwhile. The user's choices are kept.
    pub(crate) fn rebuild(&mut self) -> Result<(), IndexError> {
        let settings = read_settings(&self.connection);
        // Closes the file: some systems cannot move an open file.
        let (place, wait) = (self.file.take(), self.lock_wait.configured_wait());
        *self = Self::in_memory()?;
        if let Some(place) = place {
            let refused = |source| IndexError::Unwritable { path: place.path().to_owned(), source };
            let was_there = place.quarantine(quarantine_path).map_err(refused)?;
            *self = Self::open(place.path(), wait)?.0;
            if was_there.is_some() {
                write_missing_settings(&self.connection, &settings)?;
            }
        }
        Ok(())
    }

    /// Returns all files by path, and removes damaged rows.
    pub(crate) fn known_files(
        &mut self,
        cancel: &CancelToken<'_>,
    ) -> Result<HashMap<String, IndexedFile>, IndexError> {
        let sql = format!("SELECT {FILE_COLUMNS}, id, bytes, changed FROM file");
        let (found, broken) = {
            let mut statement = self.connection.prepare(&sql)?;
            let mut rows = statement.query([])?;
            let (mut found, mut broken) = (HashMap::new(), Vec::new());
            while let Some(row) = rows.next()? {
                if has_valid_checksum(row)? {
                    found.insert(row.get(0)?, known_file_from_row(row)?);
                } else {
                    broken.push(IndexChange::Forget { row: RowId(row.get(5)?) });
                }
            }
            (found, broken)
        };
        if !broken.is_empty() {
            match self.apply_changes(&broken, cancel) {
                // They are found again until one process removes them.
                Err(error) if error.is_busy() => {}
                written => written?,
            }
        }
        Ok(found)
    }

    /// Returns the stored state of the file at `path`, or `None` if there is none or its row is
    /// damaged.
    pub(crate) fn known_file(&self, path: &str) -> Result<Option<IndexedFile>, IndexError> {
        let sql = format!("SELECT {FILE_COLUMNS}, id, bytes, changed FROM file WHERE path = ?1");
        let mut statement = self.connection.prepare(&sql)?;
        let found = statement
            .query_row([path], |row| Ok((has_valid_checksum(row)?, known_file_from_row(row)?)));
        Ok(found.optional()?.filter(|(is_whole, _)| *is_whole).map(|(_, known)| known))
    }

    /// Returns all intact rows by path, with their vectors of `model`, and then the damaged rows.
    pub(crate) fn file_rows(
        &self,
        model: Option<ModelNumber>,
    ) -> Result<(Vec<FileRow>, Vec<RowId>), IndexError> {
        let sql = "SELECT f.path, f.hash, f.class, f.chunks, f.checksum, f.id, \
                   f.class IN ('source', 'generated', 'vendored'), v.id FROM file f \
                   LEFT JOIN vectors v ON v.file = f.id AND v.model = ?1 ORDER BY f.path";
        let mut statement = self.connection.prepare(sql)?;
        let mut found = statement.query([model])?;
        let (mut rows, mut broken) = (Vec::new(), Vec::new());
        while let Some(row) = found.next()? {
            let id = RowId(row.get(5)?);
            if !has_valid_checksum(row)? {
                broken.push(id);
                continue;
            }
            let chunks: u32 = row.get(3)?;
            rows.push(FileRow {
                id,
                path: row.get(0)?,
                chunks: chunks as usize,
                has_symbols: row.get(6)?,
                vectors: row.get::<_, Option<i64>>(7)?.map(VectorsId),
            });
        }
        Ok((rows, broken))
    }

    /// Returns the ignored or hidden files that an agent read, the latest first.
    pub(crate) fn read_files(&self) -> Result<Vec<String>, IndexError> {
        let mut statement =
            self.connection.prepare("SELECT path FROM read_file ORDER BY id DESC")?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    /// Returns the size of the store.
    pub(crate) fn size(&self) -> Result<IndexSize, IndexError> {
        read_size(&self.connection)
    }

    /// Returns a counter that changes whenever another process has written.
    pub(crate) fn data_version(&self) -> Result<i64, IndexError> {
        Ok(self.connection.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }

    /// Loads all stored data of a row. Returns `None` if the row is gone or damaged.
    pub(crate) fn load_row(&self, row: FileRow) -> Result<Option<LoadedFileRow>, IndexError> {
        let sql = "SELECT c.chunks, c.terms, c.checksum, c.symbols, c.symbols_checksum, \
                   v.bytes, v.checksum \
                   FROM content c LEFT JOIN vectors v ON v.id = ?2 WHERE c.file = ?1";
        let mut statement = self.connection.prepare(sql)?;
        let numbers = (row.id.0, row.vectors.map(|vectors| vectors.0));
        let found = statement.query_row(numbers, |found| {
            let content = EncodedContent { chunks: found.get(0)?, terms: found.get(1)? };
            let sums: [Vec<u8>; 2] = [found.get(2)?, found.get(4)?];
            let vectors: Option<Vec<u8>> = found.get(5)?;
            let sum: Option<Vec<u8>> = found.get(6)?;
            let vectors = vectors.filter(|bytes| sum == Some(checksum(&[bytes])));
            Ok((LoadedFileRow { row, content, symbols: found.get(3)?, vectors }, sums))
        });
        let is_whole = |(loaded, sums): &(LoadedFileRow, [Vec<u8>; 2])| {
            *sums == [content_checksum(&loaded.content), checksum(&[&loaded.symbols])]
        };
        Ok(found.optional()?.filter(is_whole).map(|(loaded, _)| loaded))
    }

    /// Returns the encoded symbols of a row's file, or `None` if they are gone or damaged.
    pub(crate) fn symbol_bytes(&self, row: RowId) -> Result<Option<Vec<u8>>, IndexError> {
        let sql = "SELECT symbols, symbols_checksum FROM content WHERE file = ?1";
        let mut statement = self.connection.prepare(sql)?;
        let found = statement
            .query_row([row.0], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?)));
        let found = found.optional()?.filter(|(bytes, sum)| *sum == checksum(&[bytes]));
        Ok(found.map(|(bytes, _)| bytes))
    }

    /// Sets the wait for other processes that lock the file.
    pub(crate) fn set_lock_wait(&mut self, wait: LockWait) -> Result<(), IndexError> {
        self.lock_wait.set_lock_wait(wait, &self.connection)
    }

    /// Begins a write transaction, see [`LockWaiter::begin_transaction`].
    pub(super) fn begin_transaction(
        &self,
        cancel: &CancelToken<'_>,
    ) -> Result<Transaction<'_>, IndexError> {
        self.lock_wait.begin_transaction(&self.connection, cancel)
    }

    /// Applies changes, all or none. Does not wait for other processes after a cancellation.
    pub(crate) fn apply_changes(
        &mut self,
        changes: &[IndexChange],
        cancel: &CancelToken<'_>,
    ) -> Result<(), IndexError> {
        let transaction = self.begin_transaction(cancel)?;
        for change in changes {
            change.apply(&transaction)?;
        }
        transaction.commit()?;
        Ok(())
    }
}

/// Returns the size of the store behind a connection.
pub(super) fn read_size(connection: &Connection) -> Result<IndexSize, IndexError> {
    let sql = "SELECT count(*), coalesce(sum(chunks), 0) FROM file WHERE chunks > 0";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
    let (files, chunks) = connection.query_row(sql, [], read)?;
    Ok(IndexSize { files: files.unsigned_abs(), chunks: chunks.unsigned_abs() })
}
