//! Bounds an output while it streams: keeps the beginning and the end, and counts the omitted bytes
//! and lines between them exactly.

use std::collections::VecDeque;

use foveal_screen::numbers::PlainCount;
use serde::{Deserialize, Serialize};

/// How many bytes of an output are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputRetention {
    /// Bytes from the beginning.
    pub head: usize,
    /// Bytes from the end; the larger part, since errors and summaries are at the end.
    pub tail: usize,
}

impl Default for OutputRetention {
    /// 1 MiB in all.
    fn default() -> Self {
        Self { head: 256 * 1024, tail: 768 * 1024 }
    }
}

/// Collects an output of any length in memory of [`OutputRetention`].
#[derive(Debug)]
pub struct BoundedOutputBuffer {
    keep: OutputRetention,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    bytes: u64,
    newlines: u64,
}

impl BoundedOutputBuffer {
    /// Creates an empty buffer.
    #[must_use]
    pub fn new(keep: OutputRetention) -> Self {
        Self { keep, head: Vec::new(), tail: VecDeque::new(), bytes: 0, newlines: 0 }
    }

    /// Appends the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.newlines += count_newlines(bytes);
        let to_head = bytes.len().min(self.keep.head.saturating_sub(self.head.len()));
        let (head, rest) = bytes.split_at(to_head);
        self.head.extend_from_slice(head);
        let rest = &rest[rest.len().saturating_sub(self.keep.tail)..];
        let over = (self.tail.len() + rest.len()).saturating_sub(self.keep.tail);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    /// Returns the number of bytes so far, kept or not.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the allocated bytes; at most twice the sum of [`OutputRetention`].
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        self.head.capacity() + self.tail.capacity()
    }

    /// Returns the kept text. If something is omitted, both cuts are moved to line ends, or else to
    /// character boundaries; the bytes dropped by that count as omitted.
    #[must_use]
    pub fn finish(self) -> CapturedOutput {
        let tail = Vec::from(self.tail);
        if (self.head.len() + tail.len()) as u64 == self.bytes {
            let whole = [self.head, tail].concat();
            let (head, replaced_bytes) = decode_text(&whole);
            let (bytes, left_out) = (self.bytes, None);
            return CapturedOutput { head, left_out, tail: String::new(), bytes, replaced_bytes };
        }
        let head = &self.head[..head_cut_offset(&self.head)];
        let tail = &tail[tail_cut_offset(&tail)..];
        let left_out = OmittedOutput {
            bytes: self.bytes - (head.len() + tail.len()) as u64,
            lines: self.newlines - count_newlines(head) - count_newlines(tail),
        };
        let (head, replaced_head) = decode_text(head);
        let (tail, replaced_tail) = decode_text(tail);
        let replaced_bytes = replaced_head + replaced_tail;
        CapturedOutput { head, left_out: Some(left_out), tail, bytes: self.bytes, replaced_bytes }
    }
}

/// The kept text of an output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapturedOutput {
    /// The beginning; the whole output if nothing is omitted.
    pub head: String,
    /// The omitted part; `None` if everything is in `head`.
    pub left_out: Option<OmittedOutput>,
    /// The end; empty if nothing is omitted.
    pub tail: String,
    /// Bytes of the whole output.
    pub bytes: u64,
    /// Invalid UTF-8 bytes in `head` and `tail`, which are shown as U+FFFD.
    pub replaced_bytes: u64,
}

/// The exact size of the omitted part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OmittedOutput {
    /// Bytes.
    pub bytes: u64,
    /// Newline characters in them.
    pub lines: u64,
}

impl CapturedOutput {
    /// Returns the kept text with a line in square brackets in place of the omitted part.
    #[must_use]
    pub fn text(&self) -> String {
        let Some(OmittedOutput { bytes, lines }) = self.left_out else { return self.head.clone() };
        let newline = if self.head.is_empty() || self.head.ends_with('\n') { "" } else { "\n" };
        format!(
            "{}{newline}[{} ({}) of output left out here]\n{}",
            self.head,
            PlainCount::new(lines, "line"),
            PlainCount::new(bytes, "byte"),
            self.tail
        )
    }
}

fn count_newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Decodes bytes. Returns the text and the number of replaced bytes.
fn decode_text(bytes: &[u8]) -> (String, u64) {
    let mut decoder = crate::Utf8StreamDecoder::default();
    let mut text = decoder.push(bytes);
    text.push_str(&decoder.finish());
    (text, decoder.replaced_bytes())
}

/// Returns the end of the last complete line; a long last line is kept up to a character boundary.
fn head_cut_offset(head: &[u8]) -> usize {
    match head.iter().rposition(|byte| *byte == b'\n') {
        Some(newline) if newline >= head.len() / 2 => newline + 1,
        _ => head.len() - incomplete_character_bytes(head),
    }
}

/// Returns the start of the first complete line; a long first line is kept from a character
/// boundary on.
fn tail_cut_offset(tail: &[u8]) -> usize {
    match tail.iter().position(|byte| *byte == b'\n') {
        Some(newline) if newline < tail.len() / 2 => newline + 1,
        _ => tail.iter().take(3).take_while(|byte| is_continuation_byte(**byte)).count(),
    }
}

/// Returns the number of bytes at the end that begin an incomplete character.
fn incomplete_character_bytes(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let byte = bytes[bytes.len() - back];
        if !is_continuation_byte(byte) {
            let width = match byte {
                0xc0..0xe0 => 2,
                0xe0..0xf0 => 3,
                0xf0..0xf8 => 4,
                _ => 1,
            };
            return if width > back { back } else { 0 };
        }
    }
    0
}

fn is_continuation_byte(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}
