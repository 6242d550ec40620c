//! The request log of a gateway: lines for the terminal or for programs, traces, and totals.

use std::fs::File;
use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use foveal_gateway::cost_ledger::BillingContext;
use foveal_gateway::exchange::{Exchange, ExchangeEnd};
use foveal_gateway::gateway_totals::GatewayTotals;
use foveal_gateway::request_logger::{LogEntry, RequestLogThread, RequestLogger};
use foveal_gateway::request_record::GatewayRequest;
use foveal_pricing::tokens::Tokens;
use foveal_screen::escape_one_line;
use foveal_store::Store;
use foveal_tools::settings::{COLLECT_EVERY_MS, RETENTION_LIMITS};
use foveal_transcript::Timestamp;

use super::request_tracer::RequestTracer;
use crate::environment::Environment;
use crate::numbers;
use crate::output;

/// Minimum time between two lines on refused requests, in milliseconds. Refusals in between are
/// only counted, since any program on this machine can cause them.
const REFUSAL_LINE_INTERVAL_MS: i64 = 1_000;

/// Minimum time between two checks whether the store exceeds its limits, in milliseconds.
const COLLECTION_CHECK_INTERVAL_MS: i64 = COLLECT_EVERY_MS / 2;

/// The request log of a running gateway: the parts that outlive it.
pub(crate) struct RequestLog {
    thread: RequestLogThread,
    tracer: Option<Arc<RequestTracer>>,
    totals: Arc<Mutex<GatewayTotals>>,
}

impl RequestLog {
    /// Starts a log that writes to `store`, to `lines`, and to the trace collector if there is one.
    pub(crate) fn start(
        store: Arc<dyn Store>,
        lines: RequestLogOutput,
        tracer: Option<RequestTracer>,
        billing: BillingContext,
    ) -> (RequestLogger, Self) {
        let (tracer, totals) = (tracer.map(Arc::new), Arc::<Mutex<GatewayTotals>>::default());
        let mut writer = RequestLogWriter {
            lines,
            tracer: tracer.clone(),
            totals: Arc::clone(&totals),
            store: Arc::clone(&store),
            refusals: RefusalThrottle::default(),
            last_collection: None,
        };
        let spans = tracer.as_ref().map(|tracer| tracer.spans());
        let write = Box::new(move |entry: LogEntry<'_>| {
            writer.write(entry);
        });
        let (logger, thread) = RequestLogger::start(store, billing, spans, write);
        (logger, Self { thread, tracer, totals })
    }

    /// Waits until everything is written, and returns the totals. Drop the [`RequestLogger`] first.
    pub(crate) fn finish(self) -> GatewayTotals {
        self.thread.finish();
        if let Some(tracer) = self.tracer {
            tracer.finish();
        }
        *self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes the entries of the request log: lines, traces and totals.
struct RequestLogWriter {
    lines: RequestLogOutput,
    tracer: Option<Arc<RequestTracer>>,
    totals: Arc<Mutex<GatewayTotals>>,
    store: Arc<dyn Store>,
    refusals: RefusalThrottle,
    /// The time of the last check of the store's limits.
    last_collection: Option<Timestamp>,
}

impl RequestLogWriter {
    /// Writes an entry.
    fn write(&mut self, entry: LogEntry<'_>) {
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        match entry {
            LogEntry::Refusal { time, line } => {
                totals.add_refused();
                if let Some(line) = self.refusals.due_line(time, line) {
                    self.lines.write_refused(&line);
                }
            }
            LogEntry::Request { exchange, request } => {
                totals.add_exchange(exchange, request);
                drop(totals);
                self.lines.write_request(exchange, request);
                if let Some(tracer) = &self.tracer {
                    tracer.trace_request(exchange, request);
                }
                self.collect_garbage_if_due(exchange.time);
            }
        }
    }

    /// Removes the oldest contents of the store if it exceeds its limits.
    fn collect_garbage_if_due(&mut self, now: Timestamp) {
        let is_early =
            |last: Timestamp| (0..COLLECTION_CHECK_INTERVAL_MS).contains(&(now.0 - last.0));
        if !self.last_collection.is_some_and(is_early) {
            self.last_collection = Some(now);
            // A failed collection is repeated at the next check.
            drop(self.store.collect_garbage_if_due(RETENTION_LIMITS, COLLECT_EVERY_MS, now));
        }
    }
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
            more => format!("{line} (and {} more before)", numbers::format_count(more)),
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
            ", {} ({})",
            numbers::format_dollars(cost),
            numbers::describe_saving(without - cost)
        )
    });
    let added = exchange.added_latency.as_secs_f64() * 1e3;
    let mut line =
        format!("{conversation} {model} {tokens}{cached}{cost} +{added:.1} ms {}", exchange.status);
    let end = match exchange.end {
        ExchangeEnd::Complete | ExchangeEnd::AnsweredLocally => None,
        ExchangeEnd::UpstreamAborted => Some("the upstream closed the connection early"),
        ExchangeEnd::ClientDisconnected => Some("the client disconnected"),
        ExchangeEnd::UpstreamUnreachable => Some("the upstream was unreachable"),
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
    let cost = cost.unwrap_or_else(|| "cost unknown".to_owned());
    format!(
        "{:>5} {conversation} kept warm, refresh {nth}: {cost} {}",
        exchange.number, exchange.status
    )
}
