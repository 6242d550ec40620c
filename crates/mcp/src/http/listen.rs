//! Connections over HTTP, and the sessions that clients have there.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use foveal_tools::session::Arrivals;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderMap;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use rmcp::model::RequestId;
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::answer_body::AnswerBody;
use super::auth;
use super::body::{self, BODY_BYTES_MAX, Refusal};
use super::line::{Line, LineStream};
use super::settings::{HttpError, HttpSettings, Token};
use crate::claims::{Claim, Claims};
use crate::connection::Connection;
use crate::passage::Passage;
use crate::runtime;
use crate::server::Server;

/// How long the headers of a request may take.
const HEADERS_PATIENCE: Duration = Duration::from_secs(10);

/// The header that names a session.
const SESSION_HEADER: &str = "mcp-session-id";

type Body = BoxBody<Bytes, Infallible>;

/// What every connection needs.
struct Endpoint {
    protocol: StreamableHttpService<Connection, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    sessions_max: usize,
    used: Mutex<HashMap<Box<str>, Instant>>,
    arrivals: Arc<Arrivals>,
    claims: Claims,
    /// The connections, and those that ended a short while ago.
    lines: Mutex<Vec<Line>>,
    token: Option<Token>,
}

/// Serves clients over HTTP until the program is asked to end. `ready` is called with the
/// address once clients can connect. Blocks.
///
/// # Errors
/// [`HttpError`].
pub fn serve(
    server: &Server,
    settings: &HttpSettings,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), HttpError> {
    auth::check_address(settings)?;
    let runtime = runtime::build(server.shared.settings.calls_max).map_err(HttpError::Start)?;
    let served = runtime.block_on(async {
        let stop = runtime::stop_when_asked();
        let listener = bind(settings).await?;
        ready(listener.local_addr().unwrap_or(settings.address));
        serve_on(server, settings, listener, stop).await;
        Ok(())
    });
    runtime.shutdown_timeout(runtime::END_PATIENCE);
    served
}

async fn bind(settings: &HttpSettings) -> Result<TcpListener, HttpError> {
    let address = settings.address;
    TcpListener::bind(address).await.map_err(|source| HttpError::Listen { address, source })
}

/// Serves who connects to `listener` until `stop` is cancelled. Who may connect is not asked
/// here: [`serve`] checks the address.
pub async fn serve_on(
    server: &Server,
    settings: &HttpSettings,
    listener: TcpListener,
    stop: CancellationToken,
) {
    let endpoint = Arc::new(Endpoint::new(server, settings, &stop));
    let permits = Arc::new(Semaphore::new(settings.connections_max.max(1)));
    let graceful = GracefulShutdown::new();
    loop {
        let permit = tokio::select! {
            permit = Arc::clone(&permits).acquire_owned() => permit,
            () = stop.cancelled() => break,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        let Ok((stream, _)) = accepted else {
            // Out of file descriptors, say: trying again at once would only burn time.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let connection = connection(&endpoint, stream);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A client that breaks off has ended its connection, and nothing else.
            drop(connection.await);
            drop(permit);
        });
    }
    drop(tokio::time::timeout(runtime::END_PATIENCE, graceful.shutdown()).await);
}

fn connection(
    endpoint: &Arc<Endpoint>,
    stream: TcpStream,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> + Send + 'static {
    // Small messages, each waited for: collecting them only delays.
    drop(stream.set_nodelay(true));
    let line = Line::new(stream);
    endpoint.lines().push(line.clone());
    let (endpoint, stream) = (Arc::clone(endpoint), LineStream(line.clone()));
    let service = service_fn(move |request| {
        let (endpoint, line) = (Arc::clone(&endpoint), line.clone());
        async move { Ok::<_, Infallible>(endpoint.answer(request, line).await) }
    });
    hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_PATIENCE)
        .serve_connection(TokioIo::new(stream), service)
}

