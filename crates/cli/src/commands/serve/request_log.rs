//! The log of requests: a line for the terminal or for programs, a record in the store, and
//! counters.
//!
//! The gateway's threads only queue events; one thread of the log writes them.

use std::fs::File;
use std::io::Write as _;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use foveal_engine::tokens::Tokens;
use foveal_gateway::exchange::{Exchange, ExchangeEnd, ExchangeObserver, Purpose, RefusedRequest};
use foveal_proxy::request::PrefixDivergence;
use foveal_screen::escape_one_line;
use foveal_store::Store;
use foveal_tools::settings::{COLLECT_EVERY_MS, RETENTION_LIMITS};
use foveal_transcript::Timestamp;
use foveal_wire::response::BilledUsage;

use super::billing_context::BillingContext;
use super::cost_ledger::{CostLedger, RequestCharge};
use super::gateway_totals::GatewayTotals;
use super::metrics::Metrics;
use super::request_tracer::RequestTracer;
use crate::environment::Environment;
use crate::gateway_requests::{
    ClientChange, GatewayRequest, NonModelRequest, ReportedUsage, ShapedResults,
};
use crate::numbers;
use crate::output;

/// Events that the queue holds at most. Further requests are counted as unlogged, so that answers
/// never wait for the log.
const LOG_QUEUE_MAX: usize = 4_096;

/// Minimum time between two lines on refused requests, in milliseconds. Refusals in between are
/// only counted, since any program on this machine can cause them.
const REFUSAL_LINE_INTERVAL_MS: i64 = 1_000;

/// Queues finished and refused requests for the thread that writes the log.
pub(crate) struct RequestLogger {
    events: SyncSender<LogEvent>,
    metrics: Arc<Mutex<Metrics>>,
    tracer: Option<Arc<RequestTracer>>,
}

/// An event for the log.
enum LogEvent {
    /// A request has ended. Boxed because the queue reserves space for all its events.
    Ended(Box<Exchange>),
    /// A request was refused.
    Refused { time: Timestamp, status: u16, method: String, path: String, reason: String },
}

/// The thread that writes the log.
pub(crate) struct RequestLogThread(JoinHandle<GatewayTotals>);

impl RequestLogger {
    /// Starts the log: it writes to `store`, to `lines`, and to the trace collector if there is
    /// one.
    pub(crate) fn start(
        store: Arc<dyn Store>,
        lines: RequestLogOutput,
        traced: Option<RequestTracer>,
        learners: BillingContext,
    ) -> (Self, RequestLogThread) {
        let (teller, told) = sync_channel(LOG_QUEUE_MAX);
        let metrics = Arc::new(Mutex::new(Metrics::default()));
        let counted = Arc::clone(&metrics);
        let traced = traced.map(Arc::new);
        let traces = traced.clone();
        let writing = std::thread::spawn(move || {
            let books = CostLedger::new(Arc::clone(&store)).with_billing(learners.clone());
            if let Some(warmth) = learners.keep_alive {
                warmth.learn_from_store(&store);
            }
            let totals = write_events(&told, &store, books, &counted, lines, traces.as_deref());
            if let Some(traces) = traces {
                traces.finish();
            }
            totals
        });
        (Self { events: teller, metrics, tracer: traced }, RequestLogThread(writing))
    }
}

impl RequestLogThread {
    /// Waits until all queued events are written, and returns the totals. Drop the
    /// [`RequestLogger`] first: the thread ends when its queue is closed.
    pub(crate) fn finish(self) -> GatewayTotals {
        // If the thread panicked, there are no totals.
        self.0.join().unwrap_or_default()
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
        let (time, status, reason) = (refused.time, refused.status, refused.reason.to_owned());
        // Refusals may be dropped when the queue is full.
        drop(self.events.try_send(LogEvent::Refused { time, status, method, path, reason }));
    }

