//! Splits bytes that come in any pieces into server-sent events, after the WHATWG's "Server-sent
//! events", section 9.2.6 ("Interpreting an event stream").
//!
//! It differs from the standard in two points: an event without an end counts when the stream is
//! closed, as for the clients of model APIs, and an event that is too large is skipped.

use std::ops::Range;

/// Maximum size of an event's longest line and of all its data, in bytes; larger events are
/// skipped.
pub const EVENT_BYTES_MAX: usize = 8 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A server-sent event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamEvent<'a> {
    /// The name; empty if there is none.
    pub name: &'a [u8],
    /// The data, several lines joined by LF.
    pub data: &'a [u8],
}

/// Splits a stream into events. Holds at most one event, and copies nothing of an event that
/// arrives in one piece.
#[derive(Debug)]
pub struct EventSplitter {
    event_bytes_max: usize,
    /// The bytes of a byte order mark seen so far; `None` behind it.
    byte_order_mark_len: Option<usize>,
    /// Whether the last line ended with CR, so that a following LF belongs to it.
    after_cr: bool,
    /// The beginning of the line that has no end yet.
    line: Vec<u8>,
    /// Whether that line is too long to be kept.
    is_line_too_long: bool,
    pending: PendingEvent,
    skipped_count: u64,
}

/// The event whose lines are arriving.
#[derive(Debug, Default)]
struct PendingEvent {
    name: Vec<u8>,
    data: EventData,
    is_too_large: bool,
}

#[derive(Debug, Default)]
enum EventData {
    #[default]
    None,
    /// One line, as a range of the bytes being read.
    InBuffer(Range<usize>),
    /// Several lines, or a line from before the bytes being read.
    Owned(Vec<u8>),
}

impl Default for EventSplitter {
    fn default() -> Self {
        Self::new(EVENT_BYTES_MAX)
    }
}

impl EventSplitter {
    /// Creates a splitter that skips events of more than `event_bytes_max` bytes.
    pub fn new(event_bytes_max: usize) -> Self {
        EventSplitter {
            event_bytes_max,
            byte_order_mark_len: Some(0),
            after_cr: false,
            line: Vec::new(),
            is_line_too_long: false,
            pending: PendingEvent::default(),
            skipped_count: 0,
        }
    }

