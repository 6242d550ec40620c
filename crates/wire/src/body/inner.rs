//! Strings in a JSON document that itself is the text of a string: where they stand in the bytes.

use std::borrow::Cow;

use super::error::BodyError;
use super::walk::{self, Place, elements, members};

/// How the quotes of a string begin and end that stands in a document in a string.
const QUOTE: &[u8] = br#"\""#;

/// The strings that hold the results of the document in the string at `outer`, as
/// [`crate::requests::wrapped`] reads them; none where it is no such document.
pub(super) fn strings(bytes: &[u8], outer: &Place) -> Vec<Place> {
    // Whatever begins otherwise is no document.
    let first = bytes[outer.start + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
    if !matches!(first, Some(b'{' | b'[' | b'\\')) {
        return Vec::new();
    }
    let Some(document) = walk::text(bytes, outer) else { return Vec::new() };
    let found = in_document(document.as_bytes()).unwrap_or_default();
    places(bytes, outer, &found).unwrap_or_default()
}

/// The text of a string, at whichever of both levels it stands.
pub(super) fn text<'a>(bytes: &'a [u8], string: &Place) -> Option<Cow<'a, str>> {
    if !bytes[string.clone()].starts_with(QUOTE) {
        return walk::text(bytes, string);
    }
    let inner = decoded(&bytes[string.clone()])?;
    let text = walk::text(&inner, &(0..inner.len()))?;
    Some(Cow::Owned(text.into_owned()))
}

/// The bytes of a string in a string, as they stand in the text of that.
pub(super) fn decoded(string: &[u8]) -> Option<Vec<u8>> {
    let quoted = [b"\"", string, b"\""].concat();
    Some(walk::text(&quoted, &(0..quoted.len()))?.into_owned().into_bytes())
}

fn in_document(document: &[u8]) -> Result<Vec<Place>, BodyError> {
    let whole = walk::value(document)?;
    let mut strings = Vec::new();
    for part in elements(document, &whole)?.unwrap_or_else(|| vec![whole]) {
        let [content, result, error] = members(document, &part, ["content", "result", "error"])?;
        if let Some(content) = content {
            for text in elements(document, &content)?.unwrap_or_default() {
                let [text] = members(document, &text, ["text"])?;
                strings.extend(text);
            }
            continue;
        }
        let is_silent = |place: &Place| document[place.clone()] == *b"\"\"";
        strings.extend(result.filter(|place| !is_silent(place)).or(error));
    }
    strings.retain(|place| walk::is_string(document, place));
    Ok(strings)
}

/// Where strings of a document stand in the string at `outer` that spells it. `None` unless each
/// has its quotes spelled in the usual way.
fn places(bytes: &[u8], outer: &Place, inner: &[Place]) -> Option<Vec<Place>> {
    let mut at = Spelled { raw: outer.start + 1, decoded: 0 };
    let mut places = Vec::with_capacity(inner.len());
    for place in inner {
        let start = at.go_to(bytes, place.start)?;
        let end = at.go_to(bytes, place.end)?;
        let string = bytes.get(start..end)?;
        if !string.starts_with(QUOTE) || !string.ends_with(QUOTE) || end > outer.end {
            return None;
        }
        places.push(start..end);
    }
    Some(places)
}

/// A place in a string, in its bytes and in the text that they spell.
struct Spelled {
    raw: usize,
    decoded: usize,
}

impl Spelled {
    /// Goes on to where this byte of the text is spelled.
    fn go_to(&mut self, bytes: &[u8], decoded: usize) -> Option<usize> {
        while self.decoded < decoded {
            let rest = bytes.get(self.raw..)?;
            let (raw, text) = match rest {
                [b'\\', b'u', ..] => spelled_unit(rest)?,
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

/// How many bytes an escape such as `\u00e9` takes, and how many the text that it spells.
fn spelled_unit(rest: &[u8]) -> Option<(usize, usize)> {
    let unit = |at: usize| {
        let digits = rest.get(at..)?.strip_prefix(b"\\u")?.get(..4)?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    Some(match unit(0)? {
        0xD800..=0xDFFF => (12, 4),
        unit => (6, char::from_u32(unit)?.len_utf8()),
    })
}
