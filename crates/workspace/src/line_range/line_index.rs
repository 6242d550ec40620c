//! A sparse index of line positions: the number of line breaks before each block of a file.

use foveal_transcript::CancelToken;

use crate::open_file::{FileReadError, OpenFile};
use crate::text::{TextEncoding, TextFile};

/// Bytes per read.
pub(super) const CHUNK_BYTES: usize = 256 * 1024;

/// The largest number of blocks; larger files have larger blocks.
const BLOCKS_MAX: u64 = 1 << 16;

/// The line positions of one version of a file, as far as it was scanned; at most half a megabyte.
#[derive(Debug)]
pub(super) struct LineIndex {
    /// The size of the file in bytes.
    len: u64,
    encoding: TextEncoding,
    /// The length of the byte order mark in bytes.
    bom_len: u64,
    /// The size of a block in bytes, a multiple of the chunk size.
    block: u64,
    /// Line breaks before each block that was reached.
    breaks_before: Vec<u64>,
    /// Bytes scanned so far.
    scanned: u64,
    /// Line breaks in the scanned bytes.
    breaks: u64,
    /// Whether the scanned bytes end with a line break.
    at_break: bool,
}

impl LineIndex {
    /// Creates an index that has detected the encoding and scanned no line.
    pub(super) fn from_file(opened: &OpenFile) -> Result<Self, FileReadError> {
        let len = opened.stamp().len;
        let mut head = vec![0; CHUNK_BYTES];
        let read = opened.read_at(&mut head, 0)?;
        head.truncate(read);
        if (read as u64) < len {
            truncate_to_whole_characters(&mut head);
        }
        let text = TextFile::decode(&head);
        let text =
            text.map_err(|_| FileReadError::NotText { path: opened.display_path().to_owned() })?;
        let mark = match (text.has_bom(), text.encoding()) {
            (false, _) => 0,
            (true, TextEncoding::Utf8 | TextEncoding::Legacy(_)) => 3,
            (true, TextEncoding::Utf16Le | TextEncoding::Utf16Be) => 2,
        };
        let chunks = (len / BLOCKS_MAX / CHUNK_BYTES as u64 + 1).next_power_of_two();
        Ok(Self {
            len,
            encoding: text.encoding(),
            bom_len: mark,
            block: chunks * CHUNK_BYTES as u64,
            breaks_before: Vec::new(),
            scanned: 0,
            breaks: 0,
            at_break: true,
        })
    }

    pub(super) fn encoding(&self) -> TextEncoding {
        self.encoding
    }

    /// Returns the number of lines if the file was scanned to its end.
    pub(super) fn line_count(&self) -> Option<u64> {
        let open = !self.at_break && self.len > self.bom_len;
        (self.scanned >= self.len).then_some(self.breaks + u64::from(open))
    }

    /// Scans the file until `line` begins, or to its end.
    pub(super) fn scan_to_line(
        &mut self,
        opened: &OpenFile,
        line: u64,
        cancel: &CancelToken<'_>,
    ) -> Result<(), FileReadError> {
        let mut buffer = vec![0; CHUNK_BYTES];
        while self.scanned < self.len && self.breaks + 1 < line {
            if cancel.is_cancelled() {
                return Err(FileReadError::Cancelled { path: opened.display_path().to_owned() });
            }
            let read = opened.read_at(&mut buffer, self.scanned)?;
            let chunk = &buffer[..read];
            // A chunk inside the file is complete unless the file was truncated meanwhile.
            if read < CHUNK_BYTES && self.scanned + (read as u64) < self.len {
                return Err(FileReadError::Changing { path: opened.display_path().to_owned() });
            }
            if self.scanned.is_multiple_of(self.block) {
                self.breaks_before.push(self.breaks);
            }
            self.breaks += count_line_breaks(chunk, self.encoding);
            self.at_break = ends_with_line_break(chunk, self.encoding);
            self.scanned += read as u64;
        }
        Ok(())
    }

    /// Returns a byte offset before `line`, which was scanned, and the number of line breaks before
    /// that offset.
    pub(super) fn seek_position(&self, line: u64) -> (u64, u64) {
        // The line break that ends the previous line must come after the offset.
        let blocks = self.breaks_before.partition_point(|before| *before + 1 < line);
        match blocks.checked_sub(1) {
            Some(block) if block > 0 => (block as u64 * self.block, self.breaks_before[block]),
            _ => (self.bom_len, 0),
        }
    }
}

/// Returns whether `unit` is a line break.
pub(super) fn is_line_break(unit: [u8; 2], encoding: TextEncoding) -> bool {
    unit == if encoding == TextEncoding::Utf16Be { [0, b'\n'] } else { [b'\n', 0] }
}

fn count_line_breaks(chunk: &[u8], encoding: TextEncoding) -> u64 {
    let count = match encoding {
        TextEncoding::Utf8 | TextEncoding::Legacy(_) => memchr::memchr_iter(b'\n', chunk).count(),
        TextEncoding::Utf16Le | TextEncoding::Utf16Be => {
            chunk.as_chunks::<2>().0.iter().filter(|unit| is_line_break(**unit, encoding)).count()
        }
    };
    count as u64
}

fn ends_with_line_break(chunk: &[u8], encoding: TextEncoding) -> bool {
    match encoding {
        TextEncoding::Utf8 | TextEncoding::Legacy(_) => chunk.ends_with(b"\n"),
        TextEncoding::Utf16Le | TextEncoding::Utf16Be => {
            chunk.len().is_multiple_of(2)
                && chunk.last_chunk().is_some_and(|unit| is_line_break(*unit, encoding))
        }
    }
}

/// Truncates the beginning of a file to whole characters: after the last line break if there is
/// one.
fn truncate_to_whole_characters(head: &mut Vec<u8>) {
    if head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF") || head.contains(&0) {
        // Half of a surrogate pair does not affect the detection of the encoding, but half of a
        // unit does.
        head.truncate(head.len() / 2 * 2);
        return;
    }
    if let Some(at) = head.iter().rposition(|byte| *byte == b'\n') {
        head.truncate(at + 1);
    } else if let Err(error) = std::str::from_utf8(head)
        && error.error_len().is_none()
    {
        head.truncate(error.valid_up_to());
    }
}
