//! The file on disk: one SQLite database.
//!
//! A file of the repository is one row with what its neighbours do not concern, so that a
//! change of it is one row written, and two indexes of the same files are equal. A row's
//! number is never given again: who has loaded it need not look whether it has changed.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};

use crate::analysis::{Analysed, Content, ContentHash};
use crate::error::IndexerError;
use crate::indexer::Size;
use crate::structure::Structure;
use crate::vector_store::{self, VectorsId, put_vectors};
pub(crate) use crate::vector_store::{FileVectors, ModelNumber};
use crate::walk::{Changed, Stamp};

/// The form of the tables and of the bytes in them; another one is rebuilt.
pub(crate) const VERSION: i64 = 2;

/// `fovl`: says whose file it is.
const APPLICATION: i64 = 0x666f_766c;

/// How long another process may write before this one gives up.
const BUSY_TIME: Duration = Duration::from_secs(20);

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
    structure_checksum BLOB NOT NULL,
    entities BLOB NOT NULL,
    mentions BLOB NOT NULL
);";

/// The number of a row. A file that is indexed again gets another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RowId(pub(crate) i64);

/// A row as it is loaded.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) row: RowId,
    pub(crate) path: String,
    /// The number of its parts.
    pub(crate) chunks: usize,
    /// Its vectors of the model that was asked for.
    pub(crate) vectors: Option<VectorsId>,
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
    path: PathBuf,
}

impl Store {
    /// Opens the file at `path`, or makes it. One that is damaged or of another version is
    /// set aside, which the second value says.
    pub(crate) fn open(path: &Path) -> Result<(Self, bool), IndexerError> {
        let place = |source| IndexerError::Place { path: path.to_owned(), source };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(place)?;
        }
        match connect(path) {
            Ok(Some(connection)) => return Ok((Self { connection, path: path.to_owned() }, false)),
            Ok(None) => {}
            Err(error) if error.is_damage() => {}
            Err(error) => return Err(error),
        }
        set_aside(path).map_err(place)?;
        match connect(path)? {
            Some(connection) => {
                let store = Self { connection, path: path.to_owned() };
                store.remember_from(&aside(path));
                Ok((store, true))
            }
            None => Err(place(std::io::ErrorKind::AlreadyExists.into())),
        }
    }

    /// Puts the file away and begins anew.
    pub(crate) fn rebuild(&mut self) -> Result<(), IndexerError> {
        // Closes the file, which some systems do not move while it is open.
        self.connection = Connection::open_in_memory()?;
        set_aside(&self.path)
            .map_err(|source| IndexerError::Place { path: self.path.clone(), source })?;
        *self = Self::open(&self.path)?.0;
        self.remember_from(&aside(&self.path));
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
        let sql = "SELECT f.id, f.path, f.chunks, v.id FROM file f \
                   LEFT JOIN vectors v ON v.file = f.id AND v.model = ?1 ORDER BY f.path";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([model], |row| {
            let chunks: u32 = row.get(2)?;
            let vectors = row.get::<_, Option<i64>>(3)?.map(VectorsId);
            Ok(Row { row: RowId(row.get(0)?), path: row.get(1)?, chunks: chunks as usize, vectors })
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

    /// What is stored of a row; `None` if it is gone or its bytes are not those that were
    /// written.
    pub(crate) fn content(&self, row: RowId) -> Result<Option<Content>, IndexerError> {
        let sql = "SELECT chunks, terms, checksum FROM content WHERE file = ?1";
        let mut statement = self.connection.prepare(sql)?;
        let found = statement.query_row([row.0], |row| {
            let content = Content { chunks: row.get(0)?, terms: row.get(1)? };
            Ok((content, row.get::<_, Vec<u8>>(2)?))
        });
        let found = found.optional()?.filter(|(content, sum)| *sum == content_sum(content));
        Ok(found.map(|(content, _)| content))
    }

    /// The structure of a row's file; `None` if it is gone or its bytes are not those that
    /// were written.
    pub(crate) fn structure(&self, row: RowId) -> Result<Option<Structure>, IndexerError> {
        let sql = "SELECT entities, mentions, structure_checksum FROM content WHERE file = ?1";
        let mut statement = self.connection.prepare(sql)?;
        let found = statement.query_row([row.0], |row| {
            let structure = Structure { entities: row.get(0)?, mentions: row.get(1)? };
            Ok((structure, row.get::<_, Vec<u8>>(2)?))
        });
        let found = found.optional()?.filter(|(structure, sum)| *sum == structure_sum(structure));
        Ok(found.map(|(structure, _)| structure))
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
        analysed.hash.0.as_slice(),
        bytes,
        analysed.stamp.changed.0,
        analysed.class,
        analysed.language,
        analysed.lines,
        analysed.chunk_count,
    ])?;
    let row = RowId(connection.last_insert_rowid());
    let (content, structure) = (&analysed.content, &analysed.structure);
    let sql = "INSERT INTO content(file, checksum, chunks, terms, structure_checksum, \
               entities, mentions) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    connection.prepare(sql)?.execute(params![
        row.0,
        content_sum(content),
        content.chunks,
        content.terms,
        structure_sum(structure),
        structure.entities,
        structure.mentions,
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
        hash: ContentHash(row.get(4)?),
        chunks: row.get(5)?,
    })
}

fn content_sum(content: &Content) -> Vec<u8> {
    checksum(&[&content.chunks, &content.terms])
}

fn structure_sum(structure: &Structure) -> Vec<u8> {
    checksum(&[&structure.entities, &structure.mentions])
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

/// Opens the file, and makes its tables where it has none; `None` if it is of another version.
fn connect(path: &Path) -> Result<Option<Connection>, IndexerError> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIME)?;
    // Rows are one to three thousand bytes: what is left of pages counts.
    connection.execute_batch("PRAGMA page_size = 1024")?;
    match connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())) {
        // Another process is about to set it.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {}
        other => other?,
    }
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let number = |sql: &str| transaction.query_row(sql, [], |row| row.get::<_, i64>(0));
    let version = number("PRAGMA user_version")?;
    let application = number("PRAGMA application_id")?;
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    match (version, application, tables) {
        (VERSION, APPLICATION, _) => {}
        (0, 0, 0) => transaction.execute_batch(&format!(
            "{TABLES} {} PRAGMA user_version = {VERSION}; PRAGMA application_id = {APPLICATION};",
            vector_store::TABLES
        ))?,
        _ => return Ok(None),
    }
    transaction.commit()?;
    Ok(Some(connection))
}

/// Where a store at `path` is put that is set aside.
fn aside(path: &Path) -> PathBuf {
    with(path, ".set-aside")
}

fn with(path: &Path, more: &str) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(more);
    PathBuf::from(name)
}

/// Moves the file and its log out of the way; one that was set aside before is replaced.
fn set_aside(path: &Path) -> std::io::Result<()> {
    for ending in ["", "-wal", "-shm"] {
        match fs::rename(with(path, ending), with(&aside(path), ending)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
