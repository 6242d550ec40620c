//! The body of a response, watched for the answer to its request.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::line::{Line, Stage};
use crate::passage::Passage;

/// The body of a response. Once the answer is handed over to the connection, that is to say
/// whether it was delivered.
pub(super) struct AnswerBody {
    body: BoxBody<Bytes, Infallible>,
    passage: Passage,
    line: Line,
}

impl AnswerBody {
    pub(super) fn new(body: BoxBody<Bytes, Infallible>, passage: Passage, line: Line) -> Self {
        Self { body, passage, line }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if matches!(polled, Poll::Ready(None)) {
            self.line.enter(Stage::Idle);
        }
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && frame.data_ref().is_some_and(|bytes| is_answer(bytes))
            && let Some(delivery) = self.passage.take_delivery()
        {
            self.line.send(delivery);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        self.line.enter(Stage::Idle);
    }
}

/// What tells the answer to a request from other messages that come before it.
#[derive(Deserialize)]
struct Message {
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// Whether the bytes are the answer to a request, alone or as an event.
fn is_answer(bytes: &[u8]) -> bool {
    let event = bytes.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"data:"));
    serde_json::from_slice(event.unwrap_or(bytes))
        .is_ok_and(|Message { result, error }| result.is_some() || error.is_some())
}
