//! Goes over JSON text without decoding it. Values that nobody asks for are skipped by their
//! quotes and brackets alone; whether they are valid is for those to say who decode them.

use std::borrow::Cow;
use std::ops::Range;

use super::error::BodyError;

/// Deepest nesting that is read.
pub(super) const DEPTH_MAX: usize = 1024;

/// A place in JSON text.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// The name of a member of an object.
pub(super) struct Key<'a> {
    /// Where its opening quote stands.
    pub(super) start: usize,
    raw: &'a [u8],
}

impl<'a> Key<'a> {
    /// The name, with its escapes resolved.
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

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// The next byte that is not white space. The cursor then stands on it.
    pub(super) fn peek(&mut self) -> Result<u8, BodyError> {
        while let Some(byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Ok(*byte);
            }
            self.at += 1;
        }
        Err(BodyError::EndsEarly { at: self.at })
    }

    /// Whether only white space is left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.peek().is_err()
    }

    pub(super) fn unexpected(&self) -> BodyError {
        BodyError::Unexpected { at: self.at }
    }

    /// Skips the next value; returns where it stands.
    pub(super) fn skip(&mut self) -> Result<Range<usize>, BodyError> {
        let first = self.peek()?;
        let start = self.at;
        match first {
            b'"' => self.string()?,
            b'{' | b'[' => self.brackets()?,
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => self.literal(),
            _ => return Err(self.unexpected()),
        }
        Ok(start..self.at)
    }

    /// Goes on to a place further on, which has to be the end of an element.
    pub(super) fn go_on_to(&mut self, at: usize) {
        self.at = at.max(self.at);
    }

    /// Goes to behind these bytes, if they come next.
    pub(super) fn skip_if(&mut self, value: &[u8]) -> bool {
        let is_next = self.bytes[self.at..].starts_with(value);
        self.at += if is_next { value.len() } else { 0 };
        is_next
    }

    /// Gives each member of the object that comes next to `each`, which has to go on to behind
    /// its value. Anything but an object is skipped. Returns where the value stands.
    pub(super) fn object(
        &mut self,
        mut each: impl FnMut(&mut Self, Key<'a>) -> Result<(), BodyError>,
    ) -> Result<Range<usize>, BodyError> {
        self.list(b'{', b'}', |cursor| {
            if cursor.peek()? != b'"' {
                return Err(cursor.unexpected());
            }
            let start = cursor.at;
            cursor.string()?;
            let key = Key { start, raw: &cursor.bytes[start..cursor.at] };
            if cursor.peek()? != b':' {
                return Err(cursor.unexpected());
            }
            cursor.at += 1;
            each(cursor, key)
        })
    }

    /// Calls `each` in front of each element of the array that comes next, which has to go on to
    /// behind it. Anything but an array is skipped. Returns where the value stands.
    pub(super) fn array(
        &mut self,
        each: impl FnMut(&mut Self) -> Result<(), BodyError>,
    ) -> Result<Range<usize>, BodyError> {
        self.list(b'[', b']', each)
    }

    fn list(
        &mut self,
        open: u8,
        close: u8,
        mut each: impl FnMut(&mut Self) -> Result<(), BodyError>,
    ) -> Result<Range<usize>, BodyError> {
        if self.peek()? != open {
            return self.skip();
        }
        let start = self.at;
        self.at += 1;
        if self.peek()? == close {
            self.at += 1;
            return Ok(start..self.at);
        }
        loop {
            each(self)?;
            let next = self.peek()?;
            if next != close && next != b',' {
                return Err(self.unexpected());
            }
            self.at += 1;
            if next == close {
                return Ok(start..self.at);
            }
        }
    }

    /// Goes to behind the string whose opening quote the cursor stands on.
    fn string(&mut self) -> Result<(), BodyError> {
        let start = self.at + 1;
        let mut from = start;
        // Quotes are rarer than other escapes, so these are only looked at in front of one.
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

    /// Goes to behind the brackets whose first the cursor stands on.
    fn brackets(&mut self) -> Result<(), BodyError> {
        let mut open = Nesting::default();
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => open.push(*byte == b'{', self.at)?,
                b'}' | b']' if open.pop() != (*byte == b'}') => return Err(self.unexpected()),
                _ => {}
            }
            self.at += 1;
            if open.depth == 0 {
                return Ok(());
            }
        }
        Err(BodyError::EndsEarly { at: self.at })
    }

    /// Goes to behind a number or a word.
    fn literal(&mut self) {
        let rest = &self.bytes[self.at..];
        let is_end = |byte: &u8| {
            matches!(byte, b',' | b':' | b']' | b'}' | b'[' | b'{' | b'"')
                || byte.is_ascii_whitespace()
        };
        self.at += rest.iter().position(is_end).unwrap_or(rest.len());
    }
}

/// The kinds of the brackets that are open, a bit each.
struct Nesting {
    is_object: [u64; DEPTH_MAX / 64],
    depth: usize,
}

impl Default for Nesting {
    fn default() -> Self {
        Self { is_object: [0; DEPTH_MAX / 64], depth: 0 }
    }
}

impl Nesting {
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

    /// Whether the last bracket is one of an object. Never called without an open one.
    fn pop(&mut self) -> bool {
        self.depth -= 1;
        self.is_object[self.depth / 64] >> (self.depth % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests;
