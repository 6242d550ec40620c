//! What answers requests over HTTP, and the sessions that clients have there.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Instant;

use foveal_listening::{Held, Peer, Token};
use foveal_tools::session::Arrivals;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderMap;
use hyper::{Method, Request, Response, StatusCode};
use rmcp::model::{ClientRequest, JsonRpcMessage, RequestId};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::answer_body::AnswerBody;
use super::body::{self, Refused};
use super::clear::SESSION_HEADER;
use super::connections::Connections;
use super::guests::{Guests, Room};
use super::heads;
use super::hosts::Hosts;
use super::line::{Line, Stage};
use super::settings::HttpSettings;
use crate::claims::{Claim, Claims};
use crate::connection::Connection;
use crate::message::{MESSAGE_BYTES_MAX, Parsed, Refusal, parse};
use crate::passage::Passage;
use crate::server::Server;

type Body = BoxBody<Bytes, Infallible>;

/// What answers requests.
pub(super) struct Endpoint {
    protocol: StreamableHttpService<Connection, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    guests: Guests,
    arrivals: Arc<Arrivals>,
    claims: Claims,
    body_bytes: Held,
    hosts: Hosts,
    token: Option<Token>,
}

/// Where a request comes from.
pub(super) struct From {
    pub(super) peer: Peer,
    pub(super) line: Line,
    pub(super) connections: Arc<Connections>,
}

/// What the body of a request is.
enum Asked {
    /// The first request of a client.
    Initialize,
    Request(RequestId),
    Other,
}

impl Endpoint {
    pub(super) fn new(
        server: &Server,
        settings: &HttpSettings,
        hosts: Hosts,
        stop: &CancellationToken,
    ) -> Self {
        let idle = server.shared.settings.session_idle;
        let mut config = SessionConfig::default();
        config.keep_alive = Some(idle);
        let mut sessions = LocalSessionManager::default();
        sessions.session_config = config;
        let sessions = Arc::new(sessions);
        let protocol = StreamableHttpServerConfig::default()
            .with_cancellation_token(stop.clone())
            .with_max_request_body_bytes(MESSAGE_BYTES_MAX)
            .with_allowed_origins(settings.origins.clone())
            .enforce_origin_validation()
            // Looked at before anything is read, and more closely.
            .disable_allowed_hosts();
        let made = server.clone();
        let make = move || Ok(made.request());
        Self {
            protocol: StreamableHttpService::new(make, Arc::clone(&sessions), protocol),
            sessions,
            guests: Guests::new(server.shared.settings.sessions_max),
            arrivals: Arc::clone(&server.shared.arrivals),
            claims: Claims::default(),
            body_bytes: Held::default(),
            hosts,
            token: settings.token.clone(),
        }
    }

    /// Answers a request.
    pub(super) async fn answer(&self, request: Request<Incoming>, from: From) -> Response<Body> {
        let admitted =
            heads::admit(&request, &from.line.take_read(), &self.hosts, self.token.as_ref());
        if let Err(rejection) = admitted {
            return rejection.response().map(BodyExt::boxed);
        }
        // What was delivered by now may be pointed at in its answer.
        from.connections.tell_delivered();
        let passage = Passage::arriving(&self.arrivals);
        let From { peer, line, .. } = from;
        let has_one_answer = request.method() == Method::POST;
        let response = match self.pass_on(request, (peer, &line), &passage).await {
            Ok(response) => response,
            Err(refused) => refused.response().map(BodyExt::boxed),
        };
        response.map(|body| AnswerBody::new(body, has_one_answer, passage, line).boxed())
    }

    /// Has the protocol answer a request that came whole.
    async fn pass_on(
        &self,
        request: Request<Incoming>,
        (peer, line): (Peer, &Line),
        passage: &Passage,
    ) -> Result<Response<Body>, Refused> {
        let (mut parts, body) = request.into_parts();
        line.enter(Stage::Body);
        let body = body::read(body, &self.body_bytes).await?;
        line.enter(Stage::Working);
        let session = parts.headers.get(SESSION_HEADER).and_then(|id| id.to_str().ok());
        let session = session.map(str::to_owned);
        let asked = match parts.method {
            Method::POST => asked(&body)?,
            _ => Asked::Other,
        };
        if !matches!(asked, Asked::Request(_)) {
            // A stream that is listened to stays open, and nothing is to wait for its end.
            drop(passage.take_arrival());
        }
        let mut room = None;
        match (&session, asked) {
            (Some(session), Asked::Request(id)) => passage.hold(self.claim(session, id)?),
            (Some(session), Asked::Initialize | Asked::Other) => {
                self.guests.touch(session, false, || ()).ok_or(Refused::NoSession)?;
            }
            (None, Asked::Initialize) => room = Some(self.make_room().await?),
            (None, Asked::Request(_) | Asked::Other) => {}
        }
        let (ends, listens) = (parts.method == Method::DELETE, parts.method == Method::GET);
        parts.extensions.insert(passage.clone());
        let request = Request::from_parts(parts, Full::new(body));
        let mut response = self.protocol.handle(request).await;
        if listens {
            line.enter(Stage::Listening);
        }
        if ends && response.status() == StatusCode::ACCEPTED {
            // The session is gone, not about to go: some clients take `accepted` for a failure.
            *response.status_mut() = StatusCode::OK;
        }
        if let Some(room) = room
            && let Some(id) = session_of(response.headers())
        {
            room.begin(id, peer);
        }
        Ok(response)
    }

    /// Claims the id of a request in its session, which is used by that.
    fn claim(&self, session: &str, id: RequestId) -> Result<Claim, Refused> {
        let claim = || self.claims.claim(session, id.clone());
        let claim = self.guests.touch(session, true, claim).ok_or(Refused::NoSession)?;
        claim.ok_or_else(|| Refusal::id_in_use(id).into())
    }

    /// Closes sessions so that there is room for one more.
    async fn make_room(&self) -> Result<Room<'_>, Refused> {
        // Held, so that none opens while it is chosen which end.
        let sessions = self.sessions.sessions.read().await;
        let names: Vec<Box<str>> = sessions.keys().map(|id| (**id).into()).collect();
        let made = self.guests.make_room(&names, |id| self.claims.is_busy(id), Instant::now());
        let (room, gone) = made.map_err(|_| Refused::Busy)?;
        let is_gone = |id: &&SessionId| gone.iter().any(|gone| **gone == ***id);
        let gone: Vec<_> = sessions.keys().filter(is_gone).cloned().collect();
        drop(sessions);
        for id in &gone {
            // One that is gone already is gone.
            drop(self.sessions.close_session(id).await);
        }
        Ok(room)
    }
}

fn session_of(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION_HEADER)?.to_str().ok()
}

/// What a client asks for; what is no message is refused.
fn asked(body: &[u8]) -> Result<Asked, Refused> {
    match parse(body) {
        Parsed::Message(message) => Ok(match *message {
            JsonRpcMessage::Request(request) => match request.request {
                ClientRequest::InitializeRequest(_) => Asked::Initialize,
                _ => Asked::Request(request.id),
            },
            _ => Asked::Other,
        }),
        Parsed::Nothing => {
            let what = "this is no message of the protocol".to_owned();
            Err(Refusal::invalid(None, what).into())
        }
        Parsed::Refused(refusal) => Err(refusal.into()),
    }
}
