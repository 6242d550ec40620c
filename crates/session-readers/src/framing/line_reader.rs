//! Reads bounded lines of a stream, one at a time.

use std::io::{self, BufRead};

use foveal_transcript::LineNumber;

/// Maximum length in bytes of a line or document; longer ones are skipped without buffering.
/// Generous, since recorded lines hold whole files and screenshots.
pub const LINE_BYTES_MAX: usize = 256 << 20;

/// One line of a stream.
pub(crate) enum FramedLine<'a> {
    /// Its bytes, without the line break.
    Bytes(&'a [u8]),
    /// The line exceeds the size limit and was discarded.
    TooLong,
}

/// Reads lines one by one into one buffer.
pub(crate) struct RecordLineReader<R> {
    input: R,
    buffer: Vec<u8>,
    bytes_max: usize,
    number: u32,
}

impl<R: BufRead> RecordLineReader<R> {
    pub(crate) fn new(input: R, bytes_max: usize) -> Self {
        Self { input, buffer: Vec::new(), bytes_max, number: 0 }
    }

    /// Returns the next line and its number from 1, or `None` at the end.
    pub(crate) fn read_line(&mut self) -> io::Result<Option<(LineNumber, FramedLine<'_>)>> {
        self.buffer.clear();
        let mut too_long = false;
        let mut any = false;
        loop {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                break;
            }
            any = true;
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let part = &chunk[..end.unwrap_or(chunk.len())];
            if self.buffer.len() + part.len() > self.bytes_max {
                too_long = true;
                self.buffer = Vec::new();
            } else if !too_long {
                self.buffer.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                break;
            }
        }
        if !any {
            return Ok(None);
        }
        self.number = self.number.saturating_add(1);
        let line = if too_long { FramedLine::TooLong } else { FramedLine::Bytes(&self.buffer) };
        Ok(Some((LineNumber(self.number), line)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_and_numbered() {
        for size in [1, 3, 64] {
            let text = "one\n\nmuch too long\ntwo\r\nlast";
            let mut lines =
                RecordLineReader::new(io::BufReader::with_capacity(size, text.as_bytes()), 5);
            let mut told = Vec::new();
            while let Some((number, line)) = lines.read_line().expect("memory does not fail") {
                told.push(match line {
                    FramedLine::Bytes(bytes) => {
                        format!("{} {:?}", number.0, bytes.escape_ascii().to_string())
                    }
                    FramedLine::TooLong => format!("{} too long", number.0),
                });
            }
            let expected = ["1 \"one\"", "2 \"\"", "3 too long", "4 \"two\\\\r\"", "5 \"last\""];
            assert_eq!(told, expected, "by {size}");
        }
    }
}
