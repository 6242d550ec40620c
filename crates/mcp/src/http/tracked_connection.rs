//! A TCP connection: its stage, and the deliveries of the answers sent over it.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use foveal_tools::session::PendingDelivery;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::recent_bytes::RecentBytes;

/// The stage of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionStage {
    /// It has no request, or only a part of a head.
    Idle,
    /// It waits for the body of a request.
    Body,
    /// A request is being answered.
    Working,
    /// The client listens on an open stream for messages of the server.
    Listening,
}

/// An HTTP connection, shared by its stream and its answers. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct TrackedConnection(Arc<Mutex<ConnectionState>>);

#[derive(Debug)]
struct ConnectionState {
    /// `None` once it has ended.
    stream: Option<TcpStream>,
    has_failed: bool,
    stage: ConnectionStage,
    since: Instant,
    /// Whether it becomes idle once everything is written.
    is_answer_complete: bool,
    /// When the client stopped reading, if output is waiting.
    write_stalled_since: Option<Instant>,
    recent_bytes: RecentBytes,
    /// Answers that are not completely written.
    unwritten_deliveries: Vec<PendingDelivery>,
    /// Answers that the operating system accepted completely. If the connection fails, the client
    /// may not have received them.
    written_deliveries: Vec<PendingDelivery>,
}

impl TrackedConnection {
    pub(super) fn new(stream: TcpStream) -> Self {
        let (unwritten, written) = (Vec::new(), Vec::new());
        let state = ConnectionState {
            stream: Some(stream),
            has_failed: false,
            stage: ConnectionStage::Idle,
            since: Instant::now(),
            is_answer_complete: false,
            write_stalled_since: None,
            recent_bytes: RecentBytes::default(),
            unwritten_deliveries: unwritten,
            written_deliveries: written,
        };
        Self(Arc::new(Mutex::new(state)))
    }

    /// Sets the stage.
    pub(super) fn set_stage(&self, stage: ConnectionStage) {
        self.lock().set_stage(stage);
    }

    /// Marks the answer as complete: once it is written, the connection is idle.
    pub(super) fn complete_answer(&self) {
        self.lock().is_answer_complete = true;
    }

    /// Returns the stage, and since when.
    pub(super) fn stage(&self) -> (ConnectionStage, Instant) {
        let state = self.lock();
        (state.stage, state.since)
    }

    /// Returns for how long the client has read nothing although output is waiting.
    pub(super) fn write_stall(&self) -> Duration {
        self.lock().write_stalled_since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Takes the recently read bytes, which include the head of the current request.
    pub(super) fn take_recent_bytes(&self) -> Vec<u8> {
        self.lock().recent_bytes.take()
    }

    /// Returns whether written answers are not confirmed yet.
    pub(super) fn has_unconfirmed_deliveries(&self) -> bool {
        !self.lock().written_deliveries.is_empty()
    }

    /// Adds the delivery of an answer that is about to be written.
    pub(super) fn add_delivery(&self, delivery: PendingDelivery) {
        self.lock().unwritten_deliveries.push(delivery);
    }

    /// Confirms the answers that were delivered by now.
    pub(super) fn confirm_deliveries(&self) {
        let mut state = self.lock();
        let written = std::mem::take(&mut state.written_deliveries);
        if !written.is_empty() {
            state.check_socket_error();
        }
        if !state.has_failed {
            written.into_iter().for_each(PendingDelivery::confirm);
        }
    }

    fn lock(&self) -> MutexGuard<'_, ConnectionState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Updates the write stall after a write.
    fn record_write(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        let mut state = self.lock();
        state.write_stalled_since = match written {
            Poll::Pending => Some(state.write_stalled_since.unwrap_or_else(Instant::now)),
            Poll::Ready(_) => None,
        };
        written
    }

    /// Calls `act` on the stream. An error marks the connection as failed for good.
    fn with_stream<T>(
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

impl ConnectionState {
    fn set_stage(&mut self, stage: ConnectionStage) {
        (self.stage, self.since, self.is_answer_complete) = (stage, Instant::now(), false);
    }

    /// Checks for a pending socket error: a client that closes without reading what was sent resets
    /// the connection.
    fn check_socket_error(&mut self) {
        let error = self.stream.as_ref().map(TcpStream::take_error);
        self.has_failed |= error.is_some_and(|error| !matches!(error, Ok(None)));
    }
}

/// The byte stream of a [`TrackedConnection`].
#[derive(Debug)]
pub(super) struct TrackedStream(pub(super) TrackedConnection);

impl AsyncRead for TrackedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = self.0.with_stream(|stream| stream.poll_read(context, buffer));
        self.0.lock().recent_bytes.push(&buffer.filled()[before..]);
        polled
    }
}

impl AsyncWrite for TrackedStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.0.record_write(self.0.with_stream(|stream| stream.poll_write(context, bytes)))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = self.0.with_stream(|stream| stream.poll_flush(context));
        if matches!(flushed, Poll::Ready(Ok(()))) {
            // hyper flushes after it has written everything it was given.
            let mut state = self.0.lock();
            let mut written = std::mem::take(&mut state.unwritten_deliveries);
            state.written_deliveries.append(&mut written);
            if state.is_answer_complete {
                state.set_stage(ConnectionStage::Idle);
            }
        }
        flushed
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.with_stream(|stream| stream.poll_shutdown(context))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.0.record_write(self.0.with_stream(|stream| stream.poll_write_vectored(context, parts)))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }
}

impl Drop for TrackedStream {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.check_socket_error();
        state.stream = None;
        // Unwritten answers are never delivered.
        state.unwritten_deliveries.clear();
    }
}
