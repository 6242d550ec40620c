//! Contents that a session holds in memory, by their handles.

use std::collections::VecDeque;
use std::sync::Arc;

use foveal_transcript::Handle;

/// Contents within bounds. The oldest goes first.
pub(super) struct HeldContents {
    contents: VecDeque<(Handle, Arc<[u8]>)>,
    bytes: usize,
    bytes_max: usize,
}

impl HeldContents {
    /// None yet, and at most so many bytes of them.
    pub(super) const fn new(bytes_max: usize) -> Self {
        Self { contents: VecDeque::new(), bytes: 0, bytes_max }
    }

    /// Holds a content; false if it is too large.
    pub(super) fn put(&mut self, handle: Handle, content: &[u8]) -> bool {
        if content.len() > self.bytes_max {
            return false;
        }
        if self.get(handle).is_none() {
            self.push(handle, content.into());
        }
        while self.bytes > self.bytes_max && self.take_first().is_some() {}
        true
    }

    /// What is held under a handle.
    pub(super) fn get(&self, handle: Handle) -> Option<Arc<[u8]>> {
        let held = self.contents.iter().find(|(held, _)| *held == handle);
        held.map(|(_, content)| Arc::clone(content))
    }

    /// Takes the oldest out.
    pub(super) fn take_first(&mut self) -> Option<(Handle, Arc<[u8]>)> {
        let first = self.contents.pop_front()?;
        self.bytes -= first.1.len();
        Some(first)
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
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
        let mut held = HeldContents::new(100);
        let handle = |n: u8| Handle::of(&[n]);
        assert!(!held.put(handle(0), &[0; 101]));
        for n in 1..=200 {
            assert!(held.put(handle(n), &[n; 30]));
            assert!(held.put(handle(n), &[n; 30]));
        }
        assert_eq!((held.contents.len(), held.bytes()), (3, 90));
        assert_eq!((held.get(handle(197)), held.get(handle(198)).is_some()), (None, true));
        assert_eq!(held.take_first().map(|(handle, _)| handle), Some(handle(198)));
        assert_eq!(held.bytes(), 60);
    }
}
