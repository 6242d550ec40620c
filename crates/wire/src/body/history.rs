//! Messages of an earlier request as their bytes. Clients send their whole history each time, so
//! most of a request stands in the one before it, and need not be scanned again.

use std::ops::Range;
use std::sync::Arc;

use super::cursor::Cursor;
use super::marks::{self, CacheMark, MarkPlace};

/// The messages of a request, in their bytes, and where each stands in them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    bytes: Vec<u8>,
    /// From the start of `bytes` on.
    messages: Vec<Range<usize>>,
    /// Their marks, from there on too.
    marks: Vec<CacheMark>,
    /// How often the word for a mark stands in each of them and those before it.
    words: Vec<usize>,
}

/// What a request has in common with a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alike<H> {
    /// The history.
    pub history: Arc<H>,
    /// How many messages both begin with, in the same bytes.
    pub messages: usize,
}

impl AsRef<History> for History {
    fn as_ref(&self) -> &History {
        self
    }
}

impl History {
    /// Becomes that of a later body, whose first `alike` messages are its own in the same bytes.
    pub(super) fn becomes(
        &mut self,
        messages: &[Range<usize>],
        set_marks: &[CacheMark],
        bytes: &[u8],
        alike: usize,
    ) {
        let start = messages.first().map_or(0, |first| first.start);
        // Where a bracket ends an object, whatever comes next; numbers may go on.
        let is_object = |message: &&Range<usize>| bytes[message.start] == b'{';
        self.messages.truncate(alike);
        self.words.truncate(alike);
        let known = self.messages.last().map_or(0, |last| last.end);
        for message in messages[self.messages.len()..].iter().take_while(is_object) {
            let before = self.words.last().copied().unwrap_or_default();
            self.words.push(before + marks::words(&bytes[message.clone()]));
            self.messages.push(message.start - start..message.end - start);
        }
        let end = self.messages.last().map_or(0, |last| last.end);
        self.bytes.truncate(known);
        // Many conversations are held, most of them for nobody: no room is kept that none needs.
        self.bytes.reserve_exact(end - known);
        self.bytes.extend_from_slice(&bytes[start + known..start + end]);
        let count = self.messages.len();
        let set_marks = set_marks.iter().filter(|mark| is_before(mark, count));
        self.marks = set_marks.map(|mark| moved(mark, |at| at - start)).collect();
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// How many messages stand in `bytes` in the same bytes. These begin with a body's first one.
    fn alike(&self, bytes: &[u8]) -> usize {
        let common = common(&self.bytes, bytes);
        self.messages.partition_point(|message| message.end <= common)
    }

    /// How often the word for a mark stands in the first messages.
    pub(super) fn words(&self, messages: usize) -> usize {
        messages.checked_sub(1).map_or(0, |last| self.words[last])
    }

    /// The marks of the first messages, in a body in which the first one begins at `start`.
    pub(super) fn marks(
        &self,
        messages: usize,
        start: usize,
    ) -> impl Iterator<Item = CacheMark> + '_ {
        let marks = self.marks.iter().filter(move |mark| is_before(mark, messages));
        marks.map(move |mark| moved(mark, |at| at + start))
    }
}

/// Takes over what the best of these histories has in common with a body, of whose messages one was
/// read. The cursor then stands behind the last of those that are alike.
pub(super) fn alike<H: AsRef<History>>(
    known: Vec<Arc<H>>,
    read: &mut Vec<Range<usize>>,
    cursor: &mut Cursor<'_>,
    bytes: &[u8],
) -> Option<Alike<H>> {
    let start = read.first()?.start;
    let alike = known.into_iter().map(|history| {
        let messages = H::as_ref(&history).alike(&bytes[start..]);
        Alike { history, messages }
    });
    let best = alike.max_by_key(|alike| alike.messages).filter(|best| best.messages > 0)?;
    let messages = &H::as_ref(&best.history).messages[..best.messages];
    read.clear();
    read.extend(messages.iter().map(|at| at.start + start..at.end + start));
    cursor.go_on_to(read.last().map_or(start, |last| last.end));
    Some(best)
}

fn is_before(mark: &CacheMark, messages: usize) -> bool {
    matches!(mark.place, MarkPlace::Message(at) if at < messages)
}

fn moved(mark: &CacheMark, to: impl Fn(usize) -> usize) -> CacheMark {
    CacheMark { value: to(mark.value.start)..to(mark.value.end), ..mark.clone() }
}

/// How many bytes both begin with.
fn common(one: &[u8], other: &[u8]) -> usize {
    const BLOCK: usize = 4 << 10;
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK));
    let same = BLOCK * blocks.take_while(|(one, other)| one == other).count();
    let rest = one[same..].iter().zip(&other[same..]);
    same + rest.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests;
