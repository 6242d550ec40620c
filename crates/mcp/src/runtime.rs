//! What drives the protocol, and when it is asked to end.

use std::io;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// Threads beside those for calls: two for standard input and output where these are no pipes,
/// the others for what opens and reads.
const THREADS_SPARE: usize = 4;

/// How long calls that were told to stop are waited for at the end.
pub(crate) const END_PATIENCE: Duration = Duration::from_secs(2);

/// One thread for the protocol, and as many as calls may need.
pub(crate) fn build(calls_max: usize) -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(calls_max + THREADS_SPARE)
        .build()
}

/// Cancelled when the program is asked to end: by Ctrl+C, or SIGTERM. Where signals cannot be
/// listened for, they end the program as they always do.
pub(crate) fn stop_when_asked() -> CancellationToken {
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    // Listening begins here, not when the task first runs: nobody is served before.
    let asked = asked_to_end();
    tokio::spawn(async move {
        asked.await;
        stopping.cancel();
    });
    stop
}

#[cfg(unix)]
fn asked_to_end() -> impl Future<Output = ()> {
    use tokio::signal::unix::{Signal, SignalKind, signal};
    async fn of(signal: Option<Signal>) {
        match signal {
            Some(mut signal) => drop(signal.recv().await),
            None => std::future::pending().await,
        }
    }
    let interrupted = signal(SignalKind::interrupt()).ok();
    let terminated = signal(SignalKind::terminate()).ok();
    async move {
        tokio::select! {
            () = of(interrupted) => {}
            () = of(terminated) => {}
        }
    }
}

#[cfg(not(unix))]
async fn asked_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
