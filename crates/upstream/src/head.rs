//! A connection that keeps the head of the request under way as it was sent, and that can be
//! reset.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Bytes of a head that are kept.
const HEAD_BYTES_MAX: usize = 1 << 20;

/// What the server and the connection share.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wire {
    head: Arc<Mutex<Vec<u8>>>,
    is_reset: Arc<AtomicBool>,
}

impl Wire {
    /// The header lines of the request that has just been read. What was read behind them is
    /// forgotten: clients send no request before the last one is answered.
    pub(crate) fn take_headers(&self) -> Vec<(String, String)> {
        let head = std::mem::take(&mut *self.head.lock().unwrap_or_else(PoisonError::into_inner));
        let text = String::from_utf8_lossy(&head);
        let lines = text.split("\r\n").skip(1).take_while(|line| !line.is_empty());
        let pairs = lines.filter_map(|line| line.split_once(':'));
        pairs.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect()
    }

    /// Forgets what was read: the body of a request.
    pub(crate) fn forget(&self) {
        self.head.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The connection will be reset instead of closed.
    pub(crate) fn reset(&self) {
        self.is_reset.store(true, Ordering::SeqCst);
    }
}

/// A connection with its [`Wire`].
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) stream: TcpStream,
    pub(crate) wire: Wire,
}

impl Drop for Line {
    fn drop(&mut self) {
        if self.wire.is_reset.load(Ordering::SeqCst) {
            // What was not sent yet is thrown away with it, as in a crash.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let poll = Pin::new(&mut self.stream).poll_read(context, buffer);
        let mut head = self.wire.head.lock().unwrap_or_else(PoisonError::into_inner);
        if head.len() < HEAD_BYTES_MAX {
            head.extend_from_slice(&buffer.filled()[before..]);
        }
        drop(head);
        poll
    }
}

impl AsyncWrite for Line {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.wire.is_reset.load(Ordering::SeqCst) {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
