//! What foveal itself answers, in the words of the API that was asked.

use foveal_live::compress::NotCompressed;
use foveal_live::recorder::Unrecorded;
use foveal_wire::Protocol;
use hyper::header::{CONTENT_TYPE, HeaderValue, UPGRADE};
use hyper::{Response, StatusCode};

use crate::body::{self, Passed};
use crate::gate::Stranger;
use crate::incoming::ReadError;

/// Why foveal itself answers a request.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("{0}")]
    Stranger(#[from] Stranger),
    #[error("{0}")]
    Unread(#[from] ReadError),
    #[error("{0}")]
    NoUpstream(String),
    #[error("this address cannot be passed on")]
    Address,
    #[error("foveal cannot reach {upstream}: {reason}")]
    Unreached { upstream: String, reason: String },
    #[error("{0}")]
    Messages(#[from] NotCompressed),
    #[error("the body is longer than foveal reads, or its encoding cannot be read")]
    Unreadable,
    #[error("nothing is kept under this hash: it may be too old, or from another store")]
    NotKept,
    #[error("{0}")]
    Unrecorded(#[from] Unrecorded),
    #[error("foveal passes no WebSockets to models; ask over HTTP")]
    WebSocket,
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::Stranger(Stranger::Token) => StatusCode::UNAUTHORIZED,
            Self::Stranger(Stranger::Host | Stranger::Origin) => StatusCode::FORBIDDEN,
            Self::Stranger(Stranger::Unclear)
            | Self::Unread(ReadError::BrokenOff)
            | Self::Messages(_)
            | Self::Address => StatusCode::BAD_REQUEST,
            Self::Unreadable => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Unread(ReadError::Late) => StatusCode::REQUEST_TIMEOUT,
            Self::Unread(ReadError::Busy) | Self::Unrecorded(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::NoUpstream(_) | Self::NotKept => StatusCode::NOT_FOUND,
            Self::Unreached { .. } => StatusCode::BAD_GATEWAY,
            // Codex falls back to HTTP at once for this one, and tries others again.
            Self::WebSocket => StatusCode::UPGRADE_REQUIRED,
        }
    }

    /// What the kinds of errors of the APIs call it.
    fn kind(&self) -> &'static str {
        match self {
            Self::Stranger(Stranger::Token) => "authentication_error",
            Self::Stranger(_) => "permission_error",
            Self::Unread(ReadError::Busy) => "overloaded_error",
            Self::Unread(_)
            | Self::Messages(_)
            | Self::Unreadable
            | Self::Address
            | Self::WebSocket => "invalid_request_error",
            Self::NoUpstream(_) | Self::NotKept => "not_found_error",
            Self::Unreached { .. } | Self::Unrecorded(_) => "api_error",
        }
    }

    /// What the client is answered.
    pub(crate) fn response(&self, protocol: Option<Protocol>) -> Response<Passed> {
        let (status, kind, message) = (self.status(), self.kind(), self.to_string());
        let error = match protocol {
            Some(Protocol::Messages) => serde_json::json!({
                "type": "error", "error": { "type": kind, "message": message },
            }),
            Some(Protocol::Gemini) => serde_json::json!({
                "error": { "code": status.as_u16(), "message": message, "status": kind },
            }),
            Some(Protocol::Chat | Protocol::Responses) | None => serde_json::json!({
                "error": { "message": message, "type": kind, "param": null, "code": null },
            }),
        };
        let mut response = Response::new(body::whole(error.to_string()));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if matches!(self, Self::WebSocket) {
            headers.insert(UPGRADE, HeaderValue::from_static("HTTP/1.1"));
        }
        response
    }
}
