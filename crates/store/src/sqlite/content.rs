//! Contents behind handles. Each is stored once, compressed.

use std::collections::HashSet;

use foveal_transcript::{ContentHash, Handle, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::keys::SessionId;
use crate::records::{ContentReceipt, NewContent, StoredContent};
use crate::store::{CONTENT_BYTES_MAX, ContentStore};

use super::backend::SqliteBackend;
use super::packed_content::PackedContent;
use super::{columns, session_row};

impl ContentStore for SqliteBackend {
    fn reference_content(
        &self,
        session: Option<&SessionId>,
        hash: ContentHash,
        now: Timestamp,
    ) -> Result<Option<ContentReceipt>, StoreError> {
        self.write_for_session(session, |connection| {
            let found = touch_existing(connection, hash, now)?;
            if found.is_some() {
                add_session_reference(
                    connection,
                    session,
                    columns::handle_to_number(hash.handle()),
                    now,
                )?;
            }
            Ok(found)
        })
    }

    fn put_new_content(
        &self,
        session: Option<&SessionId>,
        content: NewContent<'_>,
        now: Timestamp,
    ) -> Result<ContentReceipt, StoreError> {
        // Compresses outside of the transaction, so that other processes can write meanwhile.
        let packed = PackedContent::compress(content)?;
        self.write_for_session(session, |connection| {
            let stored = insert_content(connection, &packed, now)?;
            add_session_reference(
                connection,
                session,
                columns::handle_to_number(stored.handle),
                now,
            )?;
            Ok(stored)
        })
    }

    fn content(&self, handle: Handle) -> Result<Option<StoredContent>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT stored, checksum, compressed, bytes, secrets FROM content \
               WHERE handle = ?1";
            let found = connection
                .prepare_cached(sql)?
                .query_row([columns::handle_to_number(handle)], |row| {
                    let stored: Vec<u8> = row.get(0)?;
                    let sum: Vec<u8> = row.get(1)?;
                    Ok((stored, sum, row.get::<_, bool>(2)?, row.get::<_, i64>(3)?, row.get(4)?))
                })
                .optional()?;
            let Some((stored, sum, compressed, bytes, secrets)) = found else { return Ok(None) };
            if sum != checksum(&stored) {
                return Ok(None);
            }
            if !compressed {
                return Ok(Some(StoredContent { bytes: stored, secrets }));
            }
            let room = usize::try_from(bytes).unwrap_or(0).min(decompressed_bytes_max());
            let plain = zstd::bulk::decompress(&stored, room).ok();
            Ok(plain.map(|bytes| StoredContent { bytes, secrets }))
        })
    }
}

/// Makes the session with this row number refer to existing content.
///
/// # Errors
/// [`StoreError::Gone`] if the content is not stored, [`StoreError::Collision`].
pub(super) fn reference_existing_by_row(
    connection: &Connection,
    session: i64,
    hash: ContentHash,
    now: Timestamp,
) -> Result<(), StoreError> {
    let handle = hash.handle();
    touch_existing(connection, hash, now)?.ok_or(StoreError::Gone { handle })?;
    add_reference(connection, session, columns::handle_to_number(handle))
}

/// Returns those of `contents` that are stored.
pub(super) fn find_stored(
    connection: &Connection,
    contents: &[ContentHash],
) -> Result<HashSet<ContentHash>, StoreError> {
    // One transaction for all lookups: otherwise each takes and releases a lock of the file.
    let _once = connection.unchecked_transaction()?;
    let mut stored = HashSet::new();
    for hash in contents {
        if find_by_handle(connection, *hash)?.is_some_and(|(known, _)| known == *hash.as_bytes()) {
            stored.insert(*hash);
        }
    }
    Ok(stored)
}

/// Returns the full hash of the content with the handle of `hash`, and its number of removed
/// secrets.
fn find_by_handle(
    connection: &Connection,
    hash: ContentHash,
) -> Result<Option<([u8; 32], u32)>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT hash, secrets FROM content WHERE handle = ?1")?;
    let number = columns::handle_to_number(hash.handle());
    Ok(statement.query_row([number], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// Marks existing content as used at `now`. Returns `None` if the content is not stored.
fn touch_existing(
    connection: &Connection,
    hash: ContentHash,
    now: Timestamp,
) -> Result<Option<ContentReceipt>, StoreError> {
    let handle = hash.handle();
    let Some((found, secrets)) = find_by_handle(connection, hash)? else { return Ok(None) };
    if found != *hash.as_bytes() {
        return Err(StoreError::Collision { handle });
    }
    touch_content(connection, columns::handle_to_number(handle), now)?;
    Ok(Some(ContentReceipt { handle, secrets }))
}

/// Stores content and makes the session with this row number refer to it.
pub(super) fn put_content_by_row(
    connection: &Connection,
    session: i64,
    packed: &PackedContent<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let stored = insert_content(connection, packed, now)?;
    add_reference(connection, session, columns::handle_to_number(stored.handle))
}

/// Stores content without a reference.
fn insert_content(
    connection: &Connection,
    packed: &PackedContent<'_>,
    now: Timestamp,
) -> Result<ContentReceipt, StoreError> {
    let PackedContent { hash, bytes, secrets, compressed, stored } = packed;
    // Another process may have stored it first.
    if let Some(known) = touch_existing(connection, *hash, now)? {
        return Ok(known);
    }
    let number = columns::handle_to_number(hash.handle());
    let sql = "INSERT INTO content(handle, hash, bytes, stored_bytes, used, secrets, \
               compressed, checksum, stored) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    connection.prepare_cached(sql)?.execute(params![
        number,
        hash.as_bytes(),
        *bytes as i64,
        stored.len() as i64,
        now.0,
        secrets,
        compressed,
        checksum(stored),
        stored,
    ])?;
    Ok(ContentReceipt { handle: hash.handle(), secrets: *secrets })
}

fn add_session_reference(
    connection: &Connection,
    session: Option<&SessionId>,
    handle: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    match session {
        Some(session) => {
            let session = session_row::touch_session(connection, session, 0, now)?;
            add_reference(connection, session, handle)
        }
        None => Ok(()),
    }
}

/// Returns the size limit of decompressed content. The note in place of a secret may be longer than
/// the secret.
fn decompressed_bytes_max() -> usize {
    CONTENT_BYTES_MAX.saturating_mul(8)
}

/// Makes a session refer to content, if the content is stored.
pub(super) fn add_reference(
    connection: &Connection,
    session: i64,
    handle: i64,
) -> Result<(), StoreError> {
    let sql = "INSERT OR IGNORE INTO reference(session, handle) \
               SELECT ?1, handle FROM content WHERE handle = ?2";
    connection.prepare_cached(sql)?.execute([session, handle])?;
    Ok(())
}

/// The interval in milliseconds within which the use of a content is not recorded again: an update
/// of its row reads and writes the whole row. Collections compare days.
const TOUCH_INTERVAL_MS: i64 = 60_000;

/// Records the use of a content at `now`, unless a use shortly before is recorded.
fn touch_content(connection: &Connection, handle: i64, now: Timestamp) -> Result<(), StoreError> {
    let sql = "UPDATE content SET used = ?2 WHERE handle = ?1 AND used < ?3";
    connection.prepare_cached(sql)?.execute([
        handle,
        now.0,
        now.0.saturating_sub(TOUCH_INTERVAL_MS),
    ])?;
    Ok(())
}

/// Returns eight bytes that reveal damage which SQLite does not detect.
fn checksum(bytes: &[u8]) -> Vec<u8> {
    blake3::hash(bytes).as_bytes()[..8].to_vec()
}