    fn metrics(&self) -> Option<String> {
        Some(
            lock_metrics(&self.metrics)
                .render(self.tracer.as_ref().map(|traced| traced.span_counts())),
        )
    }
}

fn lock_metrics(metrics: &Mutex<Metrics>) -> std::sync::MutexGuard<'_, Metrics> {
    metrics.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The destination and format of the log's lines.
#[derive(Debug)]
pub(crate) enum RequestLogOutput {
    Off,
    /// One readable line for each request, at the terminal.
    Text,
    /// One JSON object for each request, on standard output.
    Json,
    /// JSON lines in a file.
    File(File),
}

impl RequestLogOutput {
    /// Returns the output for standard output: JSON if `as_json`, text if it is a terminal, else
    /// none.
    pub(super) fn for_stdout(as_json: bool, environment: &Environment) -> Self {
        match (as_json, environment.terminal.output) {
            (true, _) => Self::Json,
            (false, true) => Self::Text,
            (false, false) => Self::Off,
        }
    }

    /// Writes a line on a refused request in text output. JSON output has none: programs count the
    /// answers themselves.
    fn write_refused(&mut self, line: &str) {
        if matches!(self, Self::Text) {
            drop(output::print(format!("{}\n", escape_one_line(line))));
        }
    }

    /// Writes the line of a finished request. Errors are ignored: the gateway keeps serving when
    /// the reader of its output is gone.
    fn write_request(&mut self, exchange: &Exchange, request: &GatewayRequest) {
        let as_json = || serde_json::to_string(request).unwrap_or_default() + "\n";
        match self {
            Self::Off => {}
            Self::Text => {
                let line = request_line(exchange, request);
                drop(output::print(format!("{}\n", escape_one_line(&line))));
            }
            Self::Json => drop(output::print_raw(&as_json())),
            Self::File(file) => drop(file.write_all(as_json().as_bytes())),
        }
    }
}

/// Characters of a refused request's method and path that its line shows.
const REFUSED_CHARS_MAX: usize = 100;

/// Minimum time between two checks whether the store exceeds its limits, in milliseconds.
const COLLECTION_CHECK_INTERVAL_MS: i64 = COLLECT_EVERY_MS / 2;

/// Writes events until all senders are gone, and returns the totals.
fn write_events(
    told: &Receiver<LogEvent>,
    store: &Arc<dyn Store>,
    mut books: CostLedger,
    metrics: &Mutex<Metrics>,
    mut lines: RequestLogOutput,
    traced: Option<&RequestTracer>,
) -> GatewayTotals {
    let mut looked: Option<Timestamp> = None;
    let (mut totals, mut refusals) = (GatewayTotals::default(), RefusalThrottle::default());
    while let Ok(event) = told.recv() {
        let exchange = match event {
            LogEvent::Ended(exchange) => exchange,
            LogEvent::Refused { time, status, method, path, reason } => {
                totals.add_refused();
                let line = format!("{method} {path} refused, {status}: {reason}");
                if let Some(line) = refusals.due_line(time, &line) {
                    lines.write_refused(&line);
                }
                continue;
            }
        };
        let charged = books.charge_exchange(&exchange);
        lock_metrics(metrics).count_exchange(&exchange, charged.as_ref());
        let mut request = gateway_request(&exchange, charged);
        request.of_conversation = books.next_request_number(&request);
        totals.add_exchange(&exchange, &request);
        lines.write_request(&exchange, &request);
        if let Some(traced) = traced {
            traced.trace_request(&exchange, &request);
        }
        let is_early = |last: Timestamp| {
            (0..COLLECTION_CHECK_INTERVAL_MS).contains(&(exchange.time.0 - last.0))
        };
        if !looked.is_some_and(is_early) {
            looked = Some(exchange.time);
            // A failed collection is repeated at the next check.
            drop(store.collect_garbage_if_due(RETENTION_LIMITS, COLLECT_EVERY_MS, exchange.time));
        }
        books.store_request(&request, ShapedResults::from(&exchange.report));
    }
    totals
}

