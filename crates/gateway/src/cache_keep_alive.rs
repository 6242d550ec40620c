//! Cache keep-alive: while a client pauses, the last request of its conversation is repeated
//! unchanged, shortly before the provider's cache entry expires, and the response is cut after its
//! first event.
//!
//! The request is held in memory with its key, and nowhere else: until its conversation continues,
//! the refresh no longer pays, anything fails, or the gateway ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use foveal_protocols::Protocol;
use foveal_proxy::request::RequestReport;
use foveal_transcript::Timestamp;
use http_body_util::BodyExt;
use hyper::StatusCode;
use hyper::body::Bytes;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use crate::body;
use crate::client::HttpClient;
use crate::exchange::{Exchange, ExchangeEnd, ExchangeObserver, Purpose};
use crate::exchange_recorder::ExchangeRecorder;
use crate::keep_alive_policy::KeepAlivePolicy;
use crate::request_head::RequestHead;
use crate::settings::Settings;
use crate::shaper::Shaper;

/// The largest number of held requests, and of their bytes. Further requests are not held.
const HELD_REQUESTS_MAX: usize = 64;
const HELD_BYTES_MAX: usize = 64 << 20;

/// The largest number of conversations whose last request is known.
const CONVERSATIONS_MAX: usize = 4_096;

/// The time-out for the first event of a response.
const FIRST_EVENT_TIMEOUT: Duration = Duration::from_secs(60);

/// A request as it was sent.
pub(crate) struct RepeatableRequest {
    pub(crate) head: RequestHead,
    pub(crate) body: Bytes,
}

/// Holds requests, and repeats them.
pub(crate) struct CacheKeepAlive {
    policy: Arc<dyn KeepAlivePolicy>,
    observer: Arc<dyn ExchangeObserver>,
    shaper: Arc<dyn Shaper>,
    client: HttpClient,
    now: fn() -> Timestamp,
    held: Mutex<HeldRequests>,
}

#[derive(Default)]
struct HeldRequests {
    requests: HashMap<String, HeldRequest>,
    bytes: usize,
    /// The number of each conversation's last request.
    last_numbers: HashMap<String, u64>,
}

/// A held request. Dropping it cancels its repetition.
struct HeldRequest {
    number: u64,
    bytes: usize,
    refresh_task: AbortHandle,
}

impl Drop for HeldRequest {
    fn drop(&mut self) {
        self.refresh_task.abort();
    }
}

impl HeldRequests {
    fn release(&mut self, conversation: &str) {
        if let Some(holding) = self.requests.remove(conversation) {
            self.bytes -= holding.bytes;
        }
    }
}

impl Drop for CacheKeepAlive {
    fn drop(&mut self) {
        self.release_all();
    }
}

impl CacheKeepAlive {
    /// Creates it by the settings; `None` if they have no keep-alive policy.
    pub(crate) fn new(settings: &Settings, upward: &HttpClient) -> Option<Arc<Self>> {
        Some(Arc::new(Self {
            policy: Arc::clone(settings.keep_alive.as_ref()?),
            observer: Arc::clone(&settings.observer),
            shaper: Arc::clone(&settings.shaper),
            client: upward.clone(),
            now: settings.now,
            held: Mutex::new(HeldRequests::default()),
        }))
    }

    fn lock_held(&self) -> MutexGuard<'_, HeldRequests> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a new request: the held request of its conversation is released, or all of them if the
    /// conversation is unknown.
    pub(crate) fn note_request(&self, number: u64, conversation: Option<&str>) {
        let Some(conversation) = conversation else { return self.release_all() };
        let mut held = self.lock_held();
        held.release(conversation);
        if held.last_numbers.len() >= CONVERSATIONS_MAX {
            held.last_numbers.clear();
        }
        held.last_numbers.insert(conversation.to_owned(), number);
    }

    /// Releases all held requests.
    pub(crate) fn release_all(&self) {
        let mut held = self.lock_held();
        held.requests.clear();
        held.bytes = 0;
    }

    /// Holds the request of an exchange that has ended, if its prompt is cached.
    pub(crate) fn hold_request(self: &Arc<Self>, exchange: &Exchange, repeat: RepeatableRequest) {
        let Some(conversation) = exchange.report.conversation.clone() else { return };
        let (number, bytes) = (exchange.number, repeat.body.len());
        if !is_refreshable(exchange) || self.policy.refresh_delay(exchange, 1).is_none() {
            return;
        }
        let Ok(runtime) = Handle::try_current() else { return };
        let mut held = self.lock_held();
        let is_last = held.last_numbers.get(&conversation).is_none_or(|last| *last <= number);
        if !is_last
            || held.requests.len() >= HELD_REQUESTS_MAX
            || held.bytes + bytes > HELD_BYTES_MAX
        {
            return;
        }
        held.release(&conversation);
        held.bytes += bytes;
        let (warmer, exchange) = (Arc::downgrade(self), exchange.clone());
        let name = conversation.clone();
        let task = runtime.spawn(async move {
            let mut nth = 1;
            // Only the request is held while it waits, so that the gateway can end meanwhile.
            while let Some(wait) =
                warmer.upgrade().and_then(|it| it.time_to_refresh(&exchange, nth))
            {
                tokio::time::sleep(wait).await;
                let Some(warmer) = warmer.upgrade() else { return };
                if !warmer.is_worthwhile(&exchange, nth)
                    || !warmer.refresh(&exchange, &repeat, nth).await
                {
                    break;
                }
                nth += 1;
            }
            if let Some(warmer) = warmer.upgrade() {
                let mut held = warmer.lock_held();
                if held.requests.get(&name).is_some_and(|holding| holding.number == number) {
                    held.release(&name);
                }
            }
        });
        held.requests
            .insert(conversation, HeldRequest { number, bytes, refresh_task: task.abort_handle() });
    }

