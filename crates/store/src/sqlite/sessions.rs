//! Sessions as a whole.

use foveal_transcript::Timestamp;
use rusqlite::{Connection, params};

use crate::error::StoreError;
use crate::json::text_of;
use crate::keys::SessionId;
use crate::records::{Session, SessionFacts};
use crate::store::SESSION_ID_BYTES_MAX;

use super::{collect, row, session_row};

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
    let was_there = session_row::number_of(connection, session)?.is_some();
    let sql = "INSERT INTO session(name, facts, started, used) VALUES (?1, ?2, ?3, ?3) \
               ON CONFLICT(name) DO UPDATE SET facts = ?2, used = max(used, ?3)";
    let facts = text_of(&serde_json::to_value(facts)?)?;
    connection.prepare_cached(sql)?.execute(params![session.0, facts, now.0])?;
    Ok(was_there)
}

pub(super) fn list(connection: &Connection) -> Result<Vec<Session>, StoreError> {
    let sql = "SELECT name, facts, started, used, pinned, bytes, \
               (SELECT count(*) FROM record WHERE session = session.id), \
               (SELECT coalesce(sum(c.stored_bytes), 0) FROM reference r \
                JOIN content c ON c.handle = r.handle WHERE r.session = session.id) \
               FROM session ORDER BY used DESC, id DESC";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    let mut sessions = Vec::new();
    while let Some(row) = rows.next()? {
        sessions.push(Session {
            id: SessionId(row.get(0)?),
            facts: row::value_in(row, 1)?.unwrap_or_default(),
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
    match connection.prepare_cached(sql)?.execute(params![session.0, pinned])? {
        0 => Err(StoreError::UnknownSession { session: session.clone() }),
        _ => Ok(()),
    }
}

pub(super) fn delete(connection: &Connection, session: &SessionId) -> Result<bool, StoreError> {
    let Some(number) = session_row::number_of(connection, session)? else { return Ok(false) };
    collect::remove_session(connection, number)?;
    Ok(true)
}
