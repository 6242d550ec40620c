//! Secrets of Kubernetes: each value under `data` and `stringData` of a manifest is one.

use std::ops::Range;

use crate::chance::is_template;

/// What says that a manifest is one of a secret.
pub(crate) const WORDS: &[&str] = &[
    "kind: secret",
    "kind: \"secret\"",
    "kind: 'secret'",
    "kind\":\"secret\"",
    "kind\": \"secret\"",
    "kind\\\":\\\"secret\\\"",
];

/// What it is, for the note in its place.
pub(crate) const KIND: &str = "Kubernetes secret";

/// Bytes of a manifest on either side of its kind.
const BYTES_MAX: usize = 64 << 10;

/// Keys of what holds values.
const HOLDERS: [&[u8]; 2] = [b"data", b"stringData"];

/// The manifest around the word at `hit`, which was not looked at up to `from`: where it ends,
/// and the values in it.
pub(crate) fn values(text: &[u8], hit: &Range<usize>, from: usize) -> (usize, Vec<Range<usize>>) {
    let is_more = text.get(hit.end).is_some_and(u8::is_ascii_alphanumeric);
    if is_more || !is_kind(&text[hit.clone()]) {
        return (hit.end, Vec::new());
    }
    let before = from.max(hit.start.saturating_sub(BYTES_MAX)).min(hit.start);
    let start =
        memchr::memmem::rfind(&text[before..hit.start], b"\n---").map_or(before, |at| before + at);
    let most = text.len().min(hit.end + BYTES_MAX);
    let end = memchr::memmem::find(&text[hit.end..most], b"\n---").map_or(most, |at| hit.end + at);
    let is_json = text[hit.clone()].contains(&b'"') && text[hit.start..].starts_with(b"kind\"")
        || text[hit.start..].starts_with(b"kind\\");
    let values = match is_json {
        true => of_objects(text, start..end),
        false => of_lines(text, start..end),
    };
    (end, values)
}

/// Case counts: other resources may be called so in prose.
fn is_kind(word: &[u8]) -> bool {
    word.starts_with(b"kind") && memchr::memmem::find(word, b"Secret").is_some()
}

/// The values of a manifest in YAML.
fn of_lines(text: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
    let mut values = Vec::new();
    // How far the key is indented whose values are read.
    let mut holder: Option<usize> = None;
    let mut start = range.start;
    let ends = memchr::memchr_iter(b'\n', &text[range.clone()]).map(|at| range.start + at);
    for end in ends.chain(std::iter::once(range.end)) {
        let line = text[start..end].trim_ascii_end();
        let indent = line.iter().take_while(|byte| **byte == b' ').count();
        let body = &line[indent..];
        let at = start + indent;
        if !body.is_empty() && !body.starts_with(b"#") {
            match holder.filter(|outer| indent > *outer) {
                Some(_) => values.extend(of_line(text, at..start + line.len())),
                None => {
                    let is_holder = |key: &[u8]| body.strip_suffix(b":") == Some(key);
                    holder = HOLDERS.into_iter().any(is_holder).then_some(indent);
                }
            }
        }
        start = end + 1;
    }
    values
}

/// The value in one line: behind its key, or all of it where a text goes on.
fn of_line(text: &[u8], line: Range<usize>) -> Option<Range<usize>> {
    let body = &text[line.clone()];
    let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./\"'".contains(byte);
    let key = body.iter().take_while(|byte| is_key(byte)).count();
    let mut value = match &body[key..] {
        [b':'] => return None,
        [b':', b' ', ..] => line.start + key + 2..line.end,
        _ => line,
    };
    while text[value.clone()].first().is_some_and(|byte| matches!(byte, b' ' | b'"' | b'\'')) {
        value.start += 1;
    }
    while text[value.clone()].last().is_some_and(|byte| matches!(byte, b'"' | b'\'')) {
        value.end -= 1;
    }
    is_value(&text[value.clone()]).then_some(value)
}

/// The values of a manifest in JSON, which may be a string itself.
fn of_objects(text: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
    let mut values = Vec::new();
    let mut at = range.start;
    while let Some(found) = memchr::memmem::find(&text[at..range.end], b"ata") {
        let key = at + found + 3;
        at = key;
        let is_holder = HOLDERS.iter().any(|holder| {
            text[range.start..key].ends_with(holder)
                && text[range.start..key - holder.len()].ends_with(b"\"")
        });
        let gap = text[key..range.end].iter().take_while(|byte| b"\\\": \n\r\t".contains(byte));
        let open = key + gap.count();
        if !is_holder || text.get(open) != Some(&b'{') {
            continue;
        }
        let close = memchr::memchr(b'}', &text[open..range.end]).map_or(range.end, |at| open + at);
        values.extend(of_object(text, open..close));
        at = close;
    }
    values
}

/// Every second string of an object.
fn of_object(text: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
    let quotes: Vec<usize> =
        memchr::memchr_iter(b'"', &text[range.clone()]).map(|at| range.start + at).collect();
    let value = |marks: &[usize]| {
        let &[_, _, open, close] = marks else { return None };
        let escapes = text[open + 1..close].iter().rev().take_while(|byte| **byte == b'\\').count();
        let value = open + 1..close - escapes;
        is_value(&text[value.clone()]).then_some(value)
    };
    quotes.chunks(4).filter_map(value).collect()
}

fn is_value(value: &[u8]) -> bool {
    value.len() >= 4 && !is_template(value) && !matches!(value, b"null" | b"true" | b"false")
}
