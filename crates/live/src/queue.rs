//! One request of a conversation after the other: what is decided about one has to be known before
//! the next one is decided about, also where a decision came too late to be used.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use foveal_transcript::ContentHash;

/// The conversations that are being decided about, by their first message.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    busy: Mutex<HashMap<ContentHash, Arc<Condvar>>>,
}

/// Being the one that is decided about, until this is dropped.
pub(crate) struct Turn<'a> {
    queue: &'a Queue,
    first: ContentHash,
}

impl Queue {
    /// Waits until nothing else with this beginning is decided about.
    pub(crate) fn wait(&self, first: ContentHash) -> Turn<'_> {
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(free) = busy.get(&first).map(Arc::clone) {
            busy = free.wait(busy).unwrap_or_else(PoisonError::into_inner);
        }
        busy.insert(first, Arc::default());
        Turn { queue: self, first }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut busy = self.queue.busy.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(free) = busy.remove(&self.first) {
            free.notify_all();
        }
    }
}
