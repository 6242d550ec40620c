//! Content behind handles: without secrets, compressed, once.

use std::borrow::Cow;

use foveal_transcript::{ContentError, ContentHash, Handle, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::records::{Content, SessionId, Stored};
use crate::secrets;
use crate::store::CONTENT_BYTES_MAX;

use super::sessions;

/// zstd's own default: smaller than 1 by a tenth, and still far faster than what it is put for.
const LEVEL: i32 = 3;

/// Below this zstd's own frame is what remains.
const COMPRESSED_BYTES_MIN: usize = 128;

/// Which content it is.
#[derive(Clone, Copy)]
pub(super) struct Identity {
    handle: Handle,
    /// Of the original; two contents with one handle are told apart by it.
    hash: [u8; 32],
}

impl Identity {
    /// # Errors
    /// [`StoreError::TooLarge`].
    pub(super) fn of(content: &[u8]) -> Result<Self, StoreError> {
        let (bytes, bytes_max) = (content.len(), CONTENT_BYTES_MAX);
        if bytes > bytes_max {
            return Err(StoreError::TooLarge { bytes, bytes_max });
        }
        let hash = ContentHash::of(content);
        Ok(Self { handle: hash.handle(), hash: *hash.as_bytes() })
    }
}

/// Content as it will be stored.
pub(super) struct Packed<'a> {
    identity: Identity,
    /// Before compression, without secrets.
    bytes: usize,
    secrets: u32,
    compressed: bool,
    stored: Cow<'a, [u8]>,
}

impl<'a> Packed<'a> {
    /// # Errors
    /// zstd's.
    pub(super) fn of(identity: Identity, content: &'a [u8]) -> Result<Self, StoreError> {
        let (plain, secrets) = match secrets::redact(content) {
            Some(redacted) => (Cow::Owned(redacted.bytes), redacted.secrets),
            None => (Cow::Borrowed(content), 0),
        };
        let bytes = plain.len();
        let small = if bytes < COMPRESSED_BYTES_MIN {
            None
        } else {
            let small = zstd::bulk::compress(&plain, LEVEL).map_err(StoreError::Compression)?;
            Some(small).filter(|small| small.len() < bytes)
        };
        let compressed = small.is_some();
        Ok(Self { identity, bytes, secrets, compressed, stored: small.map_or(plain, Cow::Owned) })
    }
}

/// Lets a session refer to content that is there already; `None` if it is not.
pub(super) fn put_known(
    connection: &Connection,
    session: Option<&SessionId>,
    Identity { handle, hash }: Identity,
    now: Timestamp,
) -> Result<Option<Stored>, StoreError> {
    let number = number_of(handle);
    let known = connection
        .prepare_cached("SELECT hash, secrets FROM content WHERE handle = ?1")?
        .query_row([number], |row| Ok((row.get::<_, [u8; 32]>(0)?, row.get(1)?)))
        .optional()?;
    let Some((known, secrets)) = known else { return Ok(None) };
    if known != hash {
        return Err(ContentError::Collision { handle }.into());
    }
    touch(connection, number, now)?;
    keep_for(connection, session, number, now)?;
    Ok(Some(Stored { handle, secrets }))
}

pub(super) fn put(
    connection: &Connection,
    session: Option<&SessionId>,
    packed: &Packed<'_>,
    now: Timestamp,
) -> Result<Stored, StoreError> {
    let Packed { identity, bytes, secrets, compressed, stored } = packed;
    // Another process may have been faster.
    if let Some(known) = put_known(connection, session, *identity, now)? {
        return Ok(known);
    }
    let number = number_of(identity.handle);
    let sql = "INSERT INTO content(handle, hash, bytes, stored_bytes, used, secrets, \
               compressed, checksum, stored) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    connection.prepare_cached(sql)?.execute(params![
        number,
        identity.hash,
        *bytes as i64,
        stored.len() as i64,
        now.0,
        secrets,
        compressed,
        checksum(stored),
        stored,
    ])?;
    keep_for(connection, session, number, now)?;
    Ok(Stored { handle: identity.handle, secrets: *secrets })
}

fn keep_for(
    connection: &Connection,
    session: Option<&SessionId>,
    handle: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    match session {
        Some(session) => {
            let session = sessions::touch(connection, session, 0, now)?;
            add_reference(connection, session, handle)
        }
        None => Ok(()),
    }
}

pub(super) fn get(connection: &Connection, handle: Handle) -> Result<Option<Content>, StoreError> {
    let sql = "SELECT stored, checksum, compressed, bytes, secrets FROM content WHERE handle = ?1";
    let found = connection
        .prepare_cached(sql)?
        .query_row([number_of(handle)], |row| {
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

pub(super) fn refer(
    connection: &Connection,
    session: &SessionId,
    handle: Handle,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let session = sessions::touch(connection, session, 0, now)?;
    let is_there = touch(connection, number_of(handle), now)?;
    if is_there {
        add_reference(connection, session, number_of(handle))?;
    }
    Ok(is_there)
}

pub(super) fn handles(connection: &Connection) -> Result<Vec<Handle>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT handle FROM content")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.map(|row| row.map(handle_of)).collect::<Result<_, _>>()?)
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

/// Whether there is such content, which counts as used at `now`.
fn touch(connection: &Connection, handle: i64, now: Timestamp) -> Result<bool, StoreError> {
    let sql = "UPDATE content SET used = max(used, ?2) WHERE handle = ?1";
    Ok(connection.prepare_cached(sql)?.execute([handle, now.0])? > 0)
}

/// A handle as a row's number: its 48 bits.
pub(super) fn number_of(handle: Handle) -> i64 {
    i64::from_str_radix(&handle.to_string(), 16).expect("a handle is twelve hex digits")
}

/// The handle of a row's number.
pub(super) fn handle_of(number: i64) -> Handle {
    let digits = format!("{:012x}", number & 0xffff_ffff_ffff);
    digits.parse().expect("48 bits are twelve hex digits")
}

/// Eight bytes by which damage is seen that SQLite does not see.
fn checksum(bytes: &[u8]) -> Vec<u8> {
    blake3::hash(bytes).as_bytes()[..8].to_vec()
}
