//! The body of a request: read whole, within bounds, before anybody else sees it.

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::{Response, StatusCode};
use rmcp::model::{ErrorData, JsonRpcError, RequestId};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// Largest body of a request, in bytes: as long as a line may be at standard input.
pub(super) const BODY_BYTES_MAX: usize = 16 << 20;

/// Why a request is refused.
#[derive(Debug)]
pub(super) enum Refusal {
    TooLarge,
    BrokenOff,
    /// Another request of the session has the same id, and is not answered yet.
    IdInUse(RequestId),
}

/// Reads a body whole.
pub(super) async fn read(body: Incoming) -> Result<Bytes, Refusal> {
    match Limited::new(body, BODY_BYTES_MAX).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Refusal::TooLarge),
        Err(_) => Err(Refusal::BrokenOff),
    }
}

/// The id of the request that a body is, if it is one.
pub(super) fn id_of_request(body: &[u8]) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Message {
        id: RequestId,
        #[serde(rename = "method")]
        _method: IgnoredAny,
    }
    serde_json::from_slice(body).ok().map(|Message { id, .. }| id)
}

impl Refusal {
    /// What is answered.
    pub(super) fn response(self) -> Response<String> {
        let (status, id, what) = match self {
            Self::TooLarge => {
                let what = format!("the body has more than {BODY_BYTES_MAX} bytes");
                (StatusCode::PAYLOAD_TOO_LARGE, None, what)
            }
            Self::BrokenOff => {
                (StatusCode::BAD_REQUEST, None, "the body was broken off".to_owned())
            }
            Self::IdInUse(id) => {
                let what = "a request with this id is not answered yet; choose another id";
                (StatusCode::BAD_REQUEST, Some(id), what.to_owned())
            }
        };
        let error = JsonRpcError::new(id, ErrorData::invalid_request(what, None));
        let body = serde_json::to_string(&error).expect("an error is JSON");
        let response = Response::builder().status(status).header(CONTENT_TYPE, "application/json");
        response.body(body).expect("all headers are fixed and valid")
    }
}
