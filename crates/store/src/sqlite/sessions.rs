//! Sessions, and what belongs to one of them.

use std::borrow::Cow;

use foveal_transcript::Handle;
use foveal_transcript::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde_json::Value;

use crate::error::StoreError;
use crate::records::{Log, Record, RecordNumber, Session, SessionFacts, SessionId, Write};
use crate::secrets;
use crate::store::SESSION_ID_BYTES_MAX;

use super::{collect, content, shared};

pub(super) fn open(
    connection: &Connection,
    session: &SessionId,
    facts: &SessionFacts,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let (bytes, bytes_max) = (session.0.len(), SESSION_ID_BYTES_MAX);
    if bytes > bytes_max {
        return Err(StoreError::TooLarge { bytes, bytes_max });
    }
    let was_there = number_of(connection, session)?.is_some();
    let sql = "INSERT INTO session(name, facts, started, used) VALUES (?1, ?2, ?3, ?3) \
               ON CONFLICT(name) DO UPDATE SET facts = ?2, used = max(used, ?3)";
    let facts = shared::text_of(&serde_json::to_value(facts)?)?;
    connection.prepare_cached(sql)?.execute(params![name_of(session), facts, now.0])?;
    Ok(was_there)
}

pub(super) fn list(connection: &Connection) -> Result<Vec<Session>, StoreError> {
    let sql = "SELECT name, facts, started, used, pinned, bytes, \
               (SELECT count(*) FROM record WHERE session = session.id AND log = ?1), \
               (SELECT coalesce(sum(c.stored_bytes), 0) FROM reference r \
                JOIN content c ON c.handle = r.handle WHERE r.session = session.id) \
               FROM session ORDER BY used DESC, id DESC";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([code_of(Log::Events)])?;
    let mut sessions = Vec::new();
    while let Some(row) = rows.next()? {
        sessions.push(Session {
            id: SessionId(row.get(0)?),
            facts: shared::value_in(row, 1)?.unwrap_or_default(),
            started: Timestamp(row.get(2)?),
            used: Timestamp(row.get(3)?),
            pinned: row.get(4)?,
            record_bytes: row.get::<_, i64>(5)?.unsigned_abs(),
            events: row.get::<_, i64>(6)?.unsigned_abs(),
            content_bytes: row.get::<_, i64>(7)?.unsigned_abs(),
        });
    }
    Ok(sessions)
}

pub(super) fn set_pinned(
    connection: &Connection,
    session: &SessionId,
    pinned: bool,
) -> Result<(), StoreError> {
    let sql = "UPDATE session SET pinned = ?2 WHERE name = ?1";
    match connection.prepare_cached(sql)?.execute(params![name_of(session), pinned])? {
        0 => Err(StoreError::UnknownSession { session: session.clone() }),
        _ => Ok(()),
    }
}

pub(super) fn delete(connection: &Connection, session: &SessionId) -> Result<bool, StoreError> {
    let Some(number) = number_of(connection, session)? else { return Ok(false) };
    collect::remove_session(connection, number)?;
    Ok(true)
}

pub(super) fn append(
    connection: &Connection,
    session: &SessionId,
    log: Log,
    payload: &str,
    now: Timestamp,
) -> Result<RecordNumber, StoreError> {
    let session = touch(connection, session, payload.len(), now)?;
    let sql = "INSERT INTO record(session, log, number, time, payload) \
               SELECT ?1, ?2, coalesce(max(number), 0) + 1, ?3, ?4 FROM record \
               WHERE session = ?1 AND log = ?2 RETURNING number";
    let number: i64 = connection
        .prepare_cached(sql)?
        .query_row(params![session, code_of(log), now.0, payload], |row| row.get(0))?;
    Ok(RecordNumber(number.unsigned_abs()))
}

