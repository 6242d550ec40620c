//! A tap on a connection: records the head of the current request as sent, and can reset the
//! connection.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use foveal_http_guard::ReadObserver;
use tokio::net::TcpStream;

/// The most recorded bytes of a head.
const HEAD_BYTES_MAX: usize = 1 << 20;

/// The state that the server and the connection share.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConnectionTap {
    head: Arc<Mutex<Vec<u8>>>,
    is_reset: Arc<AtomicBool>,
}

impl ConnectionTap {
    /// Returns the header lines of the request that was just read. Bytes read after them are
    /// dropped: clients send no request before the last one is answered.
    pub(crate) fn take_headers(&self) -> Vec<(String, String)> {
        let head = std::mem::take(&mut *self.head.lock().unwrap_or_else(PoisonError::into_inner));
        let text = String::from_utf8_lossy(&head);
        let lines = text.split("\r\n").skip(1).take_while(|line| !line.is_empty());
        let pairs = lines.filter_map(|line| line.split_once(':'));
        pairs.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect()
    }

    /// Drops the recorded body of a request.
    pub(crate) fn discard_body(&self) {
        self.head.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Makes the connection be reset instead of closed.
    pub(crate) fn request_reset(&self) {
        self.is_reset.store(true, Ordering::SeqCst);
    }
}

impl ReadObserver<TcpStream> for ConnectionTap {
    fn on_read(&mut self, read: Poll<&[u8]>, _: &mut Context<'_>) -> io::Result<()> {
        if let Poll::Ready(bytes) = read {
            let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
            if head.len() < HEAD_BYTES_MAX {
                head.extend_from_slice(bytes);
            }
        }
        Ok(())
    }

    fn allows_shutdown(&self) -> bool {
        !self.is_reset.load(Ordering::SeqCst)
    }

    fn on_close(&mut self, stream: &TcpStream) {
        if self.is_reset.load(Ordering::SeqCst) {
            // Unsent bytes are dropped too, as in a crash.
            let _ = stream.set_zero_linger();
        }
    }
}
