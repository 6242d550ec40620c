//! One request, and its answer while it streams.

use std::error::Error;
use std::time::Duration;

use foveal_protocols::prompt::ApiDialect;
use foveal_protocols::response::{
    AnswerDecoder, AnswerError, AnswerReader, DecodedAnswer, DecodedEvent, StopReason,
};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER,
    USER_AGENT,
};
use hyper::{Method, Request, Response, StatusCode, Uri};
use tokio::time::{Instant, timeout, timeout_at};

use crate::ApiKey;
use crate::backoff::parse_retry_after;
use crate::body::{self, StreamingBody};
use crate::client::HttpClient;

use crate::model::error::LlmError;
use crate::model::error_classification::classify_error;
use crate::model::request_limits::ModelRequestLimits;
use crate::model::server::ModelServer;

/// The limits on reading the body of an error response.
const ERROR_BYTES_MAX: usize = 64 << 10;
const ERROR_TIME: Duration = Duration::from_secs(10);

const USER_AGENT_NAME: &str = concat!("foveal/", env!("CARGO_PKG_VERSION"));

/// The version of Anthropic's API.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// The beta flag with which Anthropic accepts the setting for thinking whose prefix changed.
const THINKING_BINDING_BETA: &str = "thinking-binding-controls-2026-08-01";

/// Sends a request once and reads its answer.
pub(crate) async fn send_once(
    client: &HttpClient,
    patience: &ModelRequestLimits,
    server: &ModelServer,
    sent: &Bytes,
    number: u64,
    on_event: &mut (dyn FnMut(DecodedEvent) + Send),
) -> Result<DecodedAnswer, LlmError> {
    let end = Instant::now() + patience.answer_time;
    let request =
        build_request(server, Method::POST, &server.url(), body::full_body(sent.clone()))?;
    let answer = fetch_head(client, patience, &server.url(), request).await?;
    let (parts, body) = answer.into_parts();
    if !parts.status.is_success() {
        return Err(read_error_response(server, parts.status, &parts.headers, body).await);
    }
    let kind = parts.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !is_event_stream(kind) {
        let (url, protocol) = (server.url(), server.dialect.name());
        return Err(LlmError::NotAStream { url, protocol });
    }
    let reader = AnswerDecoder::new(server.dialect, kind, parts.status.as_u16(), number);
    let said = read_stream(patience, server, body, reader, end, on_event).await?;
    check_answer(server, said)
}

/// Returns whether an answer can be an event stream. Some servers omit the content type.
fn is_event_stream(kind: Option<&str>) -> bool {
    kind.is_none_or(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream"))
}

/// Builds a request with the headers that the server expects.
pub(crate) fn build_request(
    server: &ModelServer,
    method: Method,
    url: &str,
    body: StreamingBody,
) -> Result<Request<StreamingBody>, LlmError> {
    let away = |reason: String| LlmError::Unreachable { url: url.to_owned(), reason };
    let uri: Uri = url.parse().map_err(|_| away("the address is not valid".to_owned()))?;
    let mut request = Request::new(body);
    *request.method_mut() = method;
    *request.uri_mut() = uri;
    let headers = request.headers_mut();
    headers.insert(USER_AGENT, HeaderValue::from_static(USER_AGENT_NAME));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if server.dialect == ApiDialect::Messages {
        let name = HeaderName::from_static("anthropic-version");
        headers.insert(name, HeaderValue::from_static(ANTHROPIC_VERSION));
    }
    if server.drops_bound_thinking {
        let name = HeaderName::from_static("anthropic-beta");
        headers.insert(name, HeaderValue::from_static(THINKING_BINDING_BETA));
    }
    if let Some((name, value)) = server.key.as_ref().and_then(|key| api_key_header(server, key)) {
        headers.insert(name, value);
    }
    Ok(request)
}

fn api_key_header(server: &ModelServer, key: &ApiKey) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = match server.dialect {
        ApiDialect::Messages => (HeaderName::from_static("x-api-key"), key.text().to_owned()),
        ApiDialect::Chat | ApiDialect::Responses => {
            (AUTHORIZATION, format!("Bearer {}", key.text()))
        }
    };
    let mut value = HeaderValue::from_str(&value).ok()?;
    value.set_sensitive(true);
    Some((name, value))
}

