//! The open file: taken over, rebuilt, asked and written.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use foveal_cancel::Cancel;
use foveal_database::{Attempt, DatabaseFile, make_private, open, with};
use rusqlite::{Connection, OptionalExtension, Transaction};

use super::change::Change;
use super::rows::{
    Content, Known, Loaded, ModelNumber, Row, RowId, Size, VectorsId, checksum, content_sum,
    is_whole, known,
};
use super::schema::{Was, connect, prepare};
use super::settings::{put_settings, settings, settings_at};
use super::waiting::{Wait, Waiting};
use crate::error::IndexError;

/// The columns of a file that its checksum is of, and the checksum.
const FILE: &str = "path, hash, class, chunks, checksum";

/// An open store.
pub(crate) struct Store {
    pub(super) connection: Connection,
    /// `None` in memory.
    place: Option<DatabaseFile>,
    waiting: Waiting,
}

/// Where a file that is no store of ours is put; the one before it goes.
fn aside(path: &Path) -> PathBuf {
    with(path, ".set-aside")
}

impl Store {
    /// Opens the file at `path`, or makes it. The tables of another version are replaced, and
    /// what is damaged or another program's is set aside; the second value says if either
    /// was so. What a user chose stays. `wait` says how long others are
    /// waited for that hold the file.
    pub(crate) fn open(path: &Path, wait: Wait) -> Result<(Self, bool), IndexError> {
        let refused = |path, source| IndexError::Place { path, source };
        let mut taken_over = None;
        let attempt = |path: &Path| {
            make_private(path).map_err(|error| refused(path.to_owned(), error))?;
            match connect(path, wait.most()) {
                Ok((_, Was::Foreign)) => Ok(Attempt::Unusable),
                Err(error) if error.is_damage() => Ok(Attempt::Unusable),
                opened => opened.map(Attempt::Open),
            }
        };
        let put_away = |place: &DatabaseFile| {
            let settings = settings_at(place.path());
            if place.set_aside(aside)?.is_some() {
                taken_over = Some(settings);
            }
            Ok(())
        };
        let ((connection, was), place) = open(path, attempt, put_away, refused)?;
        put_settings(&connection, taken_over.as_deref().unwrap_or_default())?;
        let is_new = taken_over.is_some() || was == Was::Other;
        let waiting = Waiting::of(wait);
        Ok((Self { connection, place: Some(place), waiting }, is_new))
    }

    /// A store that nothing is left of.
    pub(crate) fn in_memory() -> Result<Self, IndexError> {
        let mut connection = Connection::open_in_memory()?;
        prepare(&mut connection)?;
        Ok(Self { connection, place: None, waiting: Waiting::of(Wait::INDEXER) })
    }

    /// Puts the file away and begins anew; with what another process has made in its place,
    /// if one has. What a user chose stays.
    pub(crate) fn rebuild(&mut self) -> Result<(), IndexError> {
        let settings = settings(&self.connection);
        // Closes the file, which some systems do not move while it is open.
        let (place, wait) = (self.place.take(), self.waiting.wait());
        *self = Self::in_memory()?;
        if let Some(place) = place {
            let refused = |source| IndexError::Place { path: place.path().to_owned(), source };
            let was_there = place.set_aside(aside).map_err(refused)?;
            *self = Self::open(place.path(), wait)?.0;
            if was_there.is_some() {
                put_settings(&self.connection, &settings)?;
            }
        }
        Ok(())
    }

    /// All files by path. Rows that are not what was written are removed.
    pub(crate) fn known(
        &mut self,
        cancel: &Cancel<'_>,
    ) -> Result<HashMap<String, Known>, IndexError> {
        let sql = format!("SELECT {FILE}, id, bytes, changed FROM file");
        let (found, broken) = {
            let mut statement = self.connection.prepare(&sql)?;
            let mut rows = statement.query([])?;
            let (mut found, mut broken) = (HashMap::new(), Vec::new());
            while let Some(row) = rows.next()? {
                if is_whole(row)? {
                    found.insert(row.get(0)?, known(row)?);
                } else {
                    broken.push(Change::Forget { row: RowId(row.get(5)?) });
                }
            }
            (found, broken)
        };
        if !broken.is_empty() {
            match self.write(&broken, cancel) {
                // They are found again until somebody removes them.
                Err(error) if error.is_busy() => {}
                written => written?,
            }
        }
        Ok(found)
    }

    /// What is known of the file at `path`; of a row that is not what was written, nothing.
    pub(crate) fn known_file(&self, path: &str) -> Result<Option<Known>, IndexError> {
        let sql = format!("SELECT {FILE}, id, bytes, changed FROM file WHERE path = ?1");
        let mut statement = self.connection.prepare(&sql)?;
        let found = statement.query_row([path], |row| Ok((is_whole(row)?, known(row)?)));
        Ok(found.optional()?.filter(|(is_whole, _)| *is_whole).map(|(_, known)| known))
    }

