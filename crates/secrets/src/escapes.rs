//! Texts in strings of programs and JSON: their line feeds, quotes and slashes are written as two
//! signs or more, so that what stands in lines of its own is only found in what the string means.

use std::ops::Range;

use crate::reading::Reading;
use crate::readings;
use crate::secret::Secret;

/// Shorter strings hold nothing that the text around them does not tell.
const BYTES_MIN: usize = 12;

/// Secrets in the strings of a text, read without their escapes, where they stand in the text.
pub(crate) fn find(text: &[u8]) -> Vec<Secret> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(escape) = memchr::memchr(b'\\', &text[start..]).map(|at| start + at) {
        let string = string_around(text, start, escape);
        start = (string.end + 1).min(text.len());
        if string.len() < BYTES_MIN || !has_signs(&text[string.clone()]) {
            continue;
        }
        let reading = unescaped(text, string);
        let secrets = readings::find(&reading.text).into_iter().filter(|it| !it.is_guess());
        found.extend(secrets.map(|it| Secret::new(reading.place(it.range), it.kind)));
    }
    found
}

/// Returns the part between quotation marks, or the ends of the line, around an escape. Nothing
/// before `from` belongs to it.
fn string_around(text: &[u8], from: usize, escape: usize) -> Range<usize> {
    let before = &text[from..escape];
    let start = memchr::memrchr2(b'"', b'\n', before).map_or(from, |at| from + at + 1);
    let mut end = escape;
    while let Some(at) = memchr::memchr3(b'"', b'\n', b'\\', &text[end..]) {
        end += at;
        if text[end] != b'\\' {
            return start..end;
        }
        let run = run_length(&text[end..]);
        // An escaped mark ends nothing.
        let is_mark = run % 2 == 1 && text.get(end + run) == Some(&b'"');
        end += run + usize::from(is_mark);
    }
    start..text.len()
}

/// How many backslashes a text begins with.
fn run_length(text: &[u8]) -> usize {
    text.iter().take_while(|byte| **byte == b'\\').count()
}

/// Whether a string has escapes that change where its lines and words end.
fn has_signs(string: &[u8]) -> bool {
    let mut escapes = memchr::memchr_iter(b'\\', string);
    escapes.any(|at| matches!(string.get(at + 1), Some(b'n' | b'r' | b'/' | b'u')))
}

/// Returns a string without its escapes.
fn unescaped(text: &[u8], string: Range<usize>) -> Reading {
    let mut reading = Reading::default();
    let mut at = string.start;
    let end = string.end;
    while let Some(escape) = memchr::memchr(b'\\', &text[at..end]).map(|found| at + found) {
        reading.push(text, at..escape);
        let run = run_length(&text[escape..end]);
        let (kept, sign, length) = match sign(&text[escape + run..end]) {
            // A mark in a string of its own keeps its escape.
            Some((mark @ (b'"' | b'\''), length)) => ((run - 1) / 2, mark, length),
            Some((sign, length)) => (0, sign, length),
            // Two backslashes are one.
            None => (run.div_ceil(2) - 1, b'\\', 0),
        };
        at = escape + run + length;
        reading.push(text, escape..escape + kept);
        reading.push_sign(sign, escape + kept..at);
    }
    reading.push(text, at..end);
    reading
}

/// The sign that is meant by what stands behind backslashes, and how long that is.
fn sign(rest: &[u8]) -> Option<(u8, usize)> {
    let sign = match rest.first()? {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        mark @ (b'"' | b'\'' | b'/') => *mark,
        b'u' => {
            let digits = std::str::from_utf8(rest.get(1..5)?).ok()?;
            let sign = u8::from_str_radix(digits, 16).ok().filter(u8::is_ascii)?;
            return (sign >= b' ').then_some((sign, 5));
        }
        _ => return None,
    };
    Some((sign, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_stands_where_it_is_written() {
        let string = br"ab\nc\\\nd\r\n\u003de\\q\/";
        let meant = unescaped(string, 0..string.len());
        assert_eq!(meant.text.escape_ascii().to_string(), r"ab\nc\nd\r\n=e\\q/");
        let place = |part: &str| {
            let here = memchr::memmem::find(&meant.text, part.as_bytes()).expect("a part of it");
            let place = meant.place(here..here + part.len());
            String::from_utf8_lossy(&string[place]).into_owned()
        };
        assert_eq!(place("b"), "b");
        assert_eq!(place("b\n"), r"b\n");
        assert_eq!(place("\nc"), r"\nc");
        assert_eq!(place("c\nd"), r"c\\\nd");
        assert_eq!(place("=e\\q"), r"\u003de\\q");
        assert_eq!(place("/"), r"\/");
        let string = br#"a\"b\\\"c\\\\:d"#;
        assert_eq!(unescaped(string, 0..string.len()).text, br#"a"b\"c\\:d"#);
    }

    #[test]
    fn a_string_ends_at_its_mark() {
        let strings = |text: &str| {
            let (mut found, mut start) = (Vec::new(), 0);
            while let Some(at) = text.get(start..).and_then(|rest| rest.find('\\')) {
                let string = string_around(text.as_bytes(), start, start + at);
                start = string.end + 1;
                found.push(text[string].to_owned());
            }
            found
        };
        assert_eq!(strings(r#"{"a":"b\nc","d":"e\"f\\","g\t"}"#), [r"b\nc", r#"e\"f\\"#, r"g\t"]);
        assert_eq!(strings("printf 'a\\nb'\nc \\"), [r"printf 'a\nb'", r"c \"]);
    }
}
