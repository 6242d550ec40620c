//! Sessions as a whole.

use foveal_transcript::Timestamp;
use rusqlite::{Connection, params};

use crate::error::StoreError;
use crate::json::to_json_text;
use crate::keys::SessionId;
use crate::records::{SessionMetadata, StoredSession};
use crate::store::{SESSION_ID_BYTES_MAX, SessionStore};

use super::backend::SqliteBackend;
use super::{columns, garbage_collection, session_row};

impl SessionStore for SqliteBackend {
    fn open_session(
        &self,
        session: &SessionId,
        facts: &SessionMetadata,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write_for_session(Some(session), |connection| {
            open_session(connection, session, facts, now)
        })
    }

    fn sessions(&self) -> Result<Vec<StoredSession>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT name, facts, started, used, pinned, bytes, \
                       (SELECT count(*) FROM record WHERE session = session.id), \
                       (SELECT coalesce(sum(c.stored_bytes), 0) FROM reference r \
                        JOIN content c ON c.handle = r.handle WHERE r.session = session.id) \
                       FROM session ORDER BY used DESC, id DESC";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([])?;
            let mut sessions = Vec::new();
            while let Some(row) = rows.next()? {
                sessions.push(StoredSession {
                    id: SessionId(row.get(0)?),
                    metadata: columns::json_column(row, 1)?.unwrap_or_default(),
                    started: Timestamp(row.get(2)?),
                    last_used: Timestamp(row.get(3)?),
                    pinned: row.get(4)?,
                    record_bytes: row.get::<_, i64>(5)?.unsigned_abs(),
                    event_count: row.get::<_, i64>(6)?.unsigned_abs(),
                    content_bytes: row.get::<_, i64>(7)?.unsigned_abs(),
                });
            }
            Ok(sessions)
        })
    }

    fn set_pinned(&self, session: &SessionId, pinned: bool) -> Result<(), StoreError> {
        self.write(|connection| {
            let sql = "UPDATE session SET pinned = ?2 WHERE name = ?1";
            match connection.prepare_cached(sql)?.execute(params![session.0, pinned])? {
                0 => Err(StoreError::UnknownSession { session: session.clone() }),
                _ => Ok(()),
            }
        })
    }

    fn delete_session(&self, session: &SessionId) -> Result<bool, StoreError> {
        self.write(|connection| {
            let Some(number) = session_row::session_number(connection, session)? else {
                return Ok(false);
            };
            garbage_collection::remove_session(connection, number)?;
            Ok(true)
        })
    }
}

pub(super) fn open_session(
    connection: &Connection,
    session: &SessionId,
    facts: &SessionMetadata,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let (bytes, bytes_max) = (session.0.len(), SESSION_ID_BYTES_MAX);
    if bytes > bytes_max {
        return Err(StoreError::TooLarge { bytes, bytes_max });
    }
    let was_there = session_row::session_number(connection, session)?.is_some();
    let sql = "INSERT INTO session(name, facts, started, used) VALUES (?1, ?2, ?3, ?3) \
               ON CONFLICT(name) DO UPDATE SET facts = ?2, used = max(used, ?3)";
    let facts = to_json_text(&serde_json::to_value(facts)?)?;
    connection.prepare_cached(sql)?.execute(params![session.0, facts, now.0])?;
    Ok(was_there)
}
