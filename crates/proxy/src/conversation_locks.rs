//! A lock for each conversation: the decision about one request has to be known before the next
//! request is decided about, even if it came too late to be used.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use foveal_transcript::ContentHash;

/// The locked conversations, by the fingerprint of their first message.
#[derive(Debug, Default)]
pub(crate) struct ConversationLocks {
    locked: Mutex<HashMap<ContentHash, Arc<LockWaiters>>>,
}

/// The threads that wait for one conversation.
#[derive(Debug, Default)]
struct LockWaiters {
    released: Condvar,
    count: AtomicUsize,
}

/// Holds the lock of a conversation until it is dropped.
pub(crate) struct ConversationGuard<'a> {
    locks: &'a ConversationLocks,
    first: ContentHash,
    waiters: Arc<LockWaiters>,
}

impl ConversationLocks {
    /// Locks the conversation with this first message. Blocks until it is free.
    pub(crate) fn lock(&self, first: ContentHash) -> ConversationGuard<'_> {
        let mut busy = self.locked.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(line) = busy.get(&first).map(Arc::clone) {
            line.count.fetch_add(1, Ordering::Relaxed);
            busy = line.released.wait(busy).unwrap_or_else(PoisonError::into_inner);
        }
        let line = Arc::default();
        busy.insert(first, Arc::clone(&line));
        ConversationGuard { locks: self, first, waiters: line }
    }

    /// Locks the conversation with this first message; `None` if it is locked already.
    pub(crate) fn try_lock(&self, first: ContentHash) -> Option<ConversationGuard<'_>> {
        let mut busy = self.locked.lock().unwrap_or_else(PoisonError::into_inner);
        if busy.contains_key(&first) {
            return None;
        }
        let line = Arc::default();
        busy.insert(first, Arc::clone(&line));
        Some(ConversationGuard { locks: self, first, waiters: line })
    }
}

impl ConversationGuard<'_> {
    /// Returns whether another thread waits for the lock.
    pub(crate) fn has_waiters(&self) -> bool {
        self.waiters.count.load(Ordering::Relaxed) > 0
    }
}

impl Drop for ConversationGuard<'_> {
    fn drop(&mut self) {
        let mut busy = self.locks.locked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = busy.remove(&self.first) {
            line.released.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use foveal_transcript::ContentHash;

    use super::ConversationLocks;

    #[test]
    fn one_turn_at_a_time_is_free() {
        let queue = ConversationLocks::default();
        let [one, other] = ["one", "other"].map(|name| ContentHash::from_content(name.as_bytes()));
        let turn = queue.try_lock(one).expect("nobody is there");
        assert!(queue.try_lock(one).is_none() && queue.try_lock(other).is_some());
        assert!(!turn.has_waiters());
        drop(turn);
        assert!(queue.try_lock(one).is_some());
    }
}
