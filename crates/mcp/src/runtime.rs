//! The Tokio runtime of the server.

use std::io;
use std::time::Duration;

/// Threads beside those for calls: two for standard input and output if these are no pipes, the
/// others for opening and reading.
const SPARE_THREADS: usize = 4;

/// How long the shutdown waits for cancelled calls.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Builds a runtime with one thread for the protocol and a blocking thread for each call.
pub(crate) fn build_runtime(calls_max: usize) -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(calls_max + SPARE_THREADS)
        .build()
}
