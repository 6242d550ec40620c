//! The decisions about requests of live conversations.

use std::collections::HashSet;

use foveal_transcript::{ContentHash, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::keys::SessionId;
use crate::parallel_map;
use crate::records::{NewContent, OmittedContents, SessionMetadata, TurnRecord};
use crate::store::{DecisionStore, PAYLOAD_BYTES_MAX};

use super::backend::SqliteBackend;
use super::packed_content::{PackedContent, new_compressor};
use super::{content, session_row, sessions};

/// The limit of turns that are read for one conversation. An endless chain means damage.
const TURNS_MAX: usize = 100_000;

impl DecisionStore for SqliteBackend {
    fn known_contents(&self, contents: &[ContentHash]) -> Result<HashSet<ContentHash>, StoreError> {
        let mut known = self.lock_prepared().find_prepared(contents);
        let others: Vec<ContentHash> =
            contents.iter().filter(|hash| !known.contains(*hash)).copied().collect();
        if !others.is_empty() {
            known.extend(self.read(|connection| content::find_stored(connection, &others))?);
        }
        Ok(known)
    }

    fn prepare_contents(&self, contents: Vec<NewContent<'_>>) {
        let mut compressor = new_compressor();
        for content in contents {
            // A content that fails here comes again with its turn, which reports the error.
            if let Ok(packed) = PackedContent::compress_with(&mut compressor, content) {
                self.lock_prepared().insert(packed.into_owned());
            }
        }
    }

    fn put_turn(
        &self,
        session: &SessionId,
        turn: &TurnRecord,
        left_out: OmittedContents<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let OmittedContents { known, new } = left_out;
        let packed: Result<Vec<_>, _> =
            parallel_map::map_contents(new, new_compressor, PackedContent::compress_with)
                .into_iter()
                .collect();
        let packed = packed?;
        let (ready, stored) = self.lock_prepared().split_prepared(&known);
        self.write_for_session(Some(session), |connection| {
            let number = insert_turn(connection, session, turn, now)?;
            for hash in &stored {
                content::reference_existing_by_row(connection, number, *hash, now)?;
            }
            for content in &packed {
                content::put_content_by_row(connection, number, content, now)?;
            }
            for content in &ready {
                content::put_content_by_row(connection, number, content, now)?;
            }
            Ok(())
        })?;
        self.lock_prepared().remove(&known);
        Ok(())
    }

    fn turns(&self, beginnings: &[ContentHash]) -> Result<Vec<TurnRecord>, StoreError> {
        self.read(|connection| {
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
        })
    }

    fn session_turns(&self, session: &SessionId) -> Result<Vec<TurnRecord>, StoreError> {
        self.read(|connection| {
            let Some(number) = session_row::session_number(connection, session)? else {
                return Ok(Vec::new());
            };
            let sql = "SELECT end, before, decided FROM planned WHERE session = ?1 ORDER BY id";
            let mut statement = connection.prepare_cached(sql)?;
            let turns = statement.query_map([number], |row| {
                Ok(TurnRecord {
                    end_hash: ContentHash::from_bytes(row.get(0)?),
                    previous_hash: ContentHash::from_bytes(row.get(1)?),
                    decision: row.get(2)?,
                })
            })?;
            Ok(turns.collect::<Result<_, _>>()?)
        })
    }

    fn has_turn(&self, ends: &[ContentHash]) -> Result<bool, StoreError> {
        self.read(|connection| {
            // Four lookups at a time: each takes and releases a lock of the file, which takes
            // longer than the lookup.
            let sql = "SELECT 1 FROM planned WHERE end IN (?1, ?2, ?3, ?4)";
            let mut statement = connection.prepare_cached(sql)?;
            for some in ends.chunks(4) {
                let asked: [_; 4] =
                    std::array::from_fn(|at| some.get(at).unwrap_or(&some[0]).as_bytes());
                if statement.exists(asked)? {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }
}

/// Stores a turn and returns the row number of its session.
fn insert_turn(
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
