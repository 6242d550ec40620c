//! The file on disk: one SQLite database.
//!
//! A file of the repository is one row with what its neighbours do not concern, so that a
//! change of it is one row written, and two indexes of the same files are equal. A row's
//! number is never given again: who has loaded it need not look whether it has changed.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use foveal_database::{FileId, set_aside, with};
use foveal_transcript::ContentHash;
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};

use crate::analysis::{Analysed, Content};
use crate::error::IndexerError;
use crate::indexer::Size;
use crate::vector_store::{self, VectorsId, put_settings, put_vectors, settings, settings_at};
pub(crate) use crate::vector_store::{FileVectors, ModelNumber};
use crate::walk::{Changed, Stamp};

/// The form of the tables and of the bytes in them; another one is rebuilt.
pub(crate) const VERSION: i64 = 2;

/// `fovl`: says whose file it is.
const APPLICATION: i64 = 0x666f_766c;

/// How long another process may write before this one gives up.
const BUSY_TIME: Duration = Duration::from_secs(20);

/// How often a file is opened that is set aside meanwhile, by this process or others.
const OPENINGS_MAX: u32 = 3;

const TABLES: &str = "
CREATE TABLE file(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    hash BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    class TEXT NOT NULL,
    language TEXT,
    lines INTEGER NOT NULL,
    chunks INTEGER NOT NULL
);
CREATE TABLE content(
    file INTEGER PRIMARY KEY REFERENCES file(id) ON DELETE CASCADE,
    checksum BLOB NOT NULL,
    chunks BLOB NOT NULL,
    terms BLOB NOT NULL,
    symbols_checksum BLOB NOT NULL,
    symbols BLOB NOT NULL
);";

/// The number of a row. A file that is indexed again gets another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RowId(pub(crate) i64);

/// A row without what is stored of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) id: RowId,
    pub(crate) path: String,
    /// How many parts its file has.
    pub(crate) chunks: usize,
    /// Its file is neither binary nor a key, minified or a lock file.
    pub(crate) has_symbols: bool,
    /// Its vectors of the model that was asked for.
    pub(crate) vectors: Option<VectorsId>,
}

/// A row with what is stored of its file.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) row: Row,
    pub(crate) content: Content,
    pub(crate) symbols: Vec<u8>,
    /// `None` also where they are not those that were written.
    pub(crate) vectors: Option<Vec<u8>>,
}

/// What is known of a file without loading it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    pub(crate) row: RowId,
    pub(crate) stamp: Stamp,
    pub(crate) hash: ContentHash,
    pub(crate) chunks: u32,
}

/// An open store.
pub(crate) struct Store {
    pub(crate) connection: Connection,
    /// `None` in memory.
    place: Option<Place>,
}

/// Where a store is kept.
struct Place {
    path: PathBuf,
    /// The file that was opened; another process may have put another one there since.
    file: Option<FileId>,
}

/// Where a file that is no store of ours is put; the one before it goes.
fn aside(path: &Path) -> PathBuf {
    with(path, ".set-aside")
}

