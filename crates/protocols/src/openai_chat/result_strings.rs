//! Strings of tool results in messages of Chat Completions.

use crate::request_body::BodyError;
use crate::request_body::json_lookup::find_members;
use crate::request_body::result_strings::{
    ResultStrings, content_strings, text_matches_any, whole_range,
};

/// Returns the strings of each tool result of the message, in order.
pub(super) fn result_strings(message: &[u8]) -> Result<Vec<ResultStrings>, BodyError> {
    let [role, content] = find_members(message, &whole_range(message), ["role", "content"])?;
    if text_matches_any(message, role.as_ref(), &["tool", "function"]) {
        return Ok(vec![ResultStrings::new(message, content_strings(message, content)?)]);
    }
    Ok(Vec::new())
}
