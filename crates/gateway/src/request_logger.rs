//! The log of requests: each is priced, counted, stored and handed on to be written.
//!
//! The gateway's threads only queue events; one thread of the log handles them.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use foveal_store::Store;
use foveal_transcript::Timestamp;

use crate::cost_ledger::{BillingContext, CostLedger};
use crate::exchange::{Exchange, ExchangeObserver, RefusedRequest};
use crate::metrics::Metrics;
use crate::request_record::{GatewayRequest, ShapedResults, gateway_request};
use crate::traces::Tracer;

/// Events that the queue holds at most. Further requests are counted as unlogged, so that answers
/// never wait for the log.
const LOG_QUEUE_MAX: usize = 4_096;

/// Characters of a refused request's method and path that are kept.
const REFUSED_CHARS_MAX: usize = 100;

/// Queues finished and refused requests for the thread that handles the log.
pub struct RequestLogger {
    events: SyncSender<LogEvent>,
    metrics: Arc<Mutex<Metrics>>,
    tracer: Option<Arc<Tracer>>,
}

/// An event for the log.
enum LogEvent {
    /// A request has ended. Boxed because the queue reserves space for all its events.
    Ended(Box<Exchange>),
    /// A request was refused: its time, and a line about it.
    Refused(Timestamp, String),
}

/// An event that is written to the log.
#[derive(Debug, Clone, Copy)]
pub enum LogEntry<'a> {
    /// A request has ended.
    Request {
        /// The request and its response.
        exchange: &'a Exchange,
        /// Its record, which is stored after this.
        request: &'a GatewayRequest,
    },
    /// A request was refused.
    Refusal {
        /// The time of its arrival.
        time: Timestamp,
        /// The method, the path, the status and the reason.
        line: &'a str,
    },
}

/// Writes the entries of the log.
pub type LogWriter = Box<dyn FnMut(LogEntry<'_>) + Send>;

/// The thread that handles the log.
pub struct RequestLogThread(JoinHandle<()>);

impl RequestLogger {
    /// Starts the log. It stores requests in `store`, and calls `write` for each entry. `tracer` is
    /// only asked for its counts.
    pub fn start(
        store: Arc<dyn Store>,
        billing: BillingContext,
        tracer: Option<Arc<Tracer>>,
        write: LogWriter,
    ) -> (Self, RequestLogThread) {
        let (events, received) = sync_channel(LOG_QUEUE_MAX);
        let metrics = Arc::new(Mutex::new(Metrics::default()));
        let counted = Arc::clone(&metrics);
        let thread = std::thread::spawn(move || {
            if let Some(keep_alive) = &billing.keep_alive {
                keep_alive.learn_from_store(&store);
            }
            let ledger = CostLedger::new(store).with_billing(billing);
            handle_events(&received, ledger, &counted, write);
        });
        (Self { events, metrics, tracer }, RequestLogThread(thread))
    }
}

impl RequestLogThread {
    /// Waits until all queued events are handled. Drop the [`RequestLogger`] first: the thread ends
    /// when its queue is closed.
    pub fn finish(self) {
        // If the thread panicked, nothing more is written.
        drop(self.0.join());
    }
}

impl ExchangeObserver for RequestLogger {
    fn on_exchange(&self, exchange: &Exchange) {
        match self.events.try_send(LogEvent::Ended(Box::new(exchange.clone()))) {
            Ok(()) => {}
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                lock_metrics(&self.metrics).count_unlogged();
            }
        }
    }

    fn on_refusal(&self, refused: &RefusedRequest<'_>) {
        let cut = |text: &str| text.chars().take(REFUSED_CHARS_MAX).collect::<String>();
        let (method, path) = (cut(refused.method), cut(refused.path));
        let line = format!("{method} {path} refused, {}: {}", refused.status, refused.reason);
        // Refusals may be dropped when the queue is full.
        drop(self.events.try_send(LogEvent::Refused(refused.time, line)));
    }

    fn metrics(&self) -> Option<String> {
        let traces = self.tracer.as_ref().map(|tracer| tracer.stats());
        Some(lock_metrics(&self.metrics).render(traces))
    }
}

fn lock_metrics(metrics: &Mutex<Metrics>) -> MutexGuard<'_, Metrics> {
    metrics.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Handles events until all senders are gone.
fn handle_events(
    events: &Receiver<LogEvent>,
    mut ledger: CostLedger,
    metrics: &Mutex<Metrics>,
    mut write: LogWriter,
) {
    while let Ok(event) = events.recv() {
        let exchange = match event {
            LogEvent::Ended(exchange) => exchange,
            LogEvent::Refused(time, line) => {
                write(LogEntry::Refusal { time, line: &line });
                continue;
            }
        };
        let charge = ledger.charge_exchange(&exchange);
        lock_metrics(metrics).count_exchange(&exchange, charge.as_ref());
        let mut request = gateway_request(&exchange, charge);
        request.of_conversation = ledger.next_request_number(&request);
        write(LogEntry::Request { exchange: &exchange, request: &request });
        ledger.store_request(&request, ShapedResults::from(&exchange.report));
    }
}
