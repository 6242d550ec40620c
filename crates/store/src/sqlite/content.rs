//! Contents behind handles. Each is stored once, compressed.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io;

use foveal_transcript::{ContentHash, Handle, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::keys::SessionId;
use crate::records::{ContentReceipt, NewContent, StoredContent};
use crate::store::CONTENT_BYTES_MAX;

use super::{columns, session_row};

/// The default level of zstd. Its output is a tenth smaller than that of level 1, and it is much
/// faster than the work around it.
const COMPRESSION_LEVEL: i32 = 3;

/// Shorter contents are not compressed: the frame of zstd would dominate.
const COMPRESSED_BYTES_MIN: usize = 128;

/// A compressor for several contents, or the error of its creation.
pub(super) type ContentCompressor = io::Result<zstd::bulk::Compressor<'static>>;

/// Creates a compressor. This takes as long as the compression of a short content.
pub(super) fn new_compressor() -> ContentCompressor {
    zstd::bulk::Compressor::new(COMPRESSION_LEVEL)
}

/// Content in its stored form.
#[derive(Debug)]
pub(super) struct PackedContent<'a> {
    hash: ContentHash,
    /// The size before compression.
    bytes: usize,
    secrets: u32,
    compressed: bool,
    stored: Cow<'a, [u8]>,
}

impl<'a> PackedContent<'a> {
    /// Compresses `content`.
    ///
    /// # Errors
    /// The error of zstd.
    pub(super) fn compress(content: NewContent<'a>) -> Result<Self, StoreError> {
        Self::compress_with(&mut new_compressor(), content)
    }

    /// Compresses `content` with a compressor of [`new_compressor`].
    ///
    /// # Errors
    /// The error of zstd.
    pub(super) fn compress_with(
        compressor: &mut ContentCompressor,
        content: NewContent<'a>,
    ) -> Result<Self, StoreError> {
        let NewContent { hash, bytes: plain, secrets } = content;
        let bytes = plain.len();
        let small = if bytes < COMPRESSED_BYTES_MIN {
            None
        } else {
            let compressor = compressor.as_mut().map_err(|error| {
                StoreError::Compression(io::Error::new(error.kind(), error.to_string()))
            })?;
            let small = compressor.compress(&plain).map_err(StoreError::Compression)?;
            Some(small).filter(|small| small.len() < bytes)
        };
        let compressed = small.is_some();
        Ok(Self { hash, bytes, secrets, compressed, stored: small.map_or(plain, Cow::Owned) })
    }
}

impl PackedContent<'_> {
    /// Returns the hash of the original.
    pub(super) fn hash(&self) -> ContentHash {
        self.hash
    }

    /// Returns the stored size in bytes.
    pub(super) fn len(&self) -> usize {
        self.stored.len()
    }

    /// Converts the content into one that borrows nothing.
    pub(super) fn into_owned(self) -> PackedContent<'static> {
        let Self { hash, bytes, secrets, compressed, stored } = self;
        PackedContent { hash, bytes, secrets, compressed, stored: Cow::Owned(stored.into_owned()) }
    }
}

/// Makes a session refer to existing content. Returns `None` if the content is not stored.
pub(super) fn reference_existing(
    connection: &Connection,
    session: Option<&SessionId>,
    hash: ContentHash,
    now: Timestamp,
) -> Result<Option<ContentReceipt>, StoreError> {
    let found = touch_existing(connection, hash, now)?;
    if found.is_some() {
        add_session_reference(connection, session, columns::handle_to_number(hash.handle()), now)?;
    }
    Ok(found)
}

/// Makes the session with this row number refer to existing content.
///
/// # Errors
/// [`StoreError::Gone`] if the content is not stored, and those of [`reference_existing`].
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

pub(super) fn put_content(
    connection: &Connection,
    session: Option<&SessionId>,
    packed: &PackedContent<'_>,
    now: Timestamp,
) -> Result<ContentReceipt, StoreError> {
    let stored = insert_content(connection, packed, now)?;
    add_session_reference(connection, session, columns::handle_to_number(stored.handle), now)?;
    Ok(stored)
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

pub(super) fn read_content(
    connection: &Connection,
    handle: Handle,
) -> Result<Option<StoredContent>, StoreError> {
    let sql = "SELECT stored, checksum, compressed, bytes, secrets FROM content WHERE handle = ?1";
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
    Ok(zstd::bulk::decompress(&stored, room).ok().map(|bytes| StoredContent { bytes, secrets }))
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
