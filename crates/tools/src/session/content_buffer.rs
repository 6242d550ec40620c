//! A buffer of contents in memory.

use std::collections::VecDeque;
use std::sync::Arc;

use foveal_transcript::Handle;

/// A buffer of contents with a size limit. It drops the oldest first.
pub(super) struct ContentBuffer {
    contents: VecDeque<(Handle, Arc<[u8]>)>,
    bytes: usize,
    bytes_max: usize,
}

impl ContentBuffer {
    /// Creates an empty buffer of at most `bytes_max` bytes.
    pub(super) const fn new(bytes_max: usize) -> Self {
        Self { contents: VecDeque::new(), bytes: 0, bytes_max }
    }

    /// Adds a content; returns false if it is larger than the buffer.
    pub(super) fn put(&mut self, handle: Handle, content: &[u8]) -> bool {
        if content.len() > self.bytes_max {
            return false;
        }
        if self.get(handle).is_none() {
            self.push(handle, content.into());
        }
        while self.bytes > self.bytes_max && self.pop_oldest().is_some() {}
        true
    }

    /// Returns the content of a handle.
    pub(super) fn get(&self, handle: Handle) -> Option<Arc<[u8]>> {
        let held = self.contents.iter().find(|(held, _)| *held == handle);
        held.map(|(_, content)| Arc::clone(content))
    }

    /// Removes and returns the oldest content.
    pub(super) fn pop_oldest(&mut self) -> Option<(Handle, Arc<[u8]>)> {
        let first = self.contents.pop_front()?;
        self.bytes -= first.1.len();
        Some(first)
    }

    /// Returns the bytes in the buffer.
    pub(super) fn byte_count(&self) -> usize {
        self.bytes
    }

    fn push(&mut self, handle: Handle, content: Arc<[u8]>) {
        self.bytes += content.len();
        self.contents.push_back((handle, content));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_held_than_may_be_and_the_oldest_goes_first() {
        let mut held = ContentBuffer::new(100);
        let handle = |n: u8| Handle::from_content(&[n]);
        assert!(!held.put(handle(0), &[0; 101]));
        for n in 1..=200 {
            assert!(held.put(handle(n), &[n; 30]));
            assert!(held.put(handle(n), &[n; 30]));
        }
        assert_eq!((held.contents.len(), held.byte_count()), (3, 90));
        assert_eq!((held.get(handle(197)), held.get(handle(198)).is_some()), (None, true));
        assert_eq!(held.pop_oldest().map(|(handle, _)| handle), Some(handle(198)));
        assert_eq!(held.byte_count(), 60);
    }
}
