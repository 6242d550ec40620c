//! What is told of each request: a line for who watches, a record for later, and counts.

use std::fs::File;
use std::io::Write as _;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use foveal_context::tokens::Tokens;
use foveal_gateway::exchange::{End, Exchange, Observer, Purpose, RefusedRequest};
use foveal_live::request::Departed;
use foveal_screen::in_one_line;
use foveal_store::Store;
use foveal_tools::settings::{COLLECT_EVERY_MS, KEPT};
use foveal_transcript::Timestamp;
use foveal_wire::response::Billed;

use super::books::{Books, Charged};
use super::learners::Learners;
use super::metrics::Metrics;
use super::totals::Totals;
use super::traced::Traced;
use crate::environment::Environment;
use crate::numbers;
use crate::output;
use crate::requests::{Beside, Change, Request, ShapedResults, Usage};

/// Requests that wait to be told of, at most. More are not told of: answers never wait for that.
const WAITING_MAX: usize = 4_096;

/// How long after a line on a refused request the next one may come, in milliseconds. Those between
/// are counted: anybody on this machine can make such requests.
const REFUSED_EVERY_MS: i64 = 1_000;

/// Passes on what it is told to a thread that writes it down.
pub(crate) struct Teller {
    told: SyncSender<Event>,
    metrics: Arc<Mutex<Metrics>>,
    traced: Option<Arc<Traced>>,
}

/// What is written down.
enum Event {
    /// A request has ended. Boxed: the channel keeps room for all that may wait.
    Ended(Box<Exchange>),
    /// A request was refused.
    Refused { time: Timestamp, status: u16, method: String, path: String, reason: String },
}

/// The thread that writes down.
pub(crate) struct Telling(JoinHandle<Totals>);

impl Teller {
    /// Begins to write down: in the store, for who watches, and for who collects traces.
    pub(crate) fn start(
        store: Arc<dyn Store>,
        lines: Lines,
        traced: Option<Traced>,
        learners: Learners,
    ) -> (Self, Telling) {
        let (teller, told) = sync_channel(WAITING_MAX);
        let metrics = Arc::new(Mutex::new(Metrics::default()));
        let counted = Arc::clone(&metrics);
        let traced = traced.map(Arc::new);
        let traces = traced.clone();
        let writing = std::thread::spawn(move || {
            let books = Books::new(Arc::clone(&store)).with_learners(learners.clone());
            if let Some(warmth) = learners.warmth {
                warmth.recall(&store);
            }
            let totals = write_down(&told, (&store, books), &counted, (lines, traces.as_deref()));
            if let Some(traces) = traces {
                traces.finish();
            }
            totals
        });
        (Self { told: teller, metrics, traced }, Telling(writing))
    }
}

impl Telling {
    /// Waits until all is written down that its teller was told, and returns what it comes to. The
    /// teller has to be gone by then.
    pub(crate) fn finish(self) -> Totals {
        // Where it panicked, nothing more is to be written.
        self.0.join().unwrap_or_default()
    }
}

impl Observer for Teller {
    fn ended(&self, exchange: &Exchange) {
        match self.told.try_send(Event::Ended(Box::new(exchange.clone()))) {
            Ok(()) => {}
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                lock(&self.metrics).lost();
            }
        }
    }

    fn refused(&self, refused: &RefusedRequest<'_>) {
        let cut = |text: &str| text.chars().take(REFUSED_CHARS_MAX).collect::<String>();
        let (method, path) = (cut(refused.method), cut(refused.path));
        let (time, status, reason) = (refused.time, refused.status, refused.reason.to_owned());
        // Where too many wait, it is not told of.
        drop(self.told.try_send(Event::Refused { time, status, method, path, reason }));
    }

    fn metrics(&self) -> Option<String> {
        Some(lock(&self.metrics).render(self.traced.as_ref().map(|traced| traced.sent())))
    }
}

fn lock(metrics: &Mutex<Metrics>) -> std::sync::MutexGuard<'_, Metrics> {
    metrics.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Who watches.
#[derive(Debug)]
pub(crate) enum Lines {
    None,
    Person,
    Json,
    /// Whoever reads a file later: the same as for programs.
    File(File),
}

impl Lines {
    /// On standard output.
    pub(super) fn printed(as_json: bool, environment: &Environment) -> Self {
        match (as_json, environment.terminal.output) {
            (true, _) => Self::Json,
            (false, true) => Self::Person,
            (false, false) => Self::None,
        }
    }

    /// Tells a person of a request that was refused. Programs count answers themselves.
    fn write_refused(&mut self, line: &str) {
        if matches!(self, Self::Person) {
            drop(output::print(format!("{}\n", in_one_line(line))));
        }
    }

