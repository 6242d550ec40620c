//! The strings of a message that make up the contents of its tool results, in the order in which the
//! readers of decoded messages join them. The caller compares both, so that a difference only costs
//! a slot.

use super::error::BodyError;
use super::json_lookup::{self, ByteRange, array_elements, find_members};
use super::nested_json;

/// The strings that hold a result's text.
#[derive(Debug, Default)]
pub(crate) struct ResultStrings {
    /// The text parts; empty if the text is not made of strings.
    pub(crate) strings: Vec<ByteRange>,
    /// The strings of a JSON document in the result's only string.
    pub(crate) nested: Vec<ByteRange>,
}

impl ResultStrings {
    /// Creates the strings of a result, with those of a nested document.
    pub(crate) fn new(message: &[u8], strings: Vec<ByteRange>) -> Self {
        let nested = match &strings[..] {
            [sole] => nested_json::nested_result_strings(message, sole),
            _ => Vec::new(),
        };
        Self { strings, nested }
    }
}

/// Returns the strings of a content that is text or a list of parts.
pub(crate) fn content_strings(
    message: &[u8],
    content: Option<ByteRange>,
) -> Result<Vec<ByteRange>, BodyError> {
    let Some(content) = content else { return Ok(Vec::new()) };
    if json_lookup::is_string(message, &content) {
        return Ok(vec![content]);
    }
    let mut strings = Vec::new();
    for part in list_elements(message, Some(content))? {
        if json_lookup::is_string(message, &part) {
            strings.push(part);
            continue;
        }
        let [text] = find_members(message, &part, ["text"])?;
        strings.extend(text.filter(|text| json_lookup::is_string(message, text)));
    }
    Ok(strings)
}

pub(crate) fn whole_range(message: &[u8]) -> ByteRange {
    0..message.len()
}

pub(crate) fn list_elements(
    message: &[u8],
    place: Option<ByteRange>,
) -> Result<Vec<ByteRange>, BodyError> {
    let Some(place) = place else { return Ok(Vec::new()) };
    Ok(array_elements(message, &place)?.unwrap_or_default())
}

pub(crate) fn text_matches_any(message: &[u8], text: Option<&ByteRange>, words: &[&str]) -> bool {
    text.and_then(|place| json_lookup::string_text(message, place))
        .is_some_and(|text| words.contains(&&*text))
}
