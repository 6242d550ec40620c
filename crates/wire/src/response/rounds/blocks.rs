//! A stream of events, split where they end, with every byte kept.

use super::super::sse::{EVENT_BYTES_MAX, EventSplitter};

/// Splits a stream into events as they came, comments and all.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// What came of the event that has no end yet.
    pending: Vec<u8>,
    /// How far that was looked at.
    seen: usize,
    /// Whether the line that is coming is still empty.
    is_line_empty: bool,
}

/// An event: its name and its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) name: Vec<u8>,
    pub(super) data: Vec<u8>,
}

impl Blocks {
    /// Takes bytes, and hands over each event that they end, as it came.
    pub(super) fn push(&mut self, bytes: &[u8], mut each: impl FnMut(&[u8])) {
        self.pending.extend_from_slice(bytes);
        let mut start = 0;
        while let Some(byte) = self.pending.get(self.seen).copied() {
            // Whether LF belongs to CR shows in the next byte.
            let next = self.pending.get(self.seen + 1).copied();
            if byte == b'\r' && next.is_none() {
                break;
            }
            self.seen += 1;
            match byte {
                b'\r' if next == Some(b'\n') => {}
                b'\r' | b'\n' if self.is_line_empty => {
                    each(&self.pending[start..self.seen]);
                    start = self.seen;
                    self.is_line_empty = false;
                }
                b'\r' | b'\n' => self.is_line_empty = true,
                _ => self.is_line_empty = false,
            }
        }
        self.pending.drain(..start);
        self.seen -= start;
    }

    /// Whether an event that has not ended is longer than any may be.
    pub(super) fn is_too_long(&self) -> bool {
        self.pending.len() > EVENT_BYTES_MAX
    }

    /// What came of an event that never ended.
    pub(super) fn take_rest(&mut self) -> Vec<u8> {
        self.seen = 0;
        self.is_line_empty = false;
        std::mem::take(&mut self.pending)
    }
}

/// What an event says; `None` where it has no data.
pub(super) fn read(block: &[u8]) -> Option<Block> {
    let mut read = None;
    let mut take = |event: super::super::sse::Event<'_>| {
        read = Some(Block { name: event.name.to_vec(), data: event.data.to_vec() });
    };
    let mut splitter = EventSplitter::default();
    splitter.push(block, &mut take);
    splitter.finish(&mut take);
    read
}

impl Block {
    /// The event with other data, as bytes.
    pub(super) fn with(&self, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(data.len() + 64);
        if !self.name.is_empty() {
            bytes.extend_from_slice(b"event: ");
            bytes.extend_from_slice(&self.name);
            bytes.push(b'\n');
        }
        for line in data.split(|byte| *byte == b'\n') {
            bytes.extend_from_slice(b"data: ");
            bytes.extend_from_slice(line);
            bytes.push(b'\n');
        }
        bytes.push(b'\n');
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::{Blocks, read};

    fn split(bytes: &[u8], piece: usize) -> (Vec<String>, String) {
        let mut blocks = Blocks::default();
        let mut all = Vec::new();
        for piece in bytes.chunks(piece) {
            blocks.push(piece, |it| all.push(String::from_utf8_lossy(it).into_owned()));
        }
        (all, String::from_utf8_lossy(&blocks.take_rest()).into_owned())
    }

    #[test]
    fn events_end_at_empty_lines_in_any_pieces() {
        let stream =
            "event: a\ndata: 1\n\n: ping\r\n\r\ndata: 2\r\ndata: 3\r\n\r\ndata: 4\r\rdata: ";
        let whole = split(stream.as_bytes(), usize::MAX);
        assert_eq!(whole.0.len(), 4, "{whole:?}");
        assert_eq!(whole.0.concat() + &whole.1, stream);
        for piece in 1..9 {
            assert_eq!(split(stream.as_bytes(), piece), whole, "{piece}");
        }
        let read = read(whole.0[2].as_bytes()).unwrap();
        assert_eq!(read.data, b"2\n3");
        assert_eq!(read.with(b"5\n6"), b"data: 5\ndata: 6\n\n");
    }
}
