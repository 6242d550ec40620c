//! Splits a stream into JSON documents: a single document, one per line, or the elements of one
//! enclosing array.
//!
//! The splitter looks only at strings and brackets; the parser validates the rest. After a broken
//! document it resumes at the next line that starts with `{`.

use std::io::{self, BufRead};

use foveal_transcript::LineNumber;

/// A document's bytes, or the fault in their place.
pub(crate) enum FramedDocument<'a> {
    /// A document with balanced brackets.
    Bytes(&'a [u8]),
    /// The stream ended within the document, or a new document began.
    EndsEarly,
    /// The document exceeds the size limit.
    TooLong,
    /// Bytes between documents that are no document.
    Stray,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SplitterState {
    /// Between documents.
    Between,
    /// In a document, outside of strings.
    Inside,
    /// In a string.
    Text,
    /// After a backslash in a string.
    Escaped,
    /// Skipping bytes up to a line that starts a document.
    Resync,
}

/// The effect of one byte.
enum SplitStep {
    Continue,
    /// A document ended with this byte.
    Ended,
    /// A fault to report, with this byte consumed.
    Report(DocumentFault),
    /// The enclosing array ended.
    Skip,
}

#[derive(Clone, Copy)]
enum DocumentFault {
    EndsEarly,
    TooLong,
    Stray,
}

/// Splits a stream into documents.
pub(crate) struct DocumentReader<R> {
    input: R,
    splitter: DocumentSplitter,
}

/// Maximum buffer capacity in bytes that is kept between documents.
const BUFFER_CAPACITY_MAX: usize = 1 << 20;

impl<R: BufRead> DocumentReader<R> {
    pub(crate) fn new(input: R, bytes_max: usize) -> Self {
        let splitter = DocumentSplitter {
            buffer: Vec::new(),
            bytes_max,
            state: SplitterState::Between,
            depth: 0,
            in_array: false,
            line: 1,
            start_line: 1,
            at_line_start: true,
            last_significant_byte: 0,
        };
        Self { input, splitter }
    }

    /// Frees the memory of a large document after it was parsed.
    pub(crate) fn release_buffer(&mut self) {
        if self.splitter.buffer.capacity() > BUFFER_CAPACITY_MAX {
            self.splitter.buffer = Vec::new();
        }
    }

    /// Returns the next document and the number of its first line, or `None` at the end.
    pub(crate) fn next_document(&mut self) -> io::Result<Option<(LineNumber, FramedDocument<'_>)>> {
        if self.splitter.state == SplitterState::Between {
            self.splitter.buffer.clear();
        }
        loop {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                return Ok(self.end_stream());
            }
            let (used, step) = self.splitter.split_chunk(chunk);
            self.input.consume(used);
            let line = LineNumber(self.splitter.start_line);
            match step {
                SplitStep::Continue | SplitStep::Skip => {}
                SplitStep::Ended => {
                    return Ok(Some((line, FramedDocument::Bytes(&self.splitter.buffer))));
                }
                SplitStep::Report(DocumentFault::EndsEarly) => {
                    return Ok(Some((line, FramedDocument::EndsEarly)));
                }
                SplitStep::Report(DocumentFault::TooLong) => {
                    return Ok(Some((line, FramedDocument::TooLong)));
                }
                SplitStep::Report(DocumentFault::Stray) => {
                    return Ok(Some((line, FramedDocument::Stray)));
                }
            }
        }
    }

    fn end_stream(&mut self) -> Option<(LineNumber, FramedDocument<'_>)> {
        let open = matches!(
            self.splitter.state,
            SplitterState::Inside | SplitterState::Text | SplitterState::Escaped
        );
        let is_array_open = self.splitter.in_array && self.splitter.state == SplitterState::Between;
        self.splitter.state = SplitterState::Between;
        self.splitter.buffer.clear();
        let line = match open {
            true => self.splitter.start_line,
            // The array around the documents has no end.
            false if is_array_open => self.splitter.line,
            false => return None,
        };
        self.splitter.in_array = false;
        Some((LineNumber(line), FramedDocument::EndsEarly))
    }
}

/// The state of a stream and of the document being read.
struct DocumentSplitter {
    buffer: Vec<u8>,
    bytes_max: usize,
    state: SplitterState,
    depth: usize,
    in_array: bool,
    line: u32,
    start_line: u32,
    at_line_start: bool,
    /// The last byte of the document that is not white space.
    last_significant_byte: u8,
}

