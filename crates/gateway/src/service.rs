//! One request: let in, decided about, passed on, and its answer passed back.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use foveal_listening::{Held, Share};
use foveal_live::request::{About, ToGetReady, Wait};
use foveal_wire::Protocol;
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_ENCODING;
use hyper::http::request::Parts;
use hyper::{Request, Response};
use tokio::task::{JoinError, JoinHandle};

use crate::activity::ConnectionActivity;
use crate::answer::Answer;
use crate::body::{self, Passed};
use crate::client::Upward;
use crate::compressing::{self, Wanted};
use crate::exchange::{End, Exchange, FailedOpen, Purpose, RefusedRequest};
use crate::gate::Gate;
use crate::getting_ready::GettingReady;
use crate::head::Head;
use crate::headers;
use crate::incoming::{self, ReadError, Taken};
use crate::pages;
use crate::refusal::Refusal;
use crate::route::{self, Route};
use crate::settings::{Settings, WebSockets};
use crate::shaper::{self, Asked, Shaped};
use crate::told::Told;
use crate::trace_parent::TraceParent;
use crate::upstream::Upstream;
use crate::warmer::{Repeat, Warmer};
use crate::websocket;

/// How many times as long as for a decision it is waited for what was decided earlier, and for the
/// first decision about a long conversation, or the first that finds it uncached.
const EARLIER_WAITS: usize = 6;

/// How many times the bytes of a body a decision about it takes in memory: what was read of it, and
/// the body that goes in its place.
const DECISION_COPIES: usize = 3;

/// Why nothing is done for a request that is signed as AWS wants it.
const SIGNED: &str = "the request is signed, and its signature covers every byte of it";

/// What answers requests.
pub(crate) struct Service {
    settings: Settings,
    gate: Gate,
    upward: Upward,
    held: Held,
    requests: AtomicU64,
    warmer: Option<Arc<Warmer>>,
    getting_ready: GettingReady,
}

/// A request whose upstream is known.
struct Bound<'a> {
    upstream: &'a Upstream,
    path: &'a str,
    route: Route,
}

/// What goes upstream.
struct Outgoing {
    body: Passed,
    /// Whether the body is no longer encoded as the client had it.
    is_decoded: bool,
    /// The same body, where it is there already.
    whole: Option<Bytes>,
    /// The bytes it holds of what all requests may. A decision that comes too late holds them too.
    share: Arc<Share>,
    /// What can be got ready for the conversation's next request.
    ready: Option<ToGetReady>,
}

/// The bytes that a decision holds, also one that comes too late.
#[derive(Clone)]
struct DecisionShare {
    body: Arc<Share>,
    _copies: Arc<Share>,
}

impl Outgoing {
    /// A body at which nobody looked.
    fn unread(body: Passed, share: Arc<Share>) -> Self {
        Self { body, is_decoded: false, whole: None, share, ready: None }
    }
}

impl Service {
    pub(crate) fn new(settings: Settings, upward: Upward) -> Self {
        let gate = Gate::new(&settings);
        let warmer = Warmer::new(&settings, &upward);
        let (held, requests) = (Held::default(), AtomicU64::new(0));
        let getting_ready = GettingReady::start(Arc::clone(&settings.shaper));
        Self { settings, gate, upward, held, requests, warmer, getting_ready }
    }

    /// Sends nothing any more that no client asks for.
    pub(crate) fn rest(&self) {
        if let Some(warmer) = &self.warmer {
            warmer.end();
        }
    }

