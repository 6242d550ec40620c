//! Answers HTTP requests, and keeps the sessions of their clients.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Instant;

use foveal_http_guard::{AccessToken, MemoryBudget, Peer};
use foveal_tools::session::LogicalClock;
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

use super::allowed_hosts::AllowedHosts;
use super::ambiguity::SESSION_HEADER;
use super::answer_body::AnswerBody;
use super::connections::HttpConnections;
use super::request_body::{self, RequestRefusal};
use super::request_head;
use super::session_eviction::{HttpSessionTable, SessionReservation};
use super::settings::HttpSettings;
use super::tracked_connection::{ConnectionStage, TrackedConnection};
use crate::connection::ClientConnection;
use crate::delivery_tracker::DeliveryTracker;
use crate::message::{JsonRpcRefusal, MESSAGE_BYTES_MAX, ParsedMessage, parse_message};
use crate::request_ids::{RequestIdClaim, RequestIdRegistry};
use crate::server::McpServer;

type HttpResponseBody = BoxBody<Bytes, Infallible>;

/// The server's only resource: answers requests.
pub(super) struct HttpEndpoint {
    protocol: StreamableHttpService<ClientConnection, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    session_table: HttpSessionTable,
    logical_clock: Arc<LogicalClock>,
    request_ids: RequestIdRegistry,
    body_bytes: MemoryBudget,
    hosts: AllowedHosts,
    token: Option<AccessToken>,
}

/// The peer and the connection that a request comes from.
pub(super) struct RequestOrigin {
    pub(super) peer: Peer,
    pub(super) connection: TrackedConnection,
    pub(super) connections: Arc<HttpConnections>,
}

/// The kind of message in a request body.
enum PostedMessageKind {
    /// The first request of a client.
    Initialize,
    Request(RequestId),
    Other,
}

impl HttpEndpoint {
    pub(super) fn new(
        server: &McpServer,
        settings: &HttpSettings,
        hosts: AllowedHosts,
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
            // The host was checked before the body is read, and more strictly.
            .disable_allowed_hosts();
        let made = server.clone();
        let make = move || Ok(made.open_request_connection());
        Self {
            protocol: StreamableHttpService::new(make, Arc::clone(&sessions), protocol),
            sessions,
            session_table: HttpSessionTable::new(server.shared.settings.sessions_max),
            logical_clock: Arc::clone(&server.shared.arrivals),
            request_ids: RequestIdRegistry::default(),
            body_bytes: MemoryBudget::default(),
            hosts,
            token: settings.token.clone(),
        }
    }

    /// Answers a request.
    pub(super) async fn handle_request(
        &self,
        request: Request<Incoming>,
        from: RequestOrigin,
    ) -> Response<HttpResponseBody> {
        let admitted = request_head::admit_request(
            &request,
            &from.connection.take_recent_bytes(),
            &self.hosts,
            self.token.as_ref(),
        );
        if let Err(rejection) = admitted {
            return rejection.into_response().map(BodyExt::boxed);
        }
        // Content that is delivered by now may be referred to in this answer.
        from.connections.confirm_deliveries();
        let passage = DeliveryTracker::new(&self.logical_clock);
        let RequestOrigin { peer, connection: line, .. } = from;
        let has_one_answer = request.method() == Method::POST;
        let response = match self.forward(request, peer, &line, &passage).await {
            Ok(response) => response,
            Err(refused) => refused.into_response().map(BodyExt::boxed),
        };
        response.map(|body| AnswerBody::new(body, has_one_answer, passage, line).boxed())
    }

