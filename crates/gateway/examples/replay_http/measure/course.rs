//! One profile, or none, on all recordings: what the upstream saw and billed.

use std::cell::Cell;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use foveal_code::views::CuratedViews;
use foveal_gateway::exchange::{Exchange, Observer};
use foveal_gateway::upstream::{Upstream as To, Upstreams};
use foveal_gateway::{Gateway, Limits, Settings, WebSockets};
use foveal_live::Conversations;
use foveal_live::recorder::InMemory;
use foveal_live::rules::Rules;
use foveal_testkit::bodies::Api;
use foveal_transcript::Timestamp;
use foveal_upstream::{Bill, Broken, Upstream};
use foveal_wire::Protocol;
use foveal_wire::body::{Body, MARK, MARK_FOR_AN_HOUR};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::asks::{Ask, asks};
use super::connection::Connection;
use super::figures::Recording;
use super::route::Route;

/// What came of one request.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) bill: Bill,
    /// The first part of the prompt that is another than at the request before.
    pub(crate) broken_at: Option<usize>,
    /// Rules of the API that it breaks.
    pub(crate) broken_rules: usize,
    /// Whether what was sent before was changed, and that was told.
    pub(crate) is_rewrite: bool,
    /// Whether a byte outside of the texts of results and of the marks that are told is another
    /// than the client's, or the body is longer than the client's.
    pub(crate) is_foreign: bool,
    /// Whether the client's own bytes went though there was something to decide.
    pub(crate) is_undecided: bool,
}

thread_local! {
    /// The recordings' time. Each course has a thread of its own, on which its gateway runs too.
    static NOW: Cell<Timestamp> = const { Cell::new(Timestamp(0)) };
}

fn now() -> Timestamp {
    NOW.get()
}

/// Keeps what was told last.
#[derive(Default)]
struct Last(Mutex<Vec<Exchange>>);

impl Observer for Last {
    fn ended(&self, exchange: &Exchange) {
        self.0.lock().expect("a lock").push(exchange.clone());
    }
}

/// Who is asked: an upstream, perhaps behind a gateway.
struct Asked {
    upstream: Upstream,
    address: SocketAddr,
    told: Option<(Arc<Last>, DropGuard)>,
}

/// How many clients ask at once, and how long a gateway may take to decide.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) clients: usize,
    pub(crate) decision: Duration,
}

impl Default for Load {
    /// One client, and time enough that what is decided is measured, not how fast.
    fn default() -> Self {
        Self { clients: 1, decision: Duration::from_secs(60) }
    }
}

/// Asks for all recordings, by as many clients at once as `load` says, each with a gateway and an
/// upstream of its own; the outcomes by recording. `None`: without a gateway.
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

/// Asks for these recordings one after the other; the outcomes with the recordings' numbers.
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
                    asked.upstream.advance(Duration::from_millis(pause));
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
    let settings =
        foveal_upstream::Settings { is_strict: false, ..foveal_upstream::Settings::default() };
    let upstream = Upstream::start(settings)?;
    let Some(profile) = profile else {
        return Ok(Asked { address: upstream.address(), upstream, told: None });
    };
    let mut rules = Rules::named(profile).ok_or(std::io::ErrorKind::InvalidInput)?;
    rules.views = Some(Arc::new(CuratedViews::default()));
    let told = Arc::new(Last::default());
    let every = To::new("upstream", &upstream.url()).map_err(std::io::Error::other)?;
    let gateway = Gateway::bind(Settings {
        address: ([127, 0, 0, 1], 0).into(),
        token: None,
        hosts: Vec::new(),
        upstreams: Upstreams::new().with_every(every),
        shaper: Arc::new(Conversations::new(rules, Arc::new(InMemory::default()))),
        observer: Arc::clone(&told) as Arc<dyn Observer>,
        now,
        websockets: WebSockets::Refused,
        keep_warm: None,
        proxies: foveal_gateway::ProxySettings::default(),
        limits: Limits { decision, ..Limits::default() },
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
    let mut seen = asked.upstream.take_seen();
    let seen = match (seen.pop(), seen.is_empty()) {
        (Some(seen), true) => seen,
        _ => return Err(std::io::Error::other("one request was to be seen")),
    };
    if asked.told.is_none() && seen.broken.iter().any(Broken::is_refused) {
        // Nothing would be billed, and what comes later could not be compared.
        let what = format!("a recorded request breaks a rule: {:?}", seen.broken);
        return Err(std::io::Error::other(what));
    }
    let mut outcome = Outcome {
        bill: seen.bill.unwrap_or_default(),
        broken_at: seen.common.and_then(|common| common.broken_at),
        broken_rules: seen.broken.len(),
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
        outcome.is_rewrite = exchange.about.rewrite.is_some();
        marks = exchange.about.marks;
        outcome.is_undecided = exchange.about.inactive.is_some() || exchange.failed_open.is_some();
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

/// The bytes of a body without the marks that foveal set, and how many these are: those that the
/// client's has not. `None` where the client's are not all there.
fn without_marks(asked: &[u8], sent: &[u8]) -> Option<(Vec<u8>, u64)> {
    let count = |bytes: &[u8]| Some(Body::scan(Protocol::Messages, bytes).ok()?.marks);
    let Some((theirs, all)) = count(asked).zip(count(sent)) else {
        return Some((sent.to_vec(), 0));
    };
    let mut theirs = theirs.iter().map(|mark| mark.place).peekable();
    let (mut rest, mut taken, mut at) = (Vec::new(), 0, 0);
    for mark in &all {
        if theirs.next_if_eq(&mark.place).is_some() {
            continue;
        }
        let text = [MARK, MARK_FOR_AN_HOUR].into_iter().find(|text| {
            let start = mark.value.end.checked_sub(text.len());
            start.is_some_and(|start| &sent[start..mark.value.end] == text.as_bytes())
        });
        rest.extend_from_slice(&sent[at..mark.value.end - text?.len()]);
        (at, taken) = (mark.value.end, taken + 1);
    }
    rest.extend_from_slice(&sent[at..]);
    theirs.next().is_none().then_some((rest, taken))
}

/// The bytes of a body without the texts of its results.
fn without_results(api: Api, body: &[u8]) -> Option<Vec<u8>> {
    let protocol = match api {
        Api::Messages => Protocol::Messages,
        Api::Chat => Protocol::Chat,
        Api::Responses => Protocol::Responses,
        Api::Gemini => Protocol::Gemini,
    };
    let scanned = Body::scan(protocol, body).ok()?;
    let mut rest = Vec::new();
    let mut at = 0;
    for (message, range) in scanned.messages.iter().enumerate() {
        for slot in scanned.message(body, message).ok()?.slots {
            rest.extend_from_slice(&body[at..range.start + slot.string.start]);
            at = range.start + slot.string.end;
        }
    }
    rest.extend_from_slice(&body[at..]);
    Some(rest)
}
