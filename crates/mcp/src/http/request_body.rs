//! Request bodies: read completely, within bounds, before they are parsed.

use foveal_http_guard::MemoryBudget;
use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::{Response, StatusCode};

use crate::message::{JsonRpcRefusal, MESSAGE_BYTES_MAX};

/// Bytes of all incomplete bodies together.
const ALL_BODIES_BYTES_MAX: usize = 64 << 20;

/// Why a request is not forwarded to the protocol.
#[derive(Debug)]
pub(super) enum RequestRefusal {
    TooLarge,
    Truncated,
    /// Too many bytes are being read, or too many sessions are busy.
    Busy,
    /// The session is being closed.
    NoSuchSession,
    /// It is no message of the protocol, or its id is in use.
    InvalidMessage(Box<JsonRpcRefusal>),
}

/// Reads a body completely.
pub(super) async fn read_body(
    mut body: Incoming,
    all: &MemoryBudget,
) -> Result<Bytes, RequestRefusal> {
    let share = all.start_reservation();
    let mut whole = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| RequestRefusal::Truncated)?;
        let Ok(part) = frame.into_data() else { continue };
        if whole.len() + part.len() > MESSAGE_BYTES_MAX {
            return Err(RequestRefusal::TooLarge);
        }
        if !share.reserve(part.len(), ALL_BODIES_BYTES_MAX) {
            return Err(RequestRefusal::Busy);
        }
        whole.extend_from_slice(&part);
    }
    Ok(whole.into())
}

impl From<JsonRpcRefusal> for RequestRefusal {
    fn from(refusal: JsonRpcRefusal) -> Self {
        Self::InvalidMessage(Box::new(refusal))
    }
}

impl RequestRefusal {
    /// Converts this to a response.
    pub(super) fn into_response(self) -> Response<String> {
        let (status, refusal) = match self {
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, JsonRpcRefusal::too_long()),
            Self::Truncated => {
                let what = "the body ended before it was complete".to_owned();
                (StatusCode::BAD_REQUEST, JsonRpcRefusal::invalid(None, what))
            }
            Self::Busy => {
                let what = "too many requests are in progress; try again in a moment".to_owned();
                (StatusCode::SERVICE_UNAVAILABLE, JsonRpcRefusal::invalid(None, what))
            }
            Self::NoSuchSession => {
                let what = "the session no longer exists; start a new one".to_owned();
                (StatusCode::NOT_FOUND, JsonRpcRefusal::invalid(None, what))
            }
            Self::InvalidMessage(refusal) => (StatusCode::BAD_REQUEST, *refusal),
        };
        let body = serde_json::to_string(&refusal.into_error_response()).expect("an error is JSON");
        let response = Response::builder().status(status).header(CONTENT_TYPE, "application/json");
        response.body(body).expect("all headers are fixed and valid")
    }
}
