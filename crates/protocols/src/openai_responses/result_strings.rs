//! Strings of tool results in messages of OpenAI's Responses.

use crate::request_body::BodyError;
use crate::request_body::json_lookup::{self, find_members};
use crate::request_body::result_strings::{ResultStrings, content_strings, whole_range};

/// Returns the strings of each tool result of the message, in order.
pub(super) fn result_strings(item: &[u8]) -> Result<Vec<ResultStrings>, BodyError> {
    let [kind, output] = find_members(item, &whole_range(item), ["type", "output"])?;
    let kind = kind.and_then(|kind| json_lookup::string_text(item, &kind));
    if !kind.is_some_and(|kind| kind.ends_with("_output")) {
        return Ok(Vec::new());
    }
    let Some(output) = output else { return Ok(vec![ResultStrings::default()]) };
    let [content] = find_members(item, &output, ["content"])?;
    Ok(vec![ResultStrings::new(item, content_strings(item, Some(content.unwrap_or(output)))?)])
}
