//! Strings that are spelled again: as they are, or all in one way.

use std::borrow::Cow;

use super::inner;
use super::splice::{Spelled, level_of};
use super::string_encoding::{Escapes, StringEncoding};
use super::walk;

/// How this string spells `text`; `None` where no encoder known here spells it so, so that it could
/// not be spelled again byte for byte.
pub(super) fn encoding_of(string: &[u8], text: &str) -> Option<StringEncoding> {
    let level = level_of(string)?;
    if !has_escapes_by_choice(string) {
        return Some(StringEncoding::brief(level));
    }
    let encoding = match level {
        0 => StringEncoding::new(Escapes::found_in(string), None),
        _ => {
            let own = Escapes::found_in(&inner::decoded(string)?);
            StringEncoding::new(own, Some(Escapes::found_in(string)))
        }
    };
    (Spelled::new(text, encoding).bytes() == string).then_some(encoding)
}

/// Whether there may be escapes for what could stand as it is.
fn has_escapes_by_choice(bytes: &[u8]) -> bool {
    let has = |escape: &[u8]| memchr::memmem::find(bytes, escape).is_some();
    has(b"\\u") || has(b"\\/")
}

/// JSON in the briefest spelling of its strings, so that the same text has the same bytes. Halves of
/// characters stay.
pub(super) fn canonical(json: &[u8]) -> Cow<'_, [u8]> {
    if !has_escapes_by_choice(json) {
        return Cow::Borrowed(json);
    }
    let mut all = Vec::with_capacity(json.len());
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &json[at..]) {
        all.extend_from_slice(&json[at..at + found]);
        at += found;
        let length = escape_len(&json[at..]);
        let escape = &json[at..(at + length).min(json.len())];
        let quoted = [b"\"", escape, b"\""].concat();
        match walk::text(&quoted, &(0..quoted.len())) {
            Some(text) => {
                let spelled = Spelled::new(&text, StringEncoding::brief(0));
                all.extend_from_slice(&spelled.bytes()[1..spelled.len() - 1]);
            }
            None => all.extend(escape.iter().map(u8::to_ascii_lowercase)),
        }
        at += escape.len();
    }
    all.extend_from_slice(&json[at..]);
    Cow::Owned(all)
}

/// Bytes of the escape that `rest` begins with; of both halves of a character together.
fn escape_len(rest: &[u8]) -> usize {
    const UNIT: usize = 6;
    let unit = |at: usize| {
        let digits = rest.get(at..)?.strip_prefix(b"\\u")?.get(..4)?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    match (unit(0), unit(UNIT)) {
        (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 2 * UNIT,
        (Some(_), _) => UNIT,
        (None, _) => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The string is spelled again as it is, and so is a part of its text.
    fn check(string: &str, text: &str) {
        let spelling = encoding_of(string.as_bytes(), text);
        let spelling = spelling.unwrap_or_else(|| panic!("{string} is spelled by no encoder"));
        let again = Spelled::new(text, spelling);
        assert_eq!(String::from_utf8_lossy(again.bytes()), string);
        assert_eq!(again.text(), text);
    }

    #[test]
    fn strings_are_spelled_again_as_they_are() {
        check(r#""a→b\n\"\\ /<""#, "a→b\n\"\\ /<");
        check(r#""a\u2192b\n\ud83d\ude00/""#, "a→b\n😀/");
        check(r#""a\u2192b\/""#, "a→b/");
        check(r#""\u003cb\u003e \u0026 é\u2028""#, "<b> & é\u{2028}");
        check(r#""\u00E9\u001B""#, "é\u{1b}");
        check(r#"\"a\\u2192b\\n\""#, "a→b\n");
        check(r#"\"a\u2192b\\n\""#, "a→b\n");
        check(r#"\"c:\\\\users\\n→\""#, "c:\\users\n→");
    }

    #[test]
    fn what_cannot_be_spelled_again_has_no_spelling() {
        assert_eq!(encoding_of(r#""a\u2192→""#.as_bytes(), "a→→"), None);
        assert_eq!(encoding_of(br#""\u0061""#, "a"), None);
        assert_eq!(encoding_of(br#""\u000a""#, "\n"), None);
    }

    #[test]
    fn one_text_has_one_canonical_spelling() {
        let of = |text: &str| String::from_utf8(canonical(text.as_bytes()).into_owned()).unwrap();
        assert_eq!(of(r#"{"a": "\u2192\/\u000a\u0022\ud83d\ude00"}"#), r#"{"a": "→/\n\"😀"}"#);
        assert_eq!(of(r#"["\\u2192", "\u001B", "\uD83D"]"#), r#"["\\u2192", "\u001b", "\ud83d"]"#);
        assert_eq!(of("{\"a\":\"→\"}"), "{\"a\":\"→\"}");
        assert_eq!(of(r#""\u12"#), r#""\u12"#);
    }
}
