//! Finds the strings of a message that make up the contents of its tool results, in the order in
//! which the readers of decoded messages join them. The caller compares both, so that a difference
//! only costs a slot.

use super::error::BodyError;
use super::json_lookup::{self, ByteRange, array_elements, find_members};
use super::nested_json;
use crate::protocol::Protocol;

/// The strings that hold a result's text.
#[derive(Debug, Default)]
pub(super) struct ResultStrings {
    /// The text parts; empty if the text is not made of strings.
    pub(super) strings: Vec<ByteRange>,
    /// The strings of a JSON document in the result's only string.
    pub(super) nested: Vec<ByteRange>,
}

impl ResultStrings {
    /// Creates the strings of a result, with those of a nested document.
    fn new(message: &[u8], strings: Vec<ByteRange>) -> Self {
        let nested = match &strings[..] {
            [sole] => nested_json::nested_result_strings(message, sole),
            _ => Vec::new(),
        };
        Self { strings, nested }
    }
}

/// Returns the strings of each tool result of the message, in order.
pub(super) fn result_strings(
    protocol: Protocol,
    message: &[u8],
) -> Result<Vec<ResultStrings>, BodyError> {
    match protocol {
        Protocol::Messages => messages_results(message),
        Protocol::Chat => chat_results(message),
        Protocol::Responses => responses_results(message),
        Protocol::Gemini => gemini_results(message),
    }
}

fn messages_results(message: &[u8]) -> Result<Vec<ResultStrings>, BodyError> {
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

fn chat_results(message: &[u8]) -> Result<Vec<ResultStrings>, BodyError> {
    let [role, content] = find_members(message, &whole_range(message), ["role", "content"])?;
    if text_matches_any(message, role.as_ref(), &["tool", "function"]) {
        return Ok(vec![ResultStrings::new(message, content_strings(message, content)?)]);
    }
    Ok(Vec::new())
}

fn responses_results(item: &[u8]) -> Result<Vec<ResultStrings>, BodyError> {
    let [kind, output] = find_members(item, &whole_range(item), ["type", "output"])?;
    let kind = kind.and_then(|kind| json_lookup::string_text(item, &kind));
    if !kind.is_some_and(|kind| kind.ends_with("_output")) {
        return Ok(Vec::new());
    }
    let Some(output) = output else { return Ok(vec![ResultStrings::default()]) };
    let [content] = find_members(item, &output, ["content"])?;
    Ok(vec![ResultStrings::new(item, content_strings(item, Some(content.unwrap_or(output)))?)])
}

fn gemini_results(message: &[u8]) -> Result<Vec<ResultStrings>, BodyError> {
    let [parts] = find_members(message, &whole_range(message), ["parts"])?;
    let Some(parts) = parts else { return Ok(Vec::new()) };
    let mut results = Vec::new();
    for part in array_elements(message, &parts)?.unwrap_or_else(|| vec![parts]) {
        let [call, response] = find_members(message, &part, ["functionCall", "functionResponse"])?;
        let is_object = |place: &ByteRange| message[place.start] == b'{';
        let response =
            response.filter(is_object).filter(|_| !call.is_some_and(|at| is_object(&at)));
        if let Some(response) = response {
            let [response] = find_members(message, &response, ["response"])?;
            let strings =
                response.map_or(Ok(Vec::new()), |place| gemini_response_strings(message, place))?;
            results.push(ResultStrings::new(message, strings));
        }
    }
    Ok(results)
}

/// Returns the strings of a function's response.
fn gemini_response_strings(
    message: &[u8],
    response: ByteRange,
) -> Result<Vec<ByteRange>, BodyError> {
    let [output, error] = find_members(message, &response, ["output", "error"])?;
    let is_string = |place: &ByteRange| json_lookup::is_string(message, place);
    if let Some(text) = output.filter(is_string).or(error.filter(is_string)) {
        return Ok(vec![text]);
    }
    match json_lookup::only_member(message, &response)? {
        Some(lone) => Ok(Some(lone).filter(is_string).into_iter().collect()),
        None => content_strings(message, Some(response)),
    }
}

/// Returns the strings of a content that is text or a list of parts.
fn content_strings(
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

fn whole_range(message: &[u8]) -> ByteRange {
    0..message.len()
}

fn list_elements(message: &[u8], place: Option<ByteRange>) -> Result<Vec<ByteRange>, BodyError> {
    let Some(place) = place else { return Ok(Vec::new()) };
    Ok(array_elements(message, &place)?.unwrap_or_default())
}

fn text_matches_any(message: &[u8], text: Option<&ByteRange>, words: &[&str]) -> bool {
    text.and_then(|place| json_lookup::string_text(message, place))
        .is_some_and(|text| words.contains(&&*text))
}