impl Store {
    /// Opens the file at `path`, or makes it. The tables of another version are replaced, and
    /// what is damaged or another program's is set aside; the second value says if either
    /// was so. What a user chose stays.
    pub(crate) fn open(path: &Path) -> Result<(Self, bool), IndexerError> {
        let place = |source| IndexerError::Place { path: path.to_owned(), source };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(place)?;
        }
        let mut taken_over = None;
        for _ in 0..OPENINGS_MAX {
            let file = FileId::of(path);
            match connect(path) {
                Ok((connection, was)) if was != Was::Foreign => {
                    let file = file.or_else(|| FileId::of(path));
                    let place = Some(Place { path: path.to_owned(), file });
                    let store = Self { connection, place };
                    store.take_over(taken_over.as_deref().unwrap_or_default())?;
                    return Ok((store, taken_over.is_some() || was == Was::Other));
                }
                Err(error) if !error.is_damage() => return Err(error),
                // The connection is closed by now.
                Ok(_) | Err(_) => {}
            }
            let settings = settings_at(path);
            if set_aside(path, file, || aside(path)).map_err(place)?.is_some() {
                taken_over = Some(settings);
            }
        }
        Err(place(std::io::ErrorKind::AlreadyExists.into()))
    }

    /// A store that nothing is left of.
    pub(crate) fn in_memory() -> Result<Self, IndexerError> {
        let mut connection = Connection::open_in_memory()?;
        prepare(&mut connection)?;
        Ok(Self { connection, place: None })
    }

    /// Puts the file away and begins anew; with what another process has made in its place,
    /// if one has. What a user chose stays.
    pub(crate) fn rebuild(&mut self) -> Result<(), IndexerError> {
        let settings = settings(&self.connection);
        // Closes the file, which some systems do not move while it is open.
        let place = self.place.take();
        *self = Self::in_memory()?;
        if let Some(Place { path, file }) = place {
            let was_there = set_aside(&path, file, || aside(&path))
                .map_err(|source| IndexerError::Place { path: path.clone(), source })?;
            *self = Self::open(&path)?.0;
            if was_there.is_some() {
                self.take_over(&settings)?;
            }
        }
        Ok(())
    }

    /// All files by path.
    pub(crate) fn known(&self) -> Result<HashMap<String, Known>, IndexerError> {
        let sql = "SELECT path, id, bytes, changed, hash, chunks FROM file";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, known(row)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What is known of the file at `path`.
    pub(crate) fn known_file(&self, path: &str) -> Result<Option<Known>, IndexerError> {
        let sql = "SELECT path, id, bytes, changed, hash, chunks FROM file WHERE path = ?1";
        let mut statement = self.connection.prepare(sql)?;
        Ok(statement.query_row([path], known).optional()?)
    }

    /// The rows that there are, by path, with vectors of `model`.
    pub(crate) fn rows(&self, model: Option<ModelNumber>) -> Result<Vec<Row>, IndexerError> {
        let sql = "SELECT f.id, f.path, f.chunks, \
                   f.class IN ('source', 'generated', 'vendored'), v.id FROM file f \
                   LEFT JOIN vectors v ON v.file = f.id AND v.model = ?1 ORDER BY f.path";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([model], |row| {
            let chunks: u32 = row.get(2)?;
            Ok(Row {
                id: RowId(row.get(0)?),
                path: row.get(1)?,
                chunks: chunks as usize,
                has_symbols: row.get(3)?,
                vectors: row.get::<_, Option<i64>>(4)?.map(VectorsId),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How large it is.
    pub(crate) fn size(&self) -> Result<Size, IndexerError> {
        let sql = "SELECT count(*), coalesce(sum(chunks), 0) FROM file WHERE chunks > 0";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        let (files, chunks) = self.connection.query_row(sql, [], read)?;
        Ok(Size { files: files.unsigned_abs(), chunks: chunks.unsigned_abs() })
    }

    /// Changes whenever another process has written.
    pub(crate) fn others_wrote(&self) -> Result<i64, IndexerError> {
        Ok(self.connection.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }

    /// All that is stored of a row; `None` if it is gone or its bytes are not those that
    /// were written.
    pub(crate) fn load(&self, row: Row) -> Result<Option<Loaded>, IndexerError> {
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
    pub(crate) fn symbols(&self, row: RowId) -> Result<Option<Vec<u8>>, IndexerError> {
        let sql = "SELECT symbols, symbols_checksum FROM content WHERE file = ?1";
        let mut statement = self.connection.prepare(sql)?;
        let found = statement
            .query_row([row.0], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?)));
        let found = found.optional()?.filter(|(bytes, sum)| *sum == checksum(&[bytes]));
        Ok(found.map(|(bytes, _)| bytes))
    }

    /// Carries out changes, all or none.
    pub(crate) fn write(&mut self, changes: &[Change]) -> Result<(), IndexerError> {
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        for change in changes {
            change.carry_out(&transaction)?;
        }
        transaction.commit()?;
        Ok(())
    }
}

/// One change of the store.
pub(crate) enum Change {
    /// The file at this path is this.
    Put { path: String, analysed: Box<Analysed> },
    /// The parts of the file of this row have these vectors.
    Vectors { row: RowId, vectors: FileVectors },
    /// The file of this row has another stamp and the same content.
    Stamp { row: RowId, stamp: Stamp },
    /// There is no such file.
    Remove { path: String },
    /// This row is not to be trusted.
    Forget { row: RowId },
    /// These vectors are not to be trusted.
    ForgetVectors { vectors: VectorsId },
}

impl Change {
    /// The file it is about, where it names one.
    pub(crate) fn path(&self) -> Option<&str> {
        match self {
            Self::Put { path, .. } | Self::Remove { path } => Some(path),
            Self::Vectors { .. }
            | Self::Stamp { .. }
            | Self::Forget { .. }
            | Self::ForgetVectors { .. } => None,
        }
    }

    fn carry_out(&self, connection: &Connection) -> Result<(), IndexerError> {
        match self {
            Self::Put { path, analysed } => put(connection, path, analysed)?,
            Self::Vectors { row, vectors } => put_vectors(connection, *row, vectors)?,
            Self::Stamp { row, stamp } => {
                let sql = "UPDATE file SET bytes = ?2, changed = ?3 WHERE id = ?1";
                let mut statement = connection.prepare(sql)?;
                let bytes = i64::try_from(stamp.bytes).unwrap_or(i64::MAX);
                statement.execute(params![row.0, bytes, stamp.changed.0])?;
            }
            Self::Remove { path } => {
                connection.prepare("DELETE FROM file WHERE path = ?1")?.execute([path])?;
            }
            Self::Forget { row } => {
                connection.prepare("DELETE FROM file WHERE id = ?1")?.execute([row.0])?;
            }
            Self::ForgetVectors { vectors } => {
                connection.prepare("DELETE FROM vectors WHERE id = ?1")?.execute([vectors.0])?;
            }
        }
        Ok(())
    }
}

fn put(connection: &Connection, path: &str, analysed: &Analysed) -> Result<(), IndexerError> {
    connection.prepare("DELETE FROM file WHERE path = ?1")?.execute([path])?;
    let sql = "INSERT INTO file(path, hash, bytes, changed, class, language, lines, chunks) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let bytes = i64::try_from(analysed.stamp.bytes).unwrap_or(i64::MAX);
    connection.prepare(sql)?.execute(params![
        path,
        analysed.hash.as_bytes().as_slice(),
        bytes,
        analysed.stamp.changed.0,
        analysed.class,
        analysed.language,
        analysed.lines,
        analysed.chunk_count,
    ])?;
    let row = RowId(connection.last_insert_rowid());
    let (content, symbols) = (&analysed.content, &analysed.symbols);
    let sql = "INSERT INTO content(file, checksum, chunks, terms, symbols_checksum, symbols) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    connection.prepare(sql)?.execute(params![
        row.0,
        content_sum(content),
        content.chunks,
        content.terms,
        checksum(&[symbols]),
        symbols,
    ])?;
    match &analysed.vectors {
        Some(vectors) => put_vectors(connection, row, vectors),
        None => Ok(()),
    }
}

/// A row of path, number, bytes, time, hash and number of parts.
pub(crate) fn known(row: &rusqlite::Row<'_>) -> rusqlite::Result<Known> {
    let bytes: i64 = row.get(2)?;
    let stamp = Stamp { bytes: bytes.unsigned_abs(), changed: Changed(row.get(3)?) };
    Ok(Known {
        row: RowId(row.get(1)?),
        stamp,
        hash: ContentHash::from_bytes(row.get(4)?),
        chunks: row.get(5)?,
    })
}

fn content_sum(content: &Content) -> Vec<u8> {
    checksum(&[&content.chunks, &content.terms])
}

/// Eight bytes by which damage is seen that SQLite does not see.
pub(crate) fn checksum(parts: &[&[u8]]) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().as_bytes()[..8].to_vec()
}

/// What a file was when it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Was {
    /// A store of this version, or nothing.
    Store,
    /// A store of another version, which it is no more.
    Other,
    /// Another program's, which it still is.
    Foreign,
}

/// Opens the file, and makes its tables where it has none or those of another version.
fn connect(path: &Path) -> Result<(Connection, Was), IndexerError> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIME)?;
    // Rows are one to three thousand bytes: what is left of pages counts.
    connection.execute_batch("PRAGMA page_size = 1024")?;
    match connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())) {
        // Another process is about to set it.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {}
        other => other?,
    }
    let was = prepare(&mut connection)?;
    Ok((connection, was))
}

