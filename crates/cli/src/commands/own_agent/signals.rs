//! Signals that end an agent: from the user, the system or the terminal.

use foveal_transcript::CancelToken;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::interrupt::{IgnoredSignals, InterruptFlag};

/// Returns a token that Ctrl+C, SIGTERM and SIGHUP cancel. A second signal ends the program at
/// once, after `before_exit`. If signals cannot be handled, the first one ends the program. An
/// ignored SIGHUP stays ignored.
pub(crate) fn cancel_on_signals(runtime: &Runtime, before_exit: fn()) -> CancelToken<'static> {
    let _inside = runtime.enter();
    let (asked, hangup) = (InterruptFlag::install_handler(before_exit), SignalKind::hangup());
    let hangup =
        (!IgnoredSignals::from_proc_status().contains(hangup.as_raw_value())).then_some(hangup);
    for kind in [Some(SignalKind::terminate()), hangup].into_iter().flatten() {
        let (Ok(mut heard), asked) = (signal(kind), asked.clone()) else { continue };
        runtime.spawn(async move {
            while heard.recv().await.is_some() {
                asked.request_stop();
            }
        });
    }
    asked.cancellation()
}
