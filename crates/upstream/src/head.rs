//! A connection that keeps the head of the request under way as it was sent, and that can be
//! reset.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use foveal_listening::Ear;
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

impl Ear<TcpStream> for Wire {
    fn heard(&mut self, read: Poll<&[u8]>, _: &mut Context<'_>) -> io::Result<()> {
        if let Poll::Ready(bytes) = read {
            let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
            if head.len() < HEAD_BYTES_MAX {
                head.extend_from_slice(bytes);
            }
        }
        Ok(())
    }

    fn may_shut_down(&self) -> bool {
        !self.is_reset.load(Ordering::SeqCst)
    }

    fn closes(&mut self, stream: &TcpStream) {
        if self.is_reset.load(Ordering::SeqCst) {
            // What was not sent yet is thrown away with it, as in a crash.
            let _ = stream.set_zero_linger();
        }
    }
}
