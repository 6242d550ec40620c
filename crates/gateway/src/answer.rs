//! The body of an answer: passed on as it comes, counted, and told of at its end.

use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};

use crate::body::Broken;
use crate::exchange::End;
use crate::told::Told;

/// What passes of an upstream's answer. However it ends, that is told: once its last byte is
/// handed over, when the upstream breaks off, and when the client has left and this is dropped.
pub(crate) struct Answer {
    body: Incoming,
    told: Told,
}

impl Answer {
    pub(crate) fn new(body: Incoming, mut told: Told) -> Self {
        if body.is_end_stream() {
            told.tell(End::Whole);
        }
        Self { body, told }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        match &polled {
            Poll::Pending => {}
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(part) = frame.data_ref() {
                    self.told.passed(part);
                }
                if self.body.is_end_stream() {
                    self.told.tell(End::Whole);
                }
            }
            Poll::Ready(Some(Err(_))) => self.told.tell(End::UpstreamBroke),
            Poll::Ready(None) => self.told.tell(End::Whole),
        }
        polled.map(|frame| frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
