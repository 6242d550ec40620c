//! Replaces JSON strings in a body by other texts.

use std::ops::Range;
use std::sync::Arc;

use super::string_encoding::{EscapeStyle, StringEncoding};

/// A text as an encoded JSON string. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedString {
    bytes: Arc<[u8]>,
    nesting_level: usize,
}

impl EncodedString {
    /// Encodes a text.
    pub fn new(text: &str, spelling: StringEncoding) -> Self {
        let mut bytes = text.as_bytes().to_vec();
        for escapes in spelling.escape_styles() {
            let mut string = Vec::with_capacity(bytes.len() + bytes.len() / 8 + 2);
            string.push(b'"');
            escape_with_style(escapes, &bytes, &mut string);
            string.push(b'"');
            bytes = string;
        }
        // A nested string lacks the quotes of the outer string.
        let outside = spelling.nesting_level();
        let bytes = bytes[outside..bytes.len() - outside].into();
        Self { bytes, nesting_level: outside }
    }

    /// Returns the bytes of the string.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the length in bytes, with the quotes.
    #[expect(clippy::len_without_is_empty, reason = "it has its quotes at least")]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Decodes the text.
    pub fn decode(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.bytes).into_owned();
        for _ in 0..self.nesting_level {
            // A nested string lacks the quotes of the outer string.
            text = serde_json::from_str(&format!("\"{text}\"")).unwrap_or_default();
        }
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Encodes a text as a replacement of `string`; `None` if that is no JSON string.
    pub fn encode_in_place_of(string: &[u8], text: &str) -> Option<Self> {
        Some(Self::new(text, StringEncoding::minimal(nesting_level(string)?)))
    }
}

/// Returns the bytes with some of their strings replaced. `replaced` has the ranges of the strings
/// with their quotes and the replacements, sorted by range. All other bytes stay the same. A range
/// that is no such string or overlaps the one before it is skipped.
pub fn splice(bytes: &[u8], replaced: &[(Range<usize>, EncodedString)]) -> Vec<u8> {
    let replaced: Vec<_> = replaced.iter().map(|(place, text)| (place.clone(), text)).collect();
    splice_with_breakpoints(bytes, &replaced, &[], "")
}

/// Replaces strings as [`splice`] does and inserts `mark`, such as
/// [`CACHE_CONTROL_MEMBER`](super::CACHE_CONTROL_MEMBER), at the offsets `marks`, ascending, as
/// [`MarkableBlocks`](super::MarkableBlocks) has them. An offset inside of a replaced string is
/// skipped.
pub fn splice_with_breakpoints(
    bytes: &[u8],
    replaced: &[(Range<usize>, &EncodedString)],
    marks: &[usize],
    mark: &str,
) -> Vec<u8> {
    let added: usize = replaced.iter().map(|(_, text)| text.bytes.len()).sum();
    let removed: usize = replaced.iter().map(|(place, _)| place.len()).sum();
    let all = (bytes.len() + added).saturating_sub(removed) + marks.len() * mark.len();
    let mut spliced = Vec::with_capacity(all);
    let (mut at, mut marks) = (0, marks);
    for (place, text) in replaced {
        let string = bytes.get(place.clone()).filter(|_| place.start >= at);
        if string.and_then(nesting_level) != Some(text.nesting_level) {
            continue;
        }
        marks = copy_with_breakpoints(bytes, at..place.start, marks, mark, &mut spliced);
        spliced.extend_from_slice(&text.bytes);
        at = place.end;
    }
    copy_with_breakpoints(bytes, at..bytes.len(), marks, mark, &mut spliced);
    spliced
}

/// Copies a range of the bytes and inserts `text` at the marks in it. Returns the remaining marks.
fn copy_with_breakpoints<'a>(
    bytes: &[u8],
    range: Range<usize>,
    mut marks: &'a [usize],
    text: &str,
    to: &mut Vec<u8>,
) -> &'a [usize] {
    let mut at = range.start;
    while let Some((mark, rest)) = marks.split_first().filter(|(mark, _)| **mark <= range.end) {
        if *mark >= at {
            to.extend_from_slice(&bytes[at..*mark]);
            to.extend_from_slice(text.as_bytes());
            at = *mark;
        }
        marks = rest;
    }
    to.extend_from_slice(&bytes[at..range.end]);
    marks
}

/// Returns how many strings contain the string: 0 for one that is not nested.
pub(super) fn nesting_level(string: &[u8]) -> Option<usize> {
    let quotes: [&[u8]; 2] = [b"\"", b"\\\""];
    quotes.iter().position(|quote| {
        string.len() >= 2 * quote.len() && string.starts_with(quote) && string.ends_with(quote)
    })
}

/// Appends a text as JSON string content, with the optional escapes of a style.
fn escape_with_style(escapes: EscapeStyle, text: &[u8], to: &mut Vec<u8>) {
    if escapes.is_minimal() {
        return escape_minimally(text, to);
    }
    let digits: &[u8; 16] = if escapes.is_upper { b"0123456789ABCDEF" } else { DIGITS };
    let text = String::from_utf8_lossy(text);
    let mut plain = 0;
    for (at, character) in text.char_indices() {
        let is_control = escapes.is_upper
            && character < ' '
            && !matches!(character, '\n' | '\r' | '\t' | '\u{8}' | '\u{c}');
        if !is_control && !escapes.escapes_character(character) {
            continue;
        }
        escape_minimally(&text.as_bytes()[plain..at], to);
        plain = at + character.len_utf8();
        if character == '/' {
            to.extend_from_slice(b"\\/");
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            to.extend_from_slice(b"\\u");
            let digit = |shift: u16| digits[usize::from(*unit >> shift & 15)];
            to.extend([12, 8, 4, 0].map(digit));
        }
    }
    escape_minimally(&text.as_bytes()[plain..], to);
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Appends a text as JSON string content in the minimal encoding.
fn escape_minimally(mut text: &[u8], to: &mut Vec<u8>) {
    loop {
        let (plain, rest) = text.split_at(unescaped_len(text));
        to.extend_from_slice(plain);
        let Some((byte, rest)) = rest.split_first() else { return };
        match byte {
            b'\n' => to.extend_from_slice(b"\\n"),
            b'\r' => to.extend_from_slice(b"\\r"),
            b'\t' => to.extend_from_slice(b"\\t"),
            0x08 => to.extend_from_slice(b"\\b"),
            0x0C => to.extend_from_slice(b"\\f"),
            0..0x20 => {
                to.extend_from_slice(b"\\u00");
                to.extend_from_slice(&[b'0' + (byte >> 4), DIGITS[usize::from(byte & 15)]]);
            }
            _ => to.extend_from_slice(&[b'\\', *byte]),
        }
        text = rest;
    }
}

/// Returns the number of bytes before the first one that needs an escape. Blocks let the compiler
/// vectorise the search.
fn unescaped_len(text: &[u8]) -> usize {
    const BLOCK: usize = 16;
    let is_escaped = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
    let is_plain = |block: &&[u8]| !block.iter().fold(false, |any, byte| any | is_escaped(byte));
    let start = BLOCK * text.chunks_exact(BLOCK).take_while(is_plain).count();
    let rest = &text[start..];
    start + rest.iter().position(is_escaped).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests;
