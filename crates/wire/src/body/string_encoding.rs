//! How strings spell their text: JSON lets many characters stand as they are or as an escape.

use std::borrow::Cow;

use super::inner;
use super::walk;

/// Which characters a string spells by escapes though it need not. Each is the habit of some
/// encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Escapes {
    /// All that are not ASCII.
    pub(super) non_ascii: bool,
    /// Those that mean something in HTML or end a line in JavaScript.
    pub(super) html: bool,
    /// `/`.
    pub(super) slash: bool,
    /// Whether digits are capitals: `\u00E9`.
    pub(super) is_upper: bool,
}

/// How a string spells its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StringEncoding {
    level: usize,
    /// Those of the string itself, the innermost, first.
    escapes: [Escapes; 2],
}

impl StringEncoding {
    /// The briefest spelling of a string that stands in so many other strings: in 0 for one that
    /// stands in no other. In others its quotes are escaped, and the text is escaped as often.
    pub fn brief(level: usize) -> Self {
        Self { level, ..Self::default() }
    }

    /// How this string spells `text`; `None` where no encoder known here spells it so, so that it
    /// could not be spelled again byte for byte.
    pub(super) fn of(string: &[u8], text: &str) -> Option<Self> {
        let level = super::splice::level_of(string)?;
        if !has_escapes_by_choice(string) {
            return Some(Self::brief(level));
        }
        let inner = match level {
            0 => Cow::Borrowed(string),
            _ => Cow::Owned(inner::decoded(string)?),
        };
        let outer = if level == 0 { Escapes::default() } else { Escapes::of(string) };
        let spelling = Self { level, escapes: [Escapes::of(&inner), outer] };
        (super::Spelled::new(text, spelling).bytes() == string).then_some(spelling)
    }

    /// In how many strings the string stands.
    pub fn level(self) -> usize {
        self.level
    }

    /// The escapes of each string that is spelled, the innermost first.
    pub(super) fn each(self) -> impl Iterator<Item = Escapes> {
        (0..=self.level).map(move |at| self.escapes.get(at).copied().unwrap_or_default())
    }
}

impl Escapes {
    /// Those of a string.
    fn of(string: &[u8]) -> Self {
        let mut found = Self::default();
        each_escape(string, |escape| match escape {
            [b'\\', b'/', ..] => found.slash = true,
            [b'\\', b'u', digits @ ..] => {
                let digits = digits.get(..4).unwrap_or_default();
                found.is_upper |= digits.iter().any(u8::is_ascii_uppercase);
                match std::str::from_utf8(digits)
                    .ok()
                    .and_then(|it| u32::from_str_radix(it, 16).ok())
                {
                    Some(0x3C | 0x3E | 0x26 | 0x2028 | 0x2029) => found.html = true,
                    Some(0x80..) => found.non_ascii = true,
                    _ => {}
                }
            }
            _ => {}
        });
        found
    }

    /// Whether a character is spelled by an escape.
    pub(super) fn has(self, character: char) -> bool {
        match character {
            '/' => self.slash,
            '<' | '>' | '&' => self.html,
            '\u{2028}' | '\u{2029}' => self.html || self.non_ascii,
            _ => self.non_ascii && !character.is_ascii(),
        }
    }

    /// Whether it spells nothing by escapes that it need not.
    pub(super) fn is_brief(self) -> bool {
        self == Self::default()
    }
}

/// Whether there may be escapes for what could stand as it is.
fn has_escapes_by_choice(bytes: &[u8]) -> bool {
    let has = |escape: &[u8]| memchr::memmem::find(bytes, escape).is_some();
    has(b"\\u") || has(b"\\/")
}

/// Gives the rest of the bytes from each escape on, with its backslash.
fn each_escape<'a>(bytes: &'a [u8], mut take: impl FnMut(&'a [u8])) {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        take(&bytes[at + found..]);
        at = (at + found + 2).min(bytes.len());
    }
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
                let spelled = super::Spelled::new(&text, StringEncoding::brief(0));
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
        let spelling = StringEncoding::of(string.as_bytes(), text);
        let spelling = spelling.unwrap_or_else(|| panic!("{string} is spelled by no encoder"));
        let again = super::super::Spelled::new(text, spelling);
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
        assert_eq!(StringEncoding::of(r#""a\u2192→""#.as_bytes(), "a→→"), None);
        assert_eq!(StringEncoding::of(br#""\u0061""#, "a"), None);
        assert_eq!(StringEncoding::of(br#""\u000a""#, "\n"), None);
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
