//! Which request of an agent waits for models beside the main one, and whether it still does.

use std::sync::atomic::{AtomicU64, Ordering};

/// Shared by who asks and who is asked.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    request: AtomicU64,
    stops: AtomicU64,
}

impl Waiting {
    /// This request waits from now on.
    pub(crate) fn begin(&self, request: u64) {
        self.request.store(request, Ordering::SeqCst);
    }

    /// The request that waits.
    pub(crate) fn request(&self) -> u64 {
        self.request.load(Ordering::SeqCst)
    }

    /// Nobody waits for what is asked now.
    pub(crate) fn stop(&self) {
        self.stops.fetch_add(1, Ordering::SeqCst);
    }

    /// How often nobody waited any longer: it rises while something is asked that is not wanted.
    pub(super) fn stops(&self) -> u64 {
        self.stops.load(Ordering::SeqCst)
    }
}
