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

use foveal_index::embed::ModelId;
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};

use crate::analysis::{Analysed, Content, ContentHash};
use crate::error::IndexerError;
use crate::indexer::Size;
use crate::structure::Structure;
use crate::walk::{Changed, Stamp};

/// The form of the tables and of the bytes in them; another one is rebuilt.
pub(crate) const VERSION: i64 = 1;

/// `fovl`: says whose file it is.
const APPLICATION: i64 = 0x666f_766c;

/// How long another process may write before this one gives up.
const BUSY_TIME: Duration = Duration::from_secs(20);

const TABLES: &str = "
CREATE TABLE model(id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE);
CREATE TABLE file(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    hash BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    class TEXT NOT NULL,
    language TEXT,
    lines INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    model INTEGER REFERENCES model(id)
);
CREATE TABLE content(
    file INTEGER PRIMARY KEY REFERENCES file(id) ON DELETE CASCADE,
    checksum BLOB NOT NULL,
    chunks BLOB NOT NULL,
    terms BLOB NOT NULL,
    vectors BLOB,
    structure_checksum BLOB NOT NULL,
    entities BLOB NOT NULL,
    mentions BLOB NOT NULL
);";

/// The number of a row. A file that is indexed again gets another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RowId(i64);

/// The number of a model in one store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ModelNumber(i64);

/// What is known of a file without loading it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    pub(crate) row: RowId,
    pub(crate) stamp: Stamp,
    pub(crate) hash: ContentHash,
    pub(crate) model: Option<ModelNumber>,
    pub(crate) chunks: u32,
}

/// An open store.
pub(crate) struct Store {
    connection: Connection,
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
            Some(connection) => Ok((Self { connection, path: path.to_owned() }, true)),
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
        Ok(())
    }

    /// The number of `model` here.
    pub(crate) fn model(&self, model: &ModelId) -> Result<ModelNumber, IndexerError> {
        let insert = "INSERT INTO model(identity) VALUES (?1) ON CONFLICT DO NOTHING";
        let find = "SELECT id FROM model WHERE identity = ?1";
        let find =
            || self.connection.query_row(find, [model.as_str()], |row| row.get(0)).optional();
        if let Some(number) = find()? {
            return Ok(ModelNumber(number));
        }
        self.connection.execute(insert, [model.as_str()])?;
        Ok(ModelNumber(find()?.unwrap_or_default()))
    }

    /// All files by path.
    pub(crate) fn known(&self) -> Result<HashMap<String, Known>, IndexerError> {
        let sql = "SELECT path, id, bytes, changed, hash, model, chunks FROM file";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, known(row)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What is known of the file at `path`.
    pub(crate) fn known_file(&self, path: &str) -> Result<Option<Known>, IndexerError> {
        let sql = "SELECT path, id, bytes, changed, hash, model, chunks FROM file WHERE path = ?1";
        let mut statement = self.connection.prepare(sql)?;
        Ok(statement.query_row([path], known).optional()?)
    }

    /// The rows that there are, by path, each with the number of its parts.
    pub(crate) fn rows(&self) -> Result<Vec<(RowId, String, usize)>, IndexerError> {
        let sql = "SELECT id, path, chunks FROM file ORDER BY path";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| {
            let chunks: u32 = row.get(2)?;
            Ok((RowId(row.get(0)?), row.get(1)?, chunks as usize))
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

    /// What is stored of a row, with the model of its vectors; `None` if it is gone or its
    /// bytes are not those that were written.
    pub(crate) fn content(
        &self,
        row: RowId,
    ) -> Result<Option<(Content, Option<ModelNumber>)>, IndexerError> {
        let sql = "SELECT c.chunks, c.terms, c.vectors, c.checksum, f.model \
                   FROM content c JOIN file f ON f.id = c.file WHERE c.file = ?1";
        let mut statement = self.connection.prepare(sql)?;
        let found = statement.query_row([row.0], |row| {
            let content = Content { chunks: row.get(0)?, terms: row.get(1)?, vectors: row.get(2)? };
            Ok((content, row.get::<_, Vec<u8>>(3)?, row.get::<_, Option<i64>>(4)?))
        });
        let found = found.optional()?.filter(|(content, sum, _)| *sum == content_sum(content));
        Ok(found.map(|(content, _, model)| (content, model.map(ModelNumber))))
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
    Put { path: String, analysed: Box<Analysed>, model: Option<ModelNumber> },
    /// The file of this row has another stamp and the same content.
    Stamp { row: RowId, stamp: Stamp },
    /// There is no such file.
    Remove { path: String },
    /// This row is not to be trusted.
    Forget { row: RowId },
}

impl Change {
    /// The file it is about, where it names one.
    pub(crate) fn path(&self) -> Option<&str> {
        match self {
            Self::Put { path, .. } | Self::Remove { path } => Some(path),
            Self::Stamp { .. } | Self::Forget { .. } => None,
        }
    }

    fn carry_out(&self, connection: &Connection) -> Result<(), IndexerError> {
        match self {
            Self::Put { path, analysed, model } => put(connection, path, analysed, *model)?,
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
        }
        Ok(())
    }
}

fn put(
    connection: &Connection,
    path: &str,
    analysed: &Analysed,
    model: Option<ModelNumber>,
) -> Result<(), IndexerError> {
    connection.prepare("DELETE FROM file WHERE path = ?1")?.execute([path])?;
    let sql = "INSERT INTO file(path, hash, bytes, changed, class, language, lines, chunks, model) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
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
        model.map(|model| model.0),
    ])?;
    let (content, structure) = (&analysed.content, &analysed.structure);
    let sql = "INSERT INTO content(file, checksum, chunks, terms, vectors, structure_checksum, \
               entities, mentions) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    connection.prepare(sql)?.execute(params![
        connection.last_insert_rowid(),
        content_sum(content),
        content.chunks,
        content.terms,
        content.vectors,
        structure_sum(structure),
        structure.entities,
        structure.mentions,
    ])?;
    Ok(())
}

