//! One profile, or none, on all recordings: the requests that the upstream received, and its bill.

use std::cell::Cell;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use foveal_gateway::exchange::{Exchange, ExchangeObserver};
use foveal_gateway::upstream_selection::{Upstream, Upstreams};
use foveal_gateway::{Gateway, GatewayLimits, Settings, WebSocketPolicy};
use foveal_mock_provider::{MockProvider, RuleViolation, TokenBill};
use foveal_protocols::Protocol;
use foveal_protocols::request_body::{CACHE_CONTROL_MEMBER, CACHE_CONTROL_MEMBER_1H, RequestBody};
use foveal_proxy::RequestShaper;
use foveal_proxy::recorder::InMemoryRecorder;
use foveal_proxy::rules::ShapingRules;
use foveal_relevance::curated_view_source::CuratedViewSource;
use foveal_testkit::request_bodies::ModelApi;
use foveal_transcript::Timestamp;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::connection::Connection;
use super::figures::Recording;
use super::recorded_requests::{Ask, asks};
use super::route::Route;

/// The outcome of one request.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) bill: TokenBill,
    /// The first part of the prompt that differs from the previous request.
    pub(crate) broken_at: Option<usize>,
    /// The rules of the API that it breaks.
    pub(crate) broken_rules: usize,
    /// Whether earlier messages changed, and the change was reported.
    pub(crate) is_rewrite: bool,
    /// Whether the body is longer than the client's, or differs from it outside of the texts of
    /// results and of reported breakpoints.
    pub(crate) is_foreign: bool,
    /// Whether the client's own bytes were sent although a decision was due.
    pub(crate) is_undecided: bool,
}

thread_local! {
    /// The recordings' time. Each run has its own thread, on which its gateway runs too.
    static NOW: Cell<Timestamp> = const { Cell::new(Timestamp(0)) };
}

fn now() -> Timestamp {
    NOW.get()
}

/// Keeps the last report.
#[derive(Default)]
struct Last(Mutex<Vec<Exchange>>);

impl ExchangeObserver for Last {
    fn on_exchange(&self, exchange: &Exchange) {
        self.0.lock().expect("a lock").push(exchange.clone());
    }
}

/// The server that is asked: an upstream, perhaps behind a gateway.
struct Asked {
    upstream: MockProvider,
    address: SocketAddr,
    told: Option<(Arc<Last>, DropGuard)>,
}

/// The number of concurrent clients, and the time that a gateway has for a decision.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) clients: usize,
    pub(crate) decision: Duration,
}

impl Default for Load {
    /// One client, and enough time that the decisions are measured and not their speed.
    fn default() -> Self {
        Self { clients: 1, decision: Duration::from_secs(60) }
    }
}

/// Replays all recordings with as many concurrent clients as `load` says, each with a gateway and
/// an upstream of its own; returns the outcomes by recording. `None` replays without a gateway.
pub(crate) fn course(
    route: &Route,
    profile: Option<&str>,
    recordings: &[Recording],
    load: Load,
    progress: &(dyn Fn(&str, &str, usize) + Sync),
) -> std::io::Result<Vec<Vec<Outcome>>> {
    let share = |client| {
        let numbered = recordings.iter().enumerate();
        numbered.skip(client).step_by(load.clients).collect::<Vec<_>>()
    };
    let shares: Vec<_> = (0..load.clients).map(share).collect();
    let mut all: Vec<(usize, Vec<Outcome>)> = Vec::with_capacity(recordings.len());
    std::thread::scope(|scope| {
        let ask = |share| move || client(route, profile, share, load.decision, progress);
        let clients: Vec<_> = shares.iter().map(|share| scope.spawn(ask(share))).collect();
        for client in clients {
            all.extend(client.join().map_err(|_| std::io::Error::other("a client panicked"))??);
        }
        Ok::<(), std::io::Error>(())
    })?;
    all.sort_by_key(|(number, _)| *number);
    Ok(all.into_iter().map(|(_, outcomes)| outcomes).collect())
}

/// Replays these recordings one after the other; returns the outcomes with the recordings' numbers.
fn client(
    route: &Route,
    profile: Option<&str>,
    recordings: &[(usize, &Recording)],
    decision: Duration,
    progress: &(dyn Fn(&str, &str, usize) + Sync),
) -> std::io::Result<Vec<(usize, Vec<Outcome>)>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let asked = start(profile, decision).await?;
        let mut connection = Connection::open(asked.address).await?;
        let mut all = Vec::with_capacity(recordings.len());
        for (done, (number, recording)) in recordings.iter().enumerate() {
            let name = format!("{number}");
            let mut outcomes = Vec::new();
            let mut last: Option<Timestamp> = None;
            for ask in asks(route, &name, recording.conversation()) {
                let time = ask.time.or(last);
                if let (Some(time), Some(last)) = (time, last) {
                    let pause = u64::try_from(time.since_ms(last)).unwrap_or_default();
                    asked.upstream.advance_clock(Duration::from_millis(pause));
                }
                last = time;
                NOW.set(time.unwrap_or(Timestamp(0)));
                let outcome = outcome(route, &asked, &mut connection, &name, &ask).await?;
                outcomes.push(outcome);
            }
            all.push((*number, outcomes));
            progress(route.name, profile.unwrap_or("raw"), done + 1);
        }
        Ok(all)
    })
}

