//! Standard input where it is no pipe: Node.js agents pass a socket, users a terminal.
//!
//! A read from these may never return, and the runtime waits for its own threads when it shuts
//! down. So a detached thread reads and forwards the bytes.

use std::io::{self, Read};
use std::thread;

use tokio::io::{AsyncRead, AsyncWriteExt as _};
use tokio::runtime::Handle;

/// Bytes per read.
const READ_BYTES: usize = 64 << 10;

/// Returns whether standard input is a pipe, which can be read without a blocking thread.
#[cfg(target_os = "linux")]
pub(crate) fn is_stdin_pipe() -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    std::fs::metadata("/proc/self/fd/0").is_ok_and(|input| input.file_type().is_fifo())
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn is_stdin_pipe() -> bool {
    false
}

/// Reads standard input on a detached thread. Ends at the end of the input or at a read error.
pub(crate) fn spawn_stdin_reader() -> impl AsyncRead + Send + Unpin {
    let (near, far) = tokio::io::simplex(READ_BYTES);
    let runtime = Handle::current();
    thread::spawn(move || drop(forward_input(io::stdin().lock(), far, &runtime)));
    near
}

/// Forwards `input` until it ends or the receiver is dropped.
fn forward_input(
    mut input: impl Read,
    mut far: tokio::io::WriteHalf<tokio::io::SimplexStream>,
    runtime: &Handle,
) -> io::Result<()> {
    let mut bytes = vec![0; READ_BYTES];
    loop {
        let count = input.read(&mut bytes)?;
        if count == 0 {
            return runtime.block_on(far.shutdown());
        }
        runtime.block_on(far.write_all(&bytes[..count]))?;
    }
}
