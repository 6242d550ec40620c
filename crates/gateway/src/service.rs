//! One request: admitted, shaped, forwarded, and its response passed back.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use foveal_http_guard::{MemoryBudget, MemoryReservation};
use foveal_proxy::request::{DecisionSlot, PrefetchTicket, RequestReport};
use foveal_wire::Protocol;
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_ENCODING;
use hyper::http::request::Parts;
use hyper::{Request, Response};
use tokio::task::{JoinError, JoinHandle};

use crate::access_control::AccessControl;
use crate::body::{self, StreamingBody};
use crate::cache_keep_alive::{CacheKeepAlive, RepeatableRequest};
use crate::client::HttpClient;
use crate::compress_api::{self, CompressApiCall};
use crate::connection_activity::ConnectionActivity;
use crate::exchange::{Exchange, ExchangeEnd, FailedOpen, Purpose, RefusedRequest};
use crate::exchange_recorder::ExchangeRecorder;
use crate::headers;
use crate::pages;
use crate::prefetcher::Prefetcher;
use crate::refusal::GatewayRefusal;
use crate::request_body::{self, BodyReadError, ReadBody};
use crate::request_head::RequestHead;
use crate::request_purpose::{self, RequestRoute};
use crate::response_body::ObservedResponseBody;
use crate::settings::{Settings, WebSocketPolicy};
use crate::shaper::{self, ClientRequest, ShapedRequest};
use crate::trace_parent::TraceParent;
use crate::upstream_selection::Upstream;
use crate::websocket;

/// The number of additional decision time-outs to wait for a fallback, for the first decision about
/// a long conversation, or for the first one that finds it uncached.
const FALLBACK_WAITS: usize = 6;

/// The memory of a decision, as a multiple of the body: the decoded parts, and the new body.
const DECISION_COPIES: usize = 3;

/// The reason why a request with an AWS signature is not shaped.
const SIGNED_REASON: &str = "the request is signed, and its signature covers every byte of it";

/// Serves requests.
pub(crate) struct Service {
    settings: Settings,
    access: AccessControl,
    client: HttpClient,
    body_budget: MemoryBudget,
    request_count: AtomicU64,
    keep_alive: Option<Arc<CacheKeepAlive>>,
    prefetcher: Prefetcher,
}

/// A request with its upstream.
struct RoutedRequest<'a> {
    upstream: &'a Upstream,
    path: &'a str,
    route: RequestRoute,
}

/// The body that is sent upstream.
struct OutgoingBody {
    body: StreamingBody,
    /// Whether the client's encoding was removed.
    is_decoded: bool,
    /// The body's bytes, unless it is streamed.
    bytes: Option<Bytes>,
    /// Its share of the memory budget for bodies. A late decision holds it too.
    share: Arc<MemoryReservation>,
    /// The ticket to prepare the conversation's next request.
    prefetch: Option<PrefetchTicket>,
}

/// The memory that a decision holds, even if it is late.
#[derive(Clone)]
struct DecisionMemory {
    body: Arc<MemoryReservation>,
    _copies: Arc<MemoryReservation>,
}

impl OutgoingBody {
    /// Returns a body that was not inspected.
    fn passthrough(body: StreamingBody, share: Arc<MemoryReservation>) -> Self {
        Self { body, is_decoded: false, bytes: None, share, prefetch: None }
    }
}

impl Service {
    pub(crate) fn new(settings: Settings, client: HttpClient) -> Self {
        let access = AccessControl::new(&settings);
        let keep_alive = CacheKeepAlive::new(&settings, &client);
        let (body_budget, request_count) = (MemoryBudget::default(), AtomicU64::new(0));
        let prefetcher = Prefetcher::start(Arc::clone(&settings.shaper));
        Self { settings, access, client, body_budget, request_count, keep_alive, prefetcher }
    }

    /// Stops all requests that no client asked for.
    pub(crate) fn stop_keep_alive(&self) {
        if let Some(warmer) = &self.keep_alive {
            warmer.release_all();
        }
    }

