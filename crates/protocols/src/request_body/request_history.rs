//! The messages of an earlier request as bytes. Clients send their whole history each time, so most
//! of a request equals the previous one and is not scanned again.

use std::ops::Range;
use std::sync::Arc;

use super::cache_breakpoints::{self, BodyBreakpoint, BreakpointTarget};
use super::json_cursor::JsonCursor;

/// The messages of a request: their bytes and the range of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestHistory {
    bytes: Vec<u8>,
    /// Ranges in `bytes`.
    messages: Vec<Range<usize>>,
    /// The cache breakpoints of the messages, with ranges in `bytes`.
    breakpoints: Vec<BodyBreakpoint>,
    /// For each message, the occurrences of `"cache_control"` in it and all messages before it.
    cache_control_counts: Vec<usize>,
}

/// The messages that a request shares with a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedPrefix<H> {
    /// The history.
    pub history: Arc<H>,
    /// The number of leading messages with the same bytes.
    pub messages: usize,
}

impl AsRef<RequestHistory> for RequestHistory {
    fn as_ref(&self) -> &RequestHistory {
        self
    }
}

impl RequestHistory {
    /// Updates the history to a later body whose first `alike` messages have the same bytes.
    pub(super) fn update_to(
        &mut self,
        messages: &[Range<usize>],
        set_marks: &[BodyBreakpoint],
        bytes: &[u8],
        alike: usize,
    ) {
        let start = messages.first().map_or(0, |first| first.start);
        // An object ends at its bracket, whatever follows; a number could continue.
        let is_object = |message: &&Range<usize>| bytes[message.start] == b'{';
        self.messages.truncate(alike);
        self.cache_control_counts.truncate(alike);
        let known = self.messages.last().map_or(0, |last| last.end);
        for message in messages[self.messages.len()..].iter().take_while(is_object) {
            let before = self.cache_control_counts.last().copied().unwrap_or_default();
            self.cache_control_counts
                .push(before + cache_breakpoints::count_cache_control(&bytes[message.clone()]));
            self.messages.push(message.start - start..message.end - start);
        }
        let end = self.messages.last().map_or(0, |last| last.end);
        self.bytes.truncate(known);
        // Many conversations are held at a time, so no spare capacity is reserved.
        self.bytes.reserve_exact(end - known);
        self.bytes.extend_from_slice(&bytes[start + known..start + end]);
        let count = self.messages.len();
        let set_marks = set_marks.iter().filter(|mark| is_in_first_messages(mark, count));
        self.breakpoints = set_marks.map(|mark| shift_breakpoint(mark, |at| at - start)).collect();
    }

    /// Returns the size of the messages in bytes.
    pub fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns how many leading messages equal those in `bytes`, which start at a body's first
    /// message.
    fn shared_message_count(&self, bytes: &[u8]) -> usize {
        let common = common_prefix_len(&self.bytes, bytes);
        self.messages.partition_point(|message| message.end <= common)
    }

    /// Returns the occurrences of `"cache_control"` in the first messages.
    pub(super) fn cache_control_count(&self, messages: usize) -> usize {
        messages.checked_sub(1).map_or(0, |last| self.cache_control_counts[last])
    }

    /// Returns the breakpoints of the first messages, for a body whose first message starts at
    /// `start`.
    pub(super) fn breakpoints_of_first(
        &self,
        messages: usize,
        start: usize,
    ) -> impl Iterator<Item = BodyBreakpoint> + '_ {
        let marks =
            self.breakpoints.iter().filter(move |mark| is_in_first_messages(mark, messages));
        marks.map(move |mark| shift_breakpoint(mark, |at| at + start))
    }
}

/// Takes over the longest prefix that one of these histories shares with a body, of whose messages
/// one was read. Moves the cursor behind the last shared message.
pub(super) fn adopt_shared_prefix<H: AsRef<RequestHistory>>(
    known: Vec<Arc<H>>,
    read: &mut Vec<Range<usize>>,
    cursor: &mut JsonCursor<'_>,
    bytes: &[u8],
) -> Option<SharedPrefix<H>> {
    let start = read.first()?.start;
    let alike = known.into_iter().map(|history| {
        let messages = H::as_ref(&history).shared_message_count(&bytes[start..]);
        SharedPrefix { history, messages }
    });
    let best = alike.max_by_key(|alike| alike.messages).filter(|best| best.messages > 0)?;
    let messages = &H::as_ref(&best.history).messages[..best.messages];
    read.clear();
    read.extend(messages.iter().map(|at| at.start + start..at.end + start));
    cursor.advance_to(read.last().map_or(start, |last| last.end));
    Some(best)
}

fn is_in_first_messages(mark: &BodyBreakpoint, messages: usize) -> bool {
    matches!(mark.target, BreakpointTarget::Message(at) if at < messages)
}

fn shift_breakpoint(mark: &BodyBreakpoint, to: impl Fn(usize) -> usize) -> BodyBreakpoint {
    BodyBreakpoint { value: to(mark.value.start)..to(mark.value.end), ..mark.clone() }
}

/// Returns the length of the common prefix in bytes.
fn common_prefix_len(one: &[u8], other: &[u8]) -> usize {
    const BLOCK: usize = 4 << 10;
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK));
    let same = BLOCK * blocks.take_while(|(one, other)| one == other).count();
    let rest = one[same..].iter().zip(&other[same..]);
    same + rest.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests;
