//! JSON documents of a stream, one at a time: a single document, one per line, or the
//! elements of one enclosing array.
//!
//! Only strings and brackets are looked at here; the parser judges the rest. After a
//! broken document the reading goes on at the next line that starts with `{`.

use std::io::{self, BufRead};

use foveal_transcript::LineNumber;

/// One document's bytes, or what keeps it from being one.
pub(crate) enum Document<'a> {
    /// A document with balanced brackets.
    Bytes(&'a [u8]),
    /// The stream ended, or a new document began, within it.
    EndsEarly,
    /// It is longer than the bound.
    TooLong,
    /// Something between documents that is none.
    Stray,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Between documents.
    Between,
    /// In a document, outside of strings.
    Inside,
    /// In a string.
    Text,
    /// After a backslash in a string.
    Escaped,
    /// Dropping bytes up to a line that starts a document.
    Resync,
}

/// What the next byte asks for.
enum Step {
    Continue,
    /// A document ended with this byte.
    Ended,
    /// Report, with this byte consumed.
    Report(Fault),
    /// The enclosing array ended.
    Skip,
}

#[derive(Clone, Copy)]
enum Fault {
    EndsEarly,
    TooLong,
    Stray,
}

/// Splits a stream into documents.
pub(crate) struct Documents<R> {
    input: R,
    splitter: Splitter,
}

/// Bytes of buffer that are kept from one document to the next.
const BUFFER_KEPT_MAX: usize = 1 << 20;

impl<R: BufRead> Documents<R> {
    pub(crate) fn new(input: R, bytes_max: usize) -> Self {
        let splitter = Splitter {
            buffer: Vec::new(),
            bytes_max,
            state: State::Between,
            depth: 0,
            in_array: false,
            line: 1,
            started: 1,
            at_line_start: true,
            significant: 0,
        };
        Self { input, splitter }
    }

    /// Gives the memory of a large document back once it has been parsed.
    pub(crate) fn release(&mut self) {
        if self.splitter.buffer.capacity() > BUFFER_KEPT_MAX {
            self.splitter.buffer = Vec::new();
        }
    }

    /// The next document with the number of the line it starts on, or `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<(LineNumber, Document<'_>)>> {
        if self.splitter.state == State::Between {
            self.splitter.buffer.clear();
        }
        loop {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                return Ok(self.end());
            }
            let (used, step) = self.splitter.run(chunk);
            self.input.consume(used);
            let line = LineNumber(self.splitter.started);
            match step {
                Step::Continue | Step::Skip => {}
                Step::Ended => return Ok(Some((line, Document::Bytes(&self.splitter.buffer)))),
                Step::Report(Fault::EndsEarly) => return Ok(Some((line, Document::EndsEarly))),
                Step::Report(Fault::TooLong) => return Ok(Some((line, Document::TooLong))),
                Step::Report(Fault::Stray) => return Ok(Some((line, Document::Stray))),
            }
        }
    }

    fn end(&mut self) -> Option<(LineNumber, Document<'_>)> {
        let open = matches!(self.splitter.state, State::Inside | State::Text | State::Escaped);
        self.splitter.state = State::Between;
        self.splitter.buffer.clear();
        open.then_some((LineNumber(self.splitter.started), Document::EndsEarly))
    }
}

/// Where a stream is, and the document that is being read.
struct Splitter {
    buffer: Vec<u8>,
    bytes_max: usize,
    state: State,
    depth: usize,
    in_array: bool,
    line: u32,
    started: u32,
    at_line_start: bool,
    /// The last byte inside the document that is not white space.
    significant: u8,
}