/// Sends a request and waits for the head of the response.
pub(crate) async fn fetch_head(
    client: &HttpClient,
    patience: &ModelRequestLimits,
    url: &str,
    request: Request<StreamingBody>,
) -> Result<Response<Incoming>, LlmError> {
    let url = || url.to_owned();
    match timeout(patience.head_time, client.request(request)).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) if error.is_connect() => {
            Err(LlmError::Unreachable { url: url(), reason: root_cause(&error) })
        }
        // A server that closes the connection before its answer fails like one that does so within
        // it.
        Ok(Err(_)) => Err(LlmError::Interrupted { url: url() }),
        Err(_) => Err(LlmError::ResponseTimeout {
            url: url(),
            seconds: patience.head_time.as_secs().max(1),
        }),
    }
}

/// Returns the innermost source of an error.
fn root_cause(error: &(dyn Error + 'static)) -> String {
    let mut reason = error;
    while let Some(source) = reason.source() {
        reason = source;
    }
    reason.to_string()
}

/// Reads an error response.
pub(crate) async fn read_error_response(
    server: &ModelServer,
    status: StatusCode,
    headers: &HeaderMap,
    body: Incoming,
) -> LlmError {
    let header = |name: HeaderName| headers.get(name)?.to_str().ok();
    // OpenAI also sends the delay in milliseconds.
    let precise = header(HeaderName::from_static("retry-after-ms"));
    let precise = precise.and_then(|text| text.trim().parse().ok()).map(Duration::from_millis);
    let wait = precise.or_else(|| parse_retry_after(header(RETRY_AFTER)));
    // If the body cannot be read, the status alone counts.
    let read = timeout(ERROR_TIME, Limited::new(body, ERROR_BYTES_MAX).collect()).await;
    let read = read.ok().and_then(Result::ok).map(|read| read.to_bytes()).unwrap_or_default();
    let mut reader =
        AnswerReader::new(server.dialect.protocol(), header(CONTENT_TYPE), status.as_u16());
    reader.push(&read);
    let error = reader.finish().error.unwrap_or(AnswerError { kind: None, message: String::new() });
    classify_error(server, status.as_u16(), &error, wait)
}

/// Reads a stream to its end or to a limit.
async fn read_stream(
    patience: &ModelRequestLimits,
    server: &ModelServer,
    mut body: Incoming,
    mut reader: AnswerDecoder,
    end: Instant,
    on_event: &mut (dyn FnMut(DecodedEvent) + Send),
) -> Result<DecodedAnswer, LlmError> {
    let url = || server.url();
    let mut is_silent = false;
    let mut left = patience.answer_bytes_max;
    while !reader.has_finished() && left > 0 {
        let until = end.min(Instant::now() + patience.silence_time);
        let frame = match timeout_at(until, body.frame()).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(None | Some(Err(_))) => break,
            Err(_) => {
                is_silent = true;
                break;
            }
        };
        if let Some(bytes) = frame.data_ref() {
            left = left.saturating_sub(bytes.len() as u64);
            reader.push(bytes, on_event);
        }
    }
    let said = reader.finish(on_event);
    if is_silent && !said.is_complete() {
        let seconds = match Instant::now() < end {
            true => patience.silence_time,
            false => patience.answer_time,
        };
        return Err(LlmError::Stalled { url: url(), seconds: seconds.as_secs().max(1) });
    }
    Ok(said)
}

/// Returns the answer if it can be used, else the error.
fn check_answer(server: &ModelServer, said: DecodedAnswer) -> Result<DecodedAnswer, LlmError> {
    let url = || server.url();
    if let Some(error) = &said.metadata.error {
        return Err(classify_error(server, 200, error, None));
    }
    if !said.is_complete() {
        return Err(LlmError::Interrupted { url: url() });
    }
    // A model that reached a limit or refused may have sent nothing.
    let is_told = matches!(
        said.stop_reason,
        StopReason::OutputLimit | StopReason::Refusal | StopReason::ContextWindow
    );
    if said.is_empty() && !is_told {
        return Err(LlmError::EmptyAnswer { url: url() });
    }
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Libraries below do not log headers that are marked as sensitive.
    #[test]
    fn a_key_is_marked_as_sensitive() {
        for (dialect, name) in [
            (ApiDialect::Messages, "x-api-key"),
            (ApiDialect::Chat, "authorization"),
            (ApiDialect::Responses, "authorization"),
        ] {
            let server = ModelServer {
                name: "chat",
                dialect,
                base: "http://127.0.0.1:1/v1".to_owned(),
                key: ApiKey::new("secret"),
                key_variable: "SOME_KEY",
                model: "m".to_owned(),
                drops_bound_thinking: false,
            };
            let asked = build_request(&server, Method::POST, &server.url(), body::full_body(""));
            let asked = asked.expect("an address");
            assert!(asked.headers()[name].is_sensitive(), "{name}");
            assert!(!format!("{:?}", asked.headers()).contains("secret"));
        }
    }
}
