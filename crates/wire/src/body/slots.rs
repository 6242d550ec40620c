//! Where the texts of tool results stand in a message: the strings that the readers of decoded
//! messages make a result's content of, in the same order. Whoever asks compares both, so a
//! difference costs a slot and nothing else.

use super::error::BodyError;
use super::inner;
use super::walk::{self, Place, elements, members};
use crate::json;
use crate::protocol::Protocol;

/// The strings that hold a result's text.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// Its text parts; none where its text is not made of strings.
    pub(super) strings: Vec<Place>,
    /// Strings of the document that its one string may be.
    pub(super) inner: Vec<Place>,
}

impl Texts {
    /// Those of a result in a message.
    fn new(message: &[u8], strings: Vec<Place>) -> Self {
        let inner = match &strings[..] {
            [sole] => inner::strings(message, sole),
            _ => Vec::new(),
        };
        Self { strings, inner }
    }
}

/// The strings of each tool result of the message, in order.
pub(super) fn of_results(protocol: Protocol, message: &[u8]) -> Result<Vec<Texts>, BodyError> {
    match protocol {
        Protocol::Messages => messages(message),
        Protocol::Chat => chat(message),
        Protocol::Responses => responses(message),
        Protocol::Gemini => gemini(message),
    }
}

fn messages(message: &[u8]) -> Result<Vec<Texts>, BodyError> {
    let [role, content] = members(message, &whole(message), ["role", "content"])?;
    let mut results = Vec::new();
    if !is_one_of(message, role.as_ref(), &["user"]) {
        return Ok(results);
    }
    for block in list(message, content)? {
        let [kind, content] = members(message, &block, ["type", "content"])?;
        if is_one_of(message, kind.as_ref(), &["tool_result"]) {
            results.push(Texts::new(message, strings(message, content)?));
        }
    }
    Ok(results)
}

fn chat(message: &[u8]) -> Result<Vec<Texts>, BodyError> {
    let [role, content] = members(message, &whole(message), ["role", "content"])?;
    if is_one_of(message, role.as_ref(), &["tool", "function"]) {
        return Ok(vec![Texts::new(message, strings(message, content)?)]);
    }
    Ok(Vec::new())
}

fn responses(item: &[u8]) -> Result<Vec<Texts>, BodyError> {
    let [kind, output] = members(item, &whole(item), ["type", "output"])?;
    let kind = kind.and_then(|kind| walk::text(item, &kind));
    if !kind.is_some_and(|kind| kind.ends_with("_output")) {
        return Ok(Vec::new());
    }
    let Some(output) = output else { return Ok(vec![Texts::default()]) };
    let [content] = members(item, &output, ["content"])?;
    Ok(vec![Texts::new(item, strings(item, Some(content.unwrap_or(output)))?)])
}

fn gemini(message: &[u8]) -> Result<Vec<Texts>, BodyError> {
    let [parts] = members(message, &whole(message), ["parts"])?;
    let Some(parts) = parts else { return Ok(Vec::new()) };
    let mut results = Vec::new();
    for part in elements(message, &parts)?.unwrap_or_else(|| vec![parts]) {
        let [call, response] = members(message, &part, ["functionCall", "functionResponse"])?;
        let is_object = |place: &Place| message[place.start] == b'{';
        let response =
            response.filter(is_object).filter(|_| !call.is_some_and(|at| is_object(&at)));
        if let Some(response) = response {
            let [response] = members(message, &response, ["response"])?;
            let strings = response.map_or(Ok(Vec::new()), |place| told(message, place))?;
            results.push(Texts::new(message, strings));
        }
    }
    Ok(results)
}

/// The strings of a function's response.
fn told(message: &[u8], response: Place) -> Result<Vec<Place>, BodyError> {
    let [output, error] = members(message, &response, ["output", "error"])?;
    let is_string = |place: &Place| walk::is_string(message, place);
    if let Some(text) = output.filter(is_string).or(error.filter(is_string)) {
        return Ok(vec![text]);
    }
    match walk::lone_member(message, &response)? {
        Some(lone) => Ok(Some(lone).filter(is_string).into_iter().collect()),
        None => strings(message, Some(response)),
    }
}

/// The strings of a content that is text or a list of parts.
fn strings(message: &[u8], content: Option<Place>) -> Result<Vec<Place>, BodyError> {
    let Some(content) = content else { return Ok(Vec::new()) };
    if walk::is_string(message, &content) {
        return Ok(vec![content]);
    }
    let mut strings = Vec::new();
    for part in list(message, Some(content))? {
        if walk::is_string(message, &part) {
            strings.push(part);
            continue;
        }
        let [kind, text] = members(message, &part, ["type", "text"])?;
        let kind = kind.and_then(|kind| walk::text(message, &kind));
        if json::is_text_part(kind.as_deref()) {
            strings.extend(text.filter(|text| walk::is_string(message, text)));
        }
    }
    Ok(strings)
}

fn whole(message: &[u8]) -> Place {
    0..message.len()
}

fn list(message: &[u8], place: Option<Place>) -> Result<Vec<Place>, BodyError> {
    let Some(place) = place else { return Ok(Vec::new()) };
    Ok(elements(message, &place)?.unwrap_or_default())
}

fn is_one_of(message: &[u8], text: Option<&Place>, words: &[&str]) -> bool {
    text.and_then(|place| walk::text(message, place)).is_some_and(|text| words.contains(&&*text))
}