    /// Forwards a complete request to the protocol.
    async fn forward(
        &self,
        request: Request<Incoming>,
        peer: Peer,
        line: &TrackedConnection,
        passage: &DeliveryTracker,
    ) -> Result<Response<HttpResponseBody>, RequestRefusal> {
        let (mut parts, body) = request.into_parts();
        line.set_stage(ConnectionStage::Body);
        let body = request_body::read_body(body, &self.body_bytes).await?;
        line.set_stage(ConnectionStage::Working);
        let session = parts.headers.get(SESSION_HEADER).and_then(|id| id.to_str().ok());
        let session = session.map(str::to_owned);
        let asked = match parts.method {
            Method::POST => message_kind(&body)?,
            _ => PostedMessageKind::Other,
        };
        if !matches!(asked, PostedMessageKind::Request(_)) {
            // A stream that the client listens on stays open, and no call should wait for its end.
            drop(passage.take_call_arrival());
        }
        let mut room = None;
        match (&session, asked) {
            (Some(session), PostedMessageKind::Request(id)) => {
                passage.hold_request_id(self.claim_request_id(session, id)?);
            }
            (Some(session), PostedMessageKind::Initialize | PostedMessageKind::Other) => {
                self.session_table
                    .mark_used(session, false, || ())
                    .ok_or(RequestRefusal::NoSuchSession)?;
            }
            (None, PostedMessageKind::Initialize) => room = Some(self.reserve_session().await?),
            (None, PostedMessageKind::Request(_) | PostedMessageKind::Other) => {}
        }
        let (ends, listens) = (parts.method == Method::DELETE, parts.method == Method::GET);
        parts.extensions.insert(passage.clone());
        let request = Request::from_parts(parts, Full::new(body));
        let mut response = self.protocol.handle(request).await;
        if listens {
            line.set_stage(ConnectionStage::Listening);
        }
        if ends && response.status() == StatusCode::ACCEPTED {
            // The session is closed already: some clients treat 202 (accepted) as a failure.
            *response.status_mut() = StatusCode::OK;
        }
        if let Some(room) = room
            && let Some(id) = session_id(response.headers())
        {
            room.start_session(id, peer);
        }
        Ok(response)
    }

    /// Claims the id of a request in its session, and marks the session as used.
    fn claim_request_id(
        &self,
        session: &str,
        id: RequestId,
    ) -> Result<RequestIdClaim, RequestRefusal> {
        let claim = || self.request_ids.claim(session, id.clone());
        let claim = self
            .session_table
            .mark_used(session, true, claim)
            .ok_or(RequestRefusal::NoSuchSession)?;
        claim.ok_or_else(|| JsonRpcRefusal::id_in_use(id).into())
    }

    /// Reserves a place for a new session; closes others if needed.
    async fn reserve_session(&self) -> Result<SessionReservation<'_>, RequestRefusal> {
        // Held so that no session opens while the ones to close are chosen.
        let sessions = self.sessions.sessions.read().await;
        let names: Vec<Box<str>> = sessions.keys().map(|id| (**id).into()).collect();
        let made = self.session_table.reserve(
            &names,
            |id| self.request_ids.has_unanswered_requests(id),
            Instant::now(),
        );
        let (room, gone) = made.map_err(|_| RequestRefusal::Busy)?;
        let is_gone = |id: &&SessionId| gone.iter().any(|gone| **gone == ***id);
        let gone: Vec<_> = sessions.keys().filter(is_gone).cloned().collect();
        drop(sessions);
        for id in &gone {
            // A session that is closed already causes an error that does not matter.
            drop(self.sessions.close_session(id).await);
        }
        Ok(room)
    }
}

fn session_id(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION_HEADER)?.to_str().ok()
}

/// Parses a body and returns its kind; refuses bodies that are no message.
fn message_kind(body: &[u8]) -> Result<PostedMessageKind, RequestRefusal> {
    match parse_message(body) {
        ParsedMessage::Message(message) => Ok(match *message {
            JsonRpcMessage::Request(request) => match request.request {
                ClientRequest::InitializeRequest(_) => PostedMessageKind::Initialize,
                _ => PostedMessageKind::Request(request.id),
            },
            _ => PostedMessageKind::Other,
        }),
        ParsedMessage::Ignored => {
            let what = "this is not a valid protocol message".to_owned();
            Err(JsonRpcRefusal::invalid(None, what).into())
        }
        ParsedMessage::Refused(refusal) => Err(refusal.into()),
    }
}
