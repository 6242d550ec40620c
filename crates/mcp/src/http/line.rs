//! One connection over TCP, and what of the answers that go over it is known to be delivered.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use foveal_tools::session::Delivery;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// One connection.
#[derive(Debug, Clone)]
pub(super) struct Line(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    /// `None`: it has ended.
    stream: Option<TcpStream>,
    has_failed: bool,
    /// Answers that are about to be written.
    unwritten: Vec<Delivery>,
    /// Answers that the system took to the last byte. Whether the client did shows where the
    /// connection fails.
    written: Vec<Delivery>,
}

impl Line {
    pub(super) fn new(stream: TcpStream) -> Self {
        let (unwritten, written) = (Vec::new(), Vec::new());
        let state = State { stream: Some(stream), has_failed: false, unwritten, written };
        Self(Arc::new(Mutex::new(state)))
    }

    /// The bytes of the answer are handed over to be written.
    pub(super) fn send(&self, delivery: Delivery) {
        self.lock().unwritten.push(delivery);
    }

    /// Tells of the answers that were delivered by now. Whether the connection is of further
    /// use.
    pub(super) fn tell_delivered(&self) -> bool {
        let mut state = self.lock();
        let written = std::mem::take(&mut state.written);
        if !written.is_empty() {
            state.look_for_failure();
        }
        if !state.has_failed {
            written.into_iter().for_each(Delivery::delivered);
        }
        state.stream.is_some() && !state.has_failed
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the stream; what fails once has failed.
    fn with<T>(
        &self,
        act: impl FnOnce(Pin<&mut TcpStream>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let mut state = self.lock();
        let Some(stream) = state.stream.as_mut() else {
            return Poll::Ready(Err(io::ErrorKind::NotConnected.into()));
        };
        let done = act(Pin::new(stream));
        if matches!(done, Poll::Ready(Err(_))) {
            state.has_failed = true;
        }
        done
    }
}

impl State {
    /// A client that breaks off without reading what was sent resets the connection.
    fn look_for_failure(&mut self) {
        let error = self.stream.as_ref().map(TcpStream::take_error);
        self.has_failed |= error.is_some_and(|error| !matches!(error, Ok(None)));
    }
}

/// The connection as it is read and written.
#[derive(Debug)]
pub(super) struct LineStream(pub(super) Line);

impl AsyncRead for LineStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.0.with(|stream| stream.poll_read(context, buffer))
    }
}

impl AsyncWrite for LineStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.0.with(|stream| stream.poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = self.0.with(|stream| stream.poll_flush(context));
        if matches!(flushed, Poll::Ready(Ok(()))) {
            // Called once everything was written that was handed over.
            let mut state = self.0.lock();
            let mut written = std::mem::take(&mut state.unwritten);
            state.written.append(&mut written);
        }
        flushed
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.with(|stream| stream.poll_shutdown(context))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.0.with(|stream| stream.poll_write_vectored(context, parts))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }
}

impl Drop for LineStream {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.look_for_failure();
        state.stream = None;
        // What was not written by now never is.
        state.unwritten.clear();
    }
}
