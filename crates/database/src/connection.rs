//! A connection that other processes write beside.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::aside::with;

/// Opens the file at `path`, or makes it, with a write-ahead log. Other processes may hold it for
/// `busy_time` in all before this one gives up. `first` is carried out before anything else where
/// the file is empty: settings that only a file without tables takes. One that has tables is only
/// read, so that it opens also while another process writes.
///
/// # Errors
/// What SQLite says.
pub fn connect(path: &Path, busy_time: Duration, first: &str) -> rusqlite::Result<Connection> {
    let begun = Instant::now();
    let connection = Connection::open(path)?;
    plan_once(&connection)?;
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

/// Opens the file at `path` to read it, and neither writes it nor makes a file beside it.
///
/// What another process writes meanwhile may look like damage, unless its log is there already.
///
/// # Errors
/// What SQLite says; also if there is no file.
pub fn connect_read_only(path: &Path, busy_time: Duration) -> rusqlite::Result<Connection> {
    let has_log = fs::metadata(with(path, "-wal")).is_ok_and(|log| log.len() > 0);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = if has_log && fs::metadata(with(path, "-shm")).is_ok() {
        Connection::open_with_flags(path, flags)?
    } else {
        // Without this SQLite makes the files of its log.
        let address = format!("file:{}?immutable=1", escaped(path));
        Connection::open_with_flags(address, flags | OpenFlags::SQLITE_OPEN_URI)?
    };
    plan_once(&connection)?;
    connection.busy_timeout(busy_time)?;
    Ok(connection)
}

/// Has a statement planned when it is prepared, and never again for what is bound to it. Otherwise
/// SQLite plans those that ask for a greatest value anew each time that they are used, though
/// nothing is known of the values here by which it could choose another way.
fn plan_once(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

/// A path as it is written in an address.
fn escaped(path: &Path) -> String {
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

/// Whose file it is, and in which version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    /// Nobody's: it has no tables.
    Empty,
    /// That of the application that was asked for, in this version.
    Own {
        /// The version of its tables.
        version: i64,
    },
    /// Another program's.
    Foreign,
}

impl Marks {
    /// The same as [`Marks::of`], outside of a transaction, where the file can be written.
    /// `None` where it cannot: a transaction that writes says why.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn of_writable(
        connection: &Connection,
        application: i64,
    ) -> rusqlite::Result<Option<Self>> {
        if connection.is_readonly("main")? {
            return Ok(None);
        }
        // What another process makes meanwhile is seen whole or not at all.
        let snapshot = connection.unchecked_transaction()?;
        Self::of(&snapshot, application).map(Some)
    }

    /// Reads what the file behind `connection` is to `application`; within a transaction, if
    /// others may make its tables meanwhile.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn of(connection: &Connection, application: i64) -> rusqlite::Result<Self> {
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

    /// Marks the file as that of `application` in `version`.
    ///
    /// # Errors
    /// What SQLite says.
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
