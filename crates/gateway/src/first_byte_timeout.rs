//! A time-out for the first bytes of a connection.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use foveal_http_guard::{InspectedStream, ReadObserver};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// The number of bytes after which the protocol is known and the time-out for heads applies: the
/// length of HTTP/2's preface.
const FIRST_BYTES: usize = 24;

/// The time-out for the first bytes of a connection.
pub(crate) struct FirstByteTimeout {
    timer: Pin<Box<Sleep>>,
    read: usize,
}

/// Wraps a connection so that it fails if the first bytes do not arrive in time.
pub(crate) fn limit_first_bytes(
    stream: TcpStream,
    patience: Duration,
) -> InspectedStream<TcpStream, FirstByteTimeout> {
    let patience = Box::pin(tokio::time::sleep(patience));
    InspectedStream::new(stream, FirstByteTimeout { timer: patience, read: 0 })
}

impl ReadObserver<TcpStream> for FirstByteTimeout {
    fn on_read(&mut self, read: Poll<&[u8]>, context: &mut Context<'_>) -> io::Result<()> {
        match read {
            Poll::Ready(bytes) => self.read = self.read.saturating_add(bytes.len()),
            Poll::Pending => {
                let is_silent = self.read < FIRST_BYTES;
                if is_silent && self.timer.as_mut().poll(context).is_ready() {
                    return Err(io::ErrorKind::TimedOut.into());
                }
            }
        }
        Ok(())
    }
}
