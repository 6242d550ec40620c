//! Strings of tool results in messages of Anthropic's Messages.

use crate::request_body::BodyError;
use crate::request_body::json_lookup::find_members;
use crate::request_body::result_strings::{
    ResultStrings, content_strings, list_elements, text_matches_any, whole_range,
};

/// Returns the strings of each tool result of the message, in order.
pub(super) fn result_strings(message: &[u8]) -> Result<Vec<ResultStrings>, BodyError> {
    let [role, content] = find_members(message, &whole_range(message), ["role", "content"])?;
    let mut results = Vec::new();
    if !text_matches_any(message, role.as_ref(), &["user"]) {
        return Ok(results);
    }
    for block in list_elements(message, content)? {
        let [kind, content] = find_members(message, &block, ["type", "content"])?;
        if text_matches_any(message, kind.as_ref(), &["tool_result"]) {
            results.push(ResultStrings::new(message, content_strings(message, content)?));
        }
    }
    Ok(results)
}
