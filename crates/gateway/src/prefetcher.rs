//! Prepares the next requests of conversations on a background thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use foveal_proxy::request::PrefetchTicket;

use crate::shaper::Shaper;

/// The delay after the head of a response, so that its first bytes are sent before.
const PREFETCH_DELAY: Duration = Duration::from_millis(2);

/// The largest number of waiting conversations. Further ones are not prepared, and their next
/// requests take longer.
const QUEUE_MAX: usize = 64;

/// Prepares one conversation after the other on one thread, so that the memory for it is needed
/// once. The thread ends when this is dropped and none waits.
pub(crate) struct Prefetcher(SyncSender<PrefetchTicket>);

impl Prefetcher {
    /// Starts the thread.
    pub(crate) fn start(shaper: Arc<dyn Shaper>) -> Self {
        let (ready, come) = sync_channel(QUEUE_MAX);
        // Without the thread, requests are slower but correct.
        drop(
            thread::Builder::new()
                .name("ready".into())
                .spawn(move || run_prefetches(&*shaper, &come)),
        );
        Self(ready)
    }

    /// Schedules the preparation of a conversation whose response begins.
    pub(crate) fn schedule(&self, ready: PrefetchTicket) {
        let _one_too_many = self.0.try_send(ready);
    }
}

fn run_prefetches(shaper: &dyn Shaper, come: &Receiver<PrefetchTicket>) {
    while let Ok(ready) = come.recv() {
        thread::sleep(PREFETCH_DELAY);
        // A panic costs only the preparation.
        drop(catch_unwind(AssertUnwindSafe(|| shaper.prefetch(&ready))));
    }
}
