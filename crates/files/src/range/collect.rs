//! Lines put together from chunks of a file.

use foveal_transcript::LineNumber;

use super::index::is_break;
use super::line::{Line, LineLimits, Lines};
use crate::text::Encoding;

/// Takes chunks, skips lines, and keeps those that were asked for.
pub(super) struct Collector<'a> {
    pub(super) lines: Lines,
    encoding: Encoding,
    limits: &'a LineLimits,
    /// Lines, and bytes of the line after them, that are passed over.
    skipped: u64,
    skipped_bytes: u64,
    next: u64,
    last: u64,
    kept_bytes: usize,
    line: Vec<u8>,
    left_out: u64,
    /// Whether bytes of a line were taken that has not ended.
    open: bool,
}

impl<'a> Collector<'a> {
    pub(super) fn new(
        encoding: Encoding,
        (first, last): (LineNumber, LineNumber),
        (skipped, skipped_bytes): (u64, u64),
        limits: &'a LineLimits,
    ) -> Self {
        Self {
            lines: Lines { lines: Vec::new(), next: None },
            encoding,
            limits,
            skipped,
            skipped_bytes,
            next: u64::from(first.0),
            last: u64::from(last.0),
            kept_bytes: 0,
            line: Vec::new(),
            left_out: 0,
            open: false,
        }
    }

    /// Whether no more bytes are needed.
    pub(super) fn is_full(&self) -> bool {
        self.next > self.last || self.lines.next.is_some()
    }

    pub(super) fn take(&mut self, mut chunk: &[u8]) {
        while !chunk.is_empty() && !self.is_full() {
            let (part, rest) = self.split(chunk);
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
            self.open = true;
            if rest.is_some() {
                self.end_line();
            }
        }
    }

    /// Takes what there is of a last line that has no ending.
    pub(super) fn end(&mut self) {
        if self.open && !self.is_full() {
            self.end_line();
        }
    }

    /// `chunk` before its first line break, and after it if there is one.
    fn split<'b>(&self, chunk: &'b [u8]) -> (&'b [u8], Option<&'b [u8]>) {
        let (found, width) = match self.encoding {
            Encoding::Utf8 | Encoding::Legacy(_) => (memchr::memchr(b'\n', chunk), 1),
            Encoding::Utf16Le | Encoding::Utf16Be => {
                let units = chunk.as_chunks::<2>().0;
                let at = units.iter().position(|unit| is_break(*unit, self.encoding));
                (at.map(|at| at * 2), 2)
            }
        };
        found.map_or((chunk, None), |at| (&chunk[..at], Some(&chunk[at + width..])))
    }

    fn end_line(&mut self) {
        // Lines that can be asked for have a number.
        let number = LineNumber(u32::try_from(self.next).unwrap_or(u32::MAX));
        // The first line is given however long it is, so that there is a way on.
        if self.kept_bytes + self.line.len() > self.limits.bytes_max && self.kept_bytes > 0 {
            self.lines.next = Some(number);
            return;
        }
        self.kept_bytes += self.line.len().max(1);
        self.skipped_bytes = 0;
        let mut left_out_bytes = std::mem::take(&mut self.left_out);
        let mut text = decoded(&self.line, self.encoding);
        let mut bytes = self.line.len() as u64;
        if left_out_bytes > 0 {
            // The cut may have gone through a character.
            if text.ends_with(char::REPLACEMENT_CHARACTER) {
                text.pop();
                let cut = part_of_character(&self.line, self.encoding);
                left_out_bytes += cut;
                bytes -= cut;
            }
        } else if text.ends_with('\r') {
            text.pop();
        }
        self.lines.lines.push(Line { number, text, bytes, left_out_bytes });
        self.line.clear();
        self.open = false;
        self.next += 1;
    }
}

/// Bytes at the end of `line` that are no whole character.
fn part_of_character(line: &[u8], encoding: Encoding) -> u64 {
    match encoding {
        // A character has at most four bytes, the first of which is not like the others.
        Encoding::Utf8 => {
            let start = line.iter().rev().take(3).position(|byte| *byte >= 0xC0);
            start.map_or(1, |at| at as u64 + 1)
        }
        Encoding::Utf16Le | Encoding::Utf16Be => 2,
        Encoding::Legacy(_) => 1,
    }
}

fn decoded(bytes: &[u8], encoding: Encoding) -> String {
    let charset = match encoding {
        Encoding::Utf8 => return String::from_utf8_lossy(bytes).into_owned(),
        Encoding::Utf16Le => encoding_rs::UTF_16LE,
        Encoding::Utf16Be => encoding_rs::UTF_16BE,
        Encoding::Legacy(charset) => charset,
    };
    charset.decode_without_bom_handling(bytes).0.into_owned()
}
