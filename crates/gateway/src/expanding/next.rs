//! A request that is made again with more behind its messages.

use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Response, StatusCode};
use hyper_util::client::legacy::Error;

use crate::body;
use crate::client::Upward;
use crate::decoding::Decoding;
use crate::head::Head;

/// The head of a request, and the way to its upstream.
pub(crate) struct Next {
    head: Head,
    upward: Upward,
}

impl Next {
    /// Makes the like of this request. Of its answer nothing can be put together that is encoded:
    /// it asks for none that is.
    pub(crate) fn of(head: &mut Head, upward: Upward) -> Self {
        head.headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        Self { head: head.clone(), upward }
    }

    pub(super) async fn ask(&self, body: Bytes) -> Result<Response<Incoming>, Error> {
        self.upward.request(self.head.clone().request(body::whole(body))).await
    }
}

/// Whether an answer is one of a model, in a form that can be read.
pub(crate) fn can_be_read(response: &Response<Incoming>) -> bool {
    let is_known = streams(response.headers()) || is_json(response.headers());
    let is_readable = !matches!(Decoding::of(response.headers()), Decoding::Unreadable);
    response.status() == StatusCode::OK && is_known && is_readable
}

/// Whether an answer is a stream of events.
pub(super) fn streams(headers: &HeaderMap) -> bool {
    is_kind(headers, "text/event-stream")
}

fn is_json(headers: &HeaderMap) -> bool {
    is_kind(headers, "application/json")
}

fn is_kind(headers: &HeaderMap, kind: &str) -> bool {
    let told = headers.get(CONTENT_TYPE).and_then(|told| told.to_str().ok()).unwrap_or_default();
    told.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(kind)
}

/// Reads what is left of an answer that has said all it has to say, so that its connection can be
/// used again; not for long.
pub(super) fn drain(mut body: Incoming) {
    const PATIENCE: std::time::Duration = std::time::Duration::from_secs(1);
    tokio::spawn(async move {
        let drained = async { while let Some(Ok(_)) = body.frame().await {} };
        drop(tokio::time::timeout(PATIENCE, drained).await);
    });
}