    /// Handles a request.
    pub(crate) async fn handle_request(
        &self,
        request: Request<Incoming>,
        connection: &ConnectionActivity,
    ) -> Response<StreamingBody> {
        let began = Instant::now();
        let (parts, body) = request.into_parts();
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let bare = path.split('?').next().unwrap_or_default();
        let route = request_purpose::classify_request(&parts.method, bare, &parts.headers);
        let protocol = route.protocol();
        if let Some(wanted) = compress_api::parse_call(&parts.method, bare, parts.uri.query()) {
            let working = connection.begin_request();
            let response = self.handle_compress_call(parts, body, wanted).await;
            drop(working);
            return response;
        }
        let admitted = match pages::needs_token(bare) {
            true => self.access.check_forwarded(&parts.uri, &parts.headers),
            false => self.access.check_sender(&parts.uri, &parts.headers),
        };
        if let Err(stranger) = admitted {
            return self.refuse(&GatewayRefusal::from(stranger), &parts, protocol);
        }
        if let Some(page) = pages::own_page(&parts.method, bare, &*self.settings.observer) {
            return page;
        }
        let (upstream, path) = match self.settings.upstreams.select(&path, &parts.headers) {
            Ok(chosen) => chosen,
            Err(error) => {
                return self.refuse(
                    &GatewayRefusal::NoUpstream(error.to_string()),
                    &parts,
                    protocol,
                );
            }
        };
        let mut told = self.new_recorder(began, route, &parts, upstream);
        told.attach_request(connection.begin_request());
        let bound = RoutedRequest { upstream, path, route };
        match self.forward_request(parts, body, &bound, &mut told).await {
            Ok(response) => {
                let exchange = told.exchange_mut();
                exchange.status = response.status().as_u16();
                exchange.time_to_head = began.elapsed();
                response.map(|body| match body {
                    ResponseSource::Upstream(body) => {
                        body::streaming_body(ObservedResponseBody::new(body, told))
                    }
                    ResponseSource::Local(body) => {
                        told.finish(ExchangeEnd::AnsweredLocally);
                        body
                    }
                })
            }
            Err(refusal) => {
                let response = refusal.response(protocol);
                told.exchange_mut().status = response.status().as_u16();
                told.finish(match refusal {
                    GatewayRefusal::UpstreamUnreachable { .. } => ExchangeEnd::UpstreamUnreachable,
                    _ => ExchangeEnd::AnsweredLocally,
                });
                response
            }
        }
    }

    /// Refuses a request that goes to no upstream, and reports it.
    fn refuse(
        &self,
        refusal: &GatewayRefusal,
        parts: &Parts,
        protocol: Option<Protocol>,
    ) -> Response<StreamingBody> {
        let response = refusal.response(protocol);
        self.settings.observer.on_refusal(&RefusedRequest {
            time: (self.settings.now)(),
            status: response.status().as_u16(),
            method: parts.method.as_str(),
            path: parts.uri.path(),
            reason: &refusal.to_string(),
        });
        response
    }

    /// Handles a call of the compress API.
    async fn handle_compress_call(
        &self,
        parts: Parts,
        body: Incoming,
        wanted: CompressApiCall,
    ) -> Response<StreamingBody> {
        let answered = match self.access.check_local(&parts.uri, &parts.headers) {
            Ok(()) => {
                compress_api::handle_call(&self.settings, &self.body_budget, &parts, body, wanted)
                    .await
            }
            Err(stranger) => Err(stranger.into()),
        };
        answered.unwrap_or_else(|refusal| refusal.response(None))
    }

    fn new_recorder(
        &self,
        began: Instant,
        route: RequestRoute,
        parts: &Parts,
        upstream: &Upstream,
    ) -> ExchangeRecorder {
        let exchange = Exchange {
            number: self.request_count.fetch_add(1, Ordering::Relaxed) + 1,
            time: (self.settings.now)(),
            protocol: route.protocol(),
            purpose: purpose(route),
            refresh: None,
            upstream: upstream.name.clone(),
            server: upstream.host_name().to_owned(),
            port: upstream.port(),
            parent: TraceParent::from_headers(&parts.headers),
            profile_override: shaper::profile_override(&parts.headers).map(str::to_owned),
            report: RequestReport::default(),
            failed_open: None,
            bytes_received: 0,
            bytes_sent: 0,
            status: 0,
            response: None,
            end: ExchangeEnd::ClientDisconnected,
            added_latency: Duration::ZERO,
            time_to_head: Duration::ZERO,
            duration: Duration::ZERO,
            response_bytes: 0,
        };
        let (observer, shaper) =
            (Arc::clone(&self.settings.observer), Arc::clone(&self.settings.shaper));
        ExchangeRecorder::new(exchange, began, observer, shaper)
    }

