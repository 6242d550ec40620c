//! Keeps caches warm while clients pause: the last request of a conversation goes once more, as it
//! went, shortly before the provider forgets its prompt, and the answer is cut after its first
//! event.
//!
//! For that a request is held in memory with its key, and nowhere else: until its conversation goes
//! on, it pays no longer, anything fails, or the gateway ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use foveal_live::request::About;
use foveal_transcript::Timestamp;
use foveal_wire::Protocol;
use http_body_util::BodyExt;
use hyper::StatusCode;
use hyper::body::Bytes;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use crate::body;
use crate::client::Upward;
use crate::exchange::{End, Exchange, Observer, Purpose};
use crate::head::Head;
use crate::settings::Settings;
use crate::shaper::Shaper;
use crate::told::Told;
use crate::warm::KeepsWarm;

/// Requests that are held at a time, and their bytes; more are not held.
const HELD_MAX: usize = 64;
const HELD_BYTES_MAX: usize = 64 << 20;

/// Conversations of which it is known which request was the last.
const CONVERSATIONS_MAX: usize = 4_096;

/// How long the first event of an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A request as it went.
pub(crate) struct Repeat {
    pub(crate) head: Head,
    pub(crate) body: Bytes,
}

/// Holds requests, and sends them again.
pub(crate) struct Warmer {
    rule: Arc<dyn KeepsWarm>,
    observer: Arc<dyn Observer>,
    shaper: Arc<dyn Shaper>,
    upward: Upward,
    now: fn() -> Timestamp,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    requests: HashMap<String, Holding>,
    bytes: usize,
    /// The number of each conversation's last request.
    last: HashMap<String, u64>,
}

/// A request that is held; no more once this is dropped.
struct Holding {
    number: u64,
    bytes: usize,
    task: AbortHandle,
}

