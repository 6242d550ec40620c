//! One request to a collector.

use std::error::Error;
use std::time::Duration;

use http_body_util::{BodyExt as _, Limited};
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{Method, Request, StatusCode};

use super::collector::Collector;
use super::otlp;
use super::span::Span;
use crate::body;
use crate::client::Upward;

/// Bytes of an answer that are read.
const ANSWER_BYTES_MAX: usize = 64 << 10;

/// The longest time that a collector may have itself left alone for.
const PAUSE_MAX: Duration = Duration::from_secs(300);

/// Why spans were not taken.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refused {
    /// They may be sent again, after this time where the collector says one.
    #[error("{why}")]
    ForNow { why: String, after: Option<Duration> },
    /// They may not.
    #[error("{why}")]
    ForGood { why: String },
}

/// What became of spans that were taken.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) rejected: u64,
    pub(super) why: String,
}

/// Sends spans.
pub(super) async fn post(
    client: &Upward,
    collector: &Collector,
    spans: &[Span],
) -> Result<Taken, Refused> {
    let asked = tokio::time::timeout(collector.patience, ask(client, collector, spans)).await;
    let Ok(asked) = asked else {
        let seconds = collector.patience.as_secs_f64();
        return Err(for_now(format!("it did not answer within {seconds} s")));
    };
    let (status, headers, answer) = asked?;
    judge(status, &headers, &answer)
}

fn for_now(why: String) -> Refused {
    Refused::ForNow { why, after: None }
}

async fn ask(
    client: &Upward,
    collector: &Collector,
    spans: &[Span],
) -> Result<(StatusCode, HeaderMap, Vec<u8>), Refused> {
    let sent = otlp::request(&collector.resource, spans);
    let mut request = Request::new(body::whole(sent));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = collector.uri.clone();
    let headers = request.headers_mut();
    *headers = collector.headers.clone();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    let host = collector.uri.authority().map(|host| HeaderValue::try_from(host.as_str()));
    if let Some(Ok(host)) = host {
        headers.insert(HOST, host);
    }
    let answer = client.request(request).await.map_err(|error| for_now(root(&error)))?;
    let (parts, body) = answer.into_parts();
    // What cannot be read of an answer says nothing: the status counts.
    let read = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
    let read = read.map(|read| read.to_bytes().to_vec()).unwrap_or_default();
    Ok((parts.status, parts.headers, read))
}

const AGENT: &str = concat!("foveal/", env!("CARGO_PKG_VERSION"));

/// What an answer means (opentelemetry.io/docs/specs/otlp, "OTLP/HTTP Response"): 429, 502, 503
/// and 504 may be asked again, and no other failure. Redirects are not followed: headers with keys
/// are for the server that was named.
fn judge(status: StatusCode, headers: &HeaderMap, answer: &[u8]) -> Result<Taken, Refused> {
    if status.is_success() {
        let (rejected, why) = otlp::rejected(answer);
        return Ok(Taken { rejected, why });
    }
    let why = format!("it answers {status}");
    match status.as_u16() {
        429 | 502 | 503 | 504 => {
            let after = headers.get(RETRY_AFTER).and_then(|after| after.to_str().ok());
            let after = after.and_then(|after| after.trim().parse().ok()).map(Duration::from_secs);
            Err(Refused::ForNow { why, after: after.map(|after| after.min(PAUSE_MAX)) })
        }
        _ => Err(Refused::ForGood { why }),
    }
}

fn root(error: &(dyn Error + 'static)) -> String {
    let mut reason = error;
    while let Some(source) = reason.source() {
        reason = source;
    }
    reason.to_string()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hyper::StatusCode;
    use hyper::header::HeaderMap;

    use super::{PAUSE_MAX, Refused, Taken, judge};

    fn judged(status: u16, after: Option<&str>, answer: &str) -> Result<Taken, Refused> {
        let mut headers = HeaderMap::new();
        if let Some(after) = after {
            headers.insert("retry-after", after.parse().expect("a value"));
        }
        judge(StatusCode::from_u16(status).expect("a status"), &headers, answer.as_bytes())
    }

    #[test]
    fn only_passing_failures_are_asked_again() {
        for status in [200, 202] {
            assert_eq!(judged(status, None, "").expect("taken").rejected, 0);
        }
        for status in [429, 502, 503, 504] {
            assert!(matches!(judged(status, None, ""), Err(Refused::ForNow { after: None, .. })));
        }
        for status in [301, 400, 401, 404, 413, 415, 500, 501] {
            assert!(matches!(judged(status, None, ""), Err(Refused::ForGood { .. })), "{status}");
        }
        let after = |text| match judged(503, Some(text), "") {
            Err(Refused::ForNow { after, .. }) => after,
            other => panic!("{other:?}"),
        };
        assert_eq!(after("7"), Some(Duration::from_secs(7)));
        assert_eq!(after("86400"), Some(PAUSE_MAX));
        assert_eq!(after("tomorrow"), None);
    }
}