fn known(row: &rusqlite::Row<'_>) -> rusqlite::Result<Known> {
    let bytes: i64 = row.get(2)?;
    let stamp = Stamp { bytes: bytes.unsigned_abs(), changed: Changed(row.get(3)?) };
    let model: Option<i64> = row.get(5)?;
    Ok(Known {
        row: RowId(row.get(1)?),
        stamp,
        hash: ContentHash(row.get(4)?),
        model: model.map(ModelNumber),
        chunks: row.get(6)?,
    })
}

fn content_sum(content: &Content) -> Vec<u8> {
    checksum(&[&content.chunks, &content.terms, content.vectors.as_deref().unwrap_or_default()])
}

fn structure_sum(structure: &Structure) -> Vec<u8> {
    checksum(&[&structure.entities, &structure.mentions])
}

/// Eight bytes by which damage is seen that SQLite does not see.
fn checksum(parts: &[&[u8]]) -> Vec<u8> {
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
    // Rows are a few thousand bytes: what is left of their last page counts.
    connection.execute_batch("PRAGMA page_size = 2048")?;
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
            "{TABLES} PRAGMA user_version = {VERSION}; PRAGMA application_id = {APPLICATION};"
        ))?,
        _ => return Ok(None),
    }
    transaction.commit()?;
    Ok(Some(connection))
}

/// Moves the file and its log out of the way; one that was set aside before is replaced.
fn set_aside(path: &Path) -> std::io::Result<()> {
    for ending in ["", "-wal", "-shm"] {
        let with = |more: &str| {
            let mut name = OsString::from(path.as_os_str());
            name.push(more);
            PathBuf::from(name)
        };
        match fs::rename(with(ending), with(&format!(".set-aside{ending}"))) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
