//! Responses of foveal itself, in the error format of the API.

use foveal_protocols::Protocol;
use foveal_proxy::compress::CompressError;
use foveal_proxy::recorder::RecorderError;
use hyper::header::{CONTENT_TYPE, HeaderValue, UPGRADE};
use hyper::{Response, StatusCode};

use crate::access_control::AccessDenied;
use crate::body::{self, StreamingBody};
use crate::request_body::BodyReadError;

/// The reasons why foveal answers a request itself.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GatewayRefusal {
    #[error("{0}")]
    AccessDenied(#[from] AccessDenied),
    #[error("{0}")]
    BodyUnread(#[from] BodyReadError),
    #[error("{0}")]
    NoUpstream(String),
    #[error("requests for this address cannot be forwarded")]
    Address,
    #[error("foveal cannot reach {upstream}: {reason}")]
    UpstreamUnreachable { upstream: String, reason: String },
    #[error("{0}")]
    Messages(#[from] CompressError),
    #[error("the body is too long, or its encoding is not supported")]
    Unreadable,
    #[error("nothing is stored under this hash: it may have expired, or belong to another store")]
    NotKept,
    #[error("{0}")]
    RecorderFailed(#[from] RecorderError),
    #[error("foveal does not forward WebSockets to models; use HTTP")]
    WebSocket,
}

impl GatewayRefusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::AccessDenied(AccessDenied::Token) => StatusCode::UNAUTHORIZED,
            Self::AccessDenied(AccessDenied::Host | AccessDenied::Origin) => StatusCode::FORBIDDEN,
            Self::AccessDenied(AccessDenied::AmbiguousHost)
            | Self::BodyUnread(BodyReadError::BrokenOff)
            | Self::Messages(_)
            | Self::Address => StatusCode::BAD_REQUEST,
            Self::Unreadable => StatusCode::PAYLOAD_TOO_LARGE,
            Self::BodyUnread(BodyReadError::Late) => StatusCode::REQUEST_TIMEOUT,
            Self::BodyUnread(BodyReadError::Busy) | Self::RecorderFailed(_) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::NoUpstream(_) | Self::NotKept => StatusCode::NOT_FOUND,
            Self::UpstreamUnreachable { .. } => StatusCode::BAD_GATEWAY,
            // Codex falls back to HTTP at once for this status, and retries after others.
            Self::WebSocket => StatusCode::UPGRADE_REQUIRED,
        }
    }

    /// Returns the error type in the words of the APIs.
    fn kind(&self) -> &'static str {
        match self {
            Self::AccessDenied(AccessDenied::Token) => "authentication_error",
            Self::AccessDenied(_) => "permission_error",
            Self::BodyUnread(BodyReadError::Busy) => "overloaded_error",
            Self::BodyUnread(_)
            | Self::Messages(_)
            | Self::Unreadable
            | Self::Address
            | Self::WebSocket => "invalid_request_error",
            Self::NoUpstream(_) | Self::NotKept => "not_found_error",
            Self::UpstreamUnreachable { .. } | Self::RecorderFailed(_) => "api_error",
        }
    }

    /// Returns the response to the client.
    pub(crate) fn response(&self, protocol: Option<Protocol>) -> Response<StreamingBody> {
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
        let mut response = Response::new(body::full_body(error.to_string()));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if matches!(self, Self::WebSocket) {
            headers.insert(UPGRADE, HeaderValue::from_static("HTTP/1.1"));
        }
        response
    }
}
