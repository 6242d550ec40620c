//! Where lines are, roughly: how many line breaks stand before each block of a file.

use foveal_cancel::Cancel;

use crate::open::{Opened, ReadError};
use crate::text::{Encoding, TextFile};

/// Bytes read at once.
pub(super) const CHUNK_BYTES: usize = 256 * 1024;

/// Blocks of the largest index; files with more bytes have larger blocks.
const BLOCKS_MAX: u64 = 1 << 16;

/// What is known of the lines of one version of a file. At most half a megabyte.
#[derive(Debug)]
pub(super) struct LineIndex {
    /// Bytes of the file.
    len: u64,
    encoding: Encoding,
    /// Bytes of the byte order mark.
    mark: u64,
    /// Bytes of a block, some whole chunks.
    block: u64,
    /// Line breaks before each block that was reached.
    before: Vec<u64>,
    /// Bytes that were looked at, and the line breaks in them.
    scanned: u64,
    breaks: u64,
    /// Whether the bytes looked at end with a line break.
    at_break: bool,
}

impl LineIndex {
    /// An index that knows the encoding and no line yet.
    pub(super) fn of(opened: &Opened) -> Result<Self, ReadError> {
        let len = opened.stamp().len;
        let mut head = vec![0; CHUNK_BYTES];
        let read = opened.read_at(&mut head, 0)?;
        head.truncate(read);
        if (read as u64) < len {
            cut_at_line(&mut head);
        }
        let text = TextFile::decode(&head);
        let text = text.map_err(|_| ReadError::NotText { path: opened.shown().to_owned() })?;
        let mark = match (text.has_bom(), text.encoding()) {
            (false, _) => 0,
            (true, Encoding::Utf8 | Encoding::Legacy(_)) => 3,
            (true, Encoding::Utf16Le | Encoding::Utf16Be) => 2,
        };
        let chunks = (len / BLOCKS_MAX / CHUNK_BYTES as u64 + 1).next_power_of_two();
        Ok(Self {
            len,
            encoding: text.encoding(),
            mark,
            block: chunks * CHUNK_BYTES as u64,
            before: Vec::new(),
            scanned: 0,
            breaks: 0,
            at_break: true,
        })
    }

    pub(super) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// How many lines there are, if all was looked at.
    pub(super) fn count(&self) -> Option<u64> {
        let open = !self.at_break && self.len > self.mark;
        (self.scanned >= self.len).then_some(self.breaks + u64::from(open))
    }

    /// Looks at the file until `line` begins, or to its end.
    pub(super) fn scan(
        &mut self,
        opened: &Opened,
        line: u64,
        cancel: &Cancel<'_>,
    ) -> Result<(), ReadError> {
        let mut buffer = vec![0; CHUNK_BYTES];
        while self.scanned < self.len && self.breaks + 1 < line {
            if cancel.is_cancelled() {
                return Err(ReadError::Cancelled { path: opened.shown().to_owned() });
            }
            let read = opened.read_at(&mut buffer, self.scanned)?;
            let chunk = &buffer[..read];
            // A chunk within the file is whole, unless the file was cut meanwhile.
            if read < CHUNK_BYTES && self.scanned + (read as u64) < self.len {
                return Err(ReadError::Changing { path: opened.shown().to_owned() });
            }
            if self.scanned.is_multiple_of(self.block) {
                self.before.push(self.breaks);
            }
            self.breaks += breaks(chunk, self.encoding);
            self.at_break = ends_with_break(chunk, self.encoding);
            self.scanned += read as u64;
        }
        Ok(())
    }

    /// A byte from which to read to get to `line`, which was looked at, and the line breaks
    /// before that byte.
    pub(super) fn start(&self, line: u64) -> (u64, u64) {
        // The break that ends the line before must come after the byte.
        let blocks = self.before.partition_point(|before| *before + 1 < line);
        match blocks.checked_sub(1) {
            Some(block) if block > 0 => (block as u64 * self.block, self.before[block]),
            _ => (self.mark, 0),
        }
    }
}

/// Whether `unit` is a line break.
pub(super) fn is_break(unit: [u8; 2], encoding: Encoding) -> bool {
    unit == if encoding == Encoding::Utf16Be { [0, b'\n'] } else { [b'\n', 0] }
}

fn breaks(chunk: &[u8], encoding: Encoding) -> u64 {
    let count = match encoding {
        Encoding::Utf8 | Encoding::Legacy(_) => memchr::memchr_iter(b'\n', chunk).count(),
        Encoding::Utf16Le | Encoding::Utf16Be => {
            chunk.as_chunks::<2>().0.iter().filter(|unit| is_break(**unit, encoding)).count()
        }
    };
    count as u64
}

fn ends_with_break(chunk: &[u8], encoding: Encoding) -> bool {
    match encoding {
        Encoding::Utf8 | Encoding::Legacy(_) => chunk.ends_with(b"\n"),
        Encoding::Utf16Le | Encoding::Utf16Be => {
            chunk.len().is_multiple_of(2)
                && chunk.last_chunk().is_some_and(|unit| is_break(*unit, encoding))
        }
    }
}

/// Cuts the beginning of a file so that it ends between two characters: after a line break if
/// there is one.
fn cut_at_line(head: &mut Vec<u8>) {
    if head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF") || head.contains(&0) {
        // Half a character outside the first plane would not matter for telling the encoding,
        // but half a unit would.
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