    /// Reads the next bytes and calls `on_event` for each event that ends in them.
    pub fn push(&mut self, bytes: &[u8], on_event: &mut dyn FnMut(StreamEvent<'_>)) {
        let mut at = self.skip_byte_order_mark(bytes);
        if self.after_cr && at < bytes.len() {
            self.after_cr = false;
            at += usize::from(bytes[at] == b'\n');
        }
        while let Some(length) = memchr::memchr2(b'\r', b'\n', &bytes[at..]) {
            let end = at + length;
            self.handle_line_end(bytes, at..end, on_event);
            at = end + 1;
            if bytes[end] == b'\r' {
                match bytes.get(at) {
                    Some(b'\n') => at += 1,
                    Some(_) => {}
                    None => self.after_cr = true,
                }
            }
        }
        self.buffer_line(&bytes[at..]);
        if let EventData::InBuffer(range) = &self.pending.data {
            self.pending.data = EventData::Owned(bytes[range.clone()].to_vec());
        }
    }

    /// Ends the stream and emits the event that has no end, if any.
    pub fn finish(mut self, on_event: &mut dyn FnMut(StreamEvent<'_>)) {
        if let Some(seen) = self.byte_order_mark_len.take() {
            self.buffer_line(&BYTE_ORDER_MARK[..seen]);
        }
        if !self.line.is_empty() || self.is_line_too_long {
            self.handle_line_end(b"", 0..0, on_event);
        }
        self.handle_event_end(b"", on_event);
    }

    /// Returns the number of skipped events so far.
    pub fn skipped_count(&self) -> u64 {
        self.skipped_count
    }

    /// Returns the offset behind a byte order mark at the very start of the stream.
    fn skip_byte_order_mark(&mut self, bytes: &[u8]) -> usize {
        let Some(seen) = self.byte_order_mark_len else { return 0 };
        let more = bytes
            .iter()
            .zip(&BYTE_ORDER_MARK[seen..])
            .take_while(|(byte, mark)| byte == mark)
            .count();
        if seen + more == BYTE_ORDER_MARK.len() {
            self.byte_order_mark_len = None;
        } else if more == bytes.len() {
            self.byte_order_mark_len = Some(seen + more);
        } else {
            // There is no byte order mark: the held-back bytes belong to the first line.
            self.byte_order_mark_len = None;
            self.buffer_line(&BYTE_ORDER_MARK[..seen]);
            return 0;
        }
        more
    }

    /// Buffers the beginning of a line whose end is still to come.
    fn buffer_line(&mut self, part: &[u8]) {
        if self.line.len() + part.len() > self.event_bytes_max {
            self.is_line_too_long = true;
        }
        if self.is_line_too_long {
            self.line = Vec::new();
        } else {
            self.line.extend_from_slice(part);
        }
    }

    /// Ends a line whose last part is `range` of `bytes`.
    fn handle_line_end(
        &mut self,
        bytes: &[u8],
        range: Range<usize>,
        on_event: &mut dyn FnMut(StreamEvent<'_>),
    ) {
        let max = self.event_bytes_max;
        if self.is_line_too_long || self.line.len() + range.len() > max {
            self.is_line_too_long = false;
            self.line = Vec::new();
            self.pending.is_too_large = true;
        } else if self.line.is_empty() {
            if range.is_empty() {
                self.handle_event_end(bytes, on_event);
            } else {
                self.pending.parse_line(bytes, range, max);
            }
        } else {
            self.line.extend_from_slice(&bytes[range]);
            let line = std::mem::take(&mut self.line);
            self.pending.parse_line(&line, 0..line.len(), max);
            self.pending.detach_data(&line);
            self.line = line;
            self.line.clear();
        }
    }

    fn handle_event_end(&mut self, bytes: &[u8], on_event: &mut dyn FnMut(StreamEvent<'_>)) {
        let PendingEvent { name, data, is_too_large } = &mut self.pending;
        if *is_too_large {
            self.skipped_count += 1;
        } else {
            match data {
                EventData::None => {}
                EventData::InBuffer(range) => {
                    on_event(StreamEvent { name, data: &bytes[range.clone()] });
                }
                EventData::Owned(data) => on_event(StreamEvent { name, data }),
            }
        }
        name.clear();
        *data = EventData::None;
        *is_too_large = false;
    }
}

impl PendingEvent {
    /// Parses the field in the line at `range` of `bytes`.
    fn parse_line(&mut self, bytes: &[u8], range: Range<usize>, bytes_max: usize) {
        let line = &bytes[range.clone()];
        let colon = memchr::memchr(b':', line);
        let field = &line[..colon.unwrap_or(line.len())];
        let value = colon.map_or(range.end, |at| range.start + at + 1);
        let value = value + usize::from(bytes[value..range.end].starts_with(b" "));
        match field {
            b"data" => self.append_data(bytes, value..range.end, bytes_max),
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(&bytes[value..range.end]);
            }
            // Comments, `id`, `retry` and unknown fields carry no content of an answer.
            _ => {}
        }
    }

    fn append_data(&mut self, bytes: &[u8], range: Range<usize>, bytes_max: usize) {
        if self.is_too_large {
            return;
        }
        self.detach_data(bytes);
        match &mut self.data {
            EventData::Owned(data) if data.len() + 1 + range.len() > bytes_max => {
                self.is_too_large = true;
                self.data = EventData::None;
            }
            EventData::Owned(data) => {
                data.push(b'\n');
                data.extend_from_slice(&bytes[range]);
            }
            EventData::None | EventData::InBuffer(_) => self.data = EventData::InBuffer(range),
        }
    }

    /// Copies the data out of `bytes`.
    fn detach_data(&mut self, bytes: &[u8]) {
        if let EventData::InBuffer(range) = &self.data {
            self.data = EventData::Owned(bytes[range.clone()].to_vec());
        }
    }
}

#[cfg(test)]
mod tests;
