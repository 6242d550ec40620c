//! Getting ready for the next requests of conversations, on a thread that nobody waits for.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use foveal_live::request::ToGetReady;

use crate::shaper::Shaper;

/// How long after an answer began it is got ready for the next request: by then its first bytes
/// are on their way.
const ANSWERING: Duration = Duration::from_millis(2);

/// Conversations that may wait. For one more it is not got ready, and its request takes longer.
const WAITING_MAX: usize = 64;

/// Gets ready for conversations, one after the other, on one thread, so that what this needs is held
/// once. It ends with this, once none waits.
pub(crate) struct GettingReady(SyncSender<ToGetReady>);

impl GettingReady {
    /// Starts the thread.
    pub(crate) fn start(shaper: Arc<dyn Shaper>) -> Self {
        let (ready, come) = sync_channel(WAITING_MAX);
        // Without it each request takes as long as it takes.
        drop(thread::Builder::new().name("ready".into()).spawn(move || get_ready(&*shaper, &come)));
        Self(ready)
    }

    /// An answer begins, and `ready` is what can be got ready then.
    pub(crate) fn answering(&self, ready: ToGetReady) {
        let _one_too_many = self.0.try_send(ready);
    }
}

fn get_ready(shaper: &dyn Shaper, come: &Receiver<ToGetReady>) {
    while let Ok(ready) = come.recv() {
        thread::sleep(ANSWERING);
        // A fault of ours costs nothing but time.
        drop(catch_unwind(AssertUnwindSafe(|| shaper.get_ready(&ready))));
    }
}
