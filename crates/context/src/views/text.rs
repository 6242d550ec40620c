//! The text of a read, which is put together only where somebody looks at it.

use std::ops::Deref;
use std::sync::OnceLock;

use foveal_transcript::{ContentHash, LineNumber};

use crate::lines::{Printed, PrintedLine};

/// The lines of a read without their numbers, each with a line break, as a [`str`]. To put them
/// together takes longer than much of what is asked of them, so that this is done at the first look.
#[derive(Debug)]
pub struct ReadText<'a> {
    source: Source<'a>,
    whole: OnceLock<String>,
}

#[derive(Debug, Clone, Copy)]
enum Source<'a> {
    /// What it is.
    Text(&'a str),
    /// The numbered lines of a result.
    Result(OfResult<'a>),
}

#[derive(Debug, Clone, Copy)]
struct OfResult<'a> {
    content: &'a str,
    hash: Option<ContentHash>,
    /// From the first numbered one on.
    lines: &'a [PrintedLine],
    first: LineNumber,
    count: usize,
    bytes: usize,
    /// Tells which bytes of the content are text: of the same content others may be, where it came of
    /// another call.
    places: u64,
}

impl<'a> From<&'a str> for ReadText<'a> {
    fn from(text: &'a str) -> Self {
        Self::of(Source::Text(text))
    }
}

impl<'a> ReadText<'a> {
    fn of(source: Source<'a>) -> Self {
        Self { source, whole: OnceLock::new() }
    }

    /// The file, the first number and the text of a result's numbered lines, if they are of one file
    /// and count up by one. `hash` is that of the whole content, where it is known.
    pub(crate) fn of_result(
        printed: &'a Printed,
        content: &'a str,
        hash: Option<ContentHash>,
    ) -> Option<(&'a str, LineNumber, Self)> {
        let start = printed.lines.iter().position(|line| line.number.is_some())?;
        let lines = &printed.lines[start..];
        let (path, first) = lines[0].path.zip(lines[0].number)?;
        let (mut count, mut bytes, mut places) = (0, 0, 0_u64);
        for (number, line) in (first.0..).zip(numbered(lines)) {
            if line.path != Some(path) || line.number != Some(LineNumber(number)) {
                return None;
            }
            count += 1;
            bytes += line.text.len() + 1;
            let both = u64::from(line.text.start) << 32 | u64::from(line.text.end);
            places = (places.rotate_left(5) ^ both).wrapping_mul(ODD);
        }
        let path = printed.paths.get(usize::from(path))?;
        let of_result = OfResult { content, hash, lines, first, count, bytes, places };
        Some((path, first, Self::of(Source::Result(of_result))))
    }

    /// How many lines it has.
    pub fn count(&self) -> usize {
        match self.source {
            Source::Text(text) => text.lines().count(),
            Source::Result(result) => result.count,
        }
    }

    /// How many bytes.
    pub fn bytes(&self) -> usize {
        match self.source {
            Source::Text(text) => text.len(),
            Source::Result(result) => result.bytes,
        }
    }

    /// The line at `at`, counted from 0, without its line break; of a result what stands before that.
    pub fn line(&self, at: usize) -> Option<&'a str> {
        match self.source {
            Source::Text(text) => text.lines().nth(at),
            Source::Result(result) => result.line(at),
        }
    }

    /// Tells it from all other texts, and from others of the same content as good as always. The same
    /// text may be told by two of them.
    pub fn identity(&self) -> ContentHash {
        match self.source {
            Source::Result(OfResult { hash: Some(hash), count, bytes, places, .. }) => {
                let numbers = [count as u64, bytes as u64, places].map(u64::to_le_bytes);
                ContentHash::of_parts([hash.as_bytes(), numbers.as_flattened()])
            }
            Source::Text(_) | Source::Result(_) => ContentHash::of(self.as_bytes()),
        }
    }
}

impl Deref for ReadText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self.source {
            Source::Text(text) => text,
            Source::Result(result) => self.whole.get_or_init(|| result.text()),
        }
    }
}

impl<'a> OfResult<'a> {
    fn text(&self) -> String {
        let mut text = String::with_capacity(self.bytes);
        for line in numbered(self.lines) {
            text.push_str(line.text_in(self.content));
            text.push('\n');
        }
        text
    }

    fn line(&self, at: usize) -> Option<&'a str> {
        let number = Some(LineNumber(self.first.0.checked_add(u32::try_from(at).ok()?)?));
        let is_it = |line: &&PrintedLine| line.number == number;
        // Lines without a number rarely stand in between.
        let line = self.lines.get(at).filter(is_it).or_else(|| self.lines.iter().find(is_it))?;
        Some(line.text_in(self.content))
    }
}

/// Spreads bits, as in the hash of the Rust compiler.
const ODD: u64 = 0x517c_c1b7_2722_0a95;

fn numbered(lines: &[PrintedLine]) -> impl Iterator<Item = &PrintedLine> {
    lines.iter().filter(|line| line.number.is_some())
}

#[cfg(test)]
mod tests;
