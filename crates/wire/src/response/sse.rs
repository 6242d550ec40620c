//! Server-sent events out of bytes that come in any pieces, after the WHATWG's
//! "Server-sent events", section 9.2.6 ("Interpreting an event stream").
//!
//! What a gateway needs beside it: an event that is not ended when the stream is closed counts,
//! as the clients of model APIs have it, and an event that is too large is skipped.

use std::ops::Range;

/// Larger events are skipped: their longest line or all their data.
pub const EVENT_BYTES_MAX: usize = 8 << 20;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// One event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    /// Its name, empty where it has none.
    pub name: &'a [u8],
    /// Its data, several lines joined by LF.
    pub data: &'a [u8],
}

/// Splits a stream into events. Holds no more than one event, and of an event that came in one
/// piece nothing.
#[derive(Debug)]
pub struct EventSplitter {
    event_bytes_max: usize,
    /// How much of a byte order mark was seen; `None` once it is past.
    mark: Option<usize>,
    /// Whether the last line ended with CR, so that LF belongs to it.
    after_cr: bool,
    /// What came of the line that has no end yet.
    line: Vec<u8>,
    /// Whether that line is too long to be kept.
    is_line_too_long: bool,
    pending: Pending,
    skipped: u64,
}

/// The event whose lines are coming.
#[derive(Debug, Default)]
struct Pending {
    name: Vec<u8>,
    data: Data,
    is_too_large: bool,
}

#[derive(Debug, Default)]
enum Data {
    #[default]
    None,
    /// One line, which stands here in the bytes that are being read.
    Here(Range<usize>),
    /// Several lines, or one that came before the bytes that are being read.
    Kept(Vec<u8>),
}

impl Default for EventSplitter {
    fn default() -> Self {
        Self::new(EVENT_BYTES_MAX)
    }
}

impl EventSplitter {
    /// A splitter at the start of a stream that skips events of more than `event_bytes_max`.
    pub fn new(event_bytes_max: usize) -> Self {
        EventSplitter {
            event_bytes_max,
            mark: Some(0),
            after_cr: false,
            line: Vec::new(),
            is_line_too_long: false,
            pending: Pending::default(),
            skipped: 0,
        }
    }

    /// Takes the next bytes and hands over each event that they end.
    pub fn push(&mut self, bytes: &[u8], on_event: &mut dyn FnMut(Event<'_>)) {
        let mut at = self.skip_mark(bytes);
        if self.after_cr && at < bytes.len() {
            self.after_cr = false;
            at += usize::from(bytes[at] == b'\n');
        }
        while let Some(length) = memchr::memchr2(b'\r', b'\n', &bytes[at..]) {
            let end = at + length;
            self.line_ends(bytes, at..end, on_event);
            at = end + 1;
            if bytes[end] == b'\r' {
                match bytes.get(at) {
                    Some(b'\n') => at += 1,
                    Some(_) => {}
                    None => self.after_cr = true,
                }
            }
        }
        self.keep_line(&bytes[at..]);
        if let Data::Here(range) = &self.pending.data {
            self.pending.data = Data::Kept(bytes[range.clone()].to_vec());
        }
    }

    /// Ends the stream: hands over the event that has no end, if there is one.
    pub fn finish(mut self, on_event: &mut dyn FnMut(Event<'_>)) {
        if let Some(seen) = self.mark.take() {
            self.keep_line(&BOM[..seen]);
        }
        if !self.line.is_empty() || self.is_line_too_long {
            self.line_ends(b"", 0..0, on_event);
        }
        self.event_ends(b"", on_event);
    }

    /// How many events were too large so far.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Where the stream goes on behind a byte order mark at its very start.
    fn skip_mark(&mut self, bytes: &[u8]) -> usize {
        let Some(seen) = self.mark else { return 0 };
        let more = bytes.iter().zip(&BOM[seen..]).take_while(|(byte, mark)| byte == mark).count();
        if seen + more == BOM.len() {
            self.mark = None;
        } else if more == bytes.len() {
            self.mark = Some(seen + more);
        } else {
            // It was none: what was taken for one belongs to the first line.
            self.mark = None;
            self.keep_line(&BOM[..seen]);
            return 0;
        }
        more
    }

    /// Keeps the beginning of a line whose end is still to come.
    fn keep_line(&mut self, part: &[u8]) {
        if self.line.len() + part.len() > self.event_bytes_max {
            self.is_line_too_long = true;
        }
        if self.is_line_too_long {
            self.line = Vec::new();
        } else {
            self.line.extend_from_slice(part);
        }
    }

    /// A line ends whose last part is `range` of `bytes`.
    fn line_ends(
        &mut self,
        bytes: &[u8],
        range: Range<usize>,
        on_event: &mut dyn FnMut(Event<'_>),
    ) {
        let max = self.event_bytes_max;
        if self.is_line_too_long || self.line.len() + range.len() > max {
            self.is_line_too_long = false;
            self.line = Vec::new();
            self.pending.is_too_large = true;
        } else if self.line.is_empty() {
            if range.is_empty() {
                self.event_ends(bytes, on_event);
            } else {
                self.pending.take_line(bytes, range, max);
            }
        } else {
            self.line.extend_from_slice(&bytes[range]);
            let line = std::mem::take(&mut self.line);
            self.pending.take_line(&line, 0..line.len(), max);
            self.pending.keep_data(&line);
            self.line = line;
            self.line.clear();
        }
    }

    fn event_ends(&mut self, bytes: &[u8], on_event: &mut dyn FnMut(Event<'_>)) {
        let Pending { name, data, is_too_large } = &mut self.pending;
        if *is_too_large {
            self.skipped += 1;
        } else {
            match data {
                Data::None => {}
                Data::Here(range) => on_event(Event { name, data: &bytes[range.clone()] }),
                Data::Kept(data) => on_event(Event { name, data }),
            }
        }
        name.clear();
        *data = Data::None;
        *is_too_large = false;
    }
}

impl Pending {
    /// Takes a field out of the line at `range` of `bytes`.
    fn take_line(&mut self, bytes: &[u8], range: Range<usize>, bytes_max: usize) {
        let line = &bytes[range.clone()];
        let colon = memchr::memchr(b':', line);
        let field = &line[..colon.unwrap_or(line.len())];
        let value = colon.map_or(range.end, |at| range.start + at + 1);
        let value = value + usize::from(bytes[value..range.end].starts_with(b" "));
        match field {
            b"data" => self.take_data(bytes, value..range.end, bytes_max),
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(&bytes[value..range.end]);
            }
            // Comments, `id`, `retry` and unknown fields say nothing about an answer.
            _ => {}
        }
    }

    fn take_data(&mut self, bytes: &[u8], range: Range<usize>, bytes_max: usize) {
        if self.is_too_large {
            return;
        }
        self.keep_data(bytes);
        match &mut self.data {
            Data::Kept(data) if data.len() + 1 + range.len() > bytes_max => {
                self.is_too_large = true;
                self.data = Data::None;
            }
            Data::Kept(data) => {
                data.push(b'\n');
                data.extend_from_slice(&bytes[range]);
            }
            Data::None | Data::Here(_) => self.data = Data::Here(range),
        }
    }

    /// Copies the data out of `bytes`.
    fn keep_data(&mut self, bytes: &[u8]) {
        if let Data::Here(range) = &self.data {
            self.data = Data::Kept(bytes[range.clone()].to_vec());
        }
    }
}

#[cfg(test)]
mod tests;
