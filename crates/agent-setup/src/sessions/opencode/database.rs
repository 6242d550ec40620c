//! Reads opencode's database: SQLite with the tables `session`, `message` and `part`, or in newer
//! versions `session_v2` and `session_message`, whose column `data` is JSON. foveal never writes to
//! the database or beside it.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use foveal_protocols::problem::ProblemKind;
use foveal_transcript::RecordedSession;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, Row};
use serde_json::{Value, json};

use super::document::{OpencodeDocument, OpencodeMessage};
use crate::sessions::error::{LoadError, LoadResult};

/// The first bytes of every SQLite file.
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// The header's offset of the write version, and the value for a write-ahead log.
const WRITE_VERSION_OFFSET: usize = 18;
const WRITE_AHEAD: u8 = 2;

/// The time to wait for a program that is writing.
const BUSY_TIMEOUT: Duration = Duration::from_secs(1);

/// Returns whether the file at `path` is a database.
pub(super) fn is_database(path: &Path) -> bool {
    read_header(path).is_some_and(|head| head.starts_with(SQLITE_MAGIC))
}

fn read_header(path: &Path) -> Option<[u8; 20]> {
    // Reading a named pipe would consume its data.
    if !fs::metadata(path).is_ok_and(|data| data.is_file()) {
        return None;
    }
    let mut head = [0; 20];
    File::open(path).and_then(|mut file| file.read_exact(&mut head)).ok()?;
    Some(head)
}

/// The tables of one version for sessions and for messages.
struct TableNames {
    sessions: &'static str,
    messages: &'static str,
}

/// The tables of each version, the newest first. A database that was migrated from an older version
/// may have a session in the tables of both.
const TABLES: [TableNames; 3] = [
    TableNames { sessions: "session_v2", messages: RECORDS },
    TableNames { sessions: "session", messages: RECORDS },
    TableNames { sessions: "session", messages: "message" },
];

/// The table with one JSON record for each message.
const RECORDS: &str = "session_message";

/// Returns the tables that exist. If none do, it returns those of the first version, so that the
/// error of a query names the missing table.
fn existing_tables(database: &Connection) -> rusqlite::Result<Vec<&'static TableNames>> {
    let mut names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'")?;
    let names: HashSet<String> =
        names.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let is_there =
        |tables: &&TableNames| names.contains(tables.sessions) && names.contains(tables.messages);
    let found: Vec<_> = TABLES.iter().filter(is_there).collect();
    Ok(if found.is_empty() { vec![&TABLES[TABLES.len() - 1]] } else { found })
}

impl TableNames {
    /// Returns a query for the sessions that have messages.
    fn select_sessions(&self, columns: &str) -> String {
        let Self { sessions, messages } = self;
        format!(
            "SELECT {columns} FROM {sessions} WHERE EXISTS \
             (SELECT 1 FROM {messages} WHERE {messages}.session_id = {sessions}.id)"
        )
    }
}

/// Returns the ids of the sessions that have messages, oldest first.
///
/// # Errors
/// If the database cannot be read.
pub(super) fn session_ids(path: &Path) -> Result<Vec<String>, LoadError> {
    let listed = || -> rusqlite::Result<Vec<String>> {
        let database = open_read_only(path)?;
        let tables = existing_tables(&database)?;
        let all: Vec<_> =
            tables.iter().map(|one| one.select_sessions("id, time_created")).collect();
        let all = all.join(" UNION ALL ");
        let text = format!("SELECT id FROM ({all}) GROUP BY id ORDER BY min(time_created), id");
        database.prepare(&text)?.query_map([], |row| row.get(0))?.collect()
    };
    listed().map_err(|error| to_load_error(path, error))
}

/// Loads the session `id`, or all sessions.
///
/// # Errors
/// If the database cannot be read, or has no readable session.
pub(super) fn load_from_database(
    path: &Path,
    id: Option<&str>,
    sink: &mut dyn FnMut(RecordedSession),
) -> LoadResult {
    let ids = match id {
        Some(id) => vec![id.to_owned()],
        None => session_ids(path)?,
    };
    if ids.is_empty() {
        return Err(LoadError::NoMessages { path: path.to_owned() });
    }
    let mut problems = Vec::new();
    for id in &ids {
        let document = build_document(path, id).map_err(|error| to_load_error(path, error))?;
        problems.extend(document.parse_session(path, sink)?);
    }
    Ok(problems)
}

fn build_document(path: &Path, id: &str) -> rusqlite::Result<OpencodeDocument> {
    let database = open_read_only(path)?;
    let describe = |row: &Row<'_>| -> rusqlite::Result<_> {
        let (parent, directory): (Option<String>, Option<String>) = (row.get(0)?, row.get(1)?);
        Ok(json!({"id": id, "parentID": parent, "directory": directory}))
    };
    let mut found = None;
    for tables in existing_tables(&database)? {
        let text = tables.select_sessions("parent_id, directory") + " AND id = ?1";
        let info = database.query_row(&text, [id], describe).optional()?;
        if let Some(info) = info {
            found = Some((tables.messages, info));
            break;
        }
    }
    let (messages, info) = found.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let name = format!("{}, session {id}", path.display());
    let mut document = OpencodeDocument::new(&name, info.to_string().into_bytes());
    match messages {
        RECORDS => add_records(&database, path, id, &mut document)?,
        _ => add_messages(&database, path, id, &mut document)?,
    }
    Ok(document)
}