impl DocumentSplitter {
    /// Reads bytes until there is something to return, and returns how many were used.
    fn split_chunk(&mut self, chunk: &[u8]) -> (usize, SplitStep) {
        let mut at = 0;
        // Start of the bytes of this chunk that belong to the document.
        let mut from = 0;
        while at < chunk.len() {
            if self.state == SplitterState::Text {
                // Long strings make up most of a recording.
                at += plain_text_len(&chunk[at..]);
                if at == chunk.len() {
                    break;
                }
            }
            let byte = chunk[at];
            let was_between = matches!(self.state, SplitterState::Between | SplitterState::Resync);
            if was_between && byte == b'{' {
                from = at;
            }
            let step = self.handle_byte(byte);
            let inside = !matches!(self.state, SplitterState::Between | SplitterState::Resync);
            if matches!(step, SplitStep::Report(DocumentFault::EndsEarly)) && byte == b'{' {
                // This byte starts the next document and is read again.
                return (at, step);
            }
            at += 1;
            if !matches!(step, SplitStep::Continue) {
                if matches!(step, SplitStep::Ended) {
                    self.buffer.extend_from_slice(&chunk[from..at]);
                }
                return (at, step);
            }
            if !inside {
                from = at;
            }
        }
        if !matches!(self.state, SplitterState::Between | SplitterState::Resync) {
            if self.buffer.len() + chunk.len() - from > self.bytes_max {
                self.state = SplitterState::Resync;
                self.buffer = Vec::new();
                return (chunk.len(), SplitStep::Report(DocumentFault::TooLong));
            }
            self.buffer.extend_from_slice(&chunk[from..]);
        }
        (chunk.len(), SplitStep::Continue)
    }

    fn handle_byte(&mut self, byte: u8) -> SplitStep {
        let line_start = std::mem::replace(&mut self.at_line_start, byte == b'\n');
        let line = self.line;
        if byte == b'\n' {
            self.line = line.saturating_add(1);
        }
        match self.state {
            SplitterState::Between => self.handle_byte_between(byte, line),
            SplitterState::Resync => {
                if line_start && byte == b'{' {
                    self.open_document(line);
                }
                SplitStep::Continue
            }
            SplitterState::Escaped => {
                self.state = SplitterState::Text;
                SplitStep::Continue
            }
            SplitterState::Text => match byte {
                b'"' => self.set_state(SplitterState::Inside),
                b'\\' => self.set_state(SplitterState::Escaped),
                // No JSON string holds a raw line break: the line was cut.
                b'\n' => self.report_early_end(SplitterState::Between),
                _ => SplitStep::Continue,
            },
            SplitterState::Inside => self.handle_byte_inside(byte, line_start),
        }
    }

    fn set_state(&mut self, state: SplitterState) -> SplitStep {
        self.state = state;
        SplitStep::Continue
    }

    fn report_early_end(&mut self, state: SplitterState) -> SplitStep {
        self.state = state;
        self.buffer.clear();
        SplitStep::Report(DocumentFault::EndsEarly)
    }

    fn open_document(&mut self, line: u32) {
        self.state = SplitterState::Inside;
        self.depth = 1;
        self.start_line = line;
        self.last_significant_byte = b'{';
        self.buffer.clear();
    }

    fn handle_byte_between(&mut self, byte: u8, line: u32) -> SplitStep {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => SplitStep::Continue,
            b'{' => {
                self.open_document(line);
                SplitStep::Continue
            }
            b'[' if !self.in_array => {
                self.in_array = true;
                SplitStep::Continue
            }
            b',' if self.in_array => SplitStep::Continue,
            b']' if self.in_array => {
                self.in_array = false;
                SplitStep::Skip
            }
            // A byte order mark.
            0xEF | 0xBB | 0xBF if line == 1 => SplitStep::Continue,
            _ => {
                self.start_line = line;
                self.state = SplitterState::Resync;
                SplitStep::Report(DocumentFault::Stray)
            }
        }
    }

    fn handle_byte_inside(&mut self, byte: u8, line_start: bool) -> SplitStep {
        // In valid JSON a value at the start of a line follows one of these.
        let continues = matches!(self.last_significant_byte, b'{' | b'[' | b',' | b':');
        if line_start && byte == b'{' && !continues {
            self.at_line_start = true;
            return self.report_early_end(SplitterState::Between);
        }
        if !byte.is_ascii_whitespace() {
            self.last_significant_byte = byte;
        }
        match byte {
            b'"' => return self.set_state(SplitterState::Text),
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth -= 1;
                if self.depth == 0 {
                    self.state = SplitterState::Between;
                    return SplitStep::Ended;
                }
            }
            _ => {}
        }
        SplitStep::Continue
    }
}

/// Returns the number of leading bytes that are neither quote, backslash nor line break.
fn plain_text_len(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| matches!(byte, b'"' | b'\\' | b'\n')).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests;
