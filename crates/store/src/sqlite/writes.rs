//! What sessions did to files.

use foveal_transcript::{Handle, Timestamp};
use rusqlite::{Connection, Row, params};

use crate::error::StoreError;
use crate::keys::SessionId;
use crate::records::Write;

use super::{content, row, session_row};

/// What the column says where a file was removed. It may not be NULL: older versions, which may
/// have the same file open, would take that for damage.
const REMOVED: i64 = -1;

pub(super) fn put(
    connection: &Connection,
    session: &SessionId,
    write: &Write,
) -> Result<(), StoreError> {
    let session = session_row::touch(connection, session, write.path.len(), write.time)?;
    let [before, after] = [write.before, write.after].map(|handle| handle.map(row::number_of));
    let sql = "INSERT INTO write(session, path, before, after, time) VALUES (?1, ?2, ?3, ?4, ?5)";
    let values = params![session, write.path, before, after.unwrap_or(REMOVED), write.time.0];
    connection.prepare_cached(sql)?.execute(values)?;
    for handle in before.into_iter().chain(after) {
        content::add_reference(connection, session, handle)?;
    }
    Ok(())
}

pub(super) fn of_file(
    connection: &Connection,
    session: &SessionId,
    path: &str,
) -> Result<Vec<Write>, StoreError> {
    let sql = "SELECT path, before, after, time FROM write \
               WHERE session = (SELECT id FROM session WHERE name = ?1) AND path = ?2 \
               ORDER BY id DESC";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params![session.0, path], write)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn of_session(
    connection: &Connection,
    session: &SessionId,
) -> Result<Vec<Write>, StoreError> {
    let sql = "SELECT path, before, after, time FROM write \
               WHERE session = (SELECT id FROM session WHERE name = ?1) ORDER BY id DESC";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params![session.0], write)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn write(row: &Row<'_>) -> rusqlite::Result<Write> {
    let handle = |number: Option<i64>| -> Option<Handle> {
        number.filter(|number| *number != REMOVED).map(row::handle_of)
    };
    Ok(Write {
        path: row.get(0)?,
        before: handle(row.get(1)?),
        after: handle(row.get(2)?),
        time: Timestamp(row.get(3)?),
    })
}
