//! Exports spans on a background thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use foveal_providers::ProxySettings;
use tokio_util::sync::CancellationToken;

use super::attributes::{self, SpanDetails};
use super::collector::TraceCollector;
use super::export::{ExportError, ExportOutcome, export_spans};
use super::ids::IdGenerator;
use super::queue::SpanQueue;
use crate::client::{self, HttpClient};
use crate::exchange::Exchange;

/// The time for the last export at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// The pause after the first failure, and the longest pause.
const BACKOFF_MIN: Duration = Duration::from_secs(1);
const BACKOFF_MAX: Duration = Duration::from_secs(60);

/// Makes spans of exchanges, and exports them to a collector in the background.
pub struct Tracer {
    shared: Arc<TracerState>,
    stop: CancellationToken,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The counts of spans so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExportStats {
    /// Spans that the collector accepted.
    pub exported: u64,
    /// Spans that it rejected, or that could not be sent.
    pub dropped: u64,
}

#[derive(Default)]
struct TracerState {
    ids: IdGenerator,
    queue: SpanQueue,
    exported: AtomicU64,
    /// Spans of the current export request.
    under_way: AtomicU64,
}

impl TracerState {
    fn stats(&self) -> ExportStats {
        ExportStats {
            exported: self.exported.load(Ordering::Relaxed),
            dropped: self.queue.dropped_count(),
        }
    }
}

/// Called once, at the first failure.
type FailureCallback = Box<dyn FnOnce(String) + Send>;

impl Tracer {
    /// Starts to export to `collector`. Calls `complain` with the first failure only.
    pub fn start(
        collector: TraceCollector,
        complain: impl FnOnce(String) + Send + 'static,
    ) -> Self {
        let (shared, stop) = (Arc::<TracerState>::default(), CancellationToken::new());
        let sending = ExportTask {
            shared: Arc::clone(&shared),
            stop: stop.clone(),
            collector,
            on_failure: Some(Box::new(complain)),
        };
        let thread = Mutex::new(Some(std::thread::spawn(move || sending.run())));
        Self { shared, stop, thread }
    }

    /// Records the span of an exchange that has ended.
    pub fn record_exchange(&self, exchange: &Exchange, beside: SpanDetails<'_>) {
        if let Some(span) = attributes::build_span(exchange, beside, &self.shared.ids) {
            self.shared.queue.push(span);
        }
    }

    /// Returns the counts of spans so far.
    pub fn stats(&self) -> ExportStats {
        self.shared.stats()
    }

    /// Exports the waiting spans, for a second at most. Returns the final counts.
    pub fn finish(&self) -> ExportStats {
        self.stop.cancel();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        // After a panic of the thread nothing more is sent.
        drop(thread.map(JoinHandle::join));
        self.shared.queue.count_dropped(self.shared.under_way.swap(0, Ordering::Relaxed));
        self.shared.queue.drop_all();
        self.shared.stats()
    }
}

/// The state of the export thread.
struct ExportTask {
    shared: Arc<TracerState>,
    stop: CancellationToken,
    collector: TraceCollector,
    on_failure: Option<FailureCallback>,
}

impl ExportTask {
    fn run(mut self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let (runtime, client) =
            match (runtime, client::build_http_client(None, &ProxySettings::default())) {
                (Ok(runtime), Ok(client)) => (runtime, client),
                (Err(error), _) => return self.report_failure(&error.to_string()),
                (_, Err(error)) => return self.report_failure(&error.to_string()),
            };
        let stop = self.stop.clone();
        runtime.block_on(async {
            let over = async {
                stop.cancelled().await;
                tokio::time::sleep(SHUTDOWN_TIMEOUT).await;
            };
            tokio::select! {
                () = self.export_until_stopped(&client) => {}
                () = over => {}
            }
        });
        // A pending name resolution is not waited for.
        runtime.shutdown_background();
    }

    /// Exports until the task is stopped and the queue is empty, or an export fails.
    async fn export_until_stopped(&mut self, client: &HttpClient) {
        let mut failures = 0;
        loop {
            tokio::select! {
                () = self.shared.queue.wait_for_batch(self.collector.batch_delay) => {}
                () = self.stop.cancelled() => {}
            }
            let stops = self.stop.is_cancelled();
            match self.export_queued(client).await {
                Ok(()) => failures = 0,
                Err(_) if stops => return,
                Err(after) => {
                    failures += 1;
                    // A `retry-after` of 0 does not shorten the back-off.
                    let pause = after.unwrap_or_default().max(self.backoff(failures));
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

    /// Exports all waiting spans. An error means to retry later, after the contained time if the
    /// collector named one.
    async fn export_queued(&mut self, client: &HttpClient) -> Result<(), Option<Duration>> {
        let shared = Arc::clone(&self.shared);
        loop {
            let batch = shared.queue.take_batch();
            if batch.is_empty() {
                return Ok(());
            }
            let count = batch.len() as u64;
            shared.under_way.store(count, Ordering::Relaxed);
            let posted = export_spans(client, &self.collector, &batch).await;
            shared.under_way.store(0, Ordering::Relaxed);
            match posted {
                Ok(taken) => self.count_exported(count, &taken),
                Err(ExportError::Retryable { why, after }) => {
                    shared.queue.requeue(batch);
                    self.report_failure(&why);
                    return Err(after);
                }
                Err(ExportError::Permanent { why }) => {
                    shared.queue.count_dropped(count);
                    self.report_failure(&why);
                }
            }
        }
    }

    fn count_exported(&mut self, count: u64, taken: &ExportOutcome) {
        let rejected = taken.rejected.min(count);
        self.shared.exported.fetch_add(count - rejected, Ordering::Relaxed);
        self.shared.queue.count_dropped(rejected);
        if rejected > 0 {
            self.report_failure(&format!("it rejected {rejected} of {count}: {}", taken.why));
        }
    }

    /// Returns the back-off: it doubles with each failure, and a random part is subtracted.
    fn backoff(&self, failures: u32) -> Duration {
        let longest =
            BACKOFF_MIN.saturating_mul(1 << failures.saturating_sub(1).min(10)).min(BACKOFF_MAX);
        let part = (self.shared.ids.next_number() % 1_000) as f64 / 1e3;
        longest.mul_f64(0.5 + part / 2.0)
    }

    /// Reports the first failure.
    fn report_failure(&mut self, why: &str) {
        if let Some(complain) = self.on_failure.take() {
            complain(format!(
                "cannot send traces to {}: {why}; requests are not affected",
                self.collector
            ));
        }
    }
}
