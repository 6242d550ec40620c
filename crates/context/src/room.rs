//! How much of a result one answer has room for.

use crate::tokens::{Tokens, estimate};

/// Room for a text, bounded in several units at once: clients cut answers by tokens, characters
/// or lines, and those that cut take away what a note may later point at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Tokens, by [`estimate`].
    pub tokens: Tokens,
    /// UTF-8 bytes; of characters, however a client counts them, no text has more.
    pub bytes: usize,
    /// Line breaks.
    pub lines: usize,
    /// Whether bytes are counted as a string of JSON spells them.
    pub is_json: bool,
}

/// Bytes of source code that take one token, by the estimate, with its line numbers.
const CODE_BYTES_PER_TOKEN: usize = 3;

impl Room {
    /// So much that nothing is left out for it.
    pub const UNBOUNDED: Self =
        Self { tokens: Tokens(u64::MAX), bytes: usize::MAX, lines: usize::MAX, is_json: false };

    /// None at all.
    pub const NONE: Self = Self { tokens: Tokens(0), bytes: 0, lines: 0, is_json: false };

    /// Whether there is room for `text`.
    pub fn holds(&self, text: &str) -> bool {
        self.without(text).is_some()
    }

    /// Takes the room for `text`, if there is so much.
    pub fn take(&mut self, text: &str) -> bool {
        let left = self.without(text);
        *self = left.unwrap_or(*self);
        left.is_some()
    }

    /// What is left beside `text`.
    fn without(self, text: &str) -> Option<Self> {
        let spelled = if self.is_json { json_bytes(text) } else { text.len() };
        let bytes = self.bytes.checked_sub(spelled)?;
        let lines = self.lines.checked_sub(text.bytes().filter(|byte| *byte == b'\n').count())?;
        let tokens = match self.tokens.0 {
            u64::MAX => u64::MAX,
            tokens => tokens.checked_sub(estimate(text).0)?,
        };
        Some(Self { tokens: Tokens(tokens), bytes, lines, ..self })
    }

    /// What is left beside notes of so many bytes, or none.
    #[must_use]
    pub fn beside_notes(self, bytes: usize) -> Self {
        Self {
            tokens: match self.tokens.0 {
                u64::MAX => self.tokens,
                tokens => Tokens(tokens.saturating_sub(bytes as u64 / 2)),
            },
            bytes: self.bytes.saturating_sub(bytes),
            lines: self.lines.saturating_sub(bytes / 60),
            ..self
        }
    }

    /// One of `count` equal parts.
    #[must_use]
    pub fn part(self, count: usize) -> Self {
        let count = count.max(1);
        Self {
            tokens: Tokens(self.tokens.0 / count as u64),
            bytes: self.bytes / count,
            lines: self.lines / count,
            ..self
        }
    }

    /// The smaller of two, bound by bound.
    #[must_use]
    pub fn within(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.min(other.tokens),
            bytes: self.bytes.min(other.bytes),
            lines: self.lines.min(other.lines),
            is_json: self.is_json || other.is_json,
        }
    }

    /// Bytes of source code for which there is room, about.
    pub fn code_bytes(&self) -> usize {
        let tokens = usize::try_from(self.tokens.0).unwrap_or(usize::MAX);
        let bytes = if self.is_json { self.bytes / 10 * 9 } else { self.bytes };
        bytes.min(tokens.saturating_mul(CODE_BYTES_PER_TOKEN))
    }

    /// The length of the longest start of `text` for which there is room.
    pub fn fitting(&self, text: &str) -> usize {
        let (mut fits, mut beyond) = (0, text.len().min(self.bytes).saturating_add(1));
        while fits + 1 < beyond {
            let middle = fits.midpoint(beyond);
            if self.holds(&text[..text.floor_char_boundary(middle)]) {
                fits = middle;
            } else {
                beyond = middle;
            }
        }
        text.floor_char_boundary(fits)
    }
}

/// Bytes of `text` in a string of JSON, without the quotes.
fn json_bytes(text: &str) -> usize {
    let spelled = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..0x20 => 6,
        _ => 1,
    };
    text.bytes().map(spelled).sum()
}

#[cfg(test)]
mod tests;