    /// Answers a request.
    pub(crate) async fn answer(
        &self,
        request: Request<Incoming>,
        connection: &ConnectionActivity,
    ) -> Response<Passed> {
        let began = Instant::now();
        let (parts, body) = request.into_parts();
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let bare = path.split('?').next().unwrap_or_default();
        let route = route::route(&parts.method, bare, &parts.headers);
        let protocol = route.protocol();
        if let Some(wanted) = compressing::wanted(&parts.method, bare, parts.uri.query()) {
            let working = connection.begin_request();
            let response = self.own(parts, body, wanted).await;
            drop(working);
            return response;
        }
        let admitted = match pages::needs_token(bare) {
            true => self.gate.check(&parts.uri, &parts.headers),
            false => self.gate.check_sender(&parts.uri, &parts.headers),
        };
        if let Err(stranger) = admitted {
            return self.refuse(&Refusal::from(stranger), &parts, protocol);
        }
        if let Some(page) = pages::page(&parts.method, bare, &*self.settings.observer) {
            return page;
        }
        let (upstream, path) = match self.settings.upstreams.choose(&path, &parts.headers) {
            Ok(chosen) => chosen,
            Err(error) => {
                return self.refuse(&Refusal::NoUpstream(error.to_string()), &parts, protocol);
            }
        };
        let mut told = self.told(began, route, &parts, upstream);
        told.holds(connection.begin_request());
        let bound = Bound { upstream, path, route };
        match self.pass_on(parts, body, &bound, &mut told).await {
            Ok(response) => {
                let exchange = told.exchange();
                exchange.status = response.status().as_u16();
                exchange.head = began.elapsed();
                response.map(|body| match body {
                    Passing::Answer(body) => body::coming(Answer::new(body, told)),
                    Passing::Own(body) => {
                        told.tell(End::Own);
                        body
                    }
                })
            }
            Err(refusal) => {
                let response = refusal.response(protocol);
                told.exchange().status = response.status().as_u16();
                told.tell(match refusal {
                    Refusal::Unreached { .. } => End::Unreached,
                    _ => End::Own,
                });
                response
            }
        }
    }

    /// Refuses a request that goes to no upstream, and tells of it.
    fn refuse(
        &self,
        refusal: &Refusal,
        parts: &Parts,
        protocol: Option<Protocol>,
    ) -> Response<Passed> {
        let response = refusal.response(protocol);
        self.settings.observer.refused(&RefusedRequest {
            time: (self.settings.now)(),
            status: response.status().as_u16(),
            method: parts.method.as_str(),
            path: parts.uri.path(),
            reason: &refusal.to_string(),
        });
        response
    }

    /// Answers a caller that sends prompts to models itself.
    async fn own(&self, parts: Parts, body: Incoming, wanted: Wanted) -> Response<Passed> {
        let answered = match self.gate.check_own(&parts.uri, &parts.headers) {
            Ok(()) => compressing::answer(&self.settings, &self.held, (&parts, body), wanted).await,
            Err(stranger) => Err(stranger.into()),
        };
        answered.unwrap_or_else(|refusal| refusal.response(None))
    }

    fn told(&self, began: Instant, route: Route, parts: &Parts, upstream: &Upstream) -> Told {
        let exchange = Exchange {
            number: self.requests.fetch_add(1, Ordering::Relaxed) + 1,
            time: (self.settings.now)(),
            protocol: route.protocol(),
            purpose: purpose(route),
            refresh: None,
            upstream: upstream.name.clone(),
            server: upstream.server().to_owned(),
            port: upstream.port(),
            parent: TraceParent::of(&parts.headers),
            wish: shaper::wish(&parts.headers).map(str::to_owned),
            about: About::default(),
            failed_open: None,
            bytes_asked: 0,
            bytes_sent: 0,
            status: 0,
            answered: None,
            end: End::ClientLeft,
            added: Duration::ZERO,
            head: Duration::ZERO,
            whole: Duration::ZERO,
            bytes_answered: 0,
        };
        let (observer, shaper) =
            (Arc::clone(&self.settings.observer), Arc::clone(&self.settings.shaper));
        Told::new(exchange, began, observer, shaper)
    }

