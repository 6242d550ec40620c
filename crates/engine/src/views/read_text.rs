//! The text of a read, assembled on first access.

use std::ops::Deref;
use std::sync::OnceLock;

use foveal_transcript::{ContentHash, LineNumber};

use crate::lines::{ResultLine, ResultLines};

/// The lines of a read without their numbers, each with a line break; dereferences to [`str`].
/// Assembling the text takes longer than most questions about it, so it is done on first access.
#[derive(Debug)]
pub struct ReadText<'a> {
    source: ReadTextSource<'a>,
    whole: OnceLock<String>,
}

#[derive(Debug, Clone, Copy)]
enum ReadTextSource<'a> {
    /// The text itself.
    Text(&'a str),
    /// The numbered lines of a result.
    Result(NumberedText<'a>),
}

#[derive(Debug, Clone, Copy)]
struct NumberedText<'a> {
    content: &'a str,
    hash: Option<ContentHash>,
    /// The lines from the first numbered one to the last.
    lines: &'a [ResultLine],
    first: LineNumber,
    count: usize,
    bytes: usize,
    /// A hash of the byte ranges of the text: results of different calls with the same content may
    /// differ in them.
    range_hash: u64,
}

impl<'a> From<&'a str> for ReadText<'a> {
    fn from(text: &'a str) -> Self {
        Self::from_source(ReadTextSource::Text(text))
    }
}

impl<'a> ReadText<'a> {
    fn from_source(source: ReadTextSource<'a>) -> Self {
        Self { source, whole: OnceLock::new() }
    }

    /// Returns the file, first line number and text of a result's numbered lines, if they are of
    /// one file and count up by one. With `file`, an index into the paths, only its lines count.
    /// `hash` is that of the whole content, if known.
    pub(crate) fn from_result(
        printed: &'a ResultLines,
        file: Option<u16>,
        content: &'a str,
        hash: Option<ContentHash>,
    ) -> Option<(&'a str, LineNumber, Self)> {
        let is_of_file = |line: &ResultLine| {
            line.number.is_some() && file.is_none_or(|file| line.path == Some(file))
        };
        let start = printed.lines.iter().position(is_of_file)?;
        let end = printed.lines.iter().rposition(is_of_file)?;
        let lines = &printed.lines[start..=end];
        let (path, first) = lines[0].path.zip(lines[0].number)?;
        let (mut count, mut bytes, mut places) = (0, 0, 0_u64);
        for (number, line) in (first.0..).zip(numbered_lines(lines)) {
            if line.path != Some(path) || line.number != Some(LineNumber(number)) {
                return None;
            }
            count += 1;
            bytes += line.text.len() + 1;
            let both = u64::from(line.text.start) << 32 | u64::from(line.text.end);
            places = (places.rotate_left(5) ^ both).wrapping_mul(HASH_MULTIPLIER);
        }
        let path = printed.paths.get(usize::from(path))?;
        let of_result =
            NumberedText { content, hash, lines, first, count, bytes, range_hash: places };
        Some((path, first, Self::from_source(ReadTextSource::Result(of_result))))
    }

    /// Returns the number of lines.
    pub fn line_count(&self) -> usize {
        match self.source {
            ReadTextSource::Text(text) => text.lines().count(),
            ReadTextSource::Result(result) => result.count,
        }
    }

    /// Returns the length in bytes.
    pub fn byte_len(&self) -> usize {
        match self.source {
            ReadTextSource::Text(text) => text.len(),
            ReadTextSource::Result(result) => result.bytes,
        }
    }

    /// Returns the line at `at`, counted from 0, without its line break. In a result, a carriage
    /// return before the line break stays.
    pub fn line_text(&self, at: usize) -> Option<&'a str> {
        match self.source {
            ReadTextSource::Text(text) => text.lines().nth(at),
            ReadTextSource::Result(result) => result.numbered_line_text(at),
        }
    }

    /// Returns a hash that identifies the text. Equal texts may have different identities;
    /// different texts of the same content collide with negligible probability.
    pub fn identity(&self) -> ContentHash {
        match self.source {
            ReadTextSource::Result(NumberedText {
                hash: Some(hash),
                count,
                bytes,
                range_hash: places,
                ..
            }) => {
                let numbers = [count as u64, bytes as u64, places].map(u64::to_le_bytes);
                ContentHash::from_segments([hash.as_bytes(), numbers.as_flattened()])
            }
            ReadTextSource::Text(_) | ReadTextSource::Result(_) => {
                ContentHash::from_content(self.as_bytes())
            }
        }
    }
}

impl Deref for ReadText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self.source {
            ReadTextSource::Text(text) => text,
            ReadTextSource::Result(result) => self.whole.get_or_init(|| result.joined_lines()),
        }
    }
}

impl<'a> NumberedText<'a> {
    fn joined_lines(&self) -> String {
        let mut text = String::with_capacity(self.bytes);
        for line in numbered_lines(self.lines) {
            text.push_str(line.file_text(self.content));
            text.push('\n');
        }
        text
    }

    fn numbered_line_text(&self, at: usize) -> Option<&'a str> {
        let number = Some(LineNumber(self.first.0.checked_add(u32::try_from(at).ok()?)?));
        let is_it = |line: &&ResultLine| line.number == number;
        // Unnumbered lines in between are rare.
        let line = self.lines.get(at).filter(is_it).or_else(|| self.lines.iter().find(is_it))?;
        Some(line.file_text(self.content))
    }
}

/// A multiplier that spreads bits, from the hash of the Rust compiler.
const HASH_MULTIPLIER: u64 = 0x517c_c1b7_2722_0a95;

fn numbered_lines(lines: &[ResultLine]) -> impl Iterator<Item = &ResultLine> {
    lines.iter().filter(|line| line.number.is_some())
}

#[cfg(test)]
mod tests;
