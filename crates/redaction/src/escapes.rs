//! Secrets in string literals of programs and JSON. Line feeds, quotes and slashes are escaped
//! there, so that patterns over several lines match only the unescaped text.

use std::ops::Range;

use crate::mapped_text::MappedText;
use crate::secret::Secret;
use crate::tool_output;

/// Shorter strings are skipped: the surrounding text tells as much.
const STRING_BYTES_MIN: usize = 12;

/// Returns the secrets in the unescaped strings of a text, by their places in the text.
pub(crate) fn find_escaped_secrets(text: &[u8]) -> Vec<Secret> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(escape) = memchr::memchr(b'\\', &text[start..]).map(|at| start + at) {
        let string = string_around(text, start, escape);
        start = (string.end + 1).min(text.len());
        if string.len() < STRING_BYTES_MIN || !has_relevant_escapes(&text[string.clone()]) {
            continue;
        }
        let reading = unescape_string(text, string);
        let secrets = tool_output::find_in_tool_output(&reading.text)
            .into_iter()
            .filter(|it| !it.is_random_word());
        found.extend(secrets.map(|it| Secret::new(reading.original_range(it.range), it.kind)));
    }
    found
}

/// Returns the range between quotation marks, or the ends of the line, around an escape, from
/// `from` at the earliest.
fn string_around(text: &[u8], from: usize, escape: usize) -> Range<usize> {
    let before = &text[from..escape];
    let start = memchr::memrchr2(b'"', b'\n', before).map_or(from, |at| from + at + 1);
    let mut end = escape;
    while let Some(at) = memchr::memchr3(b'"', b'\n', b'\\', &text[end..]) {
        end += at;
        if text[end] != b'\\' {
            return start..end;
        }
        let run = backslash_count(&text[end..]);
        // An escaped quotation mark does not end the string.
        let is_mark = run % 2 == 1 && text.get(end + run) == Some(&b'"');
        end += run + usize::from(is_mark);
    }
    start..text.len()
}

/// Returns the number of backslashes at the beginning of a text.
fn backslash_count(text: &[u8]) -> usize {
    text.iter().take_while(|byte| **byte == b'\\').count()
}

/// Returns whether a string has escapes that change where its lines and words end.
fn has_relevant_escapes(string: &[u8]) -> bool {
    let mut escapes = memchr::memchr_iter(b'\\', string);
    escapes.any(|at| matches!(string.get(at + 1), Some(b'n' | b'r' | b'/' | b'u')))
}

/// Returns a string without its escapes.
fn unescape_string(text: &[u8], string: Range<usize>) -> MappedText {
    let mut reading = MappedText::default();
    let mut at = string.start;
    let end = string.end;
    while let Some(escape) = memchr::memchr(b'\\', &text[at..end]).map(|found| at + found) {
        reading.push(text, at..escape);
        let run = backslash_count(&text[escape..end]);
        let (kept, sign, length) = match decode_escape(&text[escape + run..end]) {
            // A quotation mark of a nested string keeps its escape.
            Some((mark @ (b'"' | b'\''), length)) => ((run - 1) / 2, mark, length),
            Some((sign, length)) => (0, sign, length),
            // Two backslashes are one.
            None => (run.div_ceil(2) - 1, b'\\', 0),
        };
        at = escape + run + length;
        reading.push(text, escape..escape + kept);
        reading.push_byte(sign, escape + kept..at);
    }
    reading.push(text, at..end);
    reading
}

/// Returns the character that an escape stands for, and the length of the escape after its
/// backslashes.
fn decode_escape(rest: &[u8]) -> Option<(u8, usize)> {
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
        let meant = unescape_string(string, 0..string.len());
        assert_eq!(meant.text.escape_ascii().to_string(), r"ab\nc\nd\r\n=e\\q/");
        let place = |part: &str| {
            let here = memchr::memmem::find(&meant.text, part.as_bytes()).expect("a part of it");
            let place = meant.original_range(here..here + part.len());
            String::from_utf8_lossy(&string[place]).into_owned()
        };
        assert_eq!(place("b"), "b");
        assert_eq!(place("b\n"), r"b\n");
        assert_eq!(place("\nc"), r"\nc");
        assert_eq!(place("c\nd"), r"c\\\nd");
        assert_eq!(place("=e\\q"), r"\u003de\\q");
        assert_eq!(place("/"), r"\/");
        let string = br#"a\"b\\\"c\\\\:d"#;
        assert_eq!(unescape_string(string, 0..string.len()).text, br#"a"b\"c\\:d"#);
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
