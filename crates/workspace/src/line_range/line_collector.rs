//! Assembly of lines from chunks of a file.

use foveal_transcript::LineNumber;

use super::file_line::{LineBatch, LineLimits, RangeLine};
use super::line_index::is_line_break;
use crate::text::TextEncoding;

/// The part of a file to skip before the requested lines.
#[derive(Clone, Copy)]
pub(super) struct SkippedPrefix {
    pub(super) lines: u64,
    /// Bytes of the line after them.
    pub(super) bytes: u64,
}

/// Collects the requested lines from chunks, after skipping those before them.
pub(super) struct LineCollector<'a> {
    pub(super) lines: LineBatch,
    encoding: TextEncoding,
    limits: &'a LineLimits,
    /// Lines that are still to be skipped.
    skipped: u64,
    /// Bytes that are still to be skipped in the line after them.
    skipped_bytes: u64,
    next: u64,
    last: u64,
    kept_bytes: usize,
    line: Vec<u8>,
    left_out: u64,
    /// Whether bytes of an unfinished line were collected.
    in_line: bool,
}

impl<'a> LineCollector<'a> {
    pub(super) fn new(
        encoding: TextEncoding,
        first: LineNumber,
        last: LineNumber,
        skipped: SkippedPrefix,
        limits: &'a LineLimits,
    ) -> Self {
        Self {
            lines: LineBatch { lines: Vec::new(), next: None },
            encoding,
            limits,
            skipped: skipped.lines,
            skipped_bytes: skipped.bytes,
            next: u64::from(first.0),
            last: u64::from(last.0),
            kept_bytes: 0,
            line: Vec::new(),
            left_out: 0,
            in_line: false,
        }
    }

    /// Returns whether no more bytes are needed.
    pub(super) fn is_full(&self) -> bool {
        self.next > self.last || self.lines.next.is_some()
    }

    pub(super) fn push_chunk(&mut self, mut chunk: &[u8]) {
        while !chunk.is_empty() && !self.is_full() {
            let (part, rest) = self.split_at_line_break(chunk);
            chunk = rest.unwrap_or_default();
            if self.skipped > 0 {
                self.skipped -= u64::from(rest.is_some());
                continue;
            }
            let passed = usize::try_from(self.skipped_bytes).unwrap_or(usize::MAX).min(part.len());
            self.skipped_bytes -= passed as u64;
            let part = &part[passed..];
            let room = self.limits.line_bytes_max.saturating_sub(self.line.len());
            let kept = part.len().min(room);
            self.line.extend_from_slice(&part[..kept]);
            self.left_out += (part.len() - kept) as u64;
            self.in_line = true;
            if rest.is_some() {
                self.end_line();
            }
        }
    }

    /// Ends the last line at the end of the file.
    pub(super) fn finish(&mut self) {
        if self.in_line && !self.is_full() {
            self.end_line();
        }
    }

    /// Splits `chunk` at its first line break, if it has one.
    fn split_at_line_break<'b>(&self, chunk: &'b [u8]) -> (&'b [u8], Option<&'b [u8]>) {
        let (found, width) = match self.encoding {
            TextEncoding::Utf8 | TextEncoding::Legacy(_) => (memchr::memchr(b'\n', chunk), 1),
            TextEncoding::Utf16Le | TextEncoding::Utf16Be => {
                let units = chunk.as_chunks::<2>().0;
                let at = units.iter().position(|unit| is_line_break(*unit, self.encoding));
                (at.map(|at| at * 2), 2)
            }
        };
        found.map_or((chunk, None), |at| (&chunk[..at], Some(&chunk[at + width..])))
    }

    fn end_line(&mut self) {
        // Larger line numbers cannot be requested.
        let number = LineNumber(u32::try_from(self.next).unwrap_or(u32::MAX));
        // The first line is returned whatever its length, so that reading can continue.
        if self.kept_bytes + self.line.len() > self.limits.bytes_max && self.kept_bytes > 0 {
            self.lines.next = Some(number);
            return;
        }
        self.kept_bytes += self.line.len().max(1);
        self.skipped_bytes = 0;
        let mut left_out_bytes = std::mem::take(&mut self.left_out);
        let mut text = decode_lossy(&self.line, self.encoding);
        let mut bytes = self.line.len() as u64;
        if left_out_bytes > 0 {
            // The truncation may have split a character.
            if text.ends_with(char::REPLACEMENT_CHARACTER) {
                text.pop();
                let cut = incomplete_character_bytes(&self.line, self.encoding);
                left_out_bytes += cut;
                bytes -= cut;
            }
        } else if text.ends_with('\r') {
            text.pop();
        }
        self.lines.lines.push(RangeLine { number, text, bytes, left_out_bytes });
        self.line.clear();
        self.in_line = false;
        self.next += 1;
    }
}

/// Returns the number of bytes at the end of `line` that are not a whole character.
fn incomplete_character_bytes(line: &[u8], encoding: TextEncoding) -> u64 {
    match encoding {
        // A character has at most four bytes, and the first differs from the others.
        TextEncoding::Utf8 => {
            let start = line.iter().rev().take(3).position(|byte| *byte >= 0xC0);
            start.map_or(1, |at| at as u64 + 1)
        }
        TextEncoding::Utf16Le | TextEncoding::Utf16Be => 2,
        TextEncoding::Legacy(_) => 1,
    }
}

fn decode_lossy(bytes: &[u8], encoding: TextEncoding) -> String {
    let charset = match encoding {
        TextEncoding::Utf8 => return String::from_utf8_lossy(bytes).into_owned(),
        TextEncoding::Utf16Le => encoding_rs::UTF_16LE,
        TextEncoding::Utf16Be => encoding_rs::UTF_16BE,
        TextEncoding::Legacy(charset) => charset,
    };
    charset.decode_without_bom_handling(bytes).0.into_owned()
}
