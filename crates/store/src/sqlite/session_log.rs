//! The logs of sessions: events, and the messages of sessions that can be resumed.

use foveal_transcript::Timestamp;
use rusqlite::{Connection, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::StoreError;
use crate::json::{check_depth, to_json_text};
use crate::keys::{RecordNumber, SessionId};
use crate::records::{MessageRecord, SealedJson, SessionRecord, StoredMessage};
use crate::store::SessionLogStore;

use super::backend::SqliteBackend;
use super::{columns, session_row};

impl SessionLogStore for SqliteBackend {
    fn append_record(
        &self,
        session: &SessionId,
        payload: &Value,
        now: Timestamp,
    ) -> Result<RecordNumber, StoreError> {
        let payload = to_json_text(payload)?;
        self.write_for_session(Some(session), |connection| {
            append_record(connection, session, LogKind::Events, &payload, now)
        })
    }

    fn records(
        &self,
        session: &SessionId,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<SessionRecord>, StoreError> {
        self.read(|connection| {
            let record = |(number, time, payload): (_, _, Option<_>)| SessionRecord {
                number,
                time,
                payload: payload.unwrap_or_default(),
            };
            let read = read_log(connection, session, LogKind::Events, from, most)?;
            Ok(read.into_iter().map(record).collect())
        })
    }

    fn append_messages(
        &self,
        session: &SessionId,
        messages: &[StoredMessage],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let texts: Result<Vec<String>, _> = messages.iter().map(message_json_text).collect();
        let texts = texts?;
        self.write_for_session(Some(session), |connection| {
            texts.iter().try_for_each(|text| {
                append_record(connection, session, LogKind::Messages, text, now).map(drop)
            })
        })
    }

    fn messages(
        &self,
        session: &SessionId,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<MessageRecord>, StoreError> {
        self.read(|connection| {
            let message = |MessageJson { says, sealed, redacted }: MessageJson| StoredMessage {
                payload: says,
                sealed: sealed
                    .into_iter()
                    .map(|json| Some(SealedJson { json: json?, opaque_values: vec![] }))
                    .collect(),
                is_unredacted: !redacted,
            };
            let read = read_log::<MessageJson>(connection, session, LogKind::Messages, from, most)?;
            let said = |(number, time, stored): (_, _, Option<_>)| MessageRecord {
                number,
                time,
                message: stored.map(message),
            };
            Ok(read.into_iter().map(said).collect())
        })
    }
}

/// A message as it is stored, with its sealed parts beside the payload.
#[derive(Serialize, Deserialize)]
struct MessageJson {
    says: Value,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sealed: Vec<Option<String>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    redacted: bool,
}

/// The kind of a session log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i64)]
enum LogKind {
    /// Events.
    Events = 1,
    /// Messages.
    Messages = 2,
}

fn append_record(
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

/// Reads records of a log with their numbers and times. A payload that cannot be read is `None`.
fn read_log<T: DeserializeOwned>(
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

/// Serializes a message.
///
/// # Errors
/// [`StoreError::TooLarge`], [`StoreError::TooDeep`].
fn message_json_text(message: &StoredMessage) -> Result<String, StoreError> {
    let StoredMessage { payload, sealed, is_unredacted: is_whole } = message;
    // The payload is nested one level deeper than the message.
    check_depth(payload)?;
    let sealed = sealed.iter().map(|sealed| Some(sealed.as_ref()?.json.clone())).collect();
    let stored = MessageJson { says: payload.clone(), sealed, redacted: !is_whole };
    to_json_text(&serde_json::to_value(stored)?)
}
