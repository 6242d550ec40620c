//! Lines of a stream, one message each, of bounded length.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use crate::message::MESSAGE_BYTES_MAX;

/// A line, without its end.
#[derive(Debug)]
pub(crate) enum Line {
    Whole(Vec<u8>),
    /// It has too many bytes, which are passed over.
    TooLong,
}

/// The lines of a stream.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: BufReader<R>,
    /// What has come of a line.
    begun: Vec<u8>,
    /// Whether the rest of a line that is too long is passed over.
    passes_over: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input: BufReader::new(input), begun: Vec::new(), passes_over: false }
    }

    /// The next line that is not empty; `None` at the end. Nothing is lost where the wait for it
    /// is given up. What comes after the last line end is no line.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let come = self.input.fill_buf().await?;
            if come.is_empty() {
                return Ok(None);
            }
            let end = come.iter().position(|byte| *byte == b'\n');
            let part = &come[..end.unwrap_or(come.len())];
            let is_too_long = self.begun.len() + part.len() > MESSAGE_BYTES_MAX;
            if !self.passes_over && !is_too_long {
                self.begun.extend_from_slice(part);
            }
            let count = part.len() + usize::from(end.is_some());
            self.input.consume(count);
            let was_passed_over = self.passes_over;
            self.passes_over = end.is_none() && (was_passed_over || is_too_long);
            if is_too_long && !was_passed_over {
                self.begun = Vec::new();
                return Ok(Some(Line::TooLong));
            }
            if end.is_none() || was_passed_over {
                continue;
            }
            let mut line = std::mem::take(&mut self.begun);
            line.truncate(line.trim_ascii_end().len());
            if !line.is_empty() {
                return Ok(Some(Line::Whole(line)));
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
        let mut lines = Lines::new(&*input);
        let mut told = Vec::new();
        while let Some(line) = lines.next().await.expect("memory can be read") {
            told.push(match line {
                Line::Whole(line) => String::from_utf8(line).expect("it is text"),
                Line::TooLong => "too long".to_owned(),
            });
        }
        assert_eq!(told, ["one", "two", "too long", "three"]);
    }
}
