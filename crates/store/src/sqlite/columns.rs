//! Conversion of columns to values.

use foveal_transcript::Handle;
use rusqlite::Row;
use serde::de::DeserializeOwned;

/// Parses a JSON column. Returns `None` for malformed JSON: the damage concerns this row alone and
/// does not discard the rows beside it.
pub(super) fn json_column<T: DeserializeOwned>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<Option<T>> {
    let stored = row.get_ref(column)?;
    let text = stored.as_bytes().ok();
    Ok(text.and_then(|text| serde_json::from_slice(text).ok()))
}

/// Returns the 48 bits of a handle as a number.
pub(super) fn handle_to_number(handle: Handle) -> i64 {
    i64::from_str_radix(&handle.to_string(), 16).expect("a handle is twelve hex digits")
}

/// Returns the handle with this number.
pub(super) fn handle_from_number(number: i64) -> Handle {
    let digits = format!("{:012x}", number & 0xffff_ffff_ffff);
    digits.parse().expect("48 bits are twelve hex digits")
}
