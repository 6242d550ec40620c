//! When a server ends.

use tokio_util::sync::CancellationToken;

/// Cancelled when the program is asked to end: by Ctrl+C, or SIGTERM. Where signals cannot be
/// listened for, they end the program as they always do. Needs a runtime of tokio.
pub fn when_asked_to_end() -> CancellationToken {
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