impl Drop for Holding {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Held {
    fn release(&mut self, conversation: &str) {
        if let Some(holding) = self.requests.remove(conversation) {
            self.bytes -= holding.bytes;
        }
    }
}

impl Drop for Warmer {
    fn drop(&mut self) {
        self.end();
    }
}

impl Warmer {
    /// One that does as the settings say; `None` where they say nothing of it.
    pub(crate) fn new(settings: &Settings, upward: &Upward) -> Option<Arc<Self>> {
        Some(Arc::new(Self {
            rule: Arc::clone(settings.keep_warm.as_ref()?),
            observer: Arc::clone(&settings.observer),
            shaper: Arc::clone(&settings.shaper),
            upward: upward.clone(),
            now: settings.now,
            held: Mutex::new(Held::default()),
        }))
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request came: of its conversation nothing is held any longer. Where that is not known, of
    /// none.
    pub(crate) fn came(&self, number: u64, conversation: Option<&str>) {
        let Some(conversation) = conversation else { return self.end() };
        let mut held = self.held();
        held.release(conversation);
        if held.last.len() >= CONVERSATIONS_MAX {
            held.last.clear();
        }
        held.last.insert(conversation.to_owned(), number);
    }

    /// Holds nothing any longer.
    pub(crate) fn end(&self) {
        let mut held = self.held();
        held.requests.clear();
        held.bytes = 0;
    }

    /// An answer has ended: from now on its request is held, if its prompt is in a cache.
    pub(crate) fn hold(self: &Arc<Self>, exchange: &Exchange, repeat: Repeat) {
        let Some(conversation) = exchange.about.conversation.clone() else { return };
        let (number, bytes) = (exchange.number, repeat.body.len());
        if !may_be_held(exchange) || self.rule.after(exchange, 1).is_none() {
            return;
        }
        let Ok(runtime) = Handle::try_current() else { return };
        let mut held = self.held();
        let is_last = held.last.get(&conversation).is_none_or(|last| *last <= number);
        if !is_last || held.requests.len() >= HELD_MAX || held.bytes + bytes > HELD_BYTES_MAX {
            return;
        }
        held.release(&conversation);
        held.bytes += bytes;
        let (warmer, exchange) = (Arc::downgrade(self), exchange.clone());
        let name = conversation.clone();
        let task = runtime.spawn(async move {
            let mut nth = 1;
            // Nothing but the request is held while it waits: the gateway may end meanwhile.
            while let Some(wait) = warmer.upgrade().and_then(|it| it.wait(&exchange, nth)) {
                tokio::time::sleep(wait).await;
                let Some(warmer) = warmer.upgrade() else { return };
                if !warmer.pays(&exchange, nth) || !warmer.refresh(&exchange, &repeat, nth).await {
                    break;
                }
                nth += 1;
            }
            if let Some(warmer) = warmer.upgrade() {
                let mut held = warmer.held();
                if held.requests.get(&name).is_some_and(|holding| holding.number == number) {
                    held.release(&name);
                }
            }
        });
        held.requests.insert(conversation, Holding { number, bytes, task: task.abort_handle() });
    }

    /// How long it is until the next refresh.
    fn wait(&self, exchange: &Exchange, nth: u32) -> Option<Duration> {
        let after = self.rule.after(exchange, nth)?;
        Some(after.saturating_sub(self.since(exchange)))
    }

    /// By the clock of the wall, which goes on while a machine sleeps.
    fn since(&self, exchange: &Exchange) -> Duration {
        let ms = (self.now)().since_ms(exchange.time).max(0);
        Duration::from_millis(ms.unsigned_abs())
    }

    fn pays(&self, exchange: &Exchange, nth: u32) -> bool {
        let Some(after) = self.rule.after(exchange, nth) else { return false };
        self.rule.pays(exchange, nth, self.since(exchange).saturating_sub(after))
    }

    /// Sends a request once more. Whether the provider found its prompt.
    async fn refresh(&self, exchange: &Exchange, repeat: &Repeat, nth: u32) -> bool {
        let about = About {
            conversation: exchange.about.conversation.clone(),
            model: exchange.about.model.clone(),
            messages: exchange.about.messages,
            ..About::default()
        };
        let refresh = Exchange {
            time: (self.now)(),
            refresh: Some(nth),
            parent: None,
            about,
            status: 0,
            answered: None,
            end: End::ClientLeft,
            added: Duration::ZERO,
            bytes_answered: 0,
            ..exchange.clone()
        };
        let mut told = Told::new(
            refresh,
            Instant::now(),
            Arc::clone(&self.observer),
            Arc::clone(&self.shaper),
        );
        let ended = tokio::time::timeout(PATIENCE, self.first_event(repeat, &mut told)).await;
        told.tell(ended.unwrap_or(End::UpstreamBroke));
        let answered = told.exchange().answered.as_ref();
        answered.is_some_and(|it| {
            it.error.is_none() && it.billed.cache_read.is_some_and(|count| count > 0)
        })
    }

    /// Asks, and reads up to the first event. What comes after it is not read: the connection, or
    /// the stream in it, is closed.
    async fn first_event(&self, repeat: &Repeat, told: &mut Told) -> End {
        let Ok(response) = self
            .upward
            .request(repeat.head.clone().request(body::whole(repeat.body.clone())))
            .await
        else {
            return End::Unreached;
        };
        let exchange = told.exchange();
        exchange.status = response.status().as_u16();
        told.exchange().head = told.since();
        told.begins(Protocol::Messages, response.status().as_u16(), response.headers());
        if response.status() != StatusCode::OK {
            return End::Whole;
        }
        let mut body = response.into_body();
        while told.events() == 0 {
            match body.frame().await {
                None => return End::Whole,
                Some(Err(_)) => return End::UpstreamBroke,
                Some(Ok(frame)) => {
                    if let Some(part) = frame.data_ref() {
                        told.passed(part);
                    }
                }
            }
        }
        End::Whole
    }
}

/// Whether a request is the last one of a conversation that is likely to go on, and came through
/// whole. Summaries and what foveal has nothing to do with are inactive. Where all marks are foveal's
/// own, they are set by a rule that knows pauses itself.
fn may_be_held(exchange: &Exchange) -> bool {
    let billed = exchange.answered.as_ref().filter(|it| it.error.is_none()).map(|it| it.billed);
    let cached = billed
        .map_or(0, |billed| billed.cache_read.unwrap_or(0) + billed.cache_write().unwrap_or(0));
    exchange.protocol == Some(Protocol::Messages)
        && exchange.purpose == Purpose::Answer
        && exchange.end == End::Whole
        && exchange.status == StatusCode::OK.as_u16()
        && exchange.failed_open.is_none()
        && exchange.about.inactive.is_none()
        && !(exchange.about.is_unmarked && exchange.about.marks > 0)
        && cached > 0
}
