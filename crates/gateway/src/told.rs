//! What is known of a request while its answer passes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use foveal_wire::Protocol;
use foveal_wire::response::{AnswerReader, ContextOverflow};
use hyper::header::{CONTENT_TYPE, HeaderMap};

use crate::activity::ActiveRequest;
use crate::decoding::Decoding;
use crate::exchange::{Answered, End, Exchange, Observer};
use crate::shaper::Shaper;

/// What is done once an answer has passed.
pub(crate) type Then = Box<dyn FnOnce(&Exchange) + Send + Sync>;

/// A request whose answer passes. Its observer is told once, also when this is dropped before.
pub(crate) struct Told {
    exchange: Exchange,
    began: Instant,
    observer: Arc<dyn Observer>,
    /// Learns of windows and counts from what is billed and refused.
    shaper: Arc<dyn Shaper>,
    /// Reads what an answer of a model was billed, while it passes.
    reading: Option<(Decoding, AnswerReader)>,
    /// What is done once a stream of events has passed, or broke off.
    then: Option<Then>,
    is_told: bool,
    /// The connection is at work as long as this is here.
    request: Option<ActiveRequest>,
}

impl Told {
    pub(crate) fn new(
        exchange: Exchange,
        began: Instant,
        observer: Arc<dyn Observer>,
        shaper: Arc<dyn Shaper>,
    ) -> Self {
        let (reading, then, request) = (None, None, None);
        Self { exchange, began, observer, shaper, reading, then, is_told: false, request }
    }

    /// The request is under way until its answer has passed.
    pub(crate) fn holds(&mut self, request: ActiveRequest) {
        self.request = Some(request);
    }

    /// Notes whether the body of the request is to come.
    pub(crate) fn awaits_body(&mut self, awaits_body: bool) {
        if let Some(request) = &mut self.request {
            request.set_awaits_body(awaits_body);
        }
    }

    /// What is known so far.
    pub(crate) fn exchange(&mut self) -> &mut Exchange {
        &mut self.exchange
    }

    /// How long it is since the request came.
    pub(crate) fn since(&self) -> Duration {
        self.began.elapsed()
    }

    /// Does this once a stream of events has passed, or broke off.
    pub(crate) fn then(&mut self, then: Then) {
        self.then = Some(then);
    }

    /// How many events of a stream have passed.
    pub(crate) fn events(&self) -> u64 {
        self.reading.as_ref().map_or(0, |(_, reader)| reader.events())
    }

    /// An answer of a model begins, with this head.
    pub(crate) fn begins(&mut self, protocol: Protocol, status: u16, headers: &HeaderMap) {
        let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        self.reading = Some((Decoding::of(headers), AnswerReader::new(protocol, kind, status)));
    }

    /// A part of the answer passed. A panic of who reads it costs no more than the bill.
    pub(crate) fn passed(&mut self, part: &[u8]) {
        if let Some((mut decoding, mut reader)) = self.reading.take() {
            let read = catch_unwind(AssertUnwindSafe(|| {
                decoding.push(part, |plain| reader.push(plain));
                (decoding, reader)
            }));
            self.reading = read.ok();
        }
        self.exchange.bytes_answered += part.len() as u64;
    }

    /// Tells that it has ended. Only the first time counts.
    pub(crate) fn tell(&mut self, end: End) {
        if std::mem::replace(&mut self.is_told, true) {
            return;
        }
        self.exchange.end = end;
        let is_stream = self.events() > 0;
        let read = self.reading.take().map(|(_, reader)| reader);
        let answer =
            read.and_then(|reader| catch_unwind(AssertUnwindSafe(|| reader.finish())).ok());
        if let Some(answer) = answer {
            let error = answer.error.as_ref();
            let overflow = error.and_then(|it| ContextOverflow::parse(self.exchange.status, it));
            self.exchange.answered = Some(Answered {
                overflow,
                billed: answer.billed,
                model: answer.model,
                stop_reason: answer.stop_reason,
                error: answer.error.and_then(|error| error.kind),
            });
        }
        self.exchange.whole = self.began.elapsed();
        // A fault of ours costs no more than what was to be learnt.
        drop(catch_unwind(AssertUnwindSafe(|| self.shaper.learn(&self.exchange))));
        self.observer.ended(&self.exchange);
        if let Some(then) = self.then.take().filter(|_| is_stream) {
            then(&self.exchange);
        }
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        self.tell(End::ClientLeft);
    }
}