    /// Whoever watches has gone where this fails; serving goes on.
    fn write(&mut self, exchange: &Exchange, request: &Request) {
        let as_json = || serde_json::to_string(request).unwrap_or_default() + "\n";
        match self {
            Self::None => {}
            Self::Person => {
                let line = line(exchange, request);
                drop(output::print(format!("{}\n", in_one_line(&line))));
            }
            Self::Json => drop(output::print_exactly(&as_json())),
            Self::File(file) => drop(file.write_all(as_json().as_bytes())),
        }
    }
}

/// Characters of a refused request's method and path that are shown.
const REFUSED_CHARS_MAX: usize = 100;

/// How often it is looked whether the store holds more than it should, in milliseconds.
const LOOK_EVERY_MS: i64 = COLLECT_EVERY_MS / 2;

/// Writes down until nobody tells anything any more, and returns what it comes to.
fn write_down(
    told: &Receiver<Event>,
    (store, mut books): (&Arc<dyn Store>, Books),
    metrics: &Mutex<Metrics>,
    (mut lines, traced): (Lines, Option<&Traced>),
) -> Totals {
    let mut looked: Option<Timestamp> = None;
    let (mut totals, mut refusals) = (Totals::default(), RefusalLines::default());
    while let Ok(event) = told.recv() {
        let exchange = match event {
            Event::Ended(exchange) => exchange,
            Event::Refused { time, status, method, path, reason } => {
                totals.add_refused();
                let line = format!("{method} {path} refused, {status}: {reason}");
                if let Some(line) = refusals.line(time, &line) {
                    lines.write_refused(&line);
                }
                continue;
            }
        };
        let charged = books.charge(&exchange);
        lock(metrics).count(&exchange, charged.as_ref());
        let mut request = request(&exchange, charged);
        request.of_conversation = books.number(&request);
        totals.add(&exchange, &request);
        lines.write(&exchange, &request);
        if let Some(traced) = traced {
            traced.ended(&exchange, &request);
        }
        let is_early = |last: Timestamp| (0..LOOK_EVERY_MS).contains(&(exchange.time.0 - last.0));
        if !looked.is_some_and(is_early) {
            looked = Some(exchange.time);
            // What cannot be removed now is removed the next time.
            drop(store.collect_if_due(KEPT, COLLECT_EVERY_MS, exchange.time));
        }
        books.keep(&request, ShapedResults::from(&exchange.about));
    }
    totals
}

/// Lines on refused requests, no more than one in a while.
#[derive(Debug, Default)]
struct RefusalLines {
    last: Option<Timestamp>,
    unshown: u64,
}

impl RefusalLines {
    /// The line for a request that was refused at `time`, if one is due.
    fn line(&mut self, time: Timestamp, line: &str) -> Option<String> {
        let is_early =
            |last: Timestamp| (0..REFUSED_EVERY_MS).contains(&time.0.saturating_sub(last.0));
        if self.last.is_some_and(is_early) {
            self.unshown += 1;
            return None;
        }
        self.last = Some(time);
        Some(match std::mem::take(&mut self.unshown) {
            0 => line.to_owned(),
            more => format!("{line} (and {} before)", numbers::count(more)),
        })
    }
}

/// One request in a line: which conversation and model, what came and what went, what it cost and
/// took.
fn line(exchange: &Exchange, request: &Request) -> String {
    let about = &exchange.about;
    if let Some(nth) = exchange.refresh {
        return refresh_line(exchange, request, nth);
    }
    let model = about.model.as_deref().unwrap_or("-");
    // As `foveal show NAME --request N` takes them.
    let conversation = match (request.kept_under(), request.of_conversation) {
        (Some(name), number) => format!("{name} #{number}"),
        (None, _) => "-".to_owned(),
    };
    let (asked, sent) = (about.tokens_asked, about.tokens_sent);
    let tokens = if asked == 0 {
        format!("{} bytes", numbers::count(exchange.bytes_asked))
    } else {
        let saved = numbers::change(sent as f64 / asked as f64 - 1.0);
        let [asked, sent] = [asked, sent].map(|count| numbers::tokens(Tokens(count)));
        format!("{asked} -> {sent} ({saved})")
    };
    let cached = exchange.answered.as_ref().and_then(|answered| answered.billed.cache_read);
    let cached = cached
        .map_or_else(String::new, |count| format!(", {} cached", numbers::tokens(Tokens(count))));
    let cost = request.dollars().map_or_else(String::new, |(cost, without)| {
        format!(", {} (saved {})", numbers::dollars(cost), numbers::signed_dollars(without - cost))
    });
    let added = exchange.added.as_secs_f64() * 1e3;
    let mut line =
        format!("{conversation} {model} {tokens}{cached}{cost} +{added:.1} ms {}", exchange.status);
    let end = match exchange.end {
        End::Whole | End::Own => None,
        End::UpstreamBroke => Some("the upstream broke off"),
        End::ClientLeft => Some("the client left"),
        End::Unreached => Some("the upstream was not reached"),
    };
    let failed = exchange.failed_open.map(|failed| failed.words());
    let inactive = about.inactive.as_deref().map(|why| format!("inactive: {why}"));
    let rewrite = about.rewrite.map(|why| format!("rewrite: {why}"));
    let changed =
        request.changed.as_ref().map(|changed| format!("the client changed: {}", changed.words()));
    let beside = request.beside.map(|beside| beside.words().to_owned());
    let end = end.map(str::to_owned);
    let remarks = [beside, end, failed.map(str::to_owned), inactive, rewrite, changed];
    for remark in remarks.into_iter().flatten() {
        line.push_str(" · ");
        line.push_str(&remark);
    }
    line
}