    async fn forward_request(
        &self,
        mut parts: Parts,
        body: Incoming,
        bound: &RoutedRequest<'_>,
        told: &mut ExchangeRecorder,
    ) -> Result<Response<ResponseSource>, GatewayRefusal> {
        let uri = bound.upstream.request_uri(bound.path).ok_or(GatewayRefusal::Address)?;
        if let RequestRoute::WebSocket(protocol) = bound.route {
            if protocol.is_some() && self.settings.websockets == WebSocketPolicy::Refused {
                return Err(GatewayRefusal::WebSocket);
            }
            let request = Request::from_parts(parts, body);
            let passed = websocket::forward_upgrade(
                &self.client,
                request,
                uri,
                bound.upstream.host_header(),
            )
            .await;
            let response = passed.map_err(|error| unreachable_refusal(bound.upstream, &error))?;
            return Ok(response.map(|body| match body {
                Some(body) => ResponseSource::Upstream(body),
                None => ResponseSource::Local(body::full_body(Bytes::new())),
            }));
        }
        let outgoing = self.prepare_body(&parts, body, bound, told).await?;
        let mut passed = headers::forwarded_headers(
            std::mem::take(&mut parts.headers),
            bound.upstream.host_header(),
        );
        if outgoing.is_decoded {
            passed.remove(CONTENT_ENCODING);
        }
        let (method, extensions) = (parts.method, parts.extensions);
        let head = RequestHead { method, uri, headers: passed, extensions };
        if let (RequestRoute::Answer(Protocol::Messages), Some(warmer)) =
            (bound.route, &self.keep_alive)
        {
            let exchange = told.exchange_mut();
            warmer.note_request(exchange.number, exchange.report.conversation.as_deref());
            if let Some(body) = outgoing.bytes {
                let repeat = RepeatableRequest { head: head.clone(), body };
                let warmer = Arc::clone(warmer);
                told.set_on_stream_end(Box::new(move |exchange| {
                    warmer.hold_request(exchange, repeat);
                }));
            }
        }
        told.exchange_mut().added_latency = told.elapsed();
        let answered = self.client.request(head.into_request(outgoing.body)).await;
        drop(outgoing.share);
        let mut response = answered.map_err(|error| unreachable_refusal(bound.upstream, &error))?;
        if let Some(ready) = outgoing.prefetch {
            self.prefetcher.schedule(ready);
        }
        if let Some(protocol) = bound.route.protocol() {
            told.begin_response(protocol, response.status().as_u16(), response.headers());
        }
        headers::remove_hop_by_hop(response.headers_mut());
        Ok(response.map(ResponseSource::Upstream))
    }

    /// Returns the body to send in place of the received one.
    async fn prepare_body(
        &self,
        parts: &Parts,
        body: Incoming,
        bound: &RoutedRequest<'_>,
        told: &mut ExchangeRecorder,
    ) -> Result<OutgoingBody, GatewayRefusal> {
        let as_it_comes = |body| {
            let share = Arc::new(self.body_budget.start_reservation());
            OutgoingBody::passthrough(body::streaming_body(body), share)
        };
        let (protocol, counts) = match bound.route {
            RequestRoute::Answer(protocol) => (protocol, false),
            RequestRoute::Count(protocol) => (protocol, true),
            RequestRoute::Signed(_) => {
                told.exchange_mut().report.inactive_reason = Some(SIGNED_REASON.to_owned());
                return Ok(as_it_comes(body));
            }
            RequestRoute::WebSocket(_) | RequestRoute::Other => return Ok(as_it_comes(body)),
        };
        let mut share = self.body_budget.start_reservation();
        told.set_awaits_body(true);
        let taken = request_body::read_body(body, &self.settings.limits, &mut share).await?;
        told.set_awaits_body(false);
        let body = match taken {
            ReadBody::Complete(body) => body,
            ReadBody::TooLong(body) => {
                told.exchange_mut().failed_open = Some(FailedOpen::TooLong);
                let share = Arc::new(share);
                return Ok(OutgoingBody::passthrough(body::streaming_body(body), share));
            }
        };
        let limits = &self.settings.limits;
        let decoded =
            request_body::decode_body_off_thread(&parts.headers, &body, limits.body_bytes).await;
        let Ok(decoded) = decoded else {
            told.exchange_mut().failed_open = Some(FailedOpen::Encoding);
            let share = Arc::new(share);
            return Ok(OutgoingBody::passthrough(body::full_body(body), share));
        };
        if decoded.as_ref().is_some_and(|it| !share.reserve(it.len(), limits.all_bodies_bytes)) {
            return Err(GatewayRefusal::BodyUnread(BodyReadError::Busy));
        }
        let share = Arc::new(share);
        let plain = decoded.map_or_else(|| body.clone(), Bytes::from);
        let mut copies = self.body_budget.start_reservation();
        let copied = plain.len().saturating_mul(DECISION_COPIES);
        if !copies.reserve(copied, limits.all_bodies_bytes) {
            let exchange = told.exchange_mut();
            exchange.failed_open = Some(FailedOpen::Crowded);
            (exchange.bytes_received, exchange.bytes_sent) =
                (plain.len() as u64, plain.len() as u64);
            return Ok(OutgoingBody::passthrough(body::full_body(body), share));
        }
        let asked = ClientRequest {
            protocol,
            counts_tokens: counts,
            path: bound.path.to_owned(),
            upstream: bound.upstream.name.clone(),
            headers: parts.headers.clone(),
            body: plain,
            now: (self.settings.now)(),
            decision: DecisionSlot::default(),
        };
        let share = DecisionMemory { body: share, _copies: Arc::new(copies) };
        Ok(self.shape_body(asked, body, share, told).await)
    }

