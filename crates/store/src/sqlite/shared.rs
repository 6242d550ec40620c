//! What all sessions share: curations and pages. And how JSON becomes text.

use foveal_transcript::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::StoreError;
use crate::records::{CurationKey, Fetch};
use crate::secrets;
use crate::store::{CURATIONS_MAX, FETCHES_MAX, PAYLOAD_BYTES_MAX, PAYLOAD_DEPTH_MAX};

use super::content;

/// The text of `value` without secrets.
///
/// # Errors
/// [`StoreError::TooLarge`] above [`PAYLOAD_BYTES_MAX`], [`StoreError::TooDeep`] below
/// [`PAYLOAD_DEPTH_MAX`].
pub(super) fn text_of(value: &Value) -> Result<String, StoreError> {
    if is_deeper(value, PAYLOAD_DEPTH_MAX) {
        return Err(StoreError::TooDeep { depth_max: PAYLOAD_DEPTH_MAX });
    }
    let text = secrets::json_text(value)?;
    let (bytes, bytes_max) = (text.len(), PAYLOAD_BYTES_MAX);
    if bytes > bytes_max {
        return Err(StoreError::TooLarge { bytes, bytes_max });
    }
    Ok(text)
}

/// Whether something of `value` lies in more than `depth` lists and objects.
fn is_deeper(value: &Value, depth: usize) -> bool {
    let Some(left) = depth.checked_sub(1) else { return value.is_array() || value.is_object() };
    match value {
        Value::Array(values) => values.iter().any(|value| is_deeper(value, left)),
        Value::Object(fields) => fields.values().any(|value| is_deeper(value, left)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The value that a column says. One that says none is damage of its row alone: what stands
/// beside it is not given up for it.
pub(super) fn value_in<T: DeserializeOwned>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<Option<T>> {
    let stored = row.get_ref(column)?;
    let text = stored.as_bytes().ok();
    Ok(text.and_then(|text| serde_json::from_slice(text).ok()))
}

pub(super) fn put_curation(
    connection: &Connection,
    key: CurationKey,
    curation: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sql = "INSERT OR REPLACE INTO curation(key, used, payload) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(sql)?.execute(params![key.0, now.0, curation])?;
    let sql = "DELETE FROM curation WHERE key IN \
               (SELECT key FROM curation ORDER BY used DESC LIMIT -1 OFFSET ?1)";
    connection.prepare_cached(sql)?.execute([CURATIONS_MAX])?;
    Ok(())
}

pub(super) fn curation(
    connection: &Connection,
    key: CurationKey,
    now: Timestamp,
) -> Result<Option<Value>, StoreError> {
    let sql = "UPDATE curation SET used = max(used, ?2) WHERE key = ?1 RETURNING payload";
    let found = connection
        .prepare_cached(sql)?
        .query_row(params![key.0, now.0], |row| value_in(row, 0))
        .optional()?;
    Ok(found.flatten())
}

pub(super) fn put_fetch(connection: &Connection, fetch: &Fetch) -> Result<(), StoreError> {
    let sql = "INSERT OR REPLACE INTO fetch(key, url, final_url, status, content_type, etag, \
               last_modified, expires, checked, body) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    connection.prepare_cached(sql)?.execute(params![
        key_of(&fetch.url),
        secrets::without(&fetch.url),
        secrets::without(&fetch.final_url),
        fetch.status,
        fetch.content_type.as_deref().filter(is_plain),
        // With another one the page would not be found unchanged.
        fetch.etag.as_deref().filter(is_plain),
        fetch.last_modified.as_deref().filter(is_plain),
        fetch.expires.map(|time| time.0),
        fetch.checked.0,
        content::number_of(fetch.body),
    ])?;
    let sql = "DELETE FROM fetch WHERE key IN \
               (SELECT key FROM fetch ORDER BY checked DESC LIMIT -1 OFFSET ?1)";
    connection.prepare_cached(sql)?.execute([FETCHES_MAX])?;
    Ok(())
}

pub(super) fn fetch(connection: &Connection, url: &str) -> Result<Option<Fetch>, StoreError> {
    let sql = "SELECT url, final_url, status, content_type, etag, last_modified, expires, \
               checked, body FROM fetch WHERE key = ?1";
    let read = |row: &Row<'_>| {
        Ok(Fetch {
            url: row.get(0)?,
            final_url: row.get(1)?,
            status: row.get(2)?,
            content_type: row.get(3)?,
            etag: row.get(4)?,
            last_modified: row.get(5)?,
            expires: row.get::<_, Option<i64>>(6)?.map(Timestamp),
            checked: Timestamp(row.get(7)?),
            body: content::handle_of(row.get(8)?),
        })
    };
    Ok(connection.prepare_cached(sql)?.query_row(params![key_of(url)], read).optional()?)
}

fn is_plain(text: &&str) -> bool {
    secrets::find(text.as_bytes()).is_empty()
}

/// Addresses that differ in a secret are different, and the secret is not to be read here.
fn key_of(url: &str) -> [u8; 32] {
    *blake3::hash(url.as_bytes()).as_bytes()
}
