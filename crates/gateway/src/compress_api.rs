//! The API for callers that send prompts to models themselves: `POST /v1/compress` shortens their
//! messages, `GET /v1/retrieve/{hash}` returns omitted content.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use foveal_http_guard::{MemoryBudget, MemoryReservation};
use foveal_proxy::compress::{self, CompressedMessages};
use foveal_transcript::Timestamp;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Response};
use serde_json::json;
use url::form_urlencoded;

use crate::body::{self, StreamingBody};
use crate::refusal::GatewayRefusal;
use crate::request_body::{self, BodyReadError, ReadBody};
use crate::settings::{GatewayLimits, Settings};
use crate::shaper::Shaper;

/// The header by which a caller's user switches compression off.
const BYPASS_HEADER: HeaderName = HeaderName::from_static("x-headroom-bypass");

/// A call of this API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CompressApiCall {
    Compress,
    Retrieve { hash: String, query: Option<String> },
}

/// Parses a request as a call of this API; `None` if it has to be forwarded.
pub(crate) fn parse_call(
    method: &Method,
    path: &str,
    query: Option<&str>,
) -> Option<CompressApiCall> {
    let path = path.trim_end_matches('/');
    if method == Method::POST && path == "/v1/compress" {
        return Some(CompressApiCall::Compress);
    }
    let hash = path.strip_prefix("/v1/retrieve/").filter(|_| method == Method::GET)?;
    let mut pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    let query = pairs.find(|(name, value)| name == "query" && !value.is_empty());
    let query = query.map(|(_, value)| value.into_owned());
    Some(CompressApiCall::Retrieve { hash: hash.to_owned(), query })
}

/// Handles a call.
pub(crate) async fn handle_call(
    settings: &Settings,
    held: &MemoryBudget,
    parts: &Parts,
    body: Incoming,
    wanted: CompressApiCall,
) -> Result<Response<StreamingBody>, GatewayRefusal> {
    let shaper = Arc::clone(&settings.shaper);
    match wanted {
        CompressApiCall::Compress => {
            let share = held.start_reservation();
            let limits = &settings.limits;
            let ReadBody::Complete(body) = request_body::read_body(body, limits, &share).await?
            else {
                return Err(GatewayRefusal::Unreadable);
            };
            let call = CompressCall {
                shaper: (!is_bypassed(&parts.headers)).then_some(shaper),
                headers: parts.headers.clone(),
                body,
                share,
                limits: *limits,
                now: (settings.now)(),
            };
            // There is no time limit: answers are final, so messages that were passed unchanged
            // because a machine was busy would be shorter the next time.
            let compressed = tokio::task::spawn_blocking(move || call.compress()).await;
            let compressed = compressed.map_err(|_| GatewayRefusal::Unreadable)??;
            Ok(json_response(render_response(&compressed)))
        }
        CompressApiCall::Retrieve { hash, query } => {
            let asked = hash.clone();
            let original = move || shaper.retrieve_original(&asked, query.as_deref());
            let original = tokio::task::spawn_blocking(original).await;
            let original =
                original.map_err(|_| GatewayRefusal::NotKept)??.ok_or(GatewayRefusal::NotKept)?;
            Ok(json_response(json!({ "hash": hash, "original_content": original }).to_string()))
        }
    }
}

/// A call whose body has arrived.
struct CompressCall {
    /// `None` if the messages are returned unchanged.
    shaper: Option<Arc<dyn Shaper>>,
    headers: HeaderMap,
    body: Bytes,
    /// Covers the memory of the body, also if the caller has disconnected.
    share: MemoryReservation,
    limits: GatewayLimits,
    now: Timestamp,
}

impl CompressCall {
    /// Decodes the body and compresses its messages. After a panic they are returned unchanged.
    fn compress(self) -> Result<CompressedMessages, GatewayRefusal> {
        let Self { shaper, headers, body, share, limits, now } = self;
        let decoded = request_body::decode_body(&headers, &body, limits.body_bytes)
            .map_err(|_| GatewayRefusal::Unreadable)?;
        if decoded.as_ref().is_some_and(|it| !share.reserve(it.len(), limits.all_bodies_bytes)) {
            return Err(GatewayRefusal::BodyUnread(BodyReadError::Busy));
        }
        let body = decoded.map_or(body, Bytes::from);
        let compress = |shaper: Arc<dyn Shaper>| {
            catch_unwind(AssertUnwindSafe(|| shaper.compress(&body, now))).ok()
        };
        // A panic repeats for equal messages, so this answer is stable too.
        let compressed = shaper.and_then(compress);
        Ok(compressed.unwrap_or_else(|| compress::passthrough(&body))?)
    }
}

fn is_bypassed(headers: &HeaderMap) -> bool {
    headers.get(BYPASS_HEADER).is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true"))
}

/// Renders the response around the messages, whose bytes stay unchanged.
fn render_response(compressed: &CompressedMessages) -> Vec<u8> {
    let CompressedMessages { messages, tokens_before, tokens_after, hashes, failure: failed } =
        compressed;
    let ratio = match tokens_before {
        0 => 1.0,
        before => *tokens_after as f64 / *before as f64,
    };
    let told = json!({
        "tokens_before": tokens_before,
        "tokens_after": tokens_after,
        "tokens_saved": tokens_before.saturating_sub(*tokens_after),
        "compression_ratio": ratio,
        "ccr_hashes": hashes,
        "inactive": failed,
    });
    let told = told.to_string();
    [br#"{"messages":"#, &messages[..], b",", &told.as_bytes()[1..]].concat()
}

fn json_response(body: impl Into<Bytes>) -> Response<StreamingBody> {
    let mut response = Response::new(body::full_body(body));
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

#[cfg(test)]
mod tests {
    use hyper::Method;

    use super::{CompressApiCall, parse_call};

    #[test]
    fn two_paths_are_answered_here() {
        let of = |method: Method, path: &str, query: Option<&str>| parse_call(&method, path, query);
        let hash = |query: Option<&str>| {
            let (hash, query) = ("abc".to_owned(), query.map(str::to_owned));
            Some(CompressApiCall::Retrieve { hash, query })
        };
        assert_eq!(of(Method::POST, "/v1/compress", None), Some(CompressApiCall::Compress));
        assert_eq!(of(Method::POST, "/v1/compress/", None), Some(CompressApiCall::Compress));
        assert_eq!(of(Method::GET, "/v1/retrieve/abc", None), hash(None));
        assert_eq!(of(Method::GET, "/v1/retrieve/abc", Some("query=")), hash(None));
        let asked = Some("a=b&query=who+said%20it%3F");
        assert_eq!(of(Method::GET, "/v1/retrieve/abc", asked), hash(Some("who said it?")));
        assert_eq!(of(Method::GET, "/v1/compress", None), None);
        assert_eq!(of(Method::POST, "/v1/retrieve/abc", None), None);
        assert_eq!(of(Method::POST, "/x/v1/compress", None), None);
    }
}
