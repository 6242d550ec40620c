//! Notes on the reader that receives the answers.

use foveal_transcript::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::keys::{FolderScope, NoteTime, ReaderNoteKey};
use crate::records::ReaderNotes;
use crate::store::{READER_NOTES_MAX, ReaderNoteStore};

use super::backend::SqliteBackend;
use super::call_readers;

impl ReaderNoteStore for SqliteBackend {
    fn note_reader(
        &self,
        places: &[ReaderNoteKey],
        reader: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let now = self.clock_reading(now);
        self.write(|connection| {
            let last = last_note_time(connection)?;
            let first =
                places.first().map(|place| read_note(connection, *place)).transpose()?.flatten();
            let is_same =
                |row: &ReaderNoteRow| row.reader.as_deref() == reader && row.asked == last;
            if reader.is_some() && first.as_ref().is_some_and(is_same) {
                return Ok(());
            }
            let moment = now.clock.0.max(last.0.saturating_add(1));
            let (boot, uptime) = now.uptime_columns();
            let sql = match reader {
                Some(_) => {
                    "INSERT INTO reader(folder, reach, reader, asked, cut, noted, boot, uptime) \
                     VALUES (?1, ?2, ?3, ?4, 0, ?4, ?5, ?6) ON CONFLICT DO UPDATE \
                     SET reader = ?3, asked = ?4, noted = ?4, boot = ?5, uptime = ?6"
                }
                None => {
                    "INSERT INTO reader(folder, reach, reader, asked, cut, noted, boot, uptime) \
                     VALUES (?1, ?2, ?3, 0, ?4, ?4, ?5, ?6) ON CONFLICT DO UPDATE \
                     SET cut = ?4, noted = ?4, boot = ?5, uptime = ?6"
                }
            };
            let mut statement = connection.prepare_cached(sql)?;
            for ReaderNoteKey { folder, scope: reach } in places {
                let (folder, reach) = (folder.0.to_string(), scope_code(*reach));
                statement.execute(params![folder, reach, reader, moment, boot, uptime])?;
            }
            let sql = "DELETE FROM reader WHERE (folder, reach) IN \
                       (SELECT folder, reach FROM reader ORDER BY noted DESC LIMIT -1 OFFSET ?1)";
            connection.prepare_cached(sql)?.execute([READER_NOTES_MAX])?;
            Ok(())
        })
    }

    fn reader_notes(&self, places: &[ReaderNoteKey]) -> Result<ReaderNotes, StoreError> {
        self.read(|connection| {
            // The transaction hides concurrent notes: the next call sees them as a whole.
            let snapshot = connection.unchecked_transaction()?;
            let mut readers =
                ReaderNotes { last: last_note_time(&snapshot)?, ..ReaderNotes::default() };
            let mut asked = NoteTime::default();
            for place in places {
                let Some(row) = read_note(&snapshot, *place)? else { continue };
                readers.prompt_cut = readers.prompt_cut.max(row.cut);
                if row.asked > asked {
                    (readers.reader, asked) = (row.reader, row.asked);
                }
            }
            Ok(readers)
        })
    }

    fn last_reader_note(&self) -> Result<NoteTime, StoreError> {
        self.read(last_note_time)
    }

    fn note_call_reader(&self, call: &str, reader: &str, now: Timestamp) -> Result<(), StoreError> {
        let time = self.clock_reading(now);
        self.write(|connection| call_readers::note_call_reader(connection, call, reader, &time))
    }

    fn call_reader(&self, call: &str) -> Result<Option<String>, StoreError> {
        self.read(|connection| call_readers::call_reader(connection, call))
    }
}

/// Returns the time of the last note.
fn last_note_time(connection: &Connection) -> Result<NoteTime, StoreError> {
    let mut statement = connection.prepare_cached("SELECT max(noted) FROM reader")?;
    let last: Option<i64> = statement.query_row([], |row| row.get(0))?;
    Ok(last.map(NoteTime).unwrap_or_default())
}

/// The note of one folder and scope.
struct ReaderNoteRow {
    reader: Option<String>,
    asked: NoteTime,
    cut: NoteTime,
}

fn read_note(
    connection: &Connection,
    place: ReaderNoteKey,
) -> Result<Option<ReaderNoteRow>, StoreError> {
    let sql = "SELECT reader, asked, cut FROM reader WHERE folder = ?1 AND reach = ?2";
    let ReaderNoteKey { folder, scope: reach } = place;
    let found = connection
        .prepare_cached(sql)?
        .query_row(params![folder.0.to_string(), scope_code(reach)], |row| {
            Ok(ReaderNoteRow {
                reader: row.get(0)?,
                asked: NoteTime(row.get(1)?),
                cut: NoteTime(row.get(2)?),
            })
        })
        .optional()?;
    Ok(found)
}

fn scope_code(reach: FolderScope) -> i64 {
    match reach {
        FolderScope::FolderOnly => 1,
        FolderScope::Subtree => 2,
    }
}
