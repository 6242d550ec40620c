//! JSON values as the texts that are stored.

use serde_json::Value;

use crate::error::StoreError;
use crate::store::{PAYLOAD_BYTES_MAX, PAYLOAD_DEPTH_MAX};

/// Serializes `value`.
///
/// # Errors
/// [`StoreError::TooLarge`] above [`PAYLOAD_BYTES_MAX`], [`StoreError::TooDeep`] above
/// [`PAYLOAD_DEPTH_MAX`].
pub(crate) fn to_json_text(value: &Value) -> Result<String, StoreError> {
    check_depth(value)?;
    let text = serde_json::to_string(value)?;
    let (bytes, bytes_max) = (text.len(), PAYLOAD_BYTES_MAX);
    if bytes > bytes_max {
        return Err(StoreError::TooLarge { bytes, bytes_max });
    }
    Ok(text)
}

/// # Errors
/// [`StoreError::TooDeep`] above [`PAYLOAD_DEPTH_MAX`].
pub(crate) fn check_depth(value: &Value) -> Result<(), StoreError> {
    match exceeds_depth(value, PAYLOAD_DEPTH_MAX) {
        true => Err(StoreError::TooDeep { depth_max: PAYLOAD_DEPTH_MAX }),
        false => Ok(()),
    }
}

/// Returns whether a part of `value` is nested in more than `depth` lists and objects.
fn exceeds_depth(value: &Value, depth: usize) -> bool {
    let Some(left) = depth.checked_sub(1) else { return value.is_array() || value.is_object() };
    match value {
        Value::Array(values) => values.iter().any(|value| exceeds_depth(value, left)),
        Value::Object(fields) => fields.values().any(|value| exceeds_depth(value, left)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
