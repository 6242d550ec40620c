//! The edits that models made with tools of their client, as hooks of clients report them.

use foveal_transcript::Timestamp;
use rusqlite::params;

use crate::error::StoreError;
use crate::keys::NoteTime;
use crate::records::{ClientEdit, ClientEditNote, EditAuthor};
use crate::store::{CLIENT_EDITS_MAX, ClientEditStore, PAYLOAD_BYTES_MAX};

use super::backend::SqliteBackend;

impl ClientEditStore for SqliteBackend {
    fn note_client_edit(
        &self,
        author: EditAuthor<'_>,
        path: &str,
        edit: &ClientEdit,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let now = self.clock_reading(now);
        self.write(|connection| {
            let payload = serde_json::to_string(edit).expect("all keys are text");
            let (bytes, bytes_max) = (payload.len(), PAYLOAD_BYTES_MAX);
            if bytes > bytes_max {
                return Err(StoreError::TooLarge { bytes, bytes_max });
            }
            let last: Option<i64> = connection
                .prepare_cached("SELECT max(noted) FROM own_edit")?
                .query_row([], |row| row.get(0))?;
            let clock = now.clock.0;
            let moment = last.map_or(clock, |last| clock.max(last.saturating_add(1)));
            let (boot, uptime) = now.uptime_columns();
            let sql = "INSERT INTO own_edit(session, reader, path, payload, noted, boot, uptime) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO UPDATE \
                       SET session = ?1, payload = ?4, noted = ?5, boot = ?6, uptime = ?7";
            let EditAuthor { session, reader } = author;
            let values = params![session, reader, path, payload, moment, boot, uptime];
            connection.prepare_cached(sql)?.execute(values)?;
            let sql = "DELETE FROM own_edit WHERE (reader, path) IN \
                       (SELECT reader, path FROM own_edit ORDER BY noted DESC LIMIT -1 OFFSET ?1)";
            connection.prepare_cached(sql)?.execute([CLIENT_EDITS_MAX])?;
            Ok(())
        })
    }

    fn client_edits(
        &self,
        reader: &str,
        since: NoteTime,
    ) -> Result<Vec<ClientEditNote>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT path, payload, noted FROM own_edit \
                       WHERE reader = ?1 AND noted > ?2 ORDER BY noted";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(params![reader, since.0], |row| {
                let payload: String = row.get(1)?;
                Ok((row.get(0)?, payload, NoteTime(row.get(2)?)))
            })?;
            let mut edits = Vec::new();
            for row in rows {
                let (path, payload, noted) = row?;
                // An unreadable note is ignored.
                let Ok(edit) = serde_json::from_str(&payload) else { continue };
                edits.push(ClientEditNote { path, edit, noted });
            }
            Ok(edits)
        })
    }

    fn forget_client_edits(&self, session: &str) -> Result<(), StoreError> {
        self.write(|connection| {
            let mut statement =
                connection.prepare_cached("DELETE FROM own_edit WHERE session = ?1")?;
            statement.execute([session])?;
            Ok(())
        })
    }
}