impl Splitter {
    /// Reads bytes until something is to be told; returns how many were used.
    fn run(&mut self, chunk: &[u8]) -> (usize, Step) {
        let mut at = 0;
        // Start of the bytes of this chunk that belong to the document.
        let mut from = 0;
        while at < chunk.len() {
            if self.state == State::Text {
                // Long strings are most of a recording.
                at += plain_text(&chunk[at..]);
                if at == chunk.len() {
                    break;
                }
            }
            let byte = chunk[at];
            let was_between = matches!(self.state, State::Between | State::Resync);
            if was_between && byte == b'{' {
                from = at;
            }
            let step = self.byte(byte);
            let inside = !matches!(self.state, State::Between | State::Resync);
            if matches!(step, Step::Report(Fault::EndsEarly)) && byte == b'{' {
                // This byte starts the next document and is read again.
                return (at, step);
            }
            at += 1;
            if !matches!(step, Step::Continue) {
                if matches!(step, Step::Ended) {
                    self.buffer.extend_from_slice(&chunk[from..at]);
                }
                return (at, step);
            }
            if !inside {
                from = at;
            }
        }
        if !matches!(self.state, State::Between | State::Resync) {
            if self.buffer.len() + chunk.len() - from > self.bytes_max {
                self.state = State::Resync;
                self.buffer = Vec::new();
                return (chunk.len(), Step::Report(Fault::TooLong));
            }
            self.buffer.extend_from_slice(&chunk[from..]);
        }
        (chunk.len(), Step::Continue)
    }

    fn byte(&mut self, byte: u8) -> Step {
        let line_start = std::mem::replace(&mut self.at_line_start, byte == b'\n');
        let line = self.line;
        if byte == b'\n' {
            self.line = line.saturating_add(1);
        }
        match self.state {
            State::Between => self.between(byte, line),
            State::Resync => {
                if line_start && byte == b'{' {
                    self.open(line);
                }
                Step::Continue
            }
            State::Escaped => {
                self.state = State::Text;
                Step::Continue
            }
            State::Text => match byte {
                b'"' => self.set(State::Inside),
                b'\\' => self.set(State::Escaped),
                // No JSON string holds a raw line break: the line was cut.
                b'\n' => self.fail(State::Between),
                _ => Step::Continue,
            },
            State::Inside => self.inside(byte, line_start),
        }
    }

    fn set(&mut self, state: State) -> Step {
        self.state = state;
        Step::Continue
    }

    fn fail(&mut self, state: State) -> Step {
        self.state = state;
        self.buffer.clear();
        Step::Report(Fault::EndsEarly)
    }

    fn open(&mut self, line: u32) {
        self.state = State::Inside;
        self.depth = 1;
        self.started = line;
        self.significant = b'{';
        self.buffer.clear();
    }

    fn between(&mut self, byte: u8, line: u32) -> Step {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => Step::Continue,
            b'{' => {
                self.open(line);
                Step::Continue
            }
            b'[' if !self.in_array => {
                self.in_array = true;
                Step::Continue
            }
            b',' if self.in_array => Step::Continue,
            b']' if self.in_array => {
                self.in_array = false;
                Step::Skip
            }
            // A byte order mark.
            0xEF | 0xBB | 0xBF if line == 1 => Step::Continue,
            _ => {
                self.started = line;
                self.state = State::Resync;
                Step::Report(Fault::Stray)
            }
        }
    }

    fn inside(&mut self, byte: u8, line_start: bool) -> Step {
        // In whole JSON a value at the start of a line follows one of these.
        let continues = matches!(self.significant, b'{' | b'[' | b',' | b':');
        if line_start && byte == b'{' && !continues {
            self.at_line_start = true;
            return self.fail(State::Between);
        }
        if !byte.is_ascii_whitespace() {
            self.significant = byte;
        }
        match byte {
            b'"' => return self.set(State::Text),
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth -= 1;
                if self.depth == 0 {
                    self.state = State::Between;
                    return Step::Ended;
                }
            }
            _ => {}
        }
        Step::Continue
    }
}

/// How many leading bytes of a string are neither quote, backslash nor line break.
fn plain_text(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| matches!(byte, b'"' | b'\\' | b'\n')).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests;
