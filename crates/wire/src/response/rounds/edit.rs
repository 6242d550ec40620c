//! JSON with a few values in place of others; all else stays as it is spelled.

use std::ops::Range;

use super::super::pick::Field;

/// Where a field that was picked out of `json` stands in it.
pub(super) fn place(json: &[u8], field: Field<'_>) -> Option<Range<usize>> {
    let value = field?.get();
    let start = (value.as_ptr() as usize).checked_sub(json.as_ptr() as usize)?;
    (start + value.len() <= json.len()).then(|| start..start + value.len())
}

/// The bytes with these in the places of others. Places are ascending or not, and never overlap.
pub(super) fn replaced(json: &[u8], mut edits: Vec<(Range<usize>, Vec<u8>)>) -> Vec<u8> {
    edits.sort_by_key(|(place, _)| place.start);
    let mut bytes = Vec::with_capacity(json.len());
    let mut at = 0;
    for (place, text) in edits {
        bytes.extend_from_slice(&json[at..place.start]);
        bytes.extend_from_slice(&text);
        at = place.end;
    }
    bytes.extend_from_slice(&json[at..]);
    bytes
}

/// A text as JSON.
pub(super) fn spelled(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
