//! What foveal does for callers that send prompts to models themselves: `POST /v1/compress` makes
//! their messages shorter, `GET /v1/retrieve/{hash}` gives back what that left out.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use foveal_listening::{Held, Share};
use foveal_live::compress::{self, Compressed};
use foveal_transcript::Timestamp;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Response};
use serde_json::json;
use url::form_urlencoded;

use crate::body::{self, Passed};
use crate::incoming::{self, ReadError, Taken};
use crate::refusal::Refusal;
use crate::settings::Settings;
use crate::shaper::Shaper;

/// The header by which the users of callers say that nothing is to be done.
const BYPASS_HEADER: HeaderName = HeaderName::from_static("x-headroom-bypass");

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    Compress,
    Retrieve { hash: String, query: Option<String> },
}

/// What a request to foveal itself asks for; `None` where it is to be passed on.
pub(crate) fn wanted(method: &Method, path: &str, query: Option<&str>) -> Option<Wanted> {
    let path = path.trim_end_matches('/');
    if method == Method::POST && path == "/v1/compress" {
        return Some(Wanted::Compress);
    }
    let hash = path.strip_prefix("/v1/retrieve/").filter(|_| method == Method::GET)?;
    let mut pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    let query = pairs.find(|(name, value)| name == "query" && !value.is_empty());
    let query = query.map(|(_, value)| value.into_owned());
    Some(Wanted::Retrieve { hash: hash.to_owned(), query })
}

/// What is answered.
pub(crate) async fn answer(
    settings: &Settings,
    held: &Held,
    (parts, body): (&Parts, Incoming),
    wanted: Wanted,
) -> Result<Response<Passed>, Refusal> {
    let shaper = Arc::clone(&settings.shaper);
    match wanted {
        Wanted::Compress => {
            let mut share = held.share();
            let limits = &settings.limits;
            let Taken::Whole(body) = incoming::read(body, limits, &mut share).await? else {
                return Err(Refusal::Unreadable);
            };
            let decoded = incoming::decoded_apart(&parts.headers, &body, limits.body_bytes).await;
            let decoded = decoded.map_err(|_| Refusal::Unreadable)?;
            if decoded.as_ref().is_some_and(|it| !share.take(it.len(), limits.all_bodies_bytes)) {
                return Err(Refusal::Unread(ReadError::Busy));
            }
            let body = decoded.map_or(body, Bytes::from);
            let shaper = (!is_bypassed(&parts.headers)).then_some(shaper);
            let compressed = compressed(shaper, body, share, (settings.now)()).await?;
            Ok(json(of_compressed(&compressed)))
        }
        Wanted::Retrieve { hash, query } => {
            let asked = hash.clone();
            let original = move || shaper.original(&asked, query.as_deref());
            let original = tokio::task::spawn_blocking(original).await;
            let original = original.map_err(|_| Refusal::NotKept)??.ok_or(Refusal::NotKept)?;
            Ok(json(json!({ "hash": hash, "original_content": original }).to_string()))
        }
    }
}

/// The messages as they are to go: as they came where nobody decides, or where that fails. The
/// share is of the bytes that this holds, also when the caller has gone.
async fn compressed(
    shaper: Option<Arc<dyn Shaper>>,
    body: Bytes,
    share: Share,
    now: Timestamp,
) -> Result<Compressed, Refusal> {
    // There is no limit on its time: what is answered is answered so for ever, and messages that
    // go as they came because a machine was busy would be shorter the next time.
    let done = tokio::task::spawn_blocking(move || {
        let shorter = |shaper: &Arc<dyn Shaper>| {
            catch_unwind(AssertUnwindSafe(|| shaper.compress(&body, now))).ok()
        };
        // The same messages fail again in the same way.
        let done = shaper.as_ref().and_then(shorter);
        let done = done.unwrap_or_else(|| compress::unchanged(&body));
        drop(share);
        done
    });
    Ok(done.await.map_err(|_| Refusal::Unreadable)??)
}

fn is_bypassed(headers: &HeaderMap) -> bool {
    headers.get(BYPASS_HEADER).is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true"))
}

/// The answer around the messages, whose bytes stay as they are.
fn of_compressed(compressed: &Compressed) -> Vec<u8> {
    let Compressed { messages, tokens_before, tokens_after, hashes, failed } = compressed;
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

fn json(body: impl Into<Bytes>) -> Response<Passed> {
    let mut response = Response::new(body::whole(body));
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

#[cfg(test)]
mod tests {
    use hyper::Method;

    use super::{Wanted, wanted};

    #[test]
    fn two_paths_are_answered_here() {
        let of = |method: Method, path: &str, query: Option<&str>| wanted(&method, path, query);
        let hash = |query: Option<&str>| {
            let (hash, query) = ("abc".to_owned(), query.map(str::to_owned));
            Some(Wanted::Retrieve { hash, query })
        };
        assert_eq!(of(Method::POST, "/v1/compress", None), Some(Wanted::Compress));
        assert_eq!(of(Method::POST, "/v1/compress/", None), Some(Wanted::Compress));
        assert_eq!(of(Method::GET, "/v1/retrieve/abc", None), hash(None));
        assert_eq!(of(Method::GET, "/v1/retrieve/abc", Some("query=")), hash(None));
        let asked = Some("a=b&query=who+said%20it%3F");
        assert_eq!(of(Method::GET, "/v1/retrieve/abc", asked), hash(Some("who said it?")));
        assert_eq!(of(Method::GET, "/v1/compress", None), None);
        assert_eq!(of(Method::POST, "/v1/retrieve/abc", None), None);
        assert_eq!(of(Method::POST, "/x/v1/compress", None), None);
    }
}
