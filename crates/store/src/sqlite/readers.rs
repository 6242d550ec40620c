//! What is noted of who is sent the answers.

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::keys::{Moment, Reach, ReaderPlace};
use crate::records::Readers;
use crate::store::READER_NOTES_MAX;

use super::uptime::Now;

pub(super) fn note(
    connection: &Connection,
    places: &[ReaderPlace],
    reader: Option<&str>,
    now: &Now,
) -> Result<(), StoreError> {
    let last = last(connection)?;
    let first = places.first().map(|place| row(connection, *place)).transpose()?.flatten();
    let is_same = |row: &Row| row.reader.as_deref() == reader && row.asked == last;
    if reader.is_some() && first.as_ref().is_some_and(is_same) {
        return Ok(());
    }
    let moment = now.clock.0.max(last.0.saturating_add(1));
    let (boot, uptime) = now.of_machine();
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
    for ReaderPlace { folder, reach } in places {
        let (folder, reach) = (folder.0.to_string(), code_of(*reach));
        statement.execute(params![folder, reach, reader, moment, boot, uptime])?;
    }
    let sql = "DELETE FROM reader WHERE (folder, reach) IN \
               (SELECT folder, reach FROM reader ORDER BY noted DESC LIMIT -1 OFFSET ?1)";
    connection.prepare_cached(sql)?.execute([READER_NOTES_MAX])?;
    Ok(())
}

pub(super) fn at(connection: &Connection, places: &[ReaderPlace]) -> Result<Readers, StoreError> {
    // What others note meanwhile is seen the next time, all of it.
    let snapshot = connection.unchecked_transaction()?;
    let mut readers = Readers { last: last(&snapshot)?, ..Readers::default() };
    let mut asked = Moment::default();
    for place in places {
        let Some(row) = row(&snapshot, *place)? else { continue };
        readers.cut = readers.cut.max(row.cut);
        if row.asked > asked {
            (readers.reader, asked) = (row.reader, row.asked);
        }
    }
    Ok(readers)
}

/// When the last note was made.
pub(super) fn last(connection: &Connection) -> Result<Moment, StoreError> {
    let mut statement = connection.prepare_cached("SELECT max(noted) FROM reader")?;
    let last: Option<i64> = statement.query_row([], |row| row.get(0))?;
    Ok(last.map(Moment).unwrap_or_default())
}

/// What is noted at one place.
struct Row {
    reader: Option<String>,
    asked: Moment,
    cut: Moment,
}

fn row(connection: &Connection, place: ReaderPlace) -> Result<Option<Row>, StoreError> {
    let sql = "SELECT reader, asked, cut FROM reader WHERE folder = ?1 AND reach = ?2";
    let ReaderPlace { folder, reach } = place;
    let found = connection
        .prepare_cached(sql)?
        .query_row(params![folder.0.to_string(), code_of(reach)], |row| {
            Ok(Row { reader: row.get(0)?, asked: Moment(row.get(1)?), cut: Moment(row.get(2)?) })
        })
        .optional()?;
    Ok(found)
}

fn code_of(reach: Reach) -> i64 {
    match reach {
        Reach::At => 1,
        Reach::Below => 2,
    }
}
