//! Reading lines out of an open file.

use foveal_cancel::Cancel;
use foveal_transcript::LineNumber;

use super::collect::Collector;
use super::index::{CHUNK_BYTES, LineIndex};
use super::line::{LineLimits, Lines};
use crate::open::{Opened, ReadError};
use crate::roots::Located;
use crate::text::Encoding;

/// A text file that is open to read lines of it.
#[derive(Debug)]
pub struct LinesReader {
    opened: Opened,
    index: LineIndex,
}

impl LinesReader {
    /// Opens the file at `located`.
    ///
    /// # Errors
    ///
    /// When there is nothing, no regular file, or no text, or it may not be read.
    pub fn open(located: &Located) -> Result<Self, ReadError> {
        let opened = Opened::open(located)?;
        let index = LineIndex::of(&opened)?;
        Ok(Self { opened, index })
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
        let first = first.max(LineNumber::FIRST);
        let first_line = u64::from(first.0);
        self.index.scan(&self.opened, first_line, cancel)?;
        let (mut offset, before) = self.index.start(first_line);
        let skipped = (first_line - 1 - before, from_byte);
        let mut collector = Collector::new(self.encoding(), (first, last), skipped, limits);
        let mut buffer = vec![0; CHUNK_BYTES];
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
