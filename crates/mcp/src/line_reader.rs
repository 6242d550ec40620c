//! Splits a stream into lines of bounded length, one message each.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use crate::message::MESSAGE_BYTES_MAX;

/// A line without its line end.
#[derive(Debug)]
pub(crate) enum InputLine {
    Complete(Vec<u8>),
    /// Longer than [`MESSAGE_BYTES_MAX`]; its bytes are skipped.
    TooLong,
}

/// Reads the lines of a stream.
#[derive(Debug)]
pub(crate) struct BoundedLineReader<R> {
    input: BufReader<R>,
    /// The line received so far.
    partial_line: Vec<u8>,
    /// Whether the rest of an oversized line is skipped.
    is_skipping: bool,
}

impl<R: AsyncRead + Unpin> BoundedLineReader<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input: BufReader::new(input), partial_line: Vec::new(), is_skipping: false }
    }

    /// Returns the next non-empty line; `None` at the end. Cancel-safe. Bytes after the last line
    /// end are ignored.
    pub(crate) async fn read_line(&mut self) -> io::Result<Option<InputLine>> {
        loop {
            let come = self.input.fill_buf().await?;
            if come.is_empty() {
                return Ok(None);
            }
            let end = come.iter().position(|byte| *byte == b'\n');
            let part = &come[..end.unwrap_or(come.len())];
            let is_too_long = self.partial_line.len() + part.len() > MESSAGE_BYTES_MAX;
            if !self.is_skipping && !is_too_long {
                self.partial_line.extend_from_slice(part);
            }
            let count = part.len() + usize::from(end.is_some());
            self.input.consume(count);
            let was_passed_over = self.is_skipping;
            self.is_skipping = end.is_none() && (was_passed_over || is_too_long);
            if is_too_long && !was_passed_over {
                self.partial_line = Vec::new();
                return Ok(Some(InputLine::TooLong));
            }
            if end.is_none() || was_passed_over {
                continue;
            }
            let mut line = std::mem::take(&mut self.partial_line);
            line.truncate(line.trim_ascii_end().len());
            if !line.is_empty() {
                return Ok(Some(InputLine::Complete(line)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_come_one_by_one_and_too_long_ones_are_told_once() {
        let long = vec![b'x'; MESSAGE_BYTES_MAX + 1];
        let input = [&b"one\r\n\n  \ntwo\n"[..], &long, b"\nthree\nopen"].concat();
        let mut lines = BoundedLineReader::new(&*input);
        let mut told = Vec::new();
        while let Some(line) = lines.read_line().await.expect("memory can be read") {
            told.push(match line {
                InputLine::Complete(line) => String::from_utf8(line).expect("it is text"),
                InputLine::TooLong => "too long".to_owned(),
            });
        }
        assert_eq!(told, ["one", "two", "too long", "three"]);
    }
}