pub(super) fn records(
    connection: &Connection,
    session: &SessionId,
    log: Log,
    from: RecordNumber,
    most: usize,
) -> Result<Vec<Record>, StoreError> {
    let sql = "SELECT number, time, payload FROM record \
               WHERE session = (SELECT id FROM session WHERE name = ?1) AND log = ?2 \
               AND number >= ?3 ORDER BY number LIMIT ?4";
    let from = i64::try_from(from.0).unwrap_or(i64::MAX);
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![name_of(session), code_of(log), from, most])?;
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        records.push(Record {
            number: RecordNumber(row.get::<_, i64>(0)?.unsigned_abs()),
            time: Timestamp(row.get(1)?),
            payload: shared::value_in(row, 2)?.unwrap_or_default(),
        });
    }
    Ok(records)
}

pub(super) fn set_calls(
    connection: &Connection,
    session: &SessionId,
    calls: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let session = touch(connection, session, 0, now)?;
    let sql = "INSERT OR REPLACE INTO calls(session, payload) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute(params![session, calls])?;
    Ok(())
}

pub(super) fn calls(
    connection: &Connection,
    session: &SessionId,
) -> Result<Option<Value>, StoreError> {
    let sql = "SELECT c.payload FROM calls c JOIN session s ON s.id = c.session WHERE s.name = ?1";
    let found = connection
        .prepare_cached(sql)?
        .query_row([name_of(session)], |row| shared::value_in(row, 0))
        .optional()?;
    Ok(found.flatten())
}

pub(super) fn put_write(
    connection: &Connection,
    session: &SessionId,
    write: &Write,
) -> Result<(), StoreError> {
    let session = touch(connection, session, write.path.len(), write.time)?;
    let (before, after) = (write.before.map(content::number_of), content::number_of(write.after));
    let sql = "INSERT INTO write(session, path, before, after, time) VALUES (?1, ?2, ?3, ?4, ?5)";
    let path = secrets::without(&write.path);
    let values = params![session, path, before, after, write.time.0];
    connection.prepare_cached(sql)?.execute(values)?;
    for handle in before.into_iter().chain([after]) {
        content::add_reference(connection, session, handle)?;
    }
    Ok(())
}

pub(super) fn writes(
    connection: &Connection,
    session: &SessionId,
    handle: Option<Handle>,
) -> Result<Vec<Write>, StoreError> {
    let sql = "SELECT path, before, after, time FROM write \
               WHERE session = (SELECT id FROM session WHERE name = ?1) \
               AND (?2 IS NULL OR before = ?2 OR after = ?2) ORDER BY id DESC";
    let mut statement = connection.prepare_cached(sql)?;
    let write = |row: &Row<'_>| {
        Ok(Write {
            path: row.get(0)?,
            before: row.get::<_, Option<i64>>(1)?.map(content::handle_of),
            after: content::handle_of(row.get(2)?),
            time: Timestamp(row.get(3)?),
        })
    };
    let rows =
        statement.query_map(params![name_of(session), handle.map(content::number_of)], write)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The number of a session, whose records become larger by `bytes` and which counts as used at
/// `now`.
pub(super) fn touch(
    connection: &Connection,
    session: &SessionId,
    bytes: usize,
    now: Timestamp,
) -> Result<i64, StoreError> {
    let sql = "UPDATE session SET used = max(used, ?2), bytes = bytes + ?3 WHERE name = ?1 \
               RETURNING id";
    let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
    let number = connection
        .prepare_cached(sql)?
        .query_row(params![name_of(session), now.0, bytes], |row| row.get(0))
        .optional()?;
    number.ok_or_else(|| StoreError::UnknownSession { session: session.clone() })
}

/// What a session is called here. Names that differ in a secret are different, and the secret is
/// not to be read here.
fn name_of(session: &SessionId) -> Cow<'_, str> {
    match secrets::without(&session.0) {
        Cow::Owned(shown) => format!("{shown} {}", Handle::of(session.0.as_bytes())).into(),
        plain @ Cow::Borrowed(_) => plain,
    }
}

fn number_of(connection: &Connection, session: &SessionId) -> Result<Option<i64>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT id FROM session WHERE name = ?1")?;
    Ok(statement.query_row([name_of(session)], |row| row.get(0)).optional()?)
}

fn code_of(log: Log) -> i64 {
    match log {
        Log::Events => 1,
        Log::Steps => 2,
    }
}
