//! What drives the protocol.

use std::io;
use std::time::Duration;

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
