//! Who makes which call, as hooks of clients note it.

use foveal_transcript::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::store::ASKERS_MAX;

pub(super) fn note(
    connection: &Connection,
    call: &str,
    reader: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO asker(call, reader, noted) VALUES (?1, ?2, ?3) \
               ON CONFLICT DO UPDATE SET reader = ?2, noted = ?3";
    connection.prepare_cached(sql)?.execute(params![call, reader, now.0])?;
    let sql = "DELETE FROM asker WHERE call IN \
               (SELECT call FROM asker ORDER BY noted DESC, call LIMIT -1 OFFSET ?1)";
    connection.prepare_cached(sql)?.execute([ASKERS_MAX])?;
    Ok(())
}

pub(super) fn of(connection: &Connection, call: &str) -> Result<Option<String>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT reader FROM asker WHERE call = ?1")?;
    Ok(statement.query_row([call], |row| row.get(0)).optional()?)
}
