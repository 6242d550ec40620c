//! Text with `\n` for every `\r\n`, as searches over several lines see it: a pattern with `\n`
//! matches files with either line ending, and line numbers stay the same.

use std::borrow::Cow;
use std::io::{self, Read};

/// Returns `text` with `\n` for every `\r\n`.
pub(super) fn normalize_newlines(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memmem::find(text, b"\r\n").is_none() {
        return Cow::Borrowed(text);
    }
    let mut plain = text.to_vec();
    let length = remove_carriage_returns(&mut plain);
    plain.truncate(length);
    Cow::Owned(plain)
}

/// Moves the bytes over each `\r` before a `\n`, and returns the new length.
fn remove_carriage_returns(bytes: &mut [u8]) -> usize {
    let mut length = 0;
    for at in 0..bytes.len() {
        let is_removed = bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
        if !is_removed {
            bytes[length] = bytes[at];
            length += 1;
        }
    }
    length
}

/// A reader that reads `\n` for every `\r\n` of another.
pub(super) struct NewlineReader<R> {
    inner: R,
    /// Whether a `\r` was read whose next byte is not known yet.
    has_carriage_return: bool,
}

impl<R: Read> NewlineReader<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, has_carriage_return: false }
    }
}

impl<R: Read> Read for NewlineReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let start = usize::from(std::mem::take(&mut self.has_carriage_return));
            // There is always room to look ahead: the searcher reads far more at once.
            into[..start].fill(b'\r');
            let read = self.inner.read(&mut into[start..])?;
            let mut length = start + read;
            if read == 0 {
                return Ok(length);
            }
            if into[length - 1] == b'\r' {
                self.has_carriage_return = true;
                length -= 1;
            }
            let length = remove_carriage_returns(&mut into[..length]);
            if length > 0 {
                return Ok(length);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader of a few bytes at once.
    struct SmallReads<'t>(&'t [u8], usize);

    impl Read for SmallReads<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(into.len());
            self.0.read(&mut into[..length])
        }
    }

    #[test]
    fn line_endings_are_the_same_however_a_text_is_read() {
        for text in ["", "\r", "\r\n", "a\r\nb\r\r\nc\n\rd\r", "ab\r\n\r\ncd"] {
            let plain = text.replace("\r\n", "\n");
            assert_eq!(normalize_newlines(text.as_bytes()), plain.as_bytes(), "{text:?}");
            for size in 1..5 {
                let mut reader = NewlineReader::new(SmallReads(text.as_bytes(), size));
                let mut read = String::new();
                reader.read_to_string(&mut read).expect("a text");
                assert_eq!(read, plain, "{text:?} {size}");
            }
        }
    }
}
