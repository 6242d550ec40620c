//! opencode's database: SQLite with the tables `session`, `message` and `part`, or in newer
//! versions `session_v2` and `session_message`, whose column `data` is JSON. Nothing is ever
//! written beside it or to it.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use foveal_transcript::Session;
use foveal_wire::ProblemKind;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, Row};
use serde_json::{Value, json};

use super::document::{Document, Message};
use crate::sessions::error::{LoadError, Loaded};

/// What every SQLite file starts with.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Where the header says how changes are written, and the value for a write-ahead log.
const WRITE_VERSION_AT: usize = 18;
const WRITE_AHEAD: u8 = 2;

/// How long to wait for a program that is writing.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether the file at `path` is a database.
pub(super) fn is_one(path: &Path) -> bool {
    header(path).is_some_and(|head| head.starts_with(MAGIC))
}

fn header(path: &Path) -> Option<[u8; 20]> {
    // What is read from a pipe would be gone.
    if !fs::metadata(path).is_ok_and(|data| data.is_file()) {
        return None;
    }
    let mut head = [0; 20];
    File::open(path).and_then(|mut file| file.read_exact(&mut head)).ok()?;
    Some(head)
}

/// Tables that sessions and their messages stand in.
struct Tables {
    sessions: &'static str,
    messages: &'static str,
}

/// Those of each version, the newest first: a database that was taken over by a newer version
/// may have a session in the tables of both.
const TABLES: [Tables; 3] = [
    Tables { sessions: "session_v2", messages: RECORDS },
    Tables { sessions: "session", messages: RECORDS },
    Tables { sessions: "session", messages: "message" },
];

/// The table whose rows are messages as one record each.
const RECORDS: &str = "session_message";

/// The tables that are there; those of the first versions where none is, so that what is asked
/// of them says what is missing.
fn tables(database: &Connection) -> rusqlite::Result<Vec<&'static Tables>> {
    let mut names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'")?;
    let names: HashSet<String> =
        names.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let is_there =
        |tables: &&Tables| names.contains(tables.sessions) && names.contains(tables.messages);
    let found: Vec<_> = TABLES.iter().filter(is_there).collect();
    Ok(if found.is_empty() { vec![&TABLES[TABLES.len() - 1]] } else { found })
}

impl Tables {
    /// Selects the sessions that have messages.
    fn select(&self, columns: &str) -> String {
        let Self { sessions, messages } = self;
        format!(
            "SELECT {columns} FROM {sessions} WHERE EXISTS \
             (SELECT 1 FROM {messages} WHERE {messages}.session_id = {sessions}.id)"
        )
    }
}

/// The ids of the sessions that have messages, oldest first.
///
/// # Errors
/// If the database cannot be read.
pub(super) fn sessions(path: &Path) -> Result<Vec<String>, LoadError> {
    let listed = || -> rusqlite::Result<Vec<String>> {
        let database = open(path)?;
        let tables = tables(&database)?;
        let all: Vec<_> = tables.iter().map(|one| one.select("id, time_created")).collect();
        let all = all.join(" UNION ALL ");
        let text = format!("SELECT id FROM ({all}) GROUP BY id ORDER BY min(time_created), id");
        database.prepare(&text)?.query_map([], |row| row.get(0))?.collect()
    };
    listed().map_err(|error| explain(path, error))
}

/// Reads the session called `id`, or all.
///
/// # Errors
/// If the database cannot be read, or has no session that could be.
pub(super) fn load(path: &Path, id: Option<&str>, sink: &mut dyn FnMut(Session)) -> Loaded {
    let ids = match id {
        Some(id) => vec![id.to_owned()],
        None => sessions(path)?,
    };
    if ids.is_empty() {
        return Err(LoadError::NoMessages { path: path.to_owned() });
    }
    let mut problems = Vec::new();
    for id in &ids {
        let document = document(path, id).map_err(|error| explain(path, error))?;
        problems.extend(document.read(path, sink)?);
    }
    Ok(problems)
}

