//! Standard input where it is no pipe: agents in Node.js give a socket, people a terminal.
//!
//! A read from these may never return, and the runtime waits at its end for what its own threads
//! read. So a thread that nobody waits for reads, and hands on what comes.

use std::io::{self, Read};
use std::thread;

use tokio::io::{AsyncRead, AsyncWriteExt as _};
use tokio::runtime::Handle;

/// Bytes that are read at once.
const BYTES_AT_ONCE: usize = 64 << 10;

/// Whether standard input can be read without a thread that blocks.
#[cfg(target_os = "linux")]
pub(crate) fn is_pipe() -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    std::fs::metadata("/proc/self/fd/0").is_ok_and(|input| input.file_type().is_fifo())
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn is_pipe() -> bool {
    false
}

/// Standard input, read by a thread of its own. Ends where that ends, or cannot be read.
pub(crate) fn of_thread() -> impl AsyncRead + Send + Unpin {
    let (near, far) = tokio::io::simplex(BYTES_AT_ONCE);
    let runtime = Handle::current();
    thread::spawn(move || drop(hand_on(io::stdin().lock(), far, &runtime)));
    near
}

/// Hands on what `input` gives, until it ends or nobody takes it any more.
fn hand_on(
    mut input: impl Read,
    mut far: tokio::io::WriteHalf<tokio::io::SimplexStream>,
    runtime: &Handle,
) -> io::Result<()> {
    let mut bytes = vec![0; BYTES_AT_ONCE];
    loop {
        let count = input.read(&mut bytes)?;
        if count == 0 {
            return runtime.block_on(far.shutdown());
        }
        runtime.block_on(far.write_all(&bytes[..count]))?;
    }
}
