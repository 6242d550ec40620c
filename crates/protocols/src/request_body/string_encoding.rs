//! Encodings of JSON strings: JSON allows many characters both raw and as an escape.

/// The characters that a string escapes although JSON does not require it. Each field is the habit
/// of some encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct EscapeStyle {
    /// All characters beyond ASCII.
    pub(super) non_ascii: bool,
    /// Characters with a meaning in HTML, and line separators of JavaScript.
    pub(super) html: bool,
    /// `/`.
    pub(super) slash: bool,
    /// Whether hexadecimal digits are upper case: `\u00E9`.
    pub(super) is_upper: bool,
}

/// The encoding of a JSON string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StringEncoding {
    nesting_level: usize,
    /// The style of the string itself, the innermost, first.
    escapes: [EscapeStyle; 2],
}

impl StringEncoding {
    /// Creates the minimal encoding of a string inside of `nesting_level` other strings. In a nested string
    /// the quotes are escaped, and the text is escaped once for each level.
    pub fn minimal(nesting_level: usize) -> Self {
        Self { nesting_level, ..Self::default() }
    }

    /// Creates the encoding of a string with the style `own`, nested in a string with `outer` if
    /// any.
    pub(super) fn new(own: EscapeStyle, outer: Option<EscapeStyle>) -> Self {
        let nesting_level = usize::from(outer.is_some());
        Self { nesting_level, escapes: [own, outer.unwrap_or_default()] }
    }

    /// Returns how many strings contain the string.
    pub fn nesting_level(self) -> usize {
        self.nesting_level
    }

    /// Returns the styles of all levels, the innermost first.
    pub(super) fn escape_styles(self) -> impl Iterator<Item = EscapeStyle> {
        (0..=self.nesting_level).map(move |at| self.escapes.get(at).copied().unwrap_or_default())
    }
}

impl EscapeStyle {
    /// Returns the style of an encoded string.
    pub(super) fn from_encoded_string(string: &[u8]) -> Self {
        let mut found = Self::default();
        for_each_escape(string, |escape| match escape {
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

    /// Returns whether the style escapes a character.
    pub(super) fn escapes_character(self, character: char) -> bool {
        match character {
            '/' => self.slash,
            '<' | '>' | '&' => self.html,
            '\u{2028}' | '\u{2029}' => self.html || self.non_ascii,
            _ => self.non_ascii && !character.is_ascii(),
        }
    }

    /// Returns whether the style has no optional escapes.
    pub(super) fn is_minimal(self) -> bool {
        self == Self::default()
    }
}

/// Calls `take` with the rest of the bytes from each backslash on.
fn for_each_escape<'a>(bytes: &'a [u8], mut take: impl FnMut(&'a [u8])) {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        take(&bytes[at + found..]);
        at = (at + found + 2).min(bytes.len());
    }
}
