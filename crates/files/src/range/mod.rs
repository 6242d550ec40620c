//! Lines of files of any size, without the whole being held in memory.

mod collect;
mod index;

use self::collect::Collector;
pub use self::index::LineIndex;
use crate::open::{Opened, ReadError};
use crate::roots::Located;
use crate::text::Encoding;
use foveal_cancel::Cancel;

/// The number of a line, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineNumber(u64);

impl LineNumber {
    /// The first line.
    pub const FIRST: Self = Self(1);

    /// The line with `number`; there is no line 0.
    pub fn new(number: u64) -> Option<Self> {
        (number > 0).then_some(Self(number))
    }

    /// The number.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl std::fmt::Display for LineNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// How much is given.
#[derive(Debug, Clone, Copy)]
pub struct LineLimits {
    /// Bytes in the file of one line; of longer ones only the beginning is given.
    pub line_bytes_max: usize,
    /// Bytes in the file of all lines together.
    pub bytes_max: usize,
}

impl Default for LineLimits {
    fn default() -> Self {
        Self { line_bytes_max: 64 * 1024, bytes_max: 4 * 1024 * 1024 }
    }
}

/// One line, without its ending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its number.
    pub number: LineNumber,
    /// Its text, or a part of it.
    pub text: String,
    /// Bytes of the file that the text is made of.
    pub bytes: u64,
    /// Bytes of the file that were left out at the end of the line.
    pub left_out_bytes: u64,
}

/// Lines one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// The lines; fewer than asked for where the file ends or the limit is reached.
    pub lines: Vec<Line>,
    /// The line to go on with, where the limit was reached before the last line.
    pub next: Option<LineNumber>,
}

/// A text file that is open to read lines of it.
#[derive(Debug)]
pub struct LinesReader {
    opened: Opened,
    index: LineIndex,
}

impl LinesReader {
    /// Opens the file at `located`. `known` is what was learnt of its lines before; it is used
    /// if the file has not changed since.
    ///
    /// # Errors
    ///
    /// When there is nothing, no regular file, or no text, or it may not be read.
    pub fn open(located: &Located, known: Option<LineIndex>) -> Result<Self, ReadError> {
        let opened = Opened::open(located)?;
        let index = match known.filter(|index| index.stamp() == opened.stamp()) {
            Some(index) => index,
            None => LineIndex::of(&opened)?,
        };
        Ok(Self { opened, index })
    }

    /// What was learnt of the file's lines, to be used again.
    pub fn into_index(self) -> LineIndex {
        self.index
    }

    /// How characters are spelled.
    pub fn encoding(&self) -> Encoding {
        self.index.encoding()
    }

    /// How many lines the file has, as far as it is known without reading on.
    pub fn known_count(&self) -> Option<u64> {
        self.index.count()
    }

    /// How many lines the file has. Reads all of it, the first time.
    ///
    /// # Errors
    ///
    /// When it cannot be read or changes meanwhile; or [`ReadError::Cancelled`].
    pub fn count(&mut self, cancel: &Cancel<'_>) -> Result<u64, ReadError> {
        self.index.scan(&self.opened, u64::MAX, cancel)?;
        self.opened.check_unchanged()?;
        Ok(self.index.count().unwrap_or(0))
    }

    /// The lines from `first` to `last`, both included. Reads the file up to these lines the
    /// first time, afterwards from close before them.
    ///
    /// # Errors
    ///
    /// As [`Self::count`].
    pub fn lines(
        &mut self,
        first: LineNumber,
        last: LineNumber,
        limits: &LineLimits,
        cancel: &Cancel<'_>,
    ) -> Result<Lines, ReadError> {
        self.lines_from((first, 0), last, limits, cancel)
    }

    /// The same, the first line from a byte of it on, counted from 0.
    ///
    /// # Errors
    ///
    /// As [`Self::count`].
    pub fn lines_from(
        &mut self,
        (first, from_byte): (LineNumber, u64),
        last: LineNumber,
        limits: &LineLimits,
        cancel: &Cancel<'_>,
    ) -> Result<Lines, ReadError> {
        if last < first {
            return Ok(Lines { lines: Vec::new(), next: None });
        }
        self.index.scan(&self.opened, first.get(), cancel)?;
        let (mut offset, before) = self.index.start(first.get());
        let skipped = (first.get() - 1 - before, from_byte);
        let mut collector = Collector::new(self.encoding(), (first, last), skipped, limits);
        let mut buffer = vec![0; index::CHUNK_BYTES];
        while !collector.is_full() {
            if cancel.is_cancelled() {
                return Err(ReadError::Cancelled { path: self.opened.shown().to_owned() });
            }
            let read = self.opened.read_at(&mut buffer, offset)?;
            if read == 0 {
                collector.end();
                break;
            }
            collector.take(&buffer[..read]);
            offset += read as u64;
        }
        self.opened.check_unchanged()?;
        Ok(collector.lines)
    }
}
