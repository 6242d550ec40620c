//! Records an exchange while its response passes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use foveal_protocols::Protocol;
use foveal_protocols::response::{AnswerReader, ContextOverflow};
use hyper::header::{CONTENT_TYPE, HeaderMap};

use crate::connection_activity::ActiveRequest;
use crate::content_decoder::ContentDecoder;
use crate::exchange::{Exchange, ExchangeEnd, ExchangeObserver, ResponseSummary};
use crate::shaper::Shaper;

/// Called after an event stream.
pub(crate) type StreamEndCallback = Box<dyn FnOnce(&Exchange) + Send + Sync>;

/// An exchange under way. Its observer is called once, also if this is dropped early.
pub(crate) struct ExchangeRecorder {
    exchange: Exchange,
    began: Instant,
    observer: Arc<dyn ExchangeObserver>,
    /// Learns windows and token counts from usage and refusals.
    shaper: Arc<dyn Shaper>,
    /// Reads the usage of a model's response while it passes.
    response_reader: Option<(ContentDecoder, AnswerReader)>,
    /// Called when an event stream has ended or broken off.
    on_stream_end: Option<StreamEndCallback>,
    is_finished: bool,
    /// Marks the connection as active.
    active_request: Option<ActiveRequest>,
}

impl ExchangeRecorder {
    pub(crate) fn new(
        exchange: Exchange,
        began: Instant,
        observer: Arc<dyn ExchangeObserver>,
        shaper: Arc<dyn Shaper>,
    ) -> Self {
        let (response_reader, on_stream_end, active_request) = (None, None, None);
        Self {
            exchange,
            began,
            observer,
            shaper,
            response_reader,
            on_stream_end,
            is_finished: false,
            active_request,
        }
    }

    /// Keeps the connection active until the response has passed.
    pub(crate) fn attach_request(&mut self, request: ActiveRequest) {
        self.active_request = Some(request);
    }

    /// Sets whether the body of the request has yet to arrive.
    pub(crate) fn set_awaits_body(&mut self, awaits_body: bool) {
        if let Some(request) = &mut self.active_request {
            request.set_awaits_body(awaits_body);
        }
    }

    /// Returns the facts recorded so far.
    pub(crate) fn exchange_mut(&mut self) -> &mut Exchange {
        &mut self.exchange
    }

    /// Returns the time since the request arrived.
    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Sets the function that is called when an event stream has ended or broken off.
    pub(crate) fn set_on_stream_end(&mut self, then: StreamEndCallback) {
        self.on_stream_end = Some(then);
    }

    /// Returns the number of events that have passed.
    pub(crate) fn event_count(&self) -> u64 {
        self.response_reader.as_ref().map_or(0, |(_, reader)| reader.event_count())
    }

    /// Begins to read a model's response with this head.
    pub(crate) fn begin_response(&mut self, protocol: Protocol, status: u16, headers: &HeaderMap) {
        let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        self.response_reader = Some((
            ContentDecoder::from_headers(headers),
            AnswerReader::new(protocol, kind, status),
        ));
    }

    /// Records a chunk of the response. If its reader panics, only the usage is lost.
    pub(crate) fn record_chunk(&mut self, part: &[u8]) {
        if let Some((mut decoding, mut reader)) = self.response_reader.take() {
            let read = catch_unwind(AssertUnwindSafe(|| {
                decoding.decode(part, |plain| reader.push(plain));
                (decoding, reader)
            }));
            self.response_reader = read.ok();
        }
        self.exchange.response_bytes += part.len() as u64;
    }

    /// Reports the exchange to its observer. Only the first call has an effect.
    pub(crate) fn finish(&mut self, end: ExchangeEnd) {
        if std::mem::replace(&mut self.is_finished, true) {
            return;
        }
        self.exchange.end = end;
        let is_stream = self.event_count() > 0;
        let read = self.response_reader.take().map(|(_, reader)| reader);
        let answer =
            read.and_then(|reader| catch_unwind(AssertUnwindSafe(|| reader.finish())).ok());
        if let Some(answer) = answer {
            let error = answer.error.as_ref();
            let overflow = error.and_then(|it| ContextOverflow::parse(self.exchange.status, it));
            self.exchange.response = Some(ResponseSummary {
                overflow,
                billed: answer.billed,
                model: answer.model,
                stop_reason: answer.stop_reason,
                error: answer.error.and_then(|error| error.kind),
            });
        }
        self.exchange.duration = self.began.elapsed();
        // A panic costs only the learnt limits.
        drop(catch_unwind(AssertUnwindSafe(|| self.shaper.learn(&self.exchange))));
        self.observer.on_exchange(&self.exchange);
        if let Some(then) = self.on_stream_end.take().filter(|_| is_stream) {
            then(&self.exchange);
        }
    }
}

impl Drop for ExchangeRecorder {
    fn drop(&mut self) {
        self.finish(ExchangeEnd::ClientDisconnected);
    }
}
