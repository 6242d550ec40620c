//! The recent calls of sessions.

use foveal_transcript::Timestamp;
use rusqlite::{OptionalExtension as _, params};
use serde_json::Value;

use crate::error::StoreError;
use crate::json::to_json_text;
use crate::keys::{CallNumber, SessionId};
use crate::records::{CallChanges, CallHistory, RecentCall};
use crate::store::CallStore;

use super::backend::SqliteBackend;
use super::{columns, session_row};

impl CallStore for SqliteBackend {
    fn update_calls(
        &self,
        session: &SessionId,
        changes: &CallChanges,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let changes = CallChangesJson::from_changes(changes)?;
        self.write_for_session(Some(session), |connection| {
            let session = session_row::touch_session(connection, session, 0, now)?;
            let CallChangesJson { state, calls, remaining } = &changes;
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
        })
    }

    fn call_history(&self, session: &SessionId) -> Result<Option<CallHistory>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT c.payload FROM call_state c JOIN session s ON s.id = c.session \
                       WHERE s.name = ?1";
            let state: Option<Option<Value>> = connection
                .prepare_cached(sql)?
                .query_row([&session.0], |row| columns::json_column(row, 0))
                .optional()?;
            let Some(state) = state.flatten() else { return Ok(None) };
            let sql = "SELECT c.number, c.payload FROM call c JOIN session s ON s.id = c.session \
                       WHERE s.name = ?1 ORDER BY c.number";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([&session.0])?;
            let mut calls = Vec::new();
            while let Some(row) = rows.next()? {
                let number = CallNumber(row.get::<_, i64>(0)?.unsigned_abs());
                calls.extend(
                    columns::json_column(row, 1)?.map(|payload| RecentCall { number, payload }),
                );
            }
            Ok(Some(CallHistory { state, calls }))
        })
    }
}

/// [`CallChanges`] as JSON texts.
struct CallChangesJson {
    state: Option<String>,
    calls: Vec<(i64, String)>,
    /// The numbers of the remaining calls, as a JSON list.
    remaining: String,
}

impl CallChangesJson {
    /// # Errors
    /// [`StoreError::TooLarge`], [`StoreError::TooDeep`].
    fn from_changes(changes: &CallChanges) -> Result<Self, StoreError> {
        let CallChanges { state, calls, remaining } = changes;
        let call =
            |call: &RecentCall| Ok((call_number_column(call.number), to_json_text(&call.payload)?));
        let remaining: Vec<i64> = remaining.iter().copied().map(call_number_column).collect();
        Ok(Self {
            state: state.as_ref().map(to_json_text).transpose()?,
            calls: calls.iter().map(call).collect::<Result<_, StoreError>>()?,
            remaining: serde_json::to_string(&remaining)?,
        })
    }
}

fn call_number_column(number: CallNumber) -> i64 {
    i64::try_from(number.0).unwrap_or(i64::MAX)
}
