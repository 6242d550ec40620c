//! One request: admitted, shaped, forwarded, and its response passed back.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use foveal_http_guard::{MemoryBudget, MemoryReservation};
use foveal_protocols::Protocol;
use foveal_proxy::request::{PrefetchTicket, RequestReport};
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_ENCODING;
use hyper::http::request::Parts;
use hyper::{Request, Response, Uri};

use crate::access_control::AccessControl;
use crate::body::{self, StreamingBody};
use crate::cache_keep_alive::{CacheKeepAlive, RepeatableRequest};
use crate::client::HttpClient;
use crate::compress_api::{self, CompressApiCall};
use crate::connection_activity::ConnectionActivity;
use crate::decision::PendingDecision;
use crate::exchange::{Exchange, ExchangeEnd, FailedOpen, Purpose, RefusedRequest};
use crate::exchange_recorder::ExchangeRecorder;
use crate::headers;
use crate::pages;
use crate::prefetcher::Prefetcher;
use crate::refusal::GatewayRefusal;
use crate::request_body::{self, ReadBody};
use crate::request_head::{RequestHead, RoutedRequest};
use crate::request_purpose::{self, RequestRoute};
use crate::response_body::ObservedResponseBody;
use crate::settings::{Settings, WebSocketPolicy};
use crate::trace_parent::TraceParent;
use crate::upstream_selection::Upstream;
use crate::websocket;

/// The reason why a request with an AWS signature is not shaped.
const SIGNED_REASON: &str = "the request is signed, and any change would invalidate its signature";

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

