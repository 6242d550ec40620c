//! The decisions about requests of live conversations.

use foveal_transcript::{ContentHash, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::keys::SessionId;
use crate::records::{SessionMetadata, TurnRecord};
use crate::store::PAYLOAD_BYTES_MAX;

use super::{session_row, sessions};

/// The limit of turns that are read for one conversation. An endless chain means damage.
const TURNS_MAX: usize = 100_000;

/// Stores a turn and returns the row number of its session.
pub(super) fn put_turn(
    connection: &Connection,
    session: &SessionId,
    turn: &TurnRecord,
    now: Timestamp,
) -> Result<i64, StoreError> {
    let (bytes, bytes_max) = (turn.decision.len(), PAYLOAD_BYTES_MAX);
    if bytes > bytes_max {
        return Err(StoreError::TooLarge { bytes, bytes_max });
    }
    let number = match session_row::touch_session(connection, session, bytes, now) {
        Err(StoreError::UnknownSession { .. }) => {
            sessions::open_session(connection, session, &SessionMetadata::default(), now)?;
            session_row::touch_session(connection, session, bytes, now)?
        }
        number => number?,
    };
    let sql =
        "INSERT OR REPLACE INTO planned(end, before, session, decided) VALUES (?1, ?2, ?3, ?4)";
    let values =
        params![turn.end_hash.as_bytes(), turn.previous_hash.as_bytes(), number, turn.decision];
    connection.prepare_cached(sql)?.execute(values)?;
    Ok(number)
}

pub(super) fn has_turn(connection: &Connection, ends: &[ContentHash]) -> Result<bool, StoreError> {
    // Four lookups at a time: each takes and releases a lock of the file, which takes longer than
    // the lookup.
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

pub(super) fn turns_leading_to(
    connection: &Connection,
    beginnings: &[ContentHash],
) -> Result<Vec<TurnRecord>, StoreError> {
    let _once = connection.unchecked_transaction()?;
    let sql = "SELECT before, decided FROM planned WHERE end = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut turn = |end: ContentHash| {
        let read = statement.query_row([end.as_bytes()], |row| {
            Ok(TurnRecord {
                end_hash: end,
                previous_hash: ContentHash::from_bytes(row.get(0)?),
                decision: row.get(1)?,
            })
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
        last = turn(found.previous_hash)?;
        turns.push(found);
    }
    turns.reverse();
    Ok(turns)
}