/// Adds messages whose parts are rows of a table of their own.
fn add_messages(
    database: &Connection,
    path: &Path,
    id: &str,
    document: &mut OpencodeDocument,
) -> rusqlite::Result<()> {
    let name = |kind: &str, id: &str| format!("{}, {kind} {id}", path.display());
    let mut messages = database
        .prepare("SELECT id, data FROM message WHERE session_id = ?1 ORDER BY time_created, id")?;
    let mut parts =
        database.prepare("SELECT id, data FROM part WHERE message_id = ?1 ORDER BY id")?;
    let mut rows = messages.query([id])?;
    while let Some(row) = rows.next()? {
        let message: String = row.get(0)?;
        let name_of_message = name("message", &message);
        let Some(info) = row_json(document, &name_of_message, row)? else { continue };
        let mut texts = Vec::new();
        let mut rows = parts.query([&message])?;
        while let Some(row) = rows.next()? {
            let part: String = row.get(0)?;
            texts.extend(row_json(document, &name("part", &part), row)?);
        }
        if document.push_message(&name_of_message, &OpencodeMessage::new(info, texts)).is_none() {
            break;
        }
    }
    Ok(())
}

/// Adds messages that are one record each, with their type in a column.
fn add_records(
    database: &Connection,
    path: &Path,
    id: &str,
    document: &mut OpencodeDocument,
) -> rusqlite::Result<()> {
    let text =
        format!("SELECT id, data, type FROM {RECORDS} WHERE session_id = ?1 ORDER BY seq, id");
    let mut records = database.prepare(&text)?;
    let mut rows = records.query([id])?;
    while let Some(row) = rows.next()? {
        let name = format!("{}, message {}", path.display(), row.get::<_, String>(0)?);
        let Some(text) = row_json(document, &name, row)? else { continue };
        let Ok(Value::Object(mut record)) = serde_json::from_str(&text) else {
            document.add_problem(&name, ProblemKind::NotARecord);
            continue;
        };
        record.insert("type".to_owned(), Value::String(row.get(2)?));
        if document.push_record(&name, &Value::Object(record).to_string()).is_none() {
            break;
        }
    }
    Ok(())
}

/// Returns the JSON in a row's second column.
fn row_json(
    document: &mut OpencodeDocument,
    name: &str,
    row: &Row<'_>,
) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(1)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            document.validate_json(name, bytes.to_vec())
        }
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => {
            document.add_problem(name, ProblemKind::NotARecord);
            None
        }
    })
}

/// Opens the database read-only. SQLite would create a missing write-ahead log even for a reader;
/// without a log no program is writing, and the file is opened as immutable.
fn open_read_only(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = match immutable_uri(path) {
        Some(address) => Connection::open_with_flags(address, flags | OpenFlags::SQLITE_OPEN_URI)?,
        None => Connection::open_with_flags(path, flags)?,
    };
    database.busy_timeout(BUSY_TIMEOUT)?;
    Ok(database)
}

/// Returns the URI under which SQLite neither locks the file nor creates a log, if the file uses a
/// write-ahead log and none exists.
fn immutable_uri(path: &Path) -> Option<String> {
    let by_log = read_header(path).is_some_and(|head| head[WRITE_VERSION_OFFSET] == WRITE_AHEAD);
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let absolute = std::path::absolute(path).ok()?;
    // File URIs have other rules on systems with drive letters.
    if !by_log || PathBuf::from(log).exists() || !cfg!(unix) {
        return None;
    }
    let mut address = "file://".to_owned();
    for &byte in path_bytes(&absolute)? {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                address.push(char::from(byte));
            }
            other => address += &format!("%{other:02X}"),
        }
    }
    Some(address + "?immutable=1")
}

/// Returns the path as the system stores it, which need not be UTF-8.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there may be none")]
fn path_bytes(path: &Path) -> Option<&[u8]> {
    use std::os::unix::ffi::OsStrExt as _;
    Some(path.as_os_str().as_bytes())
}

#[cfg(not(unix))]
fn path_bytes(path: &Path) -> Option<&[u8]> {
    path.to_str().map(str::as_bytes)
}

fn to_load_error(path: &Path, why: rusqlite::Error) -> LoadError {
    let path = path.to_owned();
    match why.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => LoadError::Locked { path },
        // A table or column is missing, or has another type.
        Some(ErrorCode::Unknown) | None => LoadError::UnknownDatabase { path, why },
        Some(_) => LoadError::BrokenDatabase { path, why },
    }
}