fn document(path: &Path, id: &str) -> rusqlite::Result<Document> {
    let database = open(path)?;
    let describe = |row: &Row<'_>| -> rusqlite::Result<_> {
        let (parent, directory): (Option<String>, Option<String>) = (row.get(0)?, row.get(1)?);
        Ok(json!({"id": id, "parentID": parent, "directory": directory}))
    };
    let mut found = None;
    for tables in tables(&database)? {
        let text = tables.select("parent_id, directory") + " AND id = ?1";
        let info = database.query_row(&text, [id], describe).optional()?;
        if let Some(info) = info {
            found = Some((tables.messages, info));
            break;
        }
    }
    let (messages, info) = found.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let name = format!("{}, session {id}", path.display());
    let mut document = Document::new(&name, info.to_string().into_bytes());
    match messages {
        RECORDS => add_records(&database, path, id, &mut document)?,
        _ => add_messages(&database, path, id, &mut document)?,
    }
    Ok(document)
}

/// Adds messages whose parts stand in a table of their own.
fn add_messages(
    database: &Connection,
    path: &Path,
    id: &str,
    document: &mut Document,
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
        let Some(info) = data(document, &name_of_message, row)? else { continue };
        let mut texts = Vec::new();
        let mut rows = parts.query([&message])?;
        while let Some(row) = rows.next()? {
            let part: String = row.get(0)?;
            texts.extend(data(document, &name("part", &part), row)?);
        }
        if document.push(&name_of_message, &Message::new(info, texts)).is_none() {
            break;
        }
    }
    Ok(())
}

/// Adds messages that are one record each; their type stands in a column.
fn add_records(
    database: &Connection,
    path: &Path,
    id: &str,
    document: &mut Document,
) -> rusqlite::Result<()> {
    let text =
        format!("SELECT id, data, type FROM {RECORDS} WHERE session_id = ?1 ORDER BY seq, id");
    let mut records = database.prepare(&text)?;
    let mut rows = records.query([id])?;
    while let Some(row) = rows.next()? {
        let name = format!("{}, message {}", path.display(), row.get::<_, String>(0)?);
        let Some(text) = data(document, &name, row)? else { continue };
        let Ok(Value::Object(mut record)) = serde_json::from_str(&text) else {
            document.problem(&name, ProblemKind::NotARecord);
            continue;
        };
        record.insert("type".to_owned(), Value::String(row.get(2)?));
        if document.push_record(&name, &Value::Object(record).to_string()).is_none() {
            break;
        }
    }
    Ok(())
}

/// The JSON in a row's second column.
fn data(document: &mut Document, name: &str, row: &Row<'_>) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(1)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => document.json(name, bytes.to_vec()),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => {
            document.problem(name, ProblemKind::NotARecord);
            None
        }
    })
}

/// Opens the database to read. Where it is written to through a log beside it, reading
/// makes that log anew if it is not there; then nobody writes, and it is read as it stands.
fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = match as_it_stands(path) {
        Some(address) => Connection::open_with_flags(address, flags | OpenFlags::SQLITE_OPEN_URI)?,
        None => Connection::open_with_flags(path, flags)?,
    };
    database.busy_timeout(PATIENCE)?;
    Ok(database)
}

/// The address under which SQLite neither locks the file nor looks for a log, if there is
/// a log to be kept from making.
fn as_it_stands(path: &Path) -> Option<String> {
    let by_log = header(path).is_some_and(|head| head[WRITE_VERSION_AT] == WRITE_AHEAD);
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let absolute = std::path::absolute(path).ok()?;
    // Addresses have other rules where paths have drives.
    if !by_log || PathBuf::from(log).exists() || !cfg!(unix) {
        return None;
    }
    let mut address = "file://".to_owned();
    for &byte in bytes(&absolute)? {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                address.push(char::from(byte));
            }
            other => address += &format!("%{other:02X}"),
        }
    }
    Some(address + "?immutable=1")
}

/// The name as the system has it, which need not be UTF-8.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there may be none")]
fn bytes(path: &Path) -> Option<&[u8]> {
    use std::os::unix::ffi::OsStrExt as _;
    Some(path.as_os_str().as_bytes())
}

#[cfg(not(unix))]
fn bytes(path: &Path) -> Option<&[u8]> {
    path.to_str().map(str::as_bytes)
}

fn explain(path: &Path, why: rusqlite::Error) -> LoadError {
    let path = path.to_owned();
    match why.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => LoadError::Locked { path },
        // A table or column is missing, or holds what it did not.
        Some(ErrorCode::Unknown) | None => LoadError::UnknownDatabase { path, why },
        Some(_) => LoadError::BrokenDatabase { path, why },
    }
}
