//! The tables, and what is done with those of another version.

use std::path::Path;
use std::time::Duration;

use foveal_database::Marks;
use rusqlite::{Connection, TransactionBehavior, params};

use super::settings::{put_settings, settings};
use crate::error::IndexError;

/// The form of the tables and of the bytes in them; another one is rebuilt.
pub(super) const VERSION: i64 = 6;

/// `fovl`: says whose file it is.
pub(super) const APPLICATION: i64 = 0x666f_766c;

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
CREATE TABLE content(
    file INTEGER PRIMARY KEY REFERENCES file(id) ON DELETE CASCADE,
    checksum BLOB NOT NULL,
    chunks BLOB NOT NULL,
    terms BLOB NOT NULL,
    symbols_checksum BLOB NOT NULL,
    symbols BLOB NOT NULL
);";

/// Vectors come later than the words of a file where a model takes long: they have a table apart. So
/// does what a model says of a file, by what that holds.
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

/// What a file was when it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Was {
    /// A store of this version, or nothing.
    Store,
    /// A store of another version, which it is no more.
    Other,
    /// Another program's, which it still is.
    Foreign,
}

/// Opens the file, and makes its tables where it has none or those of another version. Others that
/// hold it are waited for no longer than `wait`, then and each time later.
pub(super) fn connect(path: &Path, wait: Duration) -> Result<(Connection, Was), IndexError> {
    // Rows are one to three thousand bytes: what is left of pages counts.
    let mut connection = foveal_database::connect(path, wait, "PRAGMA page_size = 1024")?;
    let was = prepare(&mut connection)?;
    connection.busy_timeout(wait)?;
    Ok((connection, was))
}

/// Makes the tables where there are none, or those of another version. Where there are those of
/// this one, nothing is written: another process may write meanwhile.
pub(super) fn prepare(connection: &mut Connection) -> Result<Was, IndexError> {
    connection.execute_batch("PRAGMA synchronous = NORMAL")?;
    let marks = Marks::of_writable(connection, APPLICATION)?;
    if marks == Some(Marks::Own { version: VERSION }) {
        connection.execute_batch("PRAGMA foreign_keys = ON")?;
        return Ok(Was::Store);
    }
    // Without keys to other tables, these go in any order.
    // Other versions kept texts with their secrets: what is removed is overwritten.
    connection.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA secure_delete = ON")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let was = match Marks::of(&transaction, APPLICATION)? {
        Marks::Own { version: VERSION } => Was::Store,
        Marks::Empty => {
            make_tables(&transaction)?;
            Was::Store
        }
        Marks::Own { .. } => {
            remake_tables(&transaction)?;
            Was::Other
        }
        Marks::Foreign => Was::Foreign,
    };
    transaction.commit()?;
    if was == Was::Other {
        // What is in the log goes as soon as nobody reads it.
        drop(connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)"));
    }
    connection.execute_batch("PRAGMA foreign_keys = ON; PRAGMA secure_delete = OFF")?;
    Ok(was)
}

/// Replaces the tables of another version. What a user chose stays, and no number is given
/// again.
fn remake_tables(connection: &Connection) -> Result<(), IndexError> {
    let settings = settings(connection);
    // Where it cannot be read no number was given.
    let sql = "SELECT max(seq) FROM sqlite_sequence";
    let last: i64 = connection.query_row(sql, [], |row| row.get(0)).unwrap_or_default();
    drop_tables(connection)?;
    make_tables(connection)?;
    put_settings(connection, &settings)?;
    for table in ["file", "model", "vectors"] {
        let sql = "INSERT INTO sqlite_sequence(name, seq) VALUES (?1, ?2)";
        connection.execute(sql, params![table, last])?;
    }
    Ok(())
}

fn make_tables(connection: &Connection) -> Result<(), IndexError> {
    connection.execute_batch(&format!("{TABLES} {VECTOR_TABLES}"))?;
    Ok(Marks::write(connection, APPLICATION, VERSION)?)
}

/// Removes all that another version may have made.
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
