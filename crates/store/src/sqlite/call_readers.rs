//! The readers that make tool calls, as hooks of clients report them.

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::store::CALL_READERS_MAX;

use super::uptime::ClockReading;

pub(super) fn note_call_reader(
    connection: &Connection,
    call: &str,
    reader: &str,
    now: &ClockReading,
) -> Result<(), StoreError> {
    // Without this, a clock that was set back would make the new note the oldest.
    let last: Option<i64> = connection
        .prepare_cached("SELECT max(noted) FROM asker")?
        .query_row([], |row| row.get(0))?;
    let clock = now.clock.0;
    let moment = last.map_or(clock, |last| clock.max(last.saturating_add(1)));
    let (boot, uptime) = now.uptime_columns();
    let sql = "INSERT INTO asker(call, reader, noted, boot, uptime) VALUES (?1, ?2, ?3, ?4, ?5) \
               ON CONFLICT DO UPDATE SET reader = ?2, noted = ?3, boot = ?4, uptime = ?5";
    connection.prepare_cached(sql)?.execute(params![call, reader, moment, boot, uptime])?;
    let sql = "DELETE FROM asker WHERE call IN \
               (SELECT call FROM asker ORDER BY noted DESC, call LIMIT -1 OFFSET ?1)";
    connection.prepare_cached(sql)?.execute([CALL_READERS_MAX])?;
    Ok(())
}

pub(super) fn call_reader(
    connection: &Connection,
    call: &str,
) -> Result<Option<String>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT reader FROM asker WHERE call = ?1")?;
    Ok(statement.query_row([call], |row| row.get(0)).optional()?)
}