/// Makes the tables where there are none, or those of another version.
fn prepare(connection: &mut Connection) -> Result<Was, IndexerError> {
    // Without keys to other tables, these go in any order.
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let number = |sql: &str| transaction.query_row(sql, [], |row| row.get::<_, i64>(0));
    let version = number("PRAGMA user_version")?;
    let application = number("PRAGMA application_id")?;
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    let was = match (version, application, tables) {
        (VERSION, APPLICATION, _) => Was::Store,
        (0, 0, 0) => {
            make_tables(&transaction)?;
            Was::Store
        }
        (_, APPLICATION, _) => {
            let settings = settings(&transaction);
            // Where it cannot be read no number was given.
            let last = number("SELECT max(seq) FROM sqlite_sequence").unwrap_or_default();
            drop_tables(&transaction)?;
            make_tables(&transaction)?;
            put_settings(&transaction, &settings)?;
            for table in ["file", "model", "vectors"] {
                let sql = "INSERT INTO sqlite_sequence(name, seq) VALUES (?1, ?2)";
                transaction.execute(sql, params![table, last])?;
            }
            Was::Other
        }
        _ => Was::Foreign,
    };
    transaction.commit()?;
    connection.execute_batch("PRAGMA foreign_keys = ON")?;
    Ok(was)
}

fn make_tables(connection: &Connection) -> Result<(), IndexerError> {
    let marks = format!("PRAGMA user_version = {VERSION}; PRAGMA application_id = {APPLICATION};");
    connection.execute_batch(&format!("{TABLES} {} {marks}", vector_store::TABLES))?;
    Ok(())
}

/// Removes all that another version may have made.
fn drop_tables(connection: &Connection) -> Result<(), IndexerError> {
    let sql = "SELECT 'DROP ' || type || ' \"' || name || '\"' FROM sqlite_schema \
               WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let mut statement = connection.prepare(sql)?;
    let drops: Vec<String> =
        statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    drop(statement);
    for sql in drops {
        connection.execute_batch(&sql)?;
    }
    Ok(())
}
