//! The recent calls of sessions.

use foveal_transcript::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::Value;

use crate::error::StoreError;
use crate::json::text_of;
use crate::keys::{CallNumber, SessionId};
use crate::records::{Call, CallChanges, CallHistory};

use super::{row, session_row};

/// [`CallChanges`] as texts.
pub(super) struct Texts {
    state: Option<String>,
    calls: Vec<(i64, String)>,
    /// The numbers of all calls that remain, as a JSON list.
    remaining: String,
}

impl Texts {
    /// # Errors
    /// [`StoreError::TooLarge`], [`StoreError::TooDeep`].
    pub(super) fn of(changes: &CallChanges) -> Result<Self, StoreError> {
        let CallChanges { state, calls, remaining } = changes;
        let call = |call: &Call| Ok((column_of(call.number), text_of(&call.payload)?));
        let remaining: Vec<i64> = remaining.iter().copied().map(column_of).collect();
        Ok(Self {
            state: state.as_ref().map(text_of).transpose()?,
            calls: calls.iter().map(call).collect::<Result<_, StoreError>>()?,
            remaining: serde_json::to_string(&remaining)?,
        })
    }
}

fn column_of(number: CallNumber) -> i64 {
    i64::try_from(number.0).unwrap_or(i64::MAX)
}

pub(super) fn change(
    connection: &Connection,
    session: &SessionId,
    changes: &Texts,
    now: Timestamp,
) -> Result<(), StoreError> {
    let session = session_row::touch(connection, session, 0, now)?;
    let Texts { state, calls, remaining } = changes;
    match state {
        Some(state) => {
            let sql = "INSERT OR REPLACE INTO call_state(session, payload) VALUES (?1, ?2)";
            connection.prepare_cached(sql)?.execute(params![session, state])?;
        }
        None => {
            let sql = "DELETE FROM call_state WHERE session = ?1";
            connection.prepare_cached(sql)?.execute([session])?;
        }
    }
    let sql = "INSERT OR REPLACE INTO call(session, number, payload) VALUES (?1, ?2, ?3)";
    for (number, payload) in calls {
        connection.prepare_cached(sql)?.execute(params![session, number, payload])?;
    }
    let sql = "DELETE FROM call WHERE session = ?1 \
               AND number NOT IN (SELECT value FROM json_each(?2))";
    connection.prepare_cached(sql)?.execute(params![session, remaining])?;
    Ok(())
}

pub(super) fn history(
    connection: &Connection,
    session: &SessionId,
) -> Result<Option<CallHistory>, StoreError> {
    let sql = "SELECT c.payload FROM call_state c JOIN session s ON s.id = c.session \
               WHERE s.name = ?1";
    let state: Option<Option<Value>> = connection
        .prepare_cached(sql)?
        .query_row([&session.0], |row| row::value_in(row, 0))
        .optional()?;
    let Some(state) = state.flatten() else { return Ok(None) };
    let sql = "SELECT c.number, c.payload FROM call c JOIN session s ON s.id = c.session \
               WHERE s.name = ?1 ORDER BY c.number";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([&session.0])?;
    let mut calls = Vec::new();
    while let Some(row) = rows.next()? {
        let number = CallNumber(row.get::<_, i64>(0)?.unsigned_abs());
        calls.extend(row::value_in(row, 1)?.map(|payload| Call { number, payload }));
    }
    Ok(Some(CallHistory { state, calls }))
}
