//! Detection of string encodings, and the canonical encoding.

use std::borrow::Cow;

use super::json_lookup;
use super::nested_json;
use super::splice::{EncodedString, nesting_level};
use super::string_encoding::{EscapeStyle, StringEncoding};

/// Returns the encoding of the JSON string `string` with the text `text`; `None` if no known
/// encoder produces these bytes, so that the string could not be encoded again byte for byte.
pub(super) fn detect_encoding(string: &[u8], text: &str) -> Option<StringEncoding> {
    let level = nesting_level(string)?;
    if !may_have_optional_escapes(string) {
        return Some(StringEncoding::minimal(level));
    }
    let encoding = match level {
        0 => StringEncoding::new(EscapeStyle::from_encoded_string(string), None),
        _ => {
            let own = EscapeStyle::from_encoded_string(&nested_json::unescape_nested(string)?);
            StringEncoding::new(own, Some(EscapeStyle::from_encoded_string(string)))
        }
    };
    (EncodedString::new(text, encoding).bytes() == string).then_some(encoding)
}

/// Returns whether the bytes may have escapes that JSON does not require.
fn may_have_optional_escapes(bytes: &[u8]) -> bool {
    let has = |escape: &[u8]| memchr::memmem::find(bytes, escape).is_some();
    has(b"\\u") || has(b"\\/")
}

/// Returns JSON with all strings in their minimal encoding, so that equal texts have equal bytes.
/// Lone surrogates stay.
pub(super) fn canonical_json(json: &[u8]) -> Cow<'_, [u8]> {
    if !may_have_optional_escapes(json) {
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
        match json_lookup::string_text(&quoted, &(0..quoted.len())) {
            Some(text) => {
                let spelled = EncodedString::new(&text, StringEncoding::minimal(0));
                all.extend_from_slice(&spelled.bytes()[1..spelled.len() - 1]);
            }
            None => all.extend(escape.iter().map(u8::to_ascii_lowercase)),
        }
        at += escape.len();
    }
    all.extend_from_slice(&json[at..]);
    Cow::Owned(all)
}

/// Returns the length in bytes of the escape at the start of `rest`; a surrogate pair counts as
/// one.
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
        let spelling = detect_encoding(string.as_bytes(), text);
        let spelling = spelling.unwrap_or_else(|| panic!("{string} is spelled by no encoder"));
        let again = EncodedString::new(text, spelling);
        assert_eq!(String::from_utf8_lossy(again.bytes()), string);
        assert_eq!(again.decode(), text);
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
        assert_eq!(detect_encoding(r#""a\u2192→""#.as_bytes(), "a→→"), None);
        assert_eq!(detect_encoding(br#""\u0061""#, "a"), None);
        assert_eq!(detect_encoding(br#""\u000a""#, "\n"), None);
    }

    #[test]
    fn one_text_has_one_canonical_spelling() {
        let of =
            |text: &str| String::from_utf8(canonical_json(text.as_bytes()).into_owned()).unwrap();
        assert_eq!(of(r#"{"a": "\u2192\/\u000a\u0022\ud83d\ude00"}"#), r#"{"a": "→/\n\"😀"}"#);
        assert_eq!(of(r#"["\\u2192", "\u001B", "\uD83D"]"#), r#"["\\u2192", "\u001b", "\ud83d"]"#);
        assert_eq!(of("{\"a\":\"→\"}"), "{\"a\":\"→\"}");
        assert_eq!(of(r#""\u12"#), r#""\u12"#);
    }
}
