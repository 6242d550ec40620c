//! A stream that reports its reads to an observer.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// An observer of a stream.
pub trait ReadObserver<S>: Unpin {
    /// Called with the bytes of each read, or `Pending` if none are available. At the end of the
    /// stream, the bytes are empty.
    ///
    /// # Errors
    /// The error replaces the result of the read, which ends the connection.
    fn on_read(&mut self, read: Poll<&[u8]>, context: &mut Context<'_>) -> io::Result<()>;

    /// Returns whether the stream may tell the remote side that nothing more follows.
    fn allows_shutdown(&self) -> bool {
        true
    }

    /// Called before the stream is closed.
    fn on_close(&mut self, _stream: &S) {}
}

/// A stream with an observer. It otherwise behaves like the inner stream.
#[derive(Debug)]
pub struct InspectedStream<S, E: ReadObserver<S>> {
    stream: S,
    ear: E,
}

impl<S, E: ReadObserver<S>> InspectedStream<S, E> {
    /// Attaches `ear` to `stream`.
    pub fn new(stream: S, ear: E) -> Self {
        Self { stream, ear }
    }
}

impl<S, E: ReadObserver<S>> Drop for InspectedStream<S, E> {
    fn drop(&mut self) {
        self.ear.on_close(&self.stream);
    }
}

impl<S: AsyncRead + Unpin, E: ReadObserver<S>> AsyncRead for InspectedStream<S, E> {
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
        match self.ear.on_read(read, context) {
            Ok(()) => polled,
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}

impl<S: AsyncWrite + Unpin, E: ReadObserver<S>> AsyncWrite for InspectedStream<S, E> {
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
        match self.ear.allows_shutdown() {
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
