//! How strings spell their text: JSON lets many characters stand as they are or as an escape.

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

    /// The spelling of a string by these escapes, which stands in one that has `outer` if in any.
    pub(super) fn new(own: Escapes, outer: Option<Escapes>) -> Self {
        let level = usize::from(outer.is_some());
        Self { level, escapes: [own, outer.unwrap_or_default()] }
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
    pub(super) fn found_in(string: &[u8]) -> Self {
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

/// Gives the rest of the bytes from each escape on, with its backslash.
fn each_escape<'a>(bytes: &'a [u8], mut take: impl FnMut(&'a [u8])) {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        take(&bytes[at + found..]);
        at = (at + found + 2).min(bytes.len());
    }
}
