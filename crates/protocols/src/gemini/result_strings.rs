//! Strings of tool results in messages of `generateContent`.

use crate::request_body::BodyError;
use crate::request_body::json_lookup::{self, ByteRange, array_elements, find_members};
use crate::request_body::result_strings::{ResultStrings, content_strings, whole_range};

/// Returns the strings of each tool result of the message, in order.
pub(super) fn result_strings(message: &[u8]) -> Result<Vec<ResultStrings>, BodyError> {
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
                response.map_or(Ok(Vec::new()), |place| response_strings(message, place))?;
            results.push(ResultStrings::new(message, strings));
        }
    }
    Ok(results)
}

/// Returns the strings of a function's response.
fn response_strings(message: &[u8], response: ByteRange) -> Result<Vec<ByteRange>, BodyError> {
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
