//! The logs of sessions.

use foveal_transcript::Timestamp;
use rusqlite::{Connection, params};

use crate::error::StoreError;
use crate::keys::{RecordNumber, SessionId};
use crate::records::Record;

use super::{row, session_row};

/// The table has room for more than one log of a session; this is the only one in use.
const LOG: i64 = 1;

pub(super) fn append(
    connection: &Connection,
    session: &SessionId,
    payload: &str,
    now: Timestamp,
) -> Result<RecordNumber, StoreError> {
    let session = session_row::touch(connection, session, payload.len(), now)?;
    let sql = "INSERT INTO record(session, log, number, time, payload) \
               SELECT ?1, ?2, coalesce(max(number), 0) + 1, ?3, ?4 FROM record \
               WHERE session = ?1 AND log = ?2 RETURNING number";
    let number: i64 = connection
        .prepare_cached(sql)?
        .query_row(params![session, LOG, now.0, payload], |row| row.get(0))?;
    Ok(RecordNumber(number.unsigned_abs()))
}

pub(super) fn records(
    connection: &Connection,
    session: &SessionId,
    from: RecordNumber,
    most: usize,
) -> Result<Vec<Record>, StoreError> {
    let sql = "SELECT number, time, payload FROM record \
               WHERE session = (SELECT id FROM session WHERE name = ?1) AND log = ?2 \
               AND number >= ?3 ORDER BY number LIMIT ?4";
    let from = i64::try_from(from.0).unwrap_or(i64::MAX);
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![session.0, LOG, from, most])?;
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        records.push(Record {
            number: RecordNumber(row.get::<_, i64>(0)?.unsigned_abs()),
            time: Timestamp(row.get(1)?),
            payload: row::value_in(row, 2)?.unwrap_or_default(),
        });
    }
    Ok(records)
}
