//! One request of a conversation after the other: what is decided about one has to be known before
//! the next one is decided about, also where a decision came too late to be used.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use foveal_transcript::ContentHash;

/// The conversations that are being decided about, by their first message.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    busy: Mutex<HashMap<ContentHash, Arc<Line>>>,
}

/// Who waits for one conversation.
#[derive(Debug, Default)]
struct Line {
    free: Condvar,
    waiting: AtomicUsize,
}

/// Being the one that is decided about, until this is dropped.
pub(crate) struct Turn<'a> {
    queue: &'a Queue,
    first: ContentHash,
    line: Arc<Line>,
}

impl Queue {
    /// Waits until nothing else with this beginning is decided about.
    pub(crate) fn wait(&self, first: ContentHash) -> Turn<'_> {
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(line) = busy.get(&first).map(Arc::clone) {
            line.waiting.fetch_add(1, Ordering::Relaxed);
            busy = line.free.wait(busy).unwrap_or_else(PoisonError::into_inner);
        }
        let line = Arc::default();
        busy.insert(first, Arc::clone(&line));
        Turn { queue: self, first, line }
    }

    /// The same for who does not wait: `None` where something else with this beginning is decided
    /// about.
    pub(crate) fn if_free(&self, first: ContentHash) -> Option<Turn<'_>> {
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        if busy.contains_key(&first) {
            return None;
        }
        let line = Arc::default();
        busy.insert(first, Arc::clone(&line));
        Some(Turn { queue: self, first, line })
    }
}

impl Turn<'_> {
    /// Whether somebody waits for it to end.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.line.waiting.load(Ordering::Relaxed) > 0
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut busy = self.queue.busy.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = busy.remove(&self.first) {
            line.free.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use foveal_transcript::ContentHash;

    use super::Queue;

    #[test]
    fn one_turn_at_a_time_is_free() {
        let queue = Queue::default();
        let [one, other] = ["one", "other"].map(|name| ContentHash::of(name.as_bytes()));
        let turn = queue.if_free(one).expect("nobody is there");
        assert!(queue.if_free(one).is_none() && queue.if_free(other).is_some());
        assert!(!turn.is_waited_for());
        drop(turn);
        assert!(queue.if_free(one).is_some());
    }
}
