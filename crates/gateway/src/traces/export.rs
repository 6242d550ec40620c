//! One export request to a collector.

use std::error::Error;
use std::time::Duration;

use http_body_util::{BodyExt as _, Limited};
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{Method, Request, StatusCode};

use super::collector::TraceCollector;
use super::otlp;
use super::span::TraceSpan;
use crate::body;
use crate::client::HttpClient;

/// The number of bytes of a response that are read.
const RESPONSE_BYTES_MAX: usize = 64 << 10;

/// The longest pause that a collector can ask for.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(300);

/// The reasons why spans were not exported.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ExportError {
    /// They may be sent again, after this time if the collector names one.
    #[error("{why}")]
    Retryable { why: String, after: Option<Duration> },
    /// They must not be sent again.
    #[error("{why}")]
    Permanent { why: String },
}

/// The outcome of an accepted export.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ExportOutcome {
    pub(super) rejected: u64,
    pub(super) why: String,
}

/// Exports spans.
///
/// # Errors
/// [`ExportError`].
pub(super) async fn export_spans(
    client: &HttpClient,
    collector: &TraceCollector,
    spans: &[TraceSpan],
) -> Result<ExportOutcome, ExportError> {
    let asked =
        tokio::time::timeout(collector.timeout, send_request(client, collector, spans)).await;
    let Ok(asked) = asked else {
        let seconds = collector.timeout.as_secs_f64();
        return Err(retryable(format!("it did not answer within {seconds} s")));
    };
    let (status, headers, answer) = asked?;
    interpret_response(status, &headers, &answer)
}

fn retryable(why: String) -> ExportError {
    ExportError::Retryable { why, after: None }
}

async fn send_request(
    client: &HttpClient,
    collector: &TraceCollector,
    spans: &[TraceSpan],
) -> Result<(StatusCode, HeaderMap, Vec<u8>), ExportError> {
    let sent = otlp::encode_request(&collector.resource, spans);
    let mut request = Request::new(body::full_body(sent));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = collector.uri.clone();
    let headers = request.headers_mut();
    *headers = collector.headers.clone();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(USER_AGENT, HeaderValue::from_static(USER_AGENT_VALUE));
    let host = collector.uri.authority().map(|host| HeaderValue::try_from(host.as_str()));
    if let Some(Ok(host)) = host {
        headers.insert(HOST, host);
    }
    let answer = client.request(request).await.map_err(|error| retryable(root_cause(&error)))?;
    let (parts, body) = answer.into_parts();
    // An unreadable response is ignored, because the status decides.
    let read = Limited::new(body, RESPONSE_BYTES_MAX).collect().await;
    let read = read.map(|read| read.to_bytes().to_vec()).unwrap_or_default();
    Ok((parts.status, parts.headers, read))
}

const USER_AGENT_VALUE: &str = concat!("foveal/", env!("CARGO_PKG_VERSION"));

/// Interprets a response (opentelemetry.io/docs/specs/otlp, "OTLP/HTTP Response"): 429, 502, 503
/// and 504 may be retried, and no other failure. Redirects are not followed, because headers with
/// keys belong to the configured server alone.
fn interpret_response(
    status: StatusCode,
    headers: &HeaderMap,
    answer: &[u8],
) -> Result<ExportOutcome, ExportError> {
    if status.is_success() {
        let (rejected, why) = otlp::parse_rejection(answer);
        return Ok(ExportOutcome { rejected, why });
    }
    let why = format!("it answered {status}");
    match status.as_u16() {
        429 | 502 | 503 | 504 => {
            let after = headers.get(RETRY_AFTER).and_then(|after| after.to_str().ok());
            let after = after.and_then(|after| after.trim().parse().ok()).map(Duration::from_secs);
            Err(ExportError::Retryable {
                why,
                after: after.map(|after| after.min(RETRY_AFTER_MAX)),
            })
        }
        _ => Err(ExportError::Permanent { why }),
    }
}

fn root_cause(error: &(dyn Error + 'static)) -> String {
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

    use super::{ExportError, ExportOutcome, RETRY_AFTER_MAX, interpret_response};

    fn judged(
        status: u16,
        after: Option<&str>,
        answer: &str,
    ) -> Result<ExportOutcome, ExportError> {
        let mut headers = HeaderMap::new();
        if let Some(after) = after {
            headers.insert("retry-after", after.parse().expect("a value"));
        }
        interpret_response(
            StatusCode::from_u16(status).expect("a status"),
            &headers,
            answer.as_bytes(),
        )
    }

    #[test]
    fn only_passing_failures_are_asked_again() {
        for status in [200, 202] {
            assert_eq!(judged(status, None, "").expect("taken").rejected, 0);
        }
        for status in [429, 502, 503, 504] {
            assert!(matches!(
                judged(status, None, ""),
                Err(ExportError::Retryable { after: None, .. })
            ));
        }
        for status in [301, 400, 401, 404, 413, 415, 500, 501] {
            assert!(
                matches!(judged(status, None, ""), Err(ExportError::Permanent { .. })),
                "{status}"
            );
        }
        let after = |text| match judged(503, Some(text), "") {
            Err(ExportError::Retryable { after, .. }) => after,
            other => panic!("{other:?}"),
        };
        assert_eq!(after("7"), Some(Duration::from_secs(7)));
        assert_eq!(after("86400"), Some(RETRY_AFTER_MAX));
        assert_eq!(after("tomorrow"), None);
    }
}