/// Limits the lines on refused requests to one per [`REFUSAL_LINE_INTERVAL_MS`].
#[derive(Debug, Default)]
struct RefusalThrottle {
    last: Option<Timestamp>,
    suppressed: u64,
}

impl RefusalThrottle {
    /// Returns the line for a request that was refused at `time`, with the number of refusals since
    /// the last line, or `None` if it is too early for a line.
    fn due_line(&mut self, time: Timestamp, line: &str) -> Option<String> {
        let is_early = |last: Timestamp| {
            (0..REFUSAL_LINE_INTERVAL_MS).contains(&time.0.saturating_sub(last.0))
        };
        if self.last.is_some_and(is_early) {
            self.suppressed += 1;
            return None;
        }
        self.last = Some(time);
        Some(match std::mem::take(&mut self.suppressed) {
            0 => line.to_owned(),
            more => format!("{line} (and {} before)", numbers::format_count(more)),
        })
    }
}

/// Returns the text line of a request: conversation, model, tokens before and after shaping, cost,
/// added latency, status, and remarks.
fn request_line(exchange: &Exchange, request: &GatewayRequest) -> String {
    let about = &exchange.report;
    if let Some(nth) = exchange.refresh {
        return refresh_line(exchange, request, nth);
    }
    let model = about.model.as_deref().unwrap_or("-");
    // In the form that `foveal show NAME --request N` takes.
    let conversation = match (request.storage_name(), request.of_conversation) {
        (Some(name), number) => format!("{name} #{number}"),
        (None, _) => "-".to_owned(),
    };
    let (asked, sent) = (about.tokens_received, about.tokens_sent);
    let tokens = if asked == 0 {
        format!("{} bytes", numbers::format_count(exchange.bytes_received))
    } else {
        let saved = numbers::format_percent_change(sent as f64 / asked as f64 - 1.0);
        let [asked, sent] = [asked, sent].map(|count| numbers::format_tokens(Tokens(count)));
        format!("{asked} -> {sent} ({saved})")
    };
    let cached = exchange.response.as_ref().and_then(|answered| answered.billed.cache_read);
    let cached = cached.map_or_else(String::new, |count| {
        format!(", {} cached", numbers::format_tokens(Tokens(count)))
    });
    let cost = request.billed_and_baseline_dollars().map_or_else(String::new, |(cost, without)| {
        format!(
            ", {} (saved {})",
            numbers::format_dollars(cost),
            numbers::format_signed_dollars(without - cost)
        )
    });
    let added = exchange.added_latency.as_secs_f64() * 1e3;
    let mut line =
        format!("{conversation} {model} {tokens}{cached}{cost} +{added:.1} ms {}", exchange.status);
    let end = match exchange.end {
        ExchangeEnd::Complete | ExchangeEnd::AnsweredLocally => None,
        ExchangeEnd::UpstreamAborted => Some("the upstream broke off"),
        ExchangeEnd::ClientDisconnected => Some("the client left"),
        ExchangeEnd::UpstreamUnreachable => Some("the upstream was not reached"),
    };
    let failed = exchange.failed_open.map(|failed| failed.description());
    let inactive = about.inactive_reason.as_deref().map(|why| format!("inactive: {why}"));
    let rewrite = about.rewrite.map(|why| format!("rewrite: {why}"));
    let changed = request
        .changed
        .as_ref()
        .map(|changed| format!("the client changed: {}", changed.describe()));
    let beside = request.beside.map(|beside| beside.list_label().to_owned());
    let end = end.map(str::to_owned);
    let remarks = [beside, end, failed.map(str::to_owned), inactive, rewrite, changed];
    for remark in remarks.into_iter().flatten() {
        line.push_str(" · ");
        line.push_str(&remark);
    }
    line
}

