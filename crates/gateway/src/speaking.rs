//! A connection whose client has to say something.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use foveal_listening::{Ear, Overheard};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// Bytes behind which it is known which protocol is spoken, and the time of heads is watched: as
/// many as HTTP/2 begins with.
const BEGINNING_BYTES: usize = 24;

/// How long the first bytes of a connection are still waited for.
pub(crate) struct Beginning {
    patience: Pin<Box<Sleep>>,
    read: usize,
}

/// A connection that fails where the first bytes do not come in time.
pub(crate) fn speaking(stream: TcpStream, patience: Duration) -> Overheard<TcpStream, Beginning> {
    let patience = Box::pin(tokio::time::sleep(patience));
    Overheard::new(stream, Beginning { patience, read: 0 })
}

impl Ear<TcpStream> for Beginning {
    fn heard(&mut self, read: Poll<&[u8]>, context: &mut Context<'_>) -> io::Result<()> {
        match read {
            Poll::Ready(bytes) => self.read = self.read.saturating_add(bytes.len()),
            Poll::Pending => {
                let is_silent = self.read < BEGINNING_BYTES;
                if is_silent && self.patience.as_mut().poll(context).is_ready() {
                    return Err(io::ErrorKind::TimedOut.into());
                }
            }
        }
        Ok(())
    }
}
