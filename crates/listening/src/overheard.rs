//! A stream that somebody listens in on.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Who listens in on a stream.
pub trait Ear<S>: Unpin {
    /// These bytes were read, or there are none yet. Nothing is read at the end.
    ///
    /// # Errors
    /// What is to stand in place of what was read: the connection ends with it.
    fn heard(&mut self, read: Poll<&[u8]>, context: &mut Context<'_>) -> io::Result<()>;

    /// Whether the other side may be told that nothing more comes.
    fn may_shut_down(&self) -> bool {
        true
    }

    /// The stream is about to be closed.
    fn closes(&mut self, _stream: &S) {}
}

/// A stream with somebody who listens in on it. Otherwise it is that stream.
#[derive(Debug)]
pub struct Overheard<S, E: Ear<S>> {
    stream: S,
    ear: E,
}

impl<S, E: Ear<S>> Overheard<S, E> {
    /// Has `ear` listen in on `stream`.
    pub fn new(stream: S, ear: E) -> Self {
        Self { stream, ear }
    }
}

impl<S, E: Ear<S>> Drop for Overheard<S, E> {
    fn drop(&mut self) {
        self.ear.closes(&self.stream);
    }
}

impl<S: AsyncRead + Unpin, E: Ear<S>> AsyncRead for Overheard<S, E> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        let read = match polled {
            Poll::Ready(_) => Poll::Ready(&buffer.filled()[before..]),
            Poll::Pending => Poll::Pending,
        };
        match self.ear.heard(read, context) {
            Ok(()) => polled,
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}

impl<S: AsyncWrite + Unpin, E: Ear<S>> AsyncWrite for Overheard<S, E> {
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
        match self.ear.may_shut_down() {
            true => Pin::new(&mut self.stream).poll_shutdown(context),
            false => Poll::Ready(Ok(())),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