/// Returns the text line of a keep-alive request.
fn refresh_line(exchange: &Exchange, request: &GatewayRequest, nth: u32) -> String {
    let conversation = exchange.report.conversation.as_deref().unwrap_or("-");
    let cost = request.bill.map(|bill| numbers::format_dollars(bill.dollars()));
    let cost = cost.unwrap_or_else(|| "not told".to_owned());
    format!(
        "{:>5} {conversation} kept warm, refresh {nth}: {cost} {}",
        exchange.number, exchange.status
    )
}

fn reported_usage(billed: &BilledUsage) -> ReportedUsage {
    ReportedUsage {
        uncached: billed.uncached,
        cache_read: billed.cache_read,
        cache_write_5m: billed.cache_write_5m,
        cache_write_1h: billed.cache_write_1h,
        output: billed.output,
        reasoning: billed.reasoning,
        cost: billed.cost,
    }
}

fn client_change(departed: &PrefixDivergence) -> ClientChange {
    let is_message = departed.bytes_before.is_some();
    ClientChange {
        what: departed.changed.label().to_owned(),
        message: is_message.then_some(departed.messages + 1),
        bytes: departed.bytes.as_ref().map(|bytes| (bytes.start as u64, bytes.end as u64)),
        bytes_before: departed.bytes_before,
    }
}

/// The status with which the gateway refuses a WebSocket.
const UPGRADE_REQUIRED: u16 = 426;

/// Returns the kind of a request that asks no model for an answer.
fn non_model_request(exchange: &Exchange) -> Option<NonModelRequest> {
    match exchange.purpose {
        Purpose::Count => Some(NonModelRequest::TokenCount),
        Purpose::WebSocket if exchange.status == UPGRADE_REQUIRED => {
            Some(NonModelRequest::RefusedWebsocket)
        }
        Purpose::WebSocket | Purpose::Answer | Purpose::Other => None,
    }
}

/// Returns the record of a request for the store and for JSON output. Its number within the
/// conversation is still 0.
pub(super) fn gateway_request(
    exchange: &Exchange,
    charged: Option<RequestCharge>,
) -> GatewayRequest {
    let about = &exchange.report;
    let answered = exchange.response.as_ref();
    let ms = |duration: std::time::Duration| (duration.as_secs_f64() * 1e5).round() / 1e2;
    let priced = charged.as_ref().map(|charged| charged.priced);
    GatewayRequest {
        request: exchange.number,
        time: exchange.time.0,
        protocol: exchange.protocol.map(|protocol| protocol.name().to_owned()),
        refresh: exchange.refresh,
        upstream: exchange.upstream.clone(),
        beside: non_model_request(exchange),
        of_conversation: 0,
        conversation: about.conversation.clone(),
        model: about.model.clone(),
        messages: about.messages,
        tokens_asked: about.tokens_received,
        tokens_sent: about.tokens_sent,
        bytes_asked: exchange.bytes_received,
        bytes_sent: exchange.bytes_sent,
        bytes_answered: exchange.response_bytes,
        marks: about.breakpoints,
        status: exchange.status,
        end: format!("{:?}", exchange.end),
        failed_open: exchange.failed_open.map(|failed| failed.description().to_owned()),
        inactive: about.inactive_reason.clone(),
        rewrite: about.rewrite.map(str::to_owned),
        changed: about.divergence.as_ref().map(client_change),
        billed: answered.map(|answered| reported_usage(&answered.billed)),
        bill: priced.map(|priced| priced.billed),
        without: priced.map(|priced| priced.otherwise),
        prices: charged.map(|charged| charged.prices),
        model_answered: answered.and_then(|answered| answered.model.clone()),
        stop_reason: answered.and_then(|answered| answered.stop_reason.clone()),
        error: answered.and_then(|answered| answered.error.clone()),
        added_ms: ms(exchange.added_latency),
        head_ms: ms(exchange.time_to_head),
        whole_ms: ms(exchange.duration),
    }
}
