//! Content behind handles: compressed, once.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io;

use foveal_transcript::{ContentHash, Handle, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::keys::SessionId;
use crate::records::{Content, NewContent, Stored};
use crate::store::CONTENT_BYTES_MAX;

use super::{row, session_row};

/// zstd's own default: smaller than 1 by a tenth, and still far faster than what it is put for.
const LEVEL: i32 = 3;

/// Below this zstd's own frame is what remains.
const COMPRESSED_BYTES_MIN: usize = 128;

/// What compresses, one content after the other; or why nothing can.
pub(super) type Compressing = io::Result<zstd::bulk::Compressor<'static>>;

/// Makes what compresses. That takes as long as to compress a short content.
pub(super) fn compressor() -> Compressing {
    zstd::bulk::Compressor::new(LEVEL)
}

/// Content as it will be stored.
#[derive(Debug)]
pub(super) struct Packed<'a> {
    hash: ContentHash,
    /// Before compression.
    bytes: usize,
    secrets: u32,
    compressed: bool,
    stored: Cow<'a, [u8]>,
}

impl<'a> Packed<'a> {
    /// # Errors
    /// zstd's.
    pub(super) fn of(content: NewContent<'a>) -> Result<Self, StoreError> {
        Self::by(&mut compressor(), content)
    }

    /// The same by one of [`compressor`].
    ///
    /// # Errors
    /// zstd's.
    pub(super) fn by(
        compressor: &mut Compressing,
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

impl Packed<'_> {
    /// The hash of the original.
    pub(super) fn hash(&self) -> ContentHash {
        self.hash
    }

    /// Bytes that it will take.
    pub(super) fn len(&self) -> usize {
        self.stored.len()
    }

    /// The same, which borrows nothing.
    pub(super) fn into_owned(self) -> Packed<'static> {
        let Self { hash, bytes, secrets, compressed, stored } = self;
        Packed { hash, bytes, secrets, compressed, stored: Cow::Owned(stored.into_owned()) }
    }
}

/// Lets a session refer to content that is there already; `None` if it is not.
pub(super) fn refer(
    connection: &Connection,
    session: Option<&SessionId>,
    hash: ContentHash,
    now: Timestamp,
) -> Result<Option<Stored>, StoreError> {
    let found = used(connection, hash, now)?;
    if found.is_some() {
        keep_for(connection, session, row::number_of(hash.handle()), now)?;
    }
    Ok(found)
}

/// Lets the session of this number refer to content that is there.
///
/// # Errors
/// [`StoreError::Gone`] where it is not, and as [`refer`].
pub(super) fn refer_from(
    connection: &Connection,
    session: i64,
    hash: ContentHash,
    now: Timestamp,
) -> Result<(), StoreError> {
    let handle = hash.handle();
    used(connection, hash, now)?.ok_or(StoreError::Gone { handle })?;
    add_reference(connection, session, row::number_of(handle))
}

/// Those of some contents that are there.
pub(super) fn stored(
    connection: &Connection,
    contents: &[ContentHash],
) -> Result<HashSet<ContentHash>, StoreError> {
    // Each look would else take and give up its own lock of the file.
    let _once = connection.unchecked_transaction()?;
    let mut stored = HashSet::new();
    for hash in contents {
        if known(connection, *hash)?.is_some_and(|(known, _)| known == *hash.as_bytes()) {
            stored.insert(*hash);
        }
    }
    Ok(stored)
}

/// The hash of the content that has this one's handle, and how many secrets were left out of it.
fn known(
    connection: &Connection,
    hash: ContentHash,
) -> Result<Option<([u8; 32], u32)>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT hash, secrets FROM content WHERE handle = ?1")?;
    let number = row::number_of(hash.handle());
    Ok(statement.query_row([number], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// Content that is there, which counts as used at `now`; `None` if it is not.
fn used(
    connection: &Connection,
    hash: ContentHash,
    now: Timestamp,
) -> Result<Option<Stored>, StoreError> {
    let handle = hash.handle();
    let Some((found, secrets)) = known(connection, hash)? else { return Ok(None) };
    if found != *hash.as_bytes() {
        return Err(StoreError::Collision { handle });
    }
    touch(connection, row::number_of(handle), now)?;
    Ok(Some(Stored { handle, secrets }))
}

pub(super) fn put(
    connection: &Connection,
    session: Option<&SessionId>,
    packed: &Packed<'_>,
    now: Timestamp,
) -> Result<Stored, StoreError> {
    let stored = put_for_all(connection, packed, now)?;
    keep_for(connection, session, row::number_of(stored.handle), now)?;
    Ok(stored)
}

/// Stores content to which the session of this number refers.
pub(super) fn put_from(
    connection: &Connection,
    session: i64,
    packed: &Packed<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let stored = put_for_all(connection, packed, now)?;
    add_reference(connection, session, row::number_of(stored.handle))
}

/// Stores content to which nobody refers yet.
fn put_for_all(
    connection: &Connection,
    packed: &Packed<'_>,
    now: Timestamp,
) -> Result<Stored, StoreError> {
    let Packed { hash, bytes, secrets, compressed, stored } = packed;
    // Another process may have been faster.
    if let Some(known) = used(connection, *hash, now)? {
        return Ok(known);
    }
    let number = row::number_of(hash.handle());
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
    Ok(Stored { handle: hash.handle(), secrets: *secrets })
}

fn keep_for(
    connection: &Connection,
    session: Option<&SessionId>,
    handle: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    match session {
        Some(session) => {
            let session = session_row::touch(connection, session, 0, now)?;
            add_reference(connection, session, handle)
        }
        None => Ok(()),
    }
}

pub(super) fn get(connection: &Connection, handle: Handle) -> Result<Option<Content>, StoreError> {
    let sql = "SELECT stored, checksum, compressed, bytes, secrets FROM content WHERE handle = ?1";
    let found = connection
        .prepare_cached(sql)?
        .query_row([row::number_of(handle)], |row| {
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
        return Ok(Some(Content { bytes: stored, secrets }));
    }
    let room = usize::try_from(bytes).unwrap_or(0).min(room_max());
    Ok(zstd::bulk::decompress(&stored, room).ok().map(|bytes| Content { bytes, secrets }))
}

/// A removed secret may be shorter than the note in its place.
fn room_max() -> usize {
    CONTENT_BYTES_MAX.saturating_mul(8)
}

/// Lets a session refer to content, if it is there.
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

/// A content that counts as used so shortly before is not noted as used again, in milliseconds: a
/// change of its row reads and writes all of it. What is removed first is told by days.
const TOUCHED_MS: i64 = 60_000;

/// Content counts as used at `now`, or shortly before.
fn touch(connection: &Connection, handle: i64, now: Timestamp) -> Result<(), StoreError> {
    let sql = "UPDATE content SET used = ?2 WHERE handle = ?1 AND used < ?3";
    connection.prepare_cached(sql)?.execute([handle, now.0, now.0.saturating_sub(TOUCHED_MS)])?;
    Ok(())
}

/// Eight bytes by which damage is seen that SQLite does not see.
fn checksum(bytes: &[u8]) -> Vec<u8> {
    blake3::hash(bytes).as_bytes()[..8].to_vec()
}
