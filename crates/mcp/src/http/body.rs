//! The body of a request: read whole, within bounds, before anybody else sees it.

use foveal_listening::Held;
use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::{Response, StatusCode};

use crate::message::{MESSAGE_BYTES_MAX, Refusal};

/// Bytes of all bodies together that have not come whole.
const ALL_BYTES_MAX: usize = 64 << 20;

/// Why a request is not passed on.
#[derive(Debug)]
pub(super) enum Refused {
    TooLarge,
    BrokenOff,
    /// Too much is read at the same time, or too many sessions are at work.
    Busy,
    /// Its session ends.
    NoSession,
    /// It is no message of the protocol, or its id is in use.
    Message(Box<Refusal>),
}

/// Reads a body whole.
pub(super) async fn read(mut body: Incoming, all: &Held) -> Result<Bytes, Refused> {
    let mut share = all.share();
    let mut whole = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Refused::BrokenOff)?;
        let Ok(part) = frame.into_data() else { continue };
        if whole.len() + part.len() > MESSAGE_BYTES_MAX {
            return Err(Refused::TooLarge);
        }
        if !share.take(part.len(), ALL_BYTES_MAX) {
            return Err(Refused::Busy);
        }
        whole.extend_from_slice(&part);
    }
    Ok(whole.into())
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self::Message(Box::new(refusal))
    }
}

impl Refused {
    /// What is answered.
    pub(super) fn response(self) -> Response<String> {
        let (status, refusal) = match self {
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, Refusal::too_long()),
            Self::BrokenOff => {
                let what = "the body was broken off".to_owned();
                (StatusCode::BAD_REQUEST, Refusal::invalid(None, what))
            }
            Self::Busy => {
                let what = "too much is under way; try again in a moment".to_owned();
                (StatusCode::SERVICE_UNAVAILABLE, Refusal::invalid(None, what))
            }
            Self::NoSession => {
                let what = "there is no such session any more; begin a new one".to_owned();
                (StatusCode::NOT_FOUND, Refusal::invalid(None, what))
            }
            Self::Message(refusal) => (StatusCode::BAD_REQUEST, *refusal),
        };
        let body = serde_json::to_string(&refusal.answer()).expect("an error is JSON");
        let response = Response::builder().status(status).header(CONTENT_TYPE, "application/json");
        response.body(body).expect("all headers are fixed and valid")
    }
}
