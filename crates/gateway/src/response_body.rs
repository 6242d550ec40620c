//! The body of an upstream response: passed on as it arrives, counted, and recorded at its end.

use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};

use crate::body::BodyStreamError;
use crate::exchange::ExchangeEnd;
use crate::exchange_recorder::ExchangeRecorder;

/// The body of an upstream response. Every end is recorded: when the last byte is handed over, when
/// the upstream breaks off, and when this is dropped because the client has disconnected.
pub(crate) struct ObservedResponseBody {
    body: Incoming,
    recorder: ExchangeRecorder,
}

impl ObservedResponseBody {
    pub(crate) fn new(body: Incoming, mut recorder: ExchangeRecorder) -> Self {
        if body.is_end_stream() {
            recorder.finish(ExchangeEnd::Complete);
        }
        Self { body, recorder }
    }
}

impl Body for ObservedResponseBody {
    type Data = Bytes;
    type Error = BodyStreamError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyStreamError>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        match &polled {
            Poll::Pending => {}
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(part) = frame.data_ref() {
                    self.recorder.record_chunk(part);
                }
                if self.body.is_end_stream() {
                    self.recorder.finish(ExchangeEnd::Complete);
                }
            }
            Poll::Ready(Some(Err(_))) => self.recorder.finish(ExchangeEnd::UpstreamAborted),
            Poll::Ready(None) => self.recorder.finish(ExchangeEnd::Complete),
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