impl Endpoint {
    fn new(server: &Server, settings: &HttpSettings, stop: &CancellationToken) -> Self {
        let idle = server.shared.settings.session_idle;
        let mut config = SessionConfig::default();
        config.keep_alive = Some(idle);
        let mut sessions = LocalSessionManager::default();
        sessions.session_config = config;
        let sessions = Arc::new(sessions);
        let mut protocol = StreamableHttpServerConfig::default()
            .with_cancellation_token(stop.clone())
            .with_max_request_body_bytes(BODY_BYTES_MAX)
            .with_allowed_origins(settings.origins.clone())
            .enforce_origin_validation();
        protocol.allowed_hosts.extend(settings.hosts.iter().cloned());
        if settings.is_public && settings.hosts.is_empty() {
            // Whatever name leads here: a page that borrows one has no token to show.
            protocol = protocol.disable_allowed_hosts();
        }
        let made = server.clone();
        let make = move || Ok(made.request());
        Self {
            protocol: StreamableHttpService::new(make, Arc::clone(&sessions), protocol),
            sessions,
            sessions_max: server.shared.settings.sessions_max,
            used: Mutex::default(),
            arrivals: Arc::clone(&server.shared.arrivals),
            claims: Claims::default(),
            lines: Mutex::default(),
            token: settings.token.clone(),
        }
    }

    fn lines(&self) -> MutexGuard<'_, Vec<Line>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a request arrive: what was delivered by now may be pointed at in its answer.
    fn arrive(&self) -> Passage {
        self.lines().retain(Line::tell_delivered);
        Passage::arriving(&self.arrivals)
    }

    async fn answer(&self, request: Request<Incoming>, line: Line) -> Response<Body> {
        let (path, headers) = (request.uri().path(), request.headers());
        if let Err(rejection) = auth::authorise(self.token.as_ref(), path, headers) {
            let response: Response<String> = rejection.response();
            return response.map(BodyExt::boxed);
        }
        let passage = self.arrive();
        self.make_room(headers).await;
        let ends = request.method() == Method::DELETE;
        let (mut parts, body) = request.into_parts();
        let body = match body::read(body).await {
            Ok(body) => body,
            Err(refusal) => return refusal.response().map(BodyExt::boxed),
        };
        if let Some(id) = body::id_of_request(&body) {
            match self.claim(&parts.headers, id) {
                Ok(claim) => claim.into_iter().for_each(|claim| passage.hold(claim)),
                Err(refusal) => return refusal.response().map(BodyExt::boxed),
            }
        }
        parts.extensions.insert(passage.clone());
        let request = Request::from_parts(parts, Full::new(body));
        let response = self.protocol.handle(request).await;
        let mut response = response.map(|body| AnswerBody::new(body, passage, line).boxed());
        if ends && response.status() == StatusCode::ACCEPTED {
            // The session is gone, not about to go: some clients take `accepted` for a failure.
            *response.status_mut() = StatusCode::OK;
        }
        response
    }

    /// Claims the id of a request in its session, if it names one.
    fn claim(&self, headers: &HeaderMap, id: RequestId) -> Result<Option<Claim>, Refusal> {
        let session = headers.get(SESSION_HEADER).and_then(|session| session.to_str().ok());
        let Some(session) = session else { return Ok(None) };
        let claim = self.claims.claim(session, id.clone());
        claim.map(Some).ok_or(Refusal::IdInUse(id))
    }

    /// Notes that a session is used; closes those not used for longest where there are too many.
    async fn make_room(&self, headers: &HeaderMap) {
        let open: Vec<_> = self.sessions.sessions.read().await.keys().cloned().collect();
        let now = Instant::now();
        let excess = {
            let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
            used.retain(|id, _| open.iter().any(|open| **open == **id));
            open.iter().for_each(|id| {
                used.entry((**id).into()).or_insert(now);
            });
            let named = headers.get(SESSION_HEADER).and_then(|id| id.to_str().ok());
            if let Some(used) = named.and_then(|id| used.get_mut(id)) {
                *used = now;
            }
            let is_new = named.is_none();
            let most = self.sessions_max.saturating_sub(usize::from(is_new));
            let mut by_use = open;
            by_use.sort_by_key(|id| used.get(&**id).copied());
            by_use.truncate(by_use.len().saturating_sub(most));
            by_use
        };
        for id in excess {
            // One that is gone already is gone.
            drop(self.sessions.close_session(&id).await);
        }
    }
}