    async fn pass_on(
        &self,
        mut parts: Parts,
        body: Incoming,
        bound: &Bound<'_>,
        told: &mut Told,
    ) -> Result<Response<Passing>, Refusal> {
        let uri = bound.upstream.address(bound.path).ok_or(Refusal::Address)?;
        if let Route::WebSocket(protocol) = bound.route {
            if protocol.is_some() && self.settings.websockets == WebSockets::Refused {
                return Err(Refusal::WebSocket);
            }
            let request = Request::from_parts(parts, body);
            let passed = websocket::pass(&self.upward, request, uri, bound.upstream.host()).await;
            let response = passed.map_err(|error| unreached(bound.upstream, &error))?;
            return Ok(response.map(|body| match body {
                Some(body) => Passing::Answer(body),
                None => Passing::Own(body::whole(Bytes::new())),
            }));
        }
        let outgoing = self.outgoing(&parts, body, bound, told).await?;
        let mut passed =
            headers::passed_on(std::mem::take(&mut parts.headers), bound.upstream.host());
        if outgoing.is_decoded {
            passed.remove(CONTENT_ENCODING);
        }
        let (method, extensions) = (parts.method, parts.extensions);
        let head = Head { method, uri, headers: passed, extensions };
        if let (Route::Answer(Protocol::Messages), Some(warmer)) = (bound.route, &self.warmer) {
            let exchange = told.exchange();
            warmer.came(exchange.number, exchange.about.conversation.as_deref());
            if let Some(body) = outgoing.whole {
                let repeat = Repeat { head: head.clone(), body };
                let warmer = Arc::clone(warmer);
                told.then(Box::new(move |exchange| warmer.hold(exchange, repeat)));
            }
        }
        told.exchange().added = told.since();
        let answered = self.upward.request(head.request(outgoing.body)).await;
        drop(outgoing.share);
        let mut response = answered.map_err(|error| unreached(bound.upstream, &error))?;
        if let Some(ready) = outgoing.ready {
            self.getting_ready.answering(ready);
        }
        if let Some(protocol) = bound.route.protocol() {
            told.begins(protocol, response.status().as_u16(), response.headers());
        }
        headers::remove_hop_by_hop(response.headers_mut());
        Ok(response.map(Passing::Answer))
    }

    /// What goes upstream in place of what came.
    async fn outgoing(
        &self,
        parts: &Parts,
        body: Incoming,
        bound: &Bound<'_>,
        told: &mut Told,
    ) -> Result<Outgoing, Refusal> {
        let as_it_comes = |body| {
            let share = Arc::new(self.held.share());
            Outgoing::unread(body::coming(body), share)
        };
        let (protocol, counts) = match bound.route {
            Route::Answer(protocol) => (protocol, false),
            Route::Count(protocol) => (protocol, true),
            Route::Signed(_) => {
                told.exchange().about.inactive = Some(SIGNED.to_owned());
                return Ok(as_it_comes(body));
            }
            Route::WebSocket(_) | Route::Other => return Ok(as_it_comes(body)),
        };
        let mut share = self.held.share();
        told.awaits_body(true);
        let taken = incoming::read(body, &self.settings.limits, &mut share).await?;
        told.awaits_body(false);
        let body = match taken {
            Taken::Whole(body) => body,
            Taken::TooLong(body) => {
                told.exchange().failed_open = Some(FailedOpen::TooLong);
                let share = Arc::new(share);
                return Ok(Outgoing::unread(body::coming(body), share));
            }
        };
        let limits = &self.settings.limits;
        let decoded = incoming::decoded_apart(&parts.headers, &body, limits.body_bytes).await;
        let Ok(decoded) = decoded else {
            told.exchange().failed_open = Some(FailedOpen::Encoding);
            let share = Arc::new(share);
            return Ok(Outgoing::unread(body::whole(body), share));
        };
        if decoded.as_ref().is_some_and(|it| !share.take(it.len(), limits.all_bodies_bytes)) {
            return Err(Refusal::Unread(ReadError::Busy));
        }
        let share = Arc::new(share);
        let plain = decoded.map_or_else(|| body.clone(), Bytes::from);
        let mut copies = self.held.share();
        let copied = plain.len().saturating_mul(DECISION_COPIES);
        if !copies.take(copied, limits.all_bodies_bytes) {
            let exchange = told.exchange();
            exchange.failed_open = Some(FailedOpen::Crowded);
            (exchange.bytes_asked, exchange.bytes_sent) = (plain.len() as u64, plain.len() as u64);
            return Ok(Outgoing::unread(body::whole(body), share));
        }
        let asked = Asked {
            protocol,
            counts,
            path: bound.path.to_owned(),
            upstream: bound.upstream.name.clone(),
            headers: parts.headers.clone(),
            body: plain,
            now: (self.settings.now)(),
            wait: Wait::default(),
        };
        let share = DecisionShare { body: share, _copies: Arc::new(copies) };
        Ok(self.decided(asked, body, share, told).await)
    }

