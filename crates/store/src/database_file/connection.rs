//! Connections to a database that other processes write at the same time.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::quarantine::with_suffix;

/// Opens or creates the file at `path` with a write-ahead log. Waits at most `busy_time` in total
/// while other processes lock the file. Runs `first` before anything else on an empty file, for
/// settings that SQLite accepts only before the first table exists. A file with tables is only
/// read, so that opening succeeds while another process writes.
///
/// # Errors
/// The error of SQLite.
pub fn connect(path: &Path, busy_time: Duration, first: &str) -> rusqlite::Result<Connection> {
    let begun = Instant::now();
    let connection = Connection::open(path)?;
    disable_replanning(&connection)?;
    connection.busy_timeout(busy_time)?;
    let tables = "SELECT count(*) FROM sqlite_schema";
    let tables: i64 = connection.query_row(tables, [], |row| row.get(0))?;
    if tables == 0 {
        connection.execute_batch(first)?;
    }
    connection.busy_timeout(busy_time.saturating_sub(begun.elapsed()))?;
    match connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())) {
        // Another process is about to set it.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {}
        other => other?,
    }
    connection.busy_timeout(busy_time.saturating_sub(begun.elapsed()))?;
    Ok(connection)
}

/// Opens the file at `path` for reading. Neither writes to it nor creates files beside it.
///
/// A concurrent write of another process may look like damage, unless its log exists already.
///
/// # Errors
/// The error of SQLite, also if there is no file.
pub fn connect_read_only(path: &Path, busy_time: Duration) -> rusqlite::Result<Connection> {
    let has_log = fs::metadata(with_suffix(path, "-wal")).is_ok_and(|log| log.len() > 0);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = if has_log && fs::metadata(with_suffix(path, "-shm")).is_ok() {
        Connection::open_with_flags(path, flags)?
    } else {
        // Without `immutable` SQLite creates the files of its log.
        let address = format!("file:{}?immutable=1", percent_encode_path(path));
        Connection::open_with_flags(address, flags | OpenFlags::SQLITE_OPEN_URI)?
    };
    disable_replanning(&connection)?;
    connection.busy_timeout(busy_time)?;
    Ok(connection)
}

/// Makes SQLite plan a statement once, when it is prepared. By default SQLite plans statements with
/// `max` again for every bound value, although it has no statistics here that could change the
/// plan.
fn disable_replanning(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

/// Returns `path` percent-encoded for a `file:` URI.
fn percent_encode_path(path: &Path) -> String {
    let mut address = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => {
                address.push(char::from(*byte));
            }
            other => address.push_str(&format!("%{other:02X}")),
        }
    }
    address
}

/// The owner of a database file, and the version of its tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseOwner {
    /// The file has no tables.
    Empty,
    /// The file belongs to the expected application.
    Own {
        /// The version of its tables.
        version: i64,
    },
    /// The file belongs to another program.
    Foreign,
}

impl DatabaseOwner {
    /// Calls [`DatabaseOwner::read`] in a transaction of its own. Returns `None` for a read-only
    /// file: the next write transaction reports the reason.
    ///
    /// # Errors
    /// The error of SQLite.
    pub fn read_if_writable(
        connection: &Connection,
        application: i64,
    ) -> rusqlite::Result<Option<Self>> {
        if connection.is_readonly("main")? {
            return Ok(None);
        }
        // The transaction makes a concurrent creation of the tables visible as a whole or not at
        // all.
        let snapshot = connection.unchecked_transaction()?;
        Self::read(&snapshot, application).map(Some)
    }

    /// Reads the owner of the file behind `connection`, compared with `application`. Call it within
    /// a transaction if another process may create the tables at the same time.
    ///
    /// # Errors
    /// The error of SQLite.
    pub fn read(connection: &Connection, application: i64) -> rusqlite::Result<Self> {
        let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        let version = number("PRAGMA user_version")?;
        let owner = number("PRAGMA application_id")?;
        let tables = number("SELECT count(*) FROM sqlite_schema")?;
        Ok(match (version, owner, tables) {
            (0, 0, 0) => Self::Empty,
            _ if owner == application => Self::Own { version },
            _ => Self::Foreign,
        })
    }

    /// Records `application` as the owner of the file and `version` as the version of its tables.
    ///
    /// # Errors
    /// The error of SQLite.
    pub fn write(connection: &Connection, application: i64, version: i64) -> rusqlite::Result<()> {
        connection.execute_batch(&format!(
            "PRAGMA user_version = {version}; PRAGMA application_id = {application}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;

    #[test]
    fn a_statement_is_planned_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("numbers");
        let written = connect(&path, Duration::ZERO, "").expect("a connection");
        written.execute_batch("CREATE TABLE number(of INTEGER, is_ INTEGER)").expect("a table");
        let read = connect_read_only(&path, Duration::ZERO).expect("a connection");
        for connection in [written, read] {
            let greatest = "SELECT max(is_) FROM number WHERE of = ?1";
            let mut greatest = connection.prepare(greatest).expect("a statement");
            for of in 0..4 {
                let found: Option<i64> =
                    greatest.query_row([of], |row| row.get(0)).expect("an answer");
                assert_eq!(found, None);
            }
            assert_eq!(greatest.get_status(StatementStatus::RePrepare), 0);
        }
    }
}
