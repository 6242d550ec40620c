//! One connection over TCP: what it waits for, and what of the answers that go over it is known
//! to be delivered.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use foveal_tools::session::Delivery;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::read_last::ReadLast;

/// What a connection is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// It has no request, or only a part of its head.
    Idle,
    /// The body of a request is to come.
    Body,
    /// A request is answered.
    Working,
    /// A stream is open on which a client listens for what the server may say.
    Listening,
}

/// One connection.
#[derive(Debug, Clone)]
pub(super) struct Line(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    /// `None`: it has ended.
    stream: Option<TcpStream>,
    has_failed: bool,
    stage: Stage,
    since: Instant,
    /// Whether it is idle once everything is written.
    is_answered: bool,
    /// Since when the client takes nothing of what is to be written.
    stuck_since: Option<Instant>,
    read_last: ReadLast,
    /// Answers that are about to be written.
    unwritten: Vec<Delivery>,
    /// Answers that the system took to the last byte. Whether the client did shows where the
    /// connection fails.
    written: Vec<Delivery>,
}

impl Line {
    pub(super) fn new(stream: TcpStream) -> Self {
        let (unwritten, written) = (Vec::new(), Vec::new());
        let state = State {
            stream: Some(stream),
            has_failed: false,
            stage: Stage::Idle,
            since: Instant::now(),
            is_answered: false,
            stuck_since: None,
            read_last: ReadLast::default(),
            unwritten,
            written,
        };
        Self(Arc::new(Mutex::new(state)))
    }

    /// It is at something else now.
    pub(super) fn enter(&self, stage: Stage) {
        self.lock().enter(stage);
    }

    /// All of an answer is handed over: once it is written, too, the connection is idle.
    pub(super) fn answer_ends(&self) {
        self.lock().is_answered = true;
    }

    /// What it is at, and since when.
    pub(super) fn stage(&self) -> (Stage, Instant) {
        let state = self.lock();
        (state.stage, state.since)
    }

    /// For how long the client has taken nothing of what is to be written.
    pub(super) fn stuck_for(&self) -> Duration {
        self.lock().stuck_since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// The bytes that were read since this was last asked, as far as they are kept: the head of
    /// the request that has just come is among them.
    pub(super) fn take_read(&self) -> Vec<u8> {
        self.lock().read_last.take()
    }

    /// Whether there are answers of which it is not yet told whether they were delivered.
    pub(super) fn has_untold(&self) -> bool {
        !self.lock().written.is_empty()
    }

    /// The bytes of the answer are handed over to be written.
    pub(super) fn send(&self, delivery: Delivery) {
        self.lock().unwritten.push(delivery);
    }

    /// Tells of the answers that were delivered by now.
    pub(super) fn tell_delivered(&self) {
        let mut state = self.lock();
        let written = std::mem::take(&mut state.written);
        if !written.is_empty() {
            state.look_for_failure();
        }
        if !state.has_failed {
            written.into_iter().for_each(Delivery::delivered);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes whether the client takes what is written.
    fn note_progress(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        let mut state = self.lock();
        state.stuck_since = match written {
            Poll::Pending => Some(state.stuck_since.unwrap_or_else(Instant::now)),
            Poll::Ready(_) => None,
        };
        written
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
    fn enter(&mut self, stage: Stage) {
        (self.stage, self.since, self.is_answered) = (stage, Instant::now(), false);
    }

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
        let before = buffer.filled().len();
        let polled = self.0.with(|stream| stream.poll_read(context, buffer));
        self.0.lock().read_last.add(&buffer.filled()[before..]);
        polled
    }
}

impl AsyncWrite for LineStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.0.note_progress(self.0.with(|stream| stream.poll_write(context, bytes)))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = self.0.with(|stream| stream.poll_flush(context));
        if matches!(flushed, Poll::Ready(Ok(()))) {
            // Called once everything was written that was handed over.
            let mut state = self.0.lock();
            let mut written = std::mem::take(&mut state.unwritten);
            state.written.append(&mut written);
            if state.is_answered {
                state.enter(Stage::Idle);
            }
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
        self.0.note_progress(self.0.with(|stream| stream.poll_write_vectored(context, parts)))
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