async fn start(profile: Option<&str>, decision: Duration) -> std::io::Result<Asked> {
    let settings = foveal_mock_provider::Settings {
        refuses_violations: false,
        ..foveal_mock_provider::Settings::default()
    };
    let upstream = MockProvider::start(settings)?;
    let Some(profile) = profile else {
        return Ok(Asked { address: upstream.address(), upstream, told: None });
    };
    let mut rules = ShapingRules::from_profile(profile).ok_or(std::io::ErrorKind::InvalidInput)?;
    rules.views = Some(Arc::new(CuratedViewSource::default()));
    let told = Arc::new(Last::default());
    let every = Upstream::new("upstream", &upstream.url()).map_err(std::io::Error::other)?;
    let gateway = Gateway::bind(Settings {
        address: ([127, 0, 0, 1], 0).into(),
        token: None,
        hosts: Vec::new(),
        upstreams: Upstreams::new().with_default(every),
        shaper: Arc::new(RequestShaper::new(rules, Arc::new(InMemoryRecorder::default()))),
        observer: Arc::clone(&told) as Arc<dyn ExchangeObserver>,
        now,
        websockets: WebSocketPolicy::Refused,
        keep_alive: None,
        proxies: foveal_gateway::ProxySettings::default(),
        limits: GatewayLimits { decision_timeout: decision, ..GatewayLimits::default() },
    });
    let gateway = gateway.await.map_err(std::io::Error::other)?;
    let address = gateway.address();
    let stop = CancellationToken::new();
    tokio::spawn(gateway.serve(stop.clone()));
    Ok(Asked { upstream, address, told: Some((told, stop.drop_guard())) })
}

async fn outcome(
    route: &Route,
    asked: &Asked,
    connection: &mut Connection,
    conversation: &str,
    ask: &Ask,
) -> std::io::Result<Outcome> {
    let status = connection.ask(route.path, conversation, &ask.body).await?;
    if status != 200 {
        return Err(std::io::Error::other(format!(
            "status {status} in conversation {conversation}"
        )));
    }
    let mut seen = asked.upstream.take_received_requests();
    let seen = match (seen.pop(), seen.is_empty()) {
        (Some(seen), true) => seen,
        _ => return Err(std::io::Error::other("one request was to be seen")),
    };
    if asked.told.is_none() && seen.violations.iter().any(RuleViolation::causes_refusal) {
        // Nothing would be billed, and later requests could not be compared.
        let what = format!("a recorded request breaks a rule: {:?}", seen.violations);
        return Err(std::io::Error::other(what));
    }
    let mut outcome = Outcome {
        bill: seen.bill.unwrap_or_default(),
        broken_at: seen.overlap.and_then(|common| common.first_difference),
        broken_rules: seen.violations.len(),
        is_rewrite: false,
        is_foreign: false,
        is_undecided: false,
    };
    let mut marks = 0;
    if let Some((told, _)) = &asked.told {
        let exchange = loop {
            if let Some(exchange) = told.0.lock().expect("a lock").pop() {
                break exchange;
            }
            tokio::task::yield_now().await;
        };
        outcome.is_rewrite = exchange.report.rewrite.is_some();
        marks = exchange.report.breakpoints;
        outcome.is_undecided =
            exchange.report.inactive_reason.is_some() || exchange.failed_open.is_some();
    }
    outcome.is_foreign = is_foreign(route, &ask.body, &seen.body, marks);
    Ok(outcome)
}

fn is_foreign(route: &Route, asked: &[u8], sent: &[u8], marks: u64) -> bool {
    if asked == sent {
        return marks > 0;
    }
    let (sent, api) = (without_marks(asked, sent), route.api);
    let Some((sent, _)) = sent.filter(|(_, taken)| *taken == marks) else { return true };
    sent.len() > asked.len() || without_results(api, asked) != without_results(api, &sent)
}

/// Returns the bytes of a body without the breakpoints that foveal set (those that the client's
/// body does not have), and the number of these. `None` if breakpoints of the client are missing.
fn without_marks(asked: &[u8], sent: &[u8]) -> Option<(Vec<u8>, u64)> {
    let count = |bytes: &[u8]| Some(RequestBody::scan(Protocol::Messages, bytes).ok()?.breakpoints);
    let Some((theirs, all)) = count(asked).zip(count(sent)) else {
        return Some((sent.to_vec(), 0));
    };
    let mut theirs = theirs.iter().map(|mark| mark.target).peekable();
    let (mut rest, mut taken, mut at) = (Vec::new(), 0, 0);
    for mark in &all {
        if theirs.next_if_eq(&mark.target).is_some() {
            continue;
        }
        let text = [CACHE_CONTROL_MEMBER, CACHE_CONTROL_MEMBER_1H].into_iter().find(|text| {
            let start = mark.value.end.checked_sub(text.len());
            start.is_some_and(|start| &sent[start..mark.value.end] == text.as_bytes())
        });
        rest.extend_from_slice(&sent[at..mark.value.end - text?.len()]);
        (at, taken) = (mark.value.end, taken + 1);
    }
    rest.extend_from_slice(&sent[at..]);
    theirs.next().is_none().then_some((rest, taken))
}

/// Returns the bytes of a body without the texts of its results.
fn without_results(api: ModelApi, body: &[u8]) -> Option<Vec<u8>> {
    let protocol = match api {
        ModelApi::Messages => Protocol::Messages,
        ModelApi::Chat => Protocol::Chat,
        ModelApi::Responses => Protocol::Responses,
        ModelApi::Gemini => Protocol::Gemini,
    };
    let scanned = RequestBody::scan(protocol, body).ok()?;
    let mut rest = Vec::new();
    let mut at = 0;
    for (message, range) in scanned.messages.iter().enumerate() {
        for slot in scanned.decode_message(body, message).ok()?.slots {
            rest.extend_from_slice(&body[at..range.start + slot.string.start]);
            at = range.start + slot.string.end;
        }
    }
    rest.extend_from_slice(&body[at..]);
    Some(rest)
}
