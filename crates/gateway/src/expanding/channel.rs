//! A body that is written by a task.

use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame};
use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::body::Broken;

/// What a task writes its body to. It waits as long as the client does not read; once that has left
/// nothing can be written.
pub(super) type Writing = Sender<Result<Bytes, Broken>>;

/// The body.
pub(super) struct Written(Receiver<Result<Bytes, Broken>>);

/// A body and its end for who writes it: one part at a time.
pub(super) fn channel() -> (Writing, Written) {
    let (writing, written) = mpsc::channel(1);
    (writing, Written(written))
}

impl Body for Written {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let polled = self.0.poll_recv(context);
        polled.map(|part| part.map(|part| part.map(Frame::data)))
    }
}