    /// What goes in place of a body that came as `body`.
    async fn decided(
        &self,
        asked: Asked,
        body: Bytes,
        share: DecisionShare,
        told: &mut Told,
    ) -> Outgoing {
        let plain = asked.body.len();
        let shaped = self.shaped(asked, share.clone()).await;
        let exchange = told.exchange();
        exchange.bytes_asked = plain as u64;
        let mut to_get_ready = None;
        let sent = match shaped {
            Ok(Shaped { body, about, ready }) => {
                (exchange.about, to_get_ready) = (about, ready);
                body
            }
            Err((failed, body)) => {
                exchange.failed_open = Some(failed);
                body
            }
        };
        let is_decoded = sent.is_some();
        exchange.bytes_sent = sent.as_ref().map_or(plain, Bytes::len) as u64;
        let sent = sent.unwrap_or(body);
        let (body, ready) = (body::whole(sent.clone()), to_get_ready);
        let share = share.body;
        Outgoing { body, is_decoded, whole: Some(sent), share, ready }
    }

    /// What the shaper says in time; else why it did not, and what was decided earlier.
    async fn shaped(
        &self,
        asked: Asked,
        share: DecisionShare,
    ) -> Result<Shaped, (FailedOpen, Option<Bytes>)> {
        let (shaper, wait) = (Arc::clone(&self.settings.shaper), asked.wait.clone());
        let body = asked.body.clone();
        let deciding = tokio::task::spawn_blocking(move || {
            let shaped = shaper.shape(&asked);
            drop((asked, share));
            shaped
        });
        // What was decided earlier is to go in any case: without it the provider's cache is lost,
        // and newer models refuse their own thinking.
        let in_time = patient(deciding, self.settings.limits.decision, &wait).await;
        let decided = match in_time {
            Ok(decided) => decided,
            Err(deciding) => match wait.give_up(&body) {
                Some(earlier) => return Err((FailedOpen::Late, earlier.map(Bytes::from))),
                // It is decided, and may be recorded already: what is left takes no time.
                None => deciding.await,
            },
        };
        decided.map_err(|_| {
            let earlier = wait.give_up(&body).flatten();
            (FailedOpen::Panicked, earlier.map(Bytes::from))
        })
    }
}

/// Waits for a decision; longer, as long as nothing is offered that could go without it.
async fn patient(
    mut deciding: JoinHandle<Shaped>,
    limit: Duration,
    wait: &Wait,
) -> Result<Result<Shaped, JoinError>, JoinHandle<Shaped>> {
    let mut in_time = tokio::time::timeout(limit, &mut deciding).await;
    for _ in 0..EARLIER_WAITS {
        if in_time.is_ok() || wait.is_offered() {
            break;
        }
        in_time = tokio::time::timeout(limit, &mut deciding).await;
    }
    in_time.map_err(|_| deciding)
}

/// The body of an answer, where it comes from.
pub(crate) enum Passing {
    Answer(Incoming),
    Own(Passed),
}

fn purpose(route: Route) -> Purpose {
    match route {
        Route::Answer(_) | Route::Signed(_) => Purpose::Answer,
        Route::Count(_) => Purpose::Count,
        Route::WebSocket(_) => Purpose::WebSocket,
        Route::Other => Purpose::Other,
    }
}

/// What an upstream that cannot be asked is told of.
fn unreached(upstream: &Upstream, error: &(dyn Error + 'static)) -> Refusal {
    let mut reason = error;
    while let Some(source) = reason.source() {
        reason = source;
    }
    Refusal::Unreached { upstream: upstream.to_string(), reason: reason.to_string() }
}
