//! What else ends a run: that the system, or the terminal, wants it to.

use std::sync::mpsc::SyncSender;

use foveal_agent::Event;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

/// Has SIGTERM and SIGHUP end a run as Ctrl+C does: commands are stopped, and each call gets a
/// result. Where they cannot be listened for, they end the program at once.
pub(super) fn listen(runtime: &Runtime, events: &SyncSender<Event>) {
    let _inside = runtime.enter();
    for kind in [SignalKind::terminate(), SignalKind::hangup()] {
        let (Ok(mut heard), events) = (signal(kind), events.clone()) else { continue };
        runtime.spawn(async move {
            while heard.recv().await.is_some() {
                // A full queue means that the run is looked after: the next signal is heard too.
                drop(events.try_send(Event::Stop));
            }
        });
    }
}
