//! Sends spans in the background, on a thread of its own.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use foveal_asking::ProxySettings;
use tokio_util::sync::CancellationToken;

use super::attributes::{self, Beside};
use super::collector::Collector;
use super::ids::Ids;
use super::post::{Refused, Taken, post};
use super::queue::Queue;
use crate::client::{self, Upward};
use crate::exchange::Exchange;

/// How long what still waits may take at the end.
const END_PATIENCE: Duration = Duration::from_secs(1);

/// The pause after the first failure, and the longest.
const PAUSE: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// Makes spans of requests, and sends them to a collector. Nobody waits for that.
pub struct Tracer {
    shared: Arc<Shared>,
    stop: CancellationToken,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What became of spans so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sent {
    /// Spans that the collector took.
    pub taken: u64,
    /// Spans that it did not take, or that could not be sent.
    pub dropped: u64,
}

#[derive(Default)]
struct Shared {
    ids: Ids,
    queue: Queue,
    taken: AtomicU64,
    /// Spans of the request that is under way.
    under_way: AtomicU64,
}

impl Shared {
    fn sent(&self) -> Sent {
        Sent { taken: self.taken.load(Ordering::Relaxed), dropped: self.queue.dropped() }
    }
}

/// Who is told, once, that something is wrong with the collector.
type Complain = Box<dyn FnOnce(String) + Send>;

impl Tracer {
    /// Begins to send to `collector`. `complain` is told of the first failure alone.
    pub fn start(collector: Collector, complain: impl FnOnce(String) + Send + 'static) -> Self {
        let (shared, stop) = (Arc::<Shared>::default(), CancellationToken::new());
        let sending = Sending {
            shared: Arc::clone(&shared),
            stop: stop.clone(),
            collector,
            complain: Some(Box::new(complain)),
        };
        let thread = Mutex::new(Some(std::thread::spawn(move || sending.run())));
        Self { shared, stop, thread }
    }

    /// A request has ended.
    pub fn ended(&self, exchange: &Exchange, beside: Beside<'_>) {
        if let Some(span) = attributes::span(exchange, beside, &self.shared.ids) {
            self.shared.queue.push(span);
        }
    }

    /// What became of spans so far.
    pub fn sent(&self) -> Sent {
        self.shared.sent()
    }

    /// Sends what still waits, which may take a moment and no longer; what became of all spans.
    pub fn finish(&self) -> Sent {
        self.stop.cancel();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Where it panicked, nothing more is sent.
        drop(thread.map(JoinHandle::join));
        self.shared.queue.drop_also(self.shared.under_way.swap(0, Ordering::Relaxed));
        self.shared.queue.clear();
        self.shared.sent()
    }
}

/// What the thread has.
struct Sending {
    shared: Arc<Shared>,
    stop: CancellationToken,
    collector: Collector,
    complain: Option<Complain>,
}

impl Sending {
    fn run(mut self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let (runtime, client) = match (runtime, client::client(None, &ProxySettings::default())) {
            (Ok(runtime), Ok(client)) => (runtime, client),
            (Err(error), _) => return self.complain(&error.to_string()),
            (_, Err(error)) => return self.complain(&error.to_string()),
        };
        let stop = self.stop.clone();
        runtime.block_on(async {
            let over = async {
                stop.cancelled().await;
                tokio::time::sleep(END_PATIENCE).await;
            };
            tokio::select! {
                () = self.send_all(&client) => {}
                () = over => {}
            }
        });
        // A name that is being looked up is not waited for.
        runtime.shutdown_background();
    }

    /// Sends until it is to stop and nothing waits any more, or cannot be sent.
    async fn send_all(&mut self, client: &Upward) {
        let mut failures = 0;
        loop {
            tokio::select! {
                () = self.shared.queue.filled(self.collector.delay) => {}
                () = self.stop.cancelled() => {}
            }
            let stops = self.stop.is_cancelled();
            match self.send(client).await {
                Ok(()) => failures = 0,
                Err(_) if stops => return,
                Err(after) => {
                    failures += 1;
                    // Who says "at once" is asked no sooner either.
                    let pause = after.unwrap_or_default().max(self.pause(failures));
                    tokio::select! {
                        () = tokio::time::sleep(pause) => {}
                        () = self.stop.cancelled() => {}
                    }
                    continue;
                }
            }
            if stops {
                return;
            }
        }
    }

    /// Sends all that waits. An error: it is to be tried again later, after this time where the
    /// collector said one.
    async fn send(&mut self, client: &Upward) -> Result<(), Option<Duration>> {
        let shared = Arc::clone(&self.shared);
        loop {
            let batch = shared.queue.take();
            if batch.is_empty() {
                return Ok(());
            }
            let count = batch.len() as u64;
            shared.under_way.store(count, Ordering::Relaxed);
            let posted = post(client, &self.collector, &batch).await;
            shared.under_way.store(0, Ordering::Relaxed);
            match posted {
                Ok(taken) => self.took(count, &taken),
                Err(Refused::ForNow { why, after }) => {
                    shared.queue.put_back(batch);
                    self.complain(&why);
                    return Err(after);
                }
                Err(Refused::ForGood { why }) => {
                    shared.queue.drop_also(count);
                    self.complain(&why);
                }
            }
        }
    }

    fn took(&mut self, count: u64, taken: &Taken) {
        let rejected = taken.rejected.min(count);
        self.shared.taken.fetch_add(count - rejected, Ordering::Relaxed);
        self.shared.queue.drop_also(rejected);
        if rejected > 0 {
            self.complain(&format!("it did not take {rejected} of {count}: {}", taken.why));
        }
    }

    /// Twice as long after each failure, and a part by chance.
    fn pause(&self, failures: u32) -> Duration {
        let longest = PAUSE.saturating_mul(1 << failures.saturating_sub(1).min(10)).min(PAUSE_MAX);
        let part = (self.shared.ids.number() % 1_000) as f64 / 1e3;
        longest.mul_f64(0.5 + part / 2.0)
    }

    /// Says it, once.
    fn complain(&mut self, why: &str) {
        if let Some(complain) = self.complain.take() {
            complain(format!(
                "traces cannot be sent to {}: {why}; requests go on without them",
                self.collector
            ));
        }
    }
}
