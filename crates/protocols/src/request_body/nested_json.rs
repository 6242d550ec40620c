//! Strings of a JSON document that is itself the text of a JSON string: their ranges in the bytes.

use std::borrow::Cow;

use super::error::BodyError;
use super::json_lookup::{self, ByteRange, array_elements, find_members};

/// The quote of a string inside of such a document.
const ESCAPED_QUOTE: &[u8] = br#"\""#;

/// Returns the ranges of the result strings of the document in the string at `outer`, as
/// [`crate::wrapped_results`] reads them; empty if it is no such document.
pub(super) fn nested_result_strings(bytes: &[u8], outer: &ByteRange) -> Vec<ByteRange> {
    // A text that starts with another byte is no document.
    let first = bytes[outer.start + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
    if !matches!(first, Some(b'{' | b'[' | b'\\')) {
        return Vec::new();
    }
    let Some(document) = json_lookup::string_text(bytes, outer) else { return Vec::new() };
    let found = document_strings(document.as_bytes()).unwrap_or_default();
    map_to_outer(bytes, outer, &found).unwrap_or_default()
}

/// Returns the text of a string at either nesting level.
pub(super) fn decode_string<'a>(bytes: &'a [u8], string: &ByteRange) -> Option<Cow<'a, str>> {
    if !bytes[string.clone()].starts_with(ESCAPED_QUOTE) {
        return json_lookup::string_text(bytes, string);
    }
    let inner = unescape_nested(&bytes[string.clone()])?;
    let text = json_lookup::string_text(&inner, &(0..inner.len()))?;
    Some(Cow::Owned(text.into_owned()))
}

/// Returns the bytes of a nested string as they stand in the text of the outer string.
pub(super) fn unescape_nested(string: &[u8]) -> Option<Vec<u8>> {
    let quoted = [b"\"", string, b"\""].concat();
    Some(json_lookup::string_text(&quoted, &(0..quoted.len()))?.into_owned().into_bytes())
}

fn document_strings(document: &[u8]) -> Result<Vec<ByteRange>, BodyError> {
    let whole = json_lookup::root_value(document)?;
    let mut strings = Vec::new();
    for part in array_elements(document, &whole)?.unwrap_or_else(|| vec![whole]) {
        let [content, result, error] =
            find_members(document, &part, ["content", "result", "error"])?;
        if let Some(content) = content {
            for text in array_elements(document, &content)?.unwrap_or_default() {
                let [text] = find_members(document, &text, ["text"])?;
                strings.extend(text);
            }
            continue;
        }
        let is_silent = |place: &ByteRange| document[place.clone()] == *b"\"\"";
        strings.extend(result.filter(|place| !is_silent(place)).or(error));
    }
    strings.retain(|place| json_lookup::is_string(document, place));
    Ok(strings)
}

/// Maps ranges in a document to ranges in the string at `outer` that encodes it. Returns `None` if
/// the quotes of a string are escaped in an unusual way.
fn map_to_outer(bytes: &[u8], outer: &ByteRange, inner: &[ByteRange]) -> Option<Vec<ByteRange>> {
    let mut at = EscapedPosition { raw: outer.start + 1, decoded: 0 };
    let mut places = Vec::with_capacity(inner.len());
    for place in inner {
        let start = at.advance_to_decoded(bytes, place.start)?;
        let end = at.advance_to_decoded(bytes, place.end)?;
        let string = bytes.get(start..end)?;
        if !string.starts_with(ESCAPED_QUOTE) || !string.ends_with(ESCAPED_QUOTE) || end > outer.end
        {
            return None;
        }
        places.push(start..end);
    }
    Some(places)
}

/// A position in a string: its offset in the bytes and in the decoded text.
struct EscapedPosition {
    raw: usize,
    decoded: usize,
}

impl EscapedPosition {
    /// Advances to the byte of the decoded text and returns its raw offset.
    fn advance_to_decoded(&mut self, bytes: &[u8], decoded: usize) -> Option<usize> {
        while self.decoded < decoded {
            let rest = bytes.get(self.raw..)?;
            let (raw, text) = match rest {
                [b'\\', b'u', ..] => unicode_escape_lengths(rest)?,
                [b'\\', _, ..] => (2, 1),
                _ => {
                    let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
                    let plain = plain.min(decoded - self.decoded);
                    (plain, plain)
                }
            };
            self.raw += raw;
            self.decoded += text;
        }
        (self.decoded == decoded).then_some(self.raw)
    }
}

/// Returns the length of an escape such as `\u00e9` and of the text that it encodes, in bytes.
fn unicode_escape_lengths(rest: &[u8]) -> Option<(usize, usize)> {
    let unit = |at: usize| {
        let digits = rest.get(at..)?.strip_prefix(b"\\u")?.get(..4)?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    Some(match unit(0)? {
        0xD800..=0xDFFF => (12, 4),
        unit => (6, char::from_u32(unit)?.len_utf8()),
    })
}
