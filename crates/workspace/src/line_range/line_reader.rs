//! A reader of line ranges.

use foveal_transcript::{CancelToken, LineNumber};

use super::file_line::{LineBatch, LineLimits};
use super::line_collector::{LineCollector, SkippedPrefix};
use super::line_index::{CHUNK_BYTES, LineIndex};
use crate::open_file::{FileReadError, OpenFile};
use crate::roots::ResolvedPath;
use crate::text::TextEncoding;

/// A text file that is open for reading ranges of lines.
#[derive(Debug)]
pub struct LineRangeReader {
    opened: OpenFile,
    index: LineIndex,
}

impl LineRangeReader {
    /// Opens the file at `located`.
    ///
    /// # Errors
    ///
    /// Fails if the file does not exist, is not regular, is not text or may not be read.
    pub fn open(located: &ResolvedPath) -> Result<Self, FileReadError> {
        let opened = OpenFile::open(located)?;
        let index = LineIndex::from_file(&opened)?;
        Ok(Self { opened, index })
    }

    /// Returns the character encoding.
    pub fn encoding(&self) -> TextEncoding {
        self.index.encoding()
    }

    /// Returns the number of lines if it is known without reading on.
    pub fn known_line_count(&self) -> Option<u64> {
        self.index.line_count()
    }

    /// Returns the number of lines. The first call reads the whole file.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or changes during the read, or with
    /// [`FileReadError::Cancelled`].
    pub fn count_lines(&mut self, cancel: &CancelToken<'_>) -> Result<u64, FileReadError> {
        self.index.scan_to_line(&self.opened, u64::MAX, cancel)?;
        self.opened.check_unchanged()?;
        Ok(self.index.line_count().unwrap_or(0))
    }

    /// Reads the lines from `first` to `last`, both included. The first call reads the file up to
    /// these lines, later calls from close before them.
    ///
    /// # Errors
    ///
    /// See [`Self::count_lines`].
    pub fn read_lines(
        &mut self,
        first: LineNumber,
        last: LineNumber,
        limits: &LineLimits,
        cancel: &CancelToken<'_>,
    ) -> Result<LineBatch, FileReadError> {
        self.read_lines_from(first, 0, last, limits, cancel)
    }

    /// Reads the lines from byte `from_byte`, counted from 0, of the line `first` to the line
    /// `last`.
    ///
    /// # Errors
    ///
    /// See [`Self::count_lines`].
    pub fn read_lines_from(
        &mut self,
        first: LineNumber,
        from_byte: u64,
        last: LineNumber,
        limits: &LineLimits,
        cancel: &CancelToken<'_>,
    ) -> Result<LineBatch, FileReadError> {
        if last < first {
            return Ok(LineBatch { lines: Vec::new(), next: None });
        }
        let first = first.max(LineNumber::FIRST);
        let first_line = u64::from(first.0);
        self.index.scan_to_line(&self.opened, first_line, cancel)?;
        let (mut offset, before) = self.index.seek_position(first_line);
        let skipped = SkippedPrefix { lines: first_line - 1 - before, bytes: from_byte };
        let mut collector = LineCollector::new(self.encoding(), first, last, skipped, limits);
        let mut buffer = vec![0; CHUNK_BYTES];
        while !collector.is_full() {
            if cancel.is_cancelled() {
                return Err(FileReadError::Cancelled {
                    path: self.opened.display_path().to_owned(),
                });
            }
            let read = self.opened.read_at(&mut buffer, offset)?;
            if read == 0 {
                collector.finish();
                break;
            }
            collector.push_chunk(&buffer[..read]);
            offset += read as u64;
        }
        self.opened.check_unchanged()?;
        Ok(collector.lines)
    }
}
