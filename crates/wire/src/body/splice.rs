//! Puts texts in the places of JSON strings.

use std::ops::Range;
use std::sync::Arc;

use super::string_encoding::{Escapes, StringEncoding};

/// A text as the JSON string that says it. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelled {
    bytes: Arc<[u8]>,
    level: usize,
}

impl Spelled {
    /// A text as a string of this spelling.
    pub fn new(text: &str, spelling: StringEncoding) -> Self {
        let mut bytes = text.as_bytes().to_vec();
        for escapes in spelling.each() {
            let mut string = Vec::with_capacity(bytes.len() + bytes.len() / 8 + 2);
            string.push(b'"');
            escape_by(escapes, &bytes, &mut string);
            string.push(b'"');
            bytes = string;
        }
        // What stands in another string lacks the quotes of that.
        let outside = spelling.level();
        let bytes = bytes[outside..bytes.len() - outside].into();
        Self { bytes, level: outside }
    }

    /// The bytes of the string.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes that it takes, its quotes included.
    #[expect(clippy::len_without_is_empty, reason = "it has its quotes at least")]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The text that it says.
    pub fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.bytes).into_owned();
        for _ in 0..self.level {
            // What stands in another string lacks the quotes of that.
            text = serde_json::from_str(&format!("\"{text}\"")).unwrap_or_default();
        }
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// A text as it has to stand in the place of this string; `None` where that is none.
    pub fn in_place_of(string: &[u8], text: &str) -> Option<Self> {
        Some(Self::new(text, StringEncoding::brief(level_of(string)?)))
    }
}

/// The bytes with some of their strings replaced. `replaced` has the places of strings with their
/// quotes and what to put there, sorted by place. Everything outside of them stays as it is, byte
/// for byte. A place that is none of such a string, or not behind the one before it, is left alone.
pub fn splice(bytes: &[u8], replaced: &[(Range<usize>, Spelled)]) -> Vec<u8> {
    let replaced: Vec<_> = replaced.iter().map(|(place, text)| (place.clone(), text)).collect();
    splice_and_mark(bytes, &replaced, &[], "")
}

/// The same with `mark`, such as [`MARK`](super::MARK), put in at the places `marks`, ascending, as
/// [`Markable`](super::Markable) has them. One inside of a replaced string is left out.
pub fn splice_and_mark(
    bytes: &[u8],
    replaced: &[(Range<usize>, &Spelled)],
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
        if string.and_then(level_of) != Some(text.level) {
            continue;
        }
        marks = copy(bytes, at..place.start, (marks, mark), &mut spliced);
        spliced.extend_from_slice(&text.bytes);
        at = place.end;
    }
    copy(bytes, at..bytes.len(), (marks, mark), &mut spliced);
    spliced
}

/// Copies a range of the bytes with the marks in it; returns those behind it.
fn copy<'a>(
    bytes: &[u8],
    range: Range<usize>,
    (mut marks, text): (&'a [usize], &str),
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

/// In how many strings a string stands: 0 for one that stands in no other.
pub(super) fn level_of(string: &[u8]) -> Option<usize> {
    let quotes: [&[u8]; 2] = [b"\"", b"\\\""];
    quotes.iter().position(|quote| {
        string.len() >= 2 * quote.len() && string.starts_with(quote) && string.ends_with(quote)
    })
}

/// Writes a text as JSON has it in a string that spells these characters by escapes.
fn escape_by(escapes: Escapes, text: &[u8], to: &mut Vec<u8>) {
    if escapes.is_brief() {
        return escape(text, to);
    }
    let digits: &[u8; 16] = if escapes.is_upper { b"0123456789ABCDEF" } else { DIGITS };
    let text = String::from_utf8_lossy(text);
    let mut plain = 0;
    for (at, character) in text.char_indices() {
        let is_control = escapes.is_upper
            && character < ' '
            && !matches!(character, '\n' | '\r' | '\t' | '\u{8}' | '\u{c}');
        if !is_control && !escapes.has(character) {
            continue;
        }
        escape(&text.as_bytes()[plain..at], to);
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
    escape(&text.as_bytes()[plain..], to);
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Writes a text as JSON has it in a string, as briefly as it can be.
fn escape(mut text: &[u8], to: &mut Vec<u8>) {
    loop {
        let (plain, rest) = text.split_at(plain_len(text));
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

/// How many bytes stand before the first one that is escaped. They are looked at in blocks, which the
/// compiler makes few instructions of.
fn plain_len(text: &[u8]) -> usize {
    const BLOCK: usize = 16;
    let is_escaped = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
    let is_plain = |block: &&[u8]| !block.iter().fold(false, |any, byte| any | is_escaped(byte));
    let start = BLOCK * text.chunks_exact(BLOCK).take_while(is_plain).count();
    let rest = &text[start..];
    start + rest.iter().position(is_escaped).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests;
