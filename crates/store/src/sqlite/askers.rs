//! Who makes which call, as hooks of clients note it.

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::store::ASKERS_MAX;

use super::uptime::Now;

pub(super) fn note(
    connection: &Connection,
    call: &str,
    reader: &str,
    now: &Now,
) -> Result<(), StoreError> {
    // A clock that is set back would make this the oldest of all.
    let last: Option<i64> = connection
        .prepare_cached("SELECT max(noted) FROM asker")?
        .query_row([], |row| row.get(0))?;
    let clock = now.clock.0;
    let moment = last.map_or(clock, |last| clock.max(last.saturating_add(1)));
    let (boot, uptime) = now.of_machine();
    let sql = "INSERT INTO asker(call, reader, noted, boot, uptime) VALUES (?1, ?2, ?3, ?4, ?5) \
               ON CONFLICT DO UPDATE SET reader = ?2, noted = ?3, boot = ?4, uptime = ?5";
    connection.prepare_cached(sql)?.execute(params![call, reader, moment, boot, uptime])?;
    let sql = "DELETE FROM asker WHERE call IN \
               (SELECT call FROM asker ORDER BY noted DESC, call LIMIT -1 OFFSET ?1)";
    connection.prepare_cached(sql)?.execute([ASKERS_MAX])?;
    Ok(())
}

pub(super) fn of(connection: &Connection, call: &str) -> Result<Option<String>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT reader FROM asker WHERE call = ?1")?;
    Ok(statement.query_row([call], |row| row.get(0)).optional()?)
}
