//! The changes that sessions made to files.

use foveal_transcript::{Handle, Timestamp};
use rusqlite::{Row, params};

use crate::error::StoreError;
use crate::keys::SessionId;
use crate::records::FileWrite;
use crate::store::FileWriteStore;

use super::backend::SqliteBackend;
use super::{columns, content, session_row};

/// The value of the column `after` for a removed file. It cannot be NULL: earlier versions that
/// have the same file open would take that for damage.
const REMOVED_FILE: i64 = -1;

impl FileWriteStore for SqliteBackend {
    fn put_file_write(&self, session: &SessionId, write: &FileWrite) -> Result<(), StoreError> {
        self.write_for_session(Some(session), |connection| {
            let session =
                session_row::touch_session(connection, session, write.path.len(), write.time)?;
            let [before, after] =
                [write.before, write.after].map(|handle| handle.map(columns::handle_to_number));
            let sql =
                "INSERT INTO write(session, path, before, after, time) VALUES (?1, ?2, ?3, ?4, ?5)";
            let values =
                params![session, write.path, before, after.unwrap_or(REMOVED_FILE), write.time.0];
            connection.prepare_cached(sql)?.execute(values)?;
            for handle in before.into_iter().chain(after) {
                content::add_reference(connection, session, handle)?;
            }
            Ok(())
        })
    }

    fn session_writes(&self, session: &SessionId) -> Result<Vec<FileWrite>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT path, before, after, time FROM write \
                       WHERE session = (SELECT id FROM session WHERE name = ?1) ORDER BY id DESC";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(params![session.0], file_write_from_row)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    fn file_writes(&self, session: &SessionId, path: &str) -> Result<Vec<FileWrite>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT path, before, after, time FROM write \
                       WHERE session = (SELECT id FROM session WHERE name = ?1) AND path = ?2 \
                       ORDER BY id DESC";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(params![session.0, path], file_write_from_row)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}

fn file_write_from_row(row: &Row<'_>) -> rusqlite::Result<FileWrite> {
    let handle = |number: Option<i64>| -> Option<Handle> {
        number.filter(|number| *number != REMOVED_FILE).map(columns::handle_from_number)
    };
    Ok(FileWrite {
        path: row.get(0)?,
        before: handle(row.get(1)?),
        after: handle(row.get(2)?),
        time: Timestamp(row.get(3)?),
    })
}
