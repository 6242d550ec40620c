//! A response body that detects the answer to its request.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::tracked_connection::TrackedConnection;
use crate::delivery_tracker::DeliveryTracker;

/// A response body. When it yields the answer, it hands the delivery to the connection, which
/// confirms it.
pub(super) struct AnswerBody {
    /// `None` once it has ended.
    body: Option<BoxBody<Bytes, Infallible>>,
    has_one_answer: bool,
    passage: DeliveryTracker,
    line: TrackedConnection,
}

impl AnswerBody {
    /// With `has_one_answer`, the body ends with the answer, so that both are written together: a
    /// client that closes after reading the answer would otherwise look as if it had not read it.
    pub(super) fn new(
        body: BoxBody<Bytes, Infallible>,
        has_one_answer: bool,
        passage: DeliveryTracker,
        line: TrackedConnection,
    ) -> Self {
        Self { body: Some(body), has_one_answer, passage, line }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some(body) = self.body.as_mut() else { return Poll::Ready(None) };
        let polled = Pin::new(body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && frame.data_ref().is_some_and(|bytes| is_answer(bytes))
        {
            if let Some(delivery) = self.passage.take_delivery() {
                self.line.add_delivery(delivery);
            }
            if self.has_one_answer {
                self.body = None;
            }
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or(SizeHint::with_exact(0), Body::size_hint)
    }
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        self.line.complete_answer();
    }
}

/// Distinguishes the answer to a request from other messages before it.
#[derive(Deserialize)]
struct AnswerEnvelope {
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// Returns whether the bytes are the answer to a request, alone or as a server-sent event.
fn is_answer(bytes: &[u8]) -> bool {
    let event = bytes.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"data:"));
    serde_json::from_slice(event.unwrap_or(bytes))
        .is_ok_and(|AnswerEnvelope { result, error }| result.is_some() || error.is_some())
}

#[cfg(test)]
mod tests;
