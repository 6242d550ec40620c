//! Tracks which request of an agent waits for side agents, and whether it was cancelled.

use std::sync::atomic::{AtomicU64, Ordering};

/// The number of the request that waits, and a count of cancellations. The agent and its side
/// agents share it.
#[derive(Debug, Default)]
pub(crate) struct WaitingRequest {
    request: AtomicU64,
    cancel_count: AtomicU64,
}

impl WaitingRequest {
    /// Marks `request` as the one that waits.
    pub(crate) fn set_request(&self, request: u64) {
        self.request.store(request, Ordering::SeqCst);
    }

    /// Returns the number of the request that waits.
    pub(crate) fn request(&self) -> u64 {
        self.request.load(Ordering::SeqCst)
    }

    /// Cancels the current questions.
    pub(crate) fn cancel(&self) {
        self.cancel_count.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns the number of cancellations. It rises while a question is under way if that question
    /// is cancelled.
    pub(super) fn cancel_count(&self) -> u64 {
        self.cancel_count.load(Ordering::SeqCst)
    }
}