    /// Returns the shaped body in place of `body`, the body as it was received.
    async fn shape_body(
        &self,
        asked: ClientRequest,
        body: Bytes,
        share: DecisionMemory,
        told: &mut ExchangeRecorder,
    ) -> OutgoingBody {
        let plain = asked.body.len();
        let shaped = self.shape_in_time(asked, share.clone()).await;
        let exchange = told.exchange_mut();
        exchange.bytes_received = plain as u64;
        let mut to_get_ready = None;
        let sent = match shaped {
            Ok(ShapedRequest { body, report: about, prefetch: ready }) => {
                (exchange.report, to_get_ready) = (about, ready);
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
        let (body, ready) = (body::full_body(sent.clone()), to_get_ready);
        let share = share.body;
        OutgoingBody { body, is_decoded, bytes: Some(sent), share, prefetch: ready }
    }

    /// Returns the shaper's outcome if it is in time, or else the reason and the fallback.
    async fn shape_in_time(
        &self,
        asked: ClientRequest,
        share: DecisionMemory,
    ) -> Result<ShapedRequest, (FailedOpen, Option<Bytes>)> {
        let (shaper, wait) = (Arc::clone(&self.settings.shaper), asked.decision.clone());
        let body = asked.body.clone();
        let deciding = tokio::task::spawn_blocking(move || {
            let shaped = shaper.shape(&asked);
            drop((asked, share));
            shaped
        });
        // Earlier decisions are always sent: without them the provider's cache is lost, and newer
        // models refuse their own thinking.
        let in_time = await_decision(deciding, self.settings.limits.decision_timeout, &wait).await;
        let decided = match in_time {
            Ok(decided) => decided,
            Err(deciding) => match wait.abandon(&body) {
                Some(earlier) => return Err((FailedOpen::Late, earlier.map(Bytes::from))),
                // The decision is made and may be recorded already, so the rest takes no time.
                None => deciding.await,
            },
        };
        decided.map_err(|_| {
            let earlier = wait.abandon(&body).flatten();
            (FailedOpen::Panicked, earlier.map(Bytes::from))
        })
    }
}

/// Waits for a decision; longer if no fallback is known yet.
async fn await_decision(
    mut deciding: JoinHandle<ShapedRequest>,
    limit: Duration,
    wait: &DecisionSlot,
) -> Result<Result<ShapedRequest, JoinError>, JoinHandle<ShapedRequest>> {
    let mut in_time = tokio::time::timeout(limit, &mut deciding).await;
    for _ in 0..FALLBACK_WAITS {
        if in_time.is_ok() || wait.may_stop_waiting() {
            break;
        }
        in_time = tokio::time::timeout(limit, &mut deciding).await;
    }
    in_time.map_err(|_| deciding)
}

/// The body of a response, by its source.
pub(crate) enum ResponseSource {
    Upstream(Incoming),
    Local(StreamingBody),
}

fn purpose(route: RequestRoute) -> Purpose {
    match route {
        RequestRoute::Answer(_) | RequestRoute::Signed(_) => Purpose::Answer,
        RequestRoute::Count(_) => Purpose::Count,
        RequestRoute::WebSocket(_) => Purpose::WebSocket,
        RequestRoute::Other => Purpose::Other,
    }
}

/// Returns the refusal for an upstream that cannot be reached, with the root cause.
fn unreachable_refusal(upstream: &Upstream, error: &(dyn Error + 'static)) -> GatewayRefusal {
    let mut reason = error;
    while let Some(source) = reason.source() {
        reason = source;
    }
    GatewayRefusal::UpstreamUnreachable {
        upstream: upstream.to_string(),
        reason: reason.to_string(),
    }
}
