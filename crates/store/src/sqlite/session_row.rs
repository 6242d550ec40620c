//! The row of a session, to which all its other rows refer.

use foveal_transcript::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::keys::SessionId;

/// Adds `bytes` to the size of a session, records its use at `now`, and returns its row number.
pub(super) fn touch_session(
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
        .query_row(params![session.0, now.0, bytes], |row| row.get(0))
        .optional()?;
    number.ok_or_else(|| StoreError::UnknownSession { session: session.clone() })
}

pub(super) fn session_number(
    connection: &Connection,
    session: &SessionId,
) -> Result<Option<i64>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT id FROM session WHERE name = ?1")?;
    Ok(statement.query_row([&session.0], |row| row.get(0)).optional()?)
}
