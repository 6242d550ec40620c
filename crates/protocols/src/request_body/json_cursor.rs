//! A cursor over JSON text that decodes nothing. It skips values by their quotes and brackets
//! alone; the decoders validate what they read.

use std::borrow::Cow;
use std::ops::Range;

use super::error::BodyError;

/// Maximum nesting depth.
pub(super) const DEPTH_MAX: usize = 1024;

/// A position in JSON text.
pub(super) struct JsonCursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// The name of a member of an object.
pub(super) struct MemberKey<'a> {
    /// Offset of the opening quote.
    pub(super) start: usize,
    raw: &'a [u8],
}

impl<'a> MemberKey<'a> {
    /// Returns the name with its escapes resolved.
    pub(super) fn name(&self) -> Cow<'a, [u8]> {
        let inner = &self.raw[1..self.raw.len() - 1];
        if memchr::memchr(b'\\', inner).is_some()
            && let Ok(name) = serde_json::from_slice::<String>(self.raw)
        {
            return Cow::Owned(name.into_bytes());
        }
        Cow::Borrowed(inner)
    }
}

impl<'a> JsonCursor<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Moves to the next byte that is not white space and returns it.
    pub(super) fn peek_byte(&mut self) -> Result<u8, BodyError> {
        while let Some(byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Ok(*byte);
            }
            self.at += 1;
        }
        Err(BodyError::EndsEarly { at: self.at })
    }

    /// Returns whether only white space is left.
    pub(super) fn has_only_whitespace(&mut self) -> bool {
        self.peek_byte().is_err()
    }

    pub(super) fn unexpected_byte(&self) -> BodyError {
        BodyError::Unexpected { at: self.at }
    }

    /// Skips the next value and returns its range.
    pub(super) fn skip_value(&mut self) -> Result<Range<usize>, BodyError> {
        let first = self.peek_byte()?;
        let start = self.at;
        match first {
            b'"' => self.skip_string()?,
            b'{' | b'[' => self.skip_brackets()?,
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => self.skip_literal(),
            _ => return Err(self.unexpected_byte()),
        }
        Ok(start..self.at)
    }

    /// Advances to a later offset, which must be the end of an element.
    pub(super) fn advance_to(&mut self, at: usize) {
        self.at = at.max(self.at);
    }

    /// Skips these bytes if they come next. Returns whether they do.
    pub(super) fn skip_prefix(&mut self, value: &[u8]) -> bool {
        let is_next = self.bytes[self.at..].starts_with(value);
        self.at += if is_next { value.len() } else { 0 };
        is_next
    }

    /// Calls `each` for each member of the next object; `each` must advance behind the member's
    /// value. Skips a value that is no object. Returns the range of the value.
    pub(super) fn for_each_member(
        &mut self,
        mut each: impl FnMut(&mut Self, MemberKey<'a>) -> Result<(), BodyError>,
    ) -> Result<Range<usize>, BodyError> {
        self.for_each_item(b'{', b'}', |cursor| {
            if cursor.peek_byte()? != b'"' {
                return Err(cursor.unexpected_byte());
            }
            let start = cursor.at;
            cursor.skip_string()?;
            let key = MemberKey { start, raw: &cursor.bytes[start..cursor.at] };
            if cursor.peek_byte()? != b':' {
                return Err(cursor.unexpected_byte());
            }
            cursor.at += 1;
            each(cursor, key)
        })
    }

    /// Calls `each` in front of each element of the next array; `each` must advance behind the
    /// element. Skips a value that is no array. Returns the range of the value.
    pub(super) fn for_each_element(
        &mut self,
        each: impl FnMut(&mut Self) -> Result<(), BodyError>,
    ) -> Result<Range<usize>, BodyError> {
        self.for_each_item(b'[', b']', each)
    }

    fn for_each_item(
        &mut self,
        open: u8,
        close: u8,
        mut each: impl FnMut(&mut Self) -> Result<(), BodyError>,
    ) -> Result<Range<usize>, BodyError> {
        if self.peek_byte()? != open {
            return self.skip_value();
        }
        let start = self.at;
        self.at += 1;
        if self.peek_byte()? == close {
            self.at += 1;
            return Ok(start..self.at);
        }
        loop {
            each(self)?;
            let next = self.peek_byte()?;
            if next != close && next != b',' {
                return Err(self.unexpected_byte());
            }
            self.at += 1;
            if next == close {
                return Ok(start..self.at);
            }
        }
    }

    /// Skips the string at whose opening quote the cursor stands.
    fn skip_string(&mut self) -> Result<(), BodyError> {
        let start = self.at + 1;
        let mut from = start;
        // Quotes are rarer than other escapes, so backslashes are counted only in front of a quote.
        while let Some(found) = memchr::memchr(b'"', &self.bytes[from..]) {
            let quote = from + found;
            let before = self.bytes[start..quote].iter().rev();
            let backslashes = before.take_while(|byte| **byte == b'\\').count();
            if backslashes % 2 == 0 {
                self.at = quote + 1;
                return Ok(());
            }
            from = quote + 1;
        }
        self.at = self.bytes.len();
        Err(BodyError::EndsEarly { at: self.at })
    }

    /// Skips the bracketed value at whose first bracket the cursor stands.
    fn skip_brackets(&mut self) -> Result<(), BodyError> {
        let mut open = BracketStack::default();
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.skip_string()?;
                    continue;
                }
                b'{' | b'[' => open.push(*byte == b'{', self.at)?,
                b'}' | b']' if open.pop() != (*byte == b'}') => return Err(self.unexpected_byte()),
                _ => {}
            }
            self.at += 1;
            if open.depth == 0 {
                return Ok(());
            }
        }
        Err(BodyError::EndsEarly { at: self.at })
    }

    /// Skips a number or a literal name.
    fn skip_literal(&mut self) {
        let rest = &self.bytes[self.at..];
        let is_end = |byte: &u8| {
            matches!(byte, b',' | b':' | b']' | b'}' | b'[' | b'{' | b'"')
                || byte.is_ascii_whitespace()
        };
        self.at += rest.iter().position(is_end).unwrap_or(rest.len());
    }
}

/// The kinds of the open brackets, one bit each.
struct BracketStack {
    is_object: [u64; DEPTH_MAX / 64],
    depth: usize,
}

impl Default for BracketStack {
    fn default() -> Self {
        Self { is_object: [0; DEPTH_MAX / 64], depth: 0 }
    }
}

impl BracketStack {
    fn push(&mut self, is_object: bool, at: usize) -> Result<(), BodyError> {
        let word = self
            .is_object
            .get_mut(self.depth / 64)
            .ok_or(BodyError::TooDeep { at, depth_max: DEPTH_MAX })?;
        let bit = 1 << (self.depth % 64);
        *word = if is_object { *word | bit } else { *word & !bit };
        self.depth += 1;
        Ok(())
    }

    /// Removes the last bracket and returns whether it opened an object. Requires an open bracket.
    fn pop(&mut self) -> bool {
        self.depth -= 1;
        self.is_object[self.depth / 64] >> (self.depth % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests;