/// A refresh in a line.
fn refresh_line(exchange: &Exchange, request: &Request, nth: u32) -> String {
    let conversation = exchange.about.conversation.as_deref().unwrap_or("-");
    let cost = request.bill.map(|bill| numbers::dollars(bill.dollars()));
    let cost = cost.unwrap_or_else(|| "not told".to_owned());
    format!(
        "{:>5} {conversation} kept warm, refresh {nth}: {cost} {}",
        exchange.number, exchange.status
    )
}

fn usage(billed: &Billed) -> Usage {
    Usage {
        uncached: billed.uncached,
        cache_read: billed.cache_read,
        cache_write_5m: billed.cache_write_5m,
        cache_write_1h: billed.cache_write_1h,
        output: billed.output,
        reasoning: billed.reasoning,
        cost: billed.cost,
    }
}

fn change(departed: &Departed) -> Change {
    let is_message = departed.bytes_before.is_some();
    Change {
        what: departed.changed.words().to_owned(),
        message: is_message.then_some(departed.messages + 1),
        bytes: departed.bytes.as_ref().map(|bytes| (bytes.start as u64, bytes.end as u64)),
        bytes_before: departed.bytes_before,
    }
}

/// The status with which the gateway refuses a WebSocket.
const UPGRADE_REQUIRED: u16 = 426;

/// What a request is that asks no model for an answer.
fn beside(exchange: &Exchange) -> Option<Beside> {
    match exchange.purpose {
        Purpose::Count => Some(Beside::TokenCount),
        Purpose::WebSocket if exchange.status == UPGRADE_REQUIRED => Some(Beside::RefusedWebsocket),
        Purpose::WebSocket | Purpose::Answer | Purpose::Other => None,
    }
}

/// The same to keep, and for programs.
pub(super) fn request(exchange: &Exchange, charged: Option<Charged>) -> Request {
    let about = &exchange.about;
    let answered = exchange.answered.as_ref();
    let ms = |duration: std::time::Duration| (duration.as_secs_f64() * 1e5).round() / 1e2;
    let priced = charged.as_ref().map(|charged| charged.priced);
    Request {
        request: exchange.number,
        time: exchange.time.0,
        protocol: exchange.protocol.map(|protocol| protocol.name().to_owned()),
        refresh: exchange.refresh,
        upstream: exchange.upstream.clone(),
        beside: beside(exchange),
        of_conversation: 0,
        conversation: about.conversation.clone(),
        model: about.model.clone(),
        messages: about.messages,
        tokens_asked: about.tokens_asked,
        tokens_sent: about.tokens_sent,
        bytes_asked: exchange.bytes_asked,
        bytes_sent: exchange.bytes_sent,
        bytes_answered: exchange.bytes_answered,
        marks: about.marks,
        status: exchange.status,
        end: format!("{:?}", exchange.end),
        failed_open: exchange.failed_open.map(|failed| failed.words().to_owned()),
        inactive: about.inactive.clone(),
        rewrite: about.rewrite.map(str::to_owned),
        changed: about.departed.as_ref().map(change),
        billed: answered.map(|answered| usage(&answered.billed)),
        bill: priced.map(|priced| priced.billed),
        without: priced.map(|priced| priced.otherwise),
        prices: charged.map(|charged| charged.prices),
        model_answered: answered.and_then(|answered| answered.model.clone()),
        stop_reason: answered.and_then(|answered| answered.stop_reason.clone()),
        error: answered.and_then(|answered| answered.error.clone()),
        added_ms: ms(exchange.added),
        head_ms: ms(exchange.head),
        whole_ms: ms(exchange.whole),
    }
}