/// The body that is sent upstream.
struct OutgoingBody {
    body: StreamingBody,
    /// Whether the client's encoding was removed.
    is_decoded: bool,
    /// The body's bytes, unless it is streamed.
    bytes: Option<Bytes>,
    /// Its share of the memory budget for bodies.
    share: Arc<MemoryReservation>,
    /// The ticket to prepare the conversation's next request.
    prefetch: Option<PrefetchTicket>,
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
        let (upstream, path) = (upstream.clone(), path.to_owned());
        let request = RoutedRequest { head: parts, route, upstream, path };
        let mut told = self.new_recorder(began, &request);
        told.attach_request(connection.begin_request());
        match self.forward_request(request, body, &mut told).await {
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

    fn new_recorder(&self, began: Instant, request: &RoutedRequest) -> ExchangeRecorder {
        let RoutedRequest { head, route, upstream, .. } = request;
        let exchange = Exchange {
            number: self.request_count.fetch_add(1, Ordering::Relaxed) + 1,
            time: (self.settings.now)(),
            protocol: route.protocol(),
            purpose: purpose(*route),
            refresh: None,
            upstream: upstream.name.clone(),
            server: upstream.host_name().to_owned(),
            port: upstream.port(),
            parent: TraceParent::from_headers(&head.headers),
            profile_override: headers::profile_override(&head.headers).map(str::to_owned),
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
        request: RoutedRequest,
        body: Incoming,
        told: &mut ExchangeRecorder,
    ) -> Result<Response<ResponseSource>, GatewayRefusal> {
        let uri = request.upstream.request_uri(&request.path).ok_or(GatewayRefusal::Address)?;
        if let RequestRoute::WebSocket(protocol) = request.route {
            if protocol.is_some() && self.settings.websockets == WebSocketPolicy::Refused {
                return Err(GatewayRefusal::WebSocket);
            }
            return self.forward_upgrade(request, body, uri).await;
        }
        let request = Arc::new(request);
        let outgoing = self.prepare_body(&request, body, told).await?;
        let host = request.upstream.host_header();
        let mut headers = headers::forwarded_headers(request.head.headers.clone(), host);
        if outgoing.is_decoded {
            headers.remove(CONTENT_ENCODING);
        }
        let (method, extensions) = (request.head.method.clone(), request.head.extensions.clone());
        let head = RequestHead { method, uri, headers, extensions };
        if let (RequestRoute::Answer(Protocol::Messages), Some(keep_alive)) =
            (request.route, &self.keep_alive)
        {
            let exchange = told.exchange_mut();
            keep_alive.note_request(exchange.number, exchange.report.conversation.as_deref());
            if let Some(body) = outgoing.bytes {
                let repeat = RepeatableRequest { head: head.clone(), body };
                let keep_alive = Arc::clone(keep_alive);
                told.set_on_stream_end(Box::new(move |exchange| {
                    keep_alive.hold_request(exchange, repeat);
                }));
            }
        }
        told.exchange_mut().added_latency = told.elapsed();
        let answered = self.client.request(head.into_request(outgoing.body)).await;
        drop(outgoing.share);
        let mut response =
            answered.map_err(|error| unreachable_refusal(&request.upstream, &error))?;
        if let Some(ticket) = outgoing.prefetch {
            self.prefetcher.schedule(ticket);
        }
        if let Some(protocol) = request.route.protocol() {
            told.begin_response(protocol, response.status().as_u16(), response.headers());
        }
        headers::remove_hop_by_hop(response.headers_mut());
        Ok(response.map(ResponseSource::Upstream))
    }

    /// Forwards a request that upgrades its connection.
    async fn forward_upgrade(
        &self,
        request: RoutedRequest,
        body: Incoming,
        uri: Uri,
    ) -> Result<Response<ResponseSource>, GatewayRefusal> {
        let RoutedRequest { head, upstream, .. } = request;
        let request = Request::from_parts(head, body);
        let passed =
            websocket::forward_upgrade(&self.client, request, uri, upstream.host_header()).await;
        let response = passed.map_err(|error| unreachable_refusal(&upstream, &error))?;
        Ok(response.map(|body| match body {
            Some(body) => ResponseSource::Upstream(body),
            None => ResponseSource::Local(body::full_body(Bytes::new())),
        }))
    }

    /// Returns the body to send in place of the received one.
    async fn prepare_body(
        &self,
        request: &Arc<RoutedRequest>,
        body: Incoming,
        told: &mut ExchangeRecorder,
    ) -> Result<OutgoingBody, GatewayRefusal> {
        let share = self.body_budget.start_reservation();
        let protocol = match request.route {
            RequestRoute::Answer(protocol) | RequestRoute::Count(protocol) => protocol,
            route => {
                if let RequestRoute::Signed(_) = route {
                    told.exchange_mut().report.inactive_reason = Some(SIGNED_REASON.to_owned());
                }
                let body = body::streaming_body(body);
                return Ok(OutgoingBody::passthrough(body, Arc::new(share)));
            }
        };
        told.set_awaits_body(true);
        let read = request_body::read_body(body, &self.settings.limits, &share).await?;
        told.set_awaits_body(false);
        let share = Arc::new(share);
        let body = match read {
            ReadBody::Complete(body) => body,
            ReadBody::TooLong(body) => {
                told.exchange_mut().failed_open = Some(FailedOpen::TooLong);
                return Ok(OutgoingBody::passthrough(body::streaming_body(body), share));
            }
        };
        let pending = PendingDecision::new(
            Arc::clone(request),
            protocol,
            body.clone(),
            Arc::clone(&share),
            (self.settings.now)(),
        );
        let decision = Arc::new(pending).decide(&self.settings, &self.body_budget).await?;
        let exchange = told.exchange_mut();
        let bytes_sent = decision.body.as_ref().map_or(decision.bytes_decoded, Bytes::len);
        exchange.bytes_received = decision.bytes_decoded as u64;
        exchange.bytes_sent = bytes_sent as u64;
        exchange.report = decision.report;
        exchange.failed_open = decision.failed_open;
        let is_decoded = decision.body.is_some();
        let bytes = decision.body.unwrap_or(body);
        let body = body::full_body(bytes.clone());
        let (bytes, prefetch) = (Some(bytes), decision.prefetch);
        Ok(OutgoingBody { body, is_decoded, bytes, share, prefetch })
    }
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
