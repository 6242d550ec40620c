//! The tables, and the replacement of tables of another version.

use std::path::Path;
use std::time::Duration;

use foveal_store::database_file::DatabaseOwner;
use rusqlite::{Connection, TransactionBehavior, params};

use super::settings::{read_settings, write_missing_settings};
use crate::error::IndexError;

/// The version of the tables and of the encodings in them. A store of another version is rebuilt.
pub(super) const VERSION: i64 = 7;

/// The application id of an index: `fovl`.
pub(super) const APPLICATION_ID: i64 = 0x666f_766c;

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
    chunks INTEGER NOT NULL,
    checksum BLOB NOT NULL
);
CREATE TABLE read_file(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE
);
CREATE TABLE content(
    file INTEGER PRIMARY KEY REFERENCES file(id) ON DELETE CASCADE,
    checksum BLOB NOT NULL,
    chunks BLOB NOT NULL,
    terms BLOB NOT NULL,
    symbols_checksum BLOB NOT NULL,
    symbols BLOB NOT NULL
);";

/// The tables of vectors and model summaries. They are separate from `file` because they can be
/// written later than the words of a file. Summaries are keyed by the content hash.
const VECTOR_TABLES: &str = "
CREATE TABLE model(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    identity TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL,
    probe BLOB NOT NULL
);
CREATE TABLE vectors(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    file INTEGER NOT NULL REFERENCES file(id) ON DELETE CASCADE,
    model INTEGER NOT NULL,
    checksum BLOB NOT NULL,
    bytes BLOB NOT NULL,
    UNIQUE(file, model)
);
CREATE TABLE said(
    hash BLOB NOT NULL,
    model TEXT NOT NULL,
    checksum BLOB NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY(hash, model)
);
CREATE TABLE setting(name TEXT PRIMARY KEY, value TEXT NOT NULL);";

/// The kind of a file when it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IndexFileKind {
    /// A store of this version, or an empty file.
    Store,
    /// A store of another version, whose tables were replaced.
    Other,
    /// A file of another program, unchanged.
    Foreign,
}

/// Opens the file, and creates its tables if it has none or those of another version. Waits at most
/// `wait` for other processes that lock it, now and at each later call.
pub(super) fn connect_and_prepare(
    path: &Path,
    wait: Duration,
) -> Result<(Connection, IndexFileKind), IndexError> {
    // Rows have one to three thousand bytes, so the unused rest of a page matters.
    let mut connection =
        foveal_store::database_file::connect(path, wait, "PRAGMA page_size = 1024")?;
    let was = prepare_tables(&mut connection)?;
    connection.busy_timeout(wait)?;
    Ok((connection, was))
}

/// Creates the tables if there are none or those of another version. Writes nothing if the version
/// is right: another process may be writing.
pub(super) fn prepare_tables(connection: &mut Connection) -> Result<IndexFileKind, IndexError> {
    connection.execute_batch("PRAGMA synchronous = NORMAL")?;
    let marks = DatabaseOwner::read_if_writable(connection, APPLICATION_ID)?;
    if marks == Some(DatabaseOwner::Own { version: VERSION }) {
        connection.execute_batch("PRAGMA foreign_keys = ON")?;
        return Ok(IndexFileKind::Store);
    }
    // Without foreign keys the tables can be dropped in any order. Other versions stored texts with
    // their secrets, so deleted data is overwritten.
    connection.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA secure_delete = ON")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let was = match DatabaseOwner::read(&transaction, APPLICATION_ID)? {
        DatabaseOwner::Own { version: VERSION } => IndexFileKind::Store,
        DatabaseOwner::Empty => {
            create_tables(&transaction)?;
            IndexFileKind::Store
        }
        DatabaseOwner::Own { .. } => {
            recreate_tables(&transaction)?;
            IndexFileKind::Other
        }
        DatabaseOwner::Foreign => IndexFileKind::Foreign,
    };
    transaction.commit()?;
    if was == IndexFileKind::Other {
        // The log is truncated as soon as no process reads it.
        drop(connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)"));
    }
    connection.execute_batch("PRAGMA foreign_keys = ON; PRAGMA secure_delete = OFF")?;
    Ok(was)
}

/// Replaces the tables of another version. Keeps the user's choices and never reuses a row number.
fn recreate_tables(connection: &Connection) -> Result<(), IndexError> {
    let settings = read_settings(connection);
    // If it cannot be read, no number was given.
    let sql = "SELECT max(seq) FROM sqlite_sequence";
    let last: i64 = connection.query_row(sql, [], |row| row.get(0)).unwrap_or_default();
    drop_tables(connection)?;
    create_tables(connection)?;
    write_missing_settings(connection, &settings)?;
    for table in ["file", "model", "vectors"] {
        let sql = "INSERT INTO sqlite_sequence(name, seq) VALUES (?1, ?2)";
        connection.execute(sql, params![table, last])?;
    }
    Ok(())
}

fn create_tables(connection: &Connection) -> Result<(), IndexError> {
    connection.execute_batch(&format!("{TABLES} {VECTOR_TABLES}"))?;
    Ok(DatabaseOwner::write(connection, APPLICATION_ID, VERSION)?)
}

/// Drops every table and view that another version may have created.
fn drop_tables(connection: &Connection) -> Result<(), IndexError> {
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