    /// Returns the time until the next refresh.
    fn time_to_refresh(&self, exchange: &Exchange, nth: u32) -> Option<Duration> {
        let after = self.policy.refresh_delay(exchange, nth)?;
        Some(after.saturating_sub(self.elapsed(exchange)))
    }

    /// Returns the time since the request by the wall clock, which continues while the machine
    /// sleeps.
    fn elapsed(&self, exchange: &Exchange) -> Duration {
        let ms = (self.now)().since_ms(exchange.time).max(0);
        Duration::from_millis(ms.unsigned_abs())
    }

    fn is_worthwhile(&self, exchange: &Exchange, nth: u32) -> bool {
        let Some(after) = self.policy.refresh_delay(exchange, nth) else { return false };
        self.policy.is_worthwhile(exchange, nth, self.elapsed(exchange).saturating_sub(after))
    }

    /// Repeats a request. Returns whether the provider found its prompt in the cache.
    async fn refresh(&self, exchange: &Exchange, repeat: &RepeatableRequest, nth: u32) -> bool {
        let about = RequestReport {
            conversation: exchange.report.conversation.clone(),
            model: exchange.report.model.clone(),
            messages: exchange.report.messages,
            ..RequestReport::default()
        };
        let refresh = Exchange {
            time: (self.now)(),
            refresh: Some(nth),
            parent: None,
            report: about,
            status: 0,
            response: None,
            end: ExchangeEnd::ClientDisconnected,
            added_latency: Duration::ZERO,
            response_bytes: 0,
            ..exchange.clone()
        };
        let mut told = ExchangeRecorder::new(
            refresh,
            Instant::now(),
            Arc::clone(&self.observer),
            Arc::clone(&self.shaper),
        );
        let ended =
            tokio::time::timeout(FIRST_EVENT_TIMEOUT, self.read_first_event(repeat, &mut told))
                .await;
        told.finish(ended.unwrap_or(ExchangeEnd::UpstreamAborted));
        let answered = told.exchange_mut().response.as_ref();
        answered.is_some_and(|it| {
            it.error.is_none() && it.billed.cache_read.is_some_and(|count| count > 0)
        })
    }

    /// Sends the request, and reads the response up to its first event. Afterwards the connection,
    /// or the HTTP/2 stream, is closed.
    async fn read_first_event(
        &self,
        repeat: &RepeatableRequest,
        told: &mut ExchangeRecorder,
    ) -> ExchangeEnd {
        let Ok(response) = self
            .client
            .request(repeat.head.clone().into_request(body::full_body(repeat.body.clone())))
            .await
        else {
            return ExchangeEnd::UpstreamUnreachable;
        };
        let exchange = told.exchange_mut();
        exchange.status = response.status().as_u16();
        told.exchange_mut().time_to_head = told.elapsed();
        told.begin_response(Protocol::Messages, response.status().as_u16(), response.headers());
        if response.status() != StatusCode::OK {
            return ExchangeEnd::Complete;
        }
        let mut body = response.into_body();
        while told.event_count() == 0 {
            match body.frame().await {
                None => return ExchangeEnd::Complete,
                Some(Err(_)) => return ExchangeEnd::UpstreamAborted,
                Some(Ok(frame)) => {
                    if let Some(part) = frame.data_ref() {
                        told.record_chunk(part);
                    }
                }
            }
        }
        ExchangeEnd::Complete
    }
}

/// Returns whether a request succeeded completely, and its conversation is likely to continue.
/// Summaries and unshaped requests are excluded. So are requests whose breakpoints are all foveal's
/// own, because the policy for these accounts for pauses itself.
fn is_refreshable(exchange: &Exchange) -> bool {
    let billed = exchange.response.as_ref().filter(|it| it.error.is_none()).map(|it| it.billed);
    let cached = billed.map_or(0, |billed| {
        billed.cache_read.unwrap_or(0) + billed.cache_write_tokens().unwrap_or(0)
    });
    exchange.protocol == Some(Protocol::Messages)
        && exchange.purpose == Purpose::Answer
        && exchange.end == ExchangeEnd::Complete
        && exchange.status == StatusCode::OK.as_u16()
        && exchange.failed_open.is_none()
        && exchange.report.inactive_reason.is_none()
        && !(exchange.report.lacks_breakpoints && exchange.report.breakpoints > 0)
        && cached > 0
}
