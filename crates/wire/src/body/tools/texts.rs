//! Long descriptions, of which the first sentences stay.

use super::schema::{LeftOut, each_schema};
use super::sentences;
use crate::body::error::BodyError;
use crate::body::walk::{self, Place};

/// Characters of a tool's description that stay, at most, unless its first sentence is longer.
const OF_TOOL: usize = 240;

/// The same of the description of a parameter.
const OF_PARAMETER: usize = 120;

/// Bytes that have to be saved. Less does not pay for the note.
const SAVED_MIN: usize = 48;

/// Leaves out the rest of a tool's long description.
pub(super) fn of_tool(
    bytes: &[u8],
    description: Option<&Place>,
    is_quoted: &dyn Fn(&str) -> bool,
) -> Option<LeftOut> {
    rest(bytes, description?, OF_TOOL, is_quoted)
}

/// Leaves out the rest of long descriptions in a schema.
pub(super) fn of_schema(
    bytes: &[u8],
    schema: &Place,
    is_quoted: &dyn Fn(&str) -> bool,
    found: &mut Vec<LeftOut>,
) -> Result<(), BodyError> {
    each_schema(bytes, schema, &mut |members, _| {
        let descriptions = members.iter().filter(|member| member.name == "description");
        let rests = descriptions.filter_map(|it| rest(bytes, &it.value, OF_PARAMETER, is_quoted));
        found.extend(rests);
    })
}

/// What is left out of a string of which the first sentences stay.
fn rest(
    bytes: &[u8],
    string: &Place,
    chars_max: usize,
    is_quoted: &dyn Fn(&str) -> bool,
) -> Option<LeftOut> {
    let text = walk::text(bytes, string)?;
    let kept = sentences::first(&text, chars_max)?;
    let rest = &text[kept..];
    let inner = string.start + 1..string.end - 1;
    let raw = std::str::from_utf8(&bytes[inner.clone()]).ok()?;
    let range = inner.start + spelled(raw, text[..kept].chars().count())..inner.end;
    let note = format!(" [{} characters left out]", rest.trim().chars().count());
    let pays = range.len() >= note.len() + SAVED_MIN;
    (pays && !is_quoted(&text)).then_some(LeftOut { range, text: note })
}

/// How many bytes the first characters of a text take in a JSON string that says it.
fn spelled(raw: &str, chars: usize) -> usize {
    let bytes = raw.as_bytes();
    let mut at = 0;
    for _ in 0..chars {
        at += match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'\\'), Some(b'u')) if is_first_of_pair(bytes, at) => 12,
            (Some(b'\\'), Some(b'u')) => 6,
            (Some(b'\\'), _) => 2,
            _ => raw[at..].chars().next().map_or(0, char::len_utf8),
        };
    }
    at
}

/// Whether an escape is the first of two that say one character.
fn is_first_of_pair(bytes: &[u8], at: usize) -> bool {
    let digit = |offset: usize| bytes.get(at + offset).map(u8::to_ascii_lowercase);
    digit(2) == Some(b'd') && matches!(digit(3), Some(b'8' | b'9' | b'a' | b'b'))
}
