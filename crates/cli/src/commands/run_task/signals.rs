//! What else ends a run: that the system, or the terminal, wants it to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;

use foveal_agent::Event;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::exit_code::INTERRUPTED;

/// Has SIGTERM and SIGHUP end a run as Ctrl+C does: commands are stopped, and each call gets a
/// result; a second one does not wait. Where they cannot be listened for, they end the program at
/// once. A SIGHUP that is ignored, as under `nohup`, stays so.
pub(super) fn listen(runtime: &Runtime, events: &SyncSender<Event>) {
    let _inside = runtime.enter();
    let is_asked = Arc::<AtomicBool>::default();
    for kind in [SignalKind::terminate(), SignalKind::hangup()] {
        if kind == SignalKind::hangup() && is_ignored(kind) {
            continue;
        }
        let (Ok(mut heard), events) = (signal(kind), events.clone()) else { continue };
        let is_asked = Arc::clone(&is_asked);
        runtime.spawn(async move {
            while heard.recv().await.is_some() {
                if is_asked.swap(true, Ordering::SeqCst) {
                    std::process::exit(i32::from(INTERRUPTED));
                }
                // A full queue means that nobody looks after the run: the next signal ends it.
                drop(events.try_send(Event::Stop));
            }
        });
    }
}

/// Whether this process ignores a signal, as far as the system tells.
fn is_ignored(kind: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    let bit = u32::try_from(kind.as_raw_value() - 1).unwrap_or_default();
    ignored.is_some_and(|ignored| ignored.checked_shr(bit).unwrap_or_default() & 1 == 1)
}