    /// The rows that there are, by path, with vectors of `model`; then those that are not what
    /// was written.
    pub(crate) fn rows(
        &self,
        model: Option<ModelNumber>,
    ) -> Result<(Vec<Row>, Vec<RowId>), IndexError> {
        let sql = "SELECT f.path, f.hash, f.class, f.chunks, f.checksum, f.id, \
                   f.class IN ('source', 'generated', 'vendored'), v.id FROM file f \
                   LEFT JOIN vectors v ON v.file = f.id AND v.model = ?1 ORDER BY f.path";
        let mut statement = self.connection.prepare(sql)?;
        let mut found = statement.query([model])?;
        let (mut rows, mut broken) = (Vec::new(), Vec::new());
        while let Some(row) = found.next()? {
            let id = RowId(row.get(5)?);
            if !is_whole(row)? {
                broken.push(id);
                continue;
            }
            let chunks: u32 = row.get(3)?;
            rows.push(Row {
                id,
                path: row.get(0)?,
                chunks: chunks as usize,
                has_symbols: row.get(6)?,
                vectors: row.get::<_, Option<i64>>(7)?.map(VectorsId),
            });
        }
        Ok((rows, broken))
    }

    /// How large it is.
    pub(crate) fn size(&self) -> Result<Size, IndexError> {
        size_of(&self.connection)
    }

    /// Changes whenever another process has written.
    pub(crate) fn others_wrote(&self) -> Result<i64, IndexError> {
        Ok(self.connection.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }

    /// All that is stored of a row; `None` if it is gone or its bytes are not those that
    /// were written.
    pub(crate) fn load(&self, row: Row) -> Result<Option<Loaded>, IndexError> {
        let sql = "SELECT c.chunks, c.terms, c.checksum, c.symbols, c.symbols_checksum, \
                   v.bytes, v.checksum \
                   FROM content c LEFT JOIN vectors v ON v.id = ?2 WHERE c.file = ?1";
        let mut statement = self.connection.prepare(sql)?;
        let numbers = (row.id.0, row.vectors.map(|vectors| vectors.0));
        let found = statement.query_row(numbers, |found| {
            let content = Content { chunks: found.get(0)?, terms: found.get(1)? };
            let sums: [Vec<u8>; 2] = [found.get(2)?, found.get(4)?];
            let vectors: Option<Vec<u8>> = found.get(5)?;
            let sum: Option<Vec<u8>> = found.get(6)?;
            let vectors = vectors.filter(|bytes| sum == Some(checksum(&[bytes])));
            Ok((Loaded { row, content, symbols: found.get(3)?, vectors }, sums))
        });
        let is_whole = |(loaded, sums): &(Loaded, [Vec<u8>; 2])| {
            *sums == [content_sum(&loaded.content), checksum(&[&loaded.symbols])]
        };
        Ok(found.optional()?.filter(is_whole).map(|(loaded, _)| loaded))
    }

    /// What a row's file defines and names; `None` if it is gone or its bytes are not those
    /// that were written.
    pub(crate) fn symbols(&self, row: RowId) -> Result<Option<Vec<u8>>, IndexError> {
        let sql = "SELECT symbols, symbols_checksum FROM content WHERE file = ?1";
        let mut statement = self.connection.prepare(sql)?;
        let found = statement
            .query_row([row.0], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?)));
        let found = found.optional()?.filter(|(bytes, sum)| *sum == checksum(&[bytes]));
        Ok(found.map(|(bytes, _)| bytes))
    }

    /// Says how long others that hold the file are waited for from now on.
    pub(crate) fn wait(&mut self, wait: Wait) -> Result<(), IndexError> {
        self.waiting.set(wait, &self.connection)
    }

    /// Begins what other processes must not come between, see [`Waiting::begin`].
    pub(super) fn begin(&self, cancel: &Cancel<'_>) -> Result<Transaction<'_>, IndexError> {
        self.waiting.begin(&self.connection, cancel)
    }

    /// Carries out changes, all or none. Once it is cancelled it waits for nobody.
    pub(crate) fn write(
        &mut self,
        changes: &[Change],
        cancel: &Cancel<'_>,
    ) -> Result<(), IndexError> {
        let transaction = self.begin(cancel)?;
        for change in changes {
            change.carry_out(&transaction)?;
        }
        transaction.commit()?;
        Ok(())
    }
}

/// How large the store behind a connection is.
pub(super) fn size_of(connection: &Connection) -> Result<Size, IndexError> {
    let sql = "SELECT count(*), coalesce(sum(chunks), 0) FROM file WHERE chunks > 0";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
    let (files, chunks) = connection.query_row(sql, [], read)?;
    Ok(Size { files: files.unsigned_abs(), chunks: chunks.unsigned_abs() })
}
