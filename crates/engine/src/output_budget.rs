//! The output budget: the largest text that one answer may have.

use foveal_pricing::tokens::{Tokens, estimate_tokens};

/// A budget for a text in several units at once. Clients cut answers by tokens, characters or
/// lines, and a cut could remove content that a later note points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputBudget {
    /// Tokens, by [`estimate_tokens`].
    pub tokens: Tokens,
    /// UTF-8 bytes; an upper bound of the characters, however a client counts them.
    pub bytes: usize,
    /// Line breaks.
    pub lines: usize,
    /// Whether bytes are counted as escaped in a JSON string.
    pub is_json: bool,
}

/// Estimated bytes of source code with line numbers per token.
const CODE_BYTES_PER_TOKEN: usize = 3;

impl OutputBudget {
    /// A budget that never omits anything.
    pub const UNBOUNDED: Self =
        Self { tokens: Tokens(u64::MAX), bytes: usize::MAX, lines: usize::MAX, is_json: false };

    /// An empty budget.
    pub const NONE: Self = Self { tokens: Tokens(0), bytes: 0, lines: 0, is_json: false };

    /// Returns whether `text` fits.
    pub fn fits_text(&self, text: &str) -> bool {
        self.remaining_after(text).is_some()
    }

    /// Subtracts `text` from the budget; returns false and changes nothing if it does not fit.
    pub fn consume(&mut self, text: &str) -> bool {
        let left = self.remaining_after(text);
        *self = left.unwrap_or(*self);
        left.is_some()
    }

    /// Returns the budget that is left after `text`; `None` if it does not fit.
    fn remaining_after(self, text: &str) -> Option<Self> {
        let spelled = if self.is_json { escaped_json_len(text) } else { text.len() };
        let bytes = self.bytes.checked_sub(spelled)?;
        let lines = self.lines.checked_sub(text.bytes().filter(|byte| *byte == b'\n').count())?;
        let tokens = match self.tokens.0 {
            u64::MAX => u64::MAX,
            tokens => tokens.checked_sub(estimate_tokens(text).0)?,
        };
        Some(Self { tokens: Tokens(tokens), bytes, lines, ..self })
    }

    /// Returns the budget that is left after notes of `bytes` bytes, saturating at zero.
    #[must_use]
    pub fn reserve_notes(self, bytes: usize) -> Self {
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

    /// Returns one of `count` equal shares.
    #[must_use]
    pub fn divide(self, count: usize) -> Self {
        let count = count.max(1);
        Self {
            tokens: Tokens(self.tokens.0 / count as u64),
            bytes: self.bytes / count,
            lines: self.lines / count,
            ..self
        }
    }

    /// Returns the smaller of two budgets, unit by unit.
    #[must_use]
    pub fn intersect(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.min(other.tokens),
            bytes: self.bytes.min(other.bytes),
            lines: self.lines.min(other.lines),
            is_json: self.is_json || other.is_json,
        }
    }

    /// Returns the approximate bytes of source code that fit.
    pub fn code_bytes(&self) -> usize {
        let tokens = usize::try_from(self.tokens.0).unwrap_or(usize::MAX);
        let bytes = if self.is_json { self.bytes / 10 * 9 } else { self.bytes };
        bytes.min(tokens.saturating_mul(CODE_BYTES_PER_TOKEN))
    }

    /// Returns the length of the longest prefix of `text` that fits.
    pub fn fitting_len(&self, text: &str) -> usize {
        let (mut fits, mut beyond) = (0, text.len().min(self.bytes).saturating_add(1));
        while fits + 1 < beyond {
            let middle = fits.midpoint(beyond);
            if self.fits_text(&text[..text.floor_char_boundary(middle)]) {
                fits = middle;
            } else {
                beyond = middle;
            }
        }
        text.floor_char_boundary(fits)
    }
}

/// Returns the length of `text` in a JSON string, without the quotes.
fn escaped_json_len(text: &str) -> usize {
    let spelled = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..0x20 => 6,
        _ => 1,
    };
    text.bytes().map(spelled).sum()
}

#[cfg(test)]
mod tests;
