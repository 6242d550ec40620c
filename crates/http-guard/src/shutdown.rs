//! The shutdown signal of a server.

use tokio_util::sync::CancellationToken;

/// Returns a token that is cancelled on Ctrl+C or SIGTERM. If signal handlers cannot be installed,
/// the signals end the program as usual. Needs a Tokio runtime.
pub fn shutdown_token() -> CancellationToken {
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    // The handlers are installed here, not when the task first runs: no request is served before.
    let asked = termination_signal();
    tokio::spawn(async move {
        asked.await;
        stopping.cancel();
    });
    stop
}

#[cfg(unix)]
fn termination_signal() -> impl Future<Output = ()> {
    use tokio::signal::unix::{Signal, SignalKind, signal};
    async fn wait_for_signal(signal: Option<Signal>) {
        match signal {
            Some(mut signal) => drop(signal.recv().await),
            None => std::future::pending().await,
        }
    }
    let interrupted = signal(SignalKind::interrupt()).ok();
    let terminated = signal(SignalKind::terminate()).ok();
    async move {
        tokio::select! {
            () = wait_for_signal(interrupted) => {}
            () = wait_for_signal(terminated) => {}
        }
    }
}

#[cfg(not(unix))]
async fn termination_signal() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
