//! Columns as values.

use foveal_transcript::Handle;
use rusqlite::Row;
use serde::de::DeserializeOwned;

/// The value that a column of JSON says. One that says none is damage of its row alone: what
/// stands beside it is not given up for it.
pub(super) fn value_in<T: DeserializeOwned>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<Option<T>> {
    let stored = row.get_ref(column)?;
    let text = stored.as_bytes().ok();
    Ok(text.and_then(|text| serde_json::from_slice(text).ok()))
}

/// A handle as a number: its 48 bits.
pub(super) fn number_of(handle: Handle) -> i64 {
    i64::from_str_radix(&handle.to_string(), 16).expect("a handle is twelve hex digits")
}

/// The handle of a number.
pub(super) fn handle_of(number: i64) -> Handle {
    let digits = format!("{:012x}", number & 0xffff_ffff_ffff);
    digits.parse().expect("48 bits are twelve hex digits")
}
