//! What was decided about requests of live conversations.

use foveal_transcript::{ContentHash, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::keys::SessionId;
use crate::records::{SessionFacts, Turn};
use crate::store::PAYLOAD_BYTES_MAX;

use super::{session_row, sessions};

/// Turns of one conversation that are read at most: a way back that never ends is damage.
const TURNS_MAX: usize = 100_000;

/// Keeps a turn; the number of its session.
pub(super) fn put(
    connection: &Connection,
    session: &SessionId,
    turn: &Turn,
    now: Timestamp,
) -> Result<i64, StoreError> {
    let (bytes, bytes_max) = (turn.decided.len(), PAYLOAD_BYTES_MAX);
    if bytes > bytes_max {
        return Err(StoreError::TooLarge { bytes, bytes_max });
    }
    let number = match session_row::touch(connection, session, bytes, now) {
        Err(StoreError::UnknownSession { .. }) => {
            sessions::open(connection, session, &SessionFacts::default(), now)?;
            session_row::touch(connection, session, bytes, now)?
        }
        number => number?,
    };
    let sql =
        "INSERT OR REPLACE INTO planned(end, before, session, decided) VALUES (?1, ?2, ?3, ?4)";
    let values = params![turn.end.as_bytes(), turn.before.as_bytes(), number, turn.decided];
    connection.prepare_cached(sql)?.execute(values)?;
    Ok(number)
}

pub(super) fn knows(connection: &Connection, ends: &[ContentHash]) -> Result<bool, StoreError> {
    // Each look takes and gives up a lock of the file, which takes longer than to find one.
    let sql = "SELECT 1 FROM planned WHERE end IN (?1, ?2, ?3, ?4)";
    let mut statement = connection.prepare_cached(sql)?;
    for some in ends.chunks(4) {
        let asked: [_; 4] = std::array::from_fn(|at| some.get(at).unwrap_or(&some[0]).as_bytes());
        if statement.exists(asked)? {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(super) fn leading_to(
    connection: &Connection,
    beginnings: &[ContentHash],
) -> Result<Vec<Turn>, StoreError> {
    let _once = connection.unchecked_transaction()?;
    let sql = "SELECT before, decided FROM planned WHERE end = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut turn = |end: ContentHash| {
        let read = statement.query_row([end.as_bytes()], |row| {
            Ok(Turn { end, before: ContentHash::from_bytes(row.get(0)?), decided: row.get(1)? })
        });
        read.optional()
    };
    let mut turns = Vec::new();
    let mut last = None;
    for beginning in beginnings.iter().rev() {
        last = turn(*beginning)?;
        if last.is_some() {
            break;
        }
    }
    while let Some(found) = last.take().filter(|_| turns.len() < TURNS_MAX) {
        last = turn(found.before)?;
        turns.push(found);
    }
    turns.reverse();
    Ok(turns)
}
