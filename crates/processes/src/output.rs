//! Output bounded while it streams: the beginning and the end are kept, and what lies between
//! is counted to the byte and the line.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// How many bytes of an output are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeepBytes {
    /// From the beginning.
    pub head: usize,
    /// From the end; errors and summaries stand there, so it is the larger part.
    pub tail: usize,
}

impl Default for KeepBytes {
    /// 1 MiB in all.
    fn default() -> Self {
        Self { head: 256 * 1024, tail: 768 * 1024 }
    }
}

/// Collects an output of any length in memory of [`KeepBytes`].
#[derive(Debug)]
pub struct BoundedOutput {
    keep: KeepBytes,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    bytes: u64,
    newlines: u64,
}

impl BoundedOutput {
    /// An empty one.
    #[must_use]
    pub fn new(keep: KeepBytes) -> Self {
        Self { keep, head: Vec::new(), tail: VecDeque::new(), bytes: 0, newlines: 0 }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.newlines += newlines(bytes);
        let to_head = bytes.len().min(self.keep.head.saturating_sub(self.head.len()));
        let (head, rest) = bytes.split_at(to_head);
        self.head.extend_from_slice(head);
        let rest = &rest[rest.len().saturating_sub(self.keep.tail)..];
        let over = (self.tail.len() + rest.len()).saturating_sub(self.keep.tail);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    /// Bytes that came so far, kept or not.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of memory set aside for what is kept; at most twice the sum of [`KeepBytes`].
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        self.head.capacity() + self.tail.capacity()
    }

    /// What is kept, as text. Where something was left out, both cuts are moved to ends of
    /// lines, or else of characters; what that drops counts as left out.
    #[must_use]
    pub fn finish(self) -> Output {
        let tail = Vec::from(self.tail);
        if (self.head.len() + tail.len()) as u64 == self.bytes {
            let whole = [self.head, tail].concat();
            let (head, replaced_bytes) = text_of(&whole);
            let (bytes, left_out) = (self.bytes, None);
            return Output { head, left_out, tail: String::new(), bytes, replaced_bytes };
        }
        let head = &self.head[..end_of_head(&self.head)];
        let tail = &tail[start_of_tail(&tail)..];
        let left_out = LeftOut {
            bytes: self.bytes - (head.len() + tail.len()) as u64,
            lines: self.newlines - newlines(head) - newlines(tail),
        };
        let (head, replaced_head) = text_of(head);
        let (tail, replaced_tail) = text_of(tail);
        let replaced_bytes = replaced_head + replaced_tail;
        Output { head, left_out: Some(left_out), tail, bytes: self.bytes, replaced_bytes }
    }
}

/// What was kept of an output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The beginning; the whole output where nothing was left out.
    pub head: String,
    /// What lies between; `None` when everything is in `head`.
    pub left_out: Option<LeftOut>,
    /// The end; empty where nothing was left out.
    pub tail: String,
    /// Bytes the programs wrote in all.
    pub bytes: u64,
    /// Bytes in `head` and `tail` that were no UTF-8 and are shown as U+FFFD.
    pub replaced_bytes: u64,
}

/// How much is missing between beginning and end; exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Bytes.
    pub bytes: u64,
    /// Newline characters among them.
    pub lines: u64,
}

impl Output {
    /// The kept text in one piece, with a line in square brackets where something is missing.
    #[must_use]
    pub fn text(&self) -> String {
        let Some(LeftOut { bytes, lines }) = self.left_out else { return self.head.clone() };
        let newline = if self.head.is_empty() || self.head.ends_with('\n') { "" } else { "\n" };
        format!(
            "{}{newline}[{lines} lines ({bytes} bytes) of output left out here]\n{}",
            self.head, self.tail
        )
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Text, and how many bytes were replaced in it.
fn text_of(bytes: &[u8]) -> (String, u64) {
    let mut decoder = crate::Decoder::default();
    let mut text = decoder.push(bytes);
    text.push_str(&decoder.finish());
    (text, decoder.replaced_bytes())
}

/// Behind the last line that is whole; but a long last line is kept up to a character.
fn end_of_head(head: &[u8]) -> usize {
    match head.iter().rposition(|byte| *byte == b'\n') {
        Some(newline) if newline >= head.len() / 2 => newline + 1,
        _ => head.len() - cut_character(head),
    }
}

/// At the first line that is whole; but a long first line is kept from a character on.
fn start_of_tail(tail: &[u8]) -> usize {
    match tail.iter().position(|byte| *byte == b'\n') {
        Some(newline) if newline < tail.len() / 2 => newline + 1,
        _ => tail.iter().take(3).take_while(|byte| is_continuation(**byte)).count(),
    }
}

/// Bytes at the end that are the beginning of a character.
fn cut_character(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let byte = bytes[bytes.len() - back];
        if !is_continuation(byte) {
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

fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}
