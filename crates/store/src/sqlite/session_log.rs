//! The logs of sessions.

use foveal_transcript::Timestamp;
use rusqlite::{Connection, params};
use serde::de::DeserializeOwned;

use crate::error::StoreError;
use crate::keys::{RecordNumber, SessionId};
use crate::records::SessionRecord;

use super::{columns, session_row};

/// The kind of a session log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i64)]
pub(super) enum LogKind {
    /// Events.
    Events = 1,
    /// Messages.
    Messages = 2,
}

pub(super) fn append_record(
    connection: &Connection,
    session: &SessionId,
    log: LogKind,
    payload: &str,
    now: Timestamp,
) -> Result<RecordNumber, StoreError> {
    let session = session_row::touch_session(connection, session, payload.len(), now)?;
    let sql = "INSERT INTO record(session, log, number, time, payload) \
               SELECT ?1, ?2, coalesce(max(number), 0) + 1, ?3, ?4 FROM record \
               WHERE session = ?1 AND log = ?2 RETURNING number";
    let number: i64 = connection
        .prepare_cached(sql)?
        .query_row(params![session, log as i64, now.0, payload], |row| row.get(0))?;
    Ok(RecordNumber(number.unsigned_abs()))
}

pub(super) fn read_records(
    connection: &Connection,
    session: &SessionId,
    from: RecordNumber,
    most: usize,
) -> Result<Vec<SessionRecord>, StoreError> {
    let record = |(number, time, payload): (_, _, Option<_>)| SessionRecord {
        number,
        time,
        payload: payload.unwrap_or_default(),
    };
    let read = read_log(connection, session, LogKind::Events, from, most)?;
    Ok(read.into_iter().map(record).collect())
}

/// Reads records of a log with their numbers and times. A payload that cannot be read is `None`.
pub(super) fn read_log<T: DeserializeOwned>(
    connection: &Connection,
    session: &SessionId,
    log: LogKind,
    from: RecordNumber,
    most: usize,
) -> Result<Vec<(RecordNumber, Timestamp, Option<T>)>, StoreError> {
    let sql = "SELECT number, time, payload FROM record \
               WHERE session = (SELECT id FROM session WHERE name = ?1) AND log = ?2 \
               AND number >= ?3 ORDER BY number LIMIT ?4";
    let from = i64::try_from(from.0).unwrap_or(i64::MAX);
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![session.0, log as i64, from, most])?;
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        let number = RecordNumber(row.get::<_, i64>(0)?.unsigned_abs());
        records.push((number, Timestamp(row.get(1)?), columns::json_column(row, 2)?));
    }
    Ok(records)
}
