//! One request, and its answer while it streams.

use std::error::Error;
use std::time::Duration;

use foveal_asking::body::{self, Passed};
use foveal_asking::client::Upward;
use foveal_asking::{ApiKey, retry_after};
use foveal_wire::prompt::Dialect;
use foveal_wire::response::{AnswerError, AnswerReader, Said, SaidEvent, SaidReader, StopReason};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER,
    USER_AGENT,
};
use hyper::{Method, Request, Response, StatusCode, Uri};
use tokio::time::{Instant, timeout, timeout_at};

use crate::error::AskError;
use crate::patience::Patience;
use crate::refusal::refusal;
use crate::server::Server;

/// Bytes of an answer that is an error that are read, and how long they are waited for.
const ERROR_BYTES_MAX: usize = 64 << 10;
const ERROR_TIME: Duration = Duration::from_secs(10);

const AGENT: &str = concat!("foveal/", env!("CARGO_PKG_VERSION"));

/// The version of Anthropic's API whose answers are read.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// What Anthropic has to be told to read what a request says of thinking whose prefix changed.
const THINKING_BINDING_BETA: &str = "thinking-binding-controls-2026-08-01";

/// Asks once.
pub(crate) async fn attempt(
    (client, patience): (&Upward, &Patience),
    server: &Server,
    sent: &Bytes,
    number: u64,
    on_event: &mut (dyn FnMut(SaidEvent) + Send),
) -> Result<Said, AskError> {
    let end = Instant::now() + patience.answer_time;
    let request = request(server, Method::POST, &server.url(), body::whole(sent.clone()))?;
    let answer = head(client, patience, &server.url(), request).await?;
    let (parts, body) = answer.into_parts();
    if !parts.status.is_success() {
        return Err(refused(server, parts.status, &parts.headers, body).await);
    }
    let kind = parts.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !is_stream(kind) {
        let (url, protocol) = (server.url(), server.dialect.name());
        return Err(AskError::NotAStream { url, protocol });
    }
    let reader = SaidReader::new(server.dialect, kind, parts.status.as_u16(), number);
    let said = read(patience, server, body, (reader, end), on_event).await?;
    judge(server, said)
}

/// Whether an answer can be a stream of events. Some servers leave the type out.
fn is_stream(kind: Option<&str>) -> bool {
    kind.is_none_or(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream"))
}

/// A request with what a server wants to see of a client.
pub(crate) fn request(
    server: &Server,
    method: Method,
    url: &str,
    body: Passed,
) -> Result<Request<Passed>, AskError> {
    let away = |reason: String| AskError::Away { url: url.to_owned(), reason };
    let uri: Uri = url.parse().map_err(|_| away("the address cannot be read".to_owned()))?;
    let mut request = Request::new(body);
    *request.method_mut() = method;
    *request.uri_mut() = uri;
    let headers = request.headers_mut();
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if server.dialect == Dialect::Messages {
        let name = HeaderName::from_static("anthropic-version");
        headers.insert(name, HeaderValue::from_static(ANTHROPIC_VERSION));
    }
    if server.drops_bound_thinking {
        let name = HeaderName::from_static("anthropic-beta");
        headers.insert(name, HeaderValue::from_static(THINKING_BINDING_BETA));
    }
    if let Some((name, value)) = server.key.as_ref().and_then(|key| key_header(server, key)) {
        headers.insert(name, value);
    }
    Ok(request)
}

fn key_header(server: &Server, key: &ApiKey) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = match server.dialect {
        Dialect::Messages => (HeaderName::from_static("x-api-key"), key.text().to_owned()),
        Dialect::Chat | Dialect::Responses => (AUTHORIZATION, format!("Bearer {}", key.text())),
    };
    let mut value = HeaderValue::from_str(&value).ok()?;
    value.set_sensitive(true);
    Some((name, value))
}

/// The head of an answer.
pub(crate) async fn head(
    client: &Upward,
    patience: &Patience,
    url: &str,
    request: Request<Passed>,
) -> Result<Response<Incoming>, AskError> {
    let url = || url.to_owned();
    match timeout(patience.head_time, client.request(request)).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) if error.is_connect() => {
            Err(AskError::Away { url: url(), reason: root(&error) })
        }
        // A server that hangs up on a request fails, as one that hangs up on its answer.
        Ok(Err(_)) => Err(AskError::Cut { url: url() }),
        Err(_) => Err(AskError::Slow { url: url(), seconds: patience.head_time.as_secs().max(1) }),
    }
}

/// What is at the bottom of an error.
fn root(error: &(dyn Error + 'static)) -> String {
    let mut reason = error;
    while let Some(source) = reason.source() {
        reason = source;
    }
    reason.to_string()
}

/// What an answer says that is no success.
pub(crate) async fn refused(
    server: &Server,
    status: StatusCode,
    headers: &HeaderMap,
    body: Incoming,
) -> AskError {
    let header = |name: HeaderName| headers.get(name)?.to_str().ok();
    // OpenAI tells thousandths beside seconds.
    let precise = header(HeaderName::from_static("retry-after-ms"));
    let precise = precise.and_then(|text| text.trim().parse().ok()).map(Duration::from_millis);
    let wait = precise.or_else(|| retry_after(header(RETRY_AFTER)));
    // What cannot be read of an answer says nothing: the status counts.
    let read = timeout(ERROR_TIME, Limited::new(body, ERROR_BYTES_MAX).collect()).await;
    let read = read.ok().and_then(Result::ok).map(|read| read.to_bytes()).unwrap_or_default();
    let mut reader =
        AnswerReader::new(server.dialect.protocol(), header(CONTENT_TYPE), status.as_u16());
    reader.push(&read);
    let error = reader.finish().error.unwrap_or(AnswerError { kind: None, message: String::new() });
    refusal(server, status.as_u16(), &error, wait)
}

/// Reads a stream to its end, wherever that is.
async fn read(
    patience: &Patience,
    server: &Server,
    mut body: Incoming,
    (mut reader, end): (SaidReader, Instant),
    on_event: &mut (dyn FnMut(SaidEvent) + Send),
) -> Result<Said, AskError> {
    let url = || server.url();
    let mut is_silent = false;
    let mut left = patience.answer_bytes_max;
    while !reader.is_over() && left > 0 {
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
    if is_silent && !said.is_whole() {
        let seconds = match Instant::now() < end {
            true => patience.silence_time,
            false => patience.answer_time,
        };
        return Err(AskError::Silent { url: url(), seconds: seconds.as_secs().max(1) });
    }
    Ok(said)
}

/// An answer that can be used, or what is wrong with it.
fn judge(server: &Server, said: Said) -> Result<Said, AskError> {
    let url = || server.url();
    if let Some(error) = &said.answer.error {
        return Err(refusal(server, 200, error, None));
    }
    if !said.is_whole() {
        return Err(AskError::Cut { url: url() });
    }
    // Who may not say more, or will not, need not have said anything.
    let is_told =
        matches!(said.stop, StopReason::Length | StopReason::Refused | StopReason::Window);
    if said.is_empty() && !is_told {
        return Err(AskError::Empty { url: url() });
    }
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is marked so stands in no log of the libraries below.
    #[test]
    fn a_key_is_marked_as_sensitive() {
        for (dialect, name) in [
            (Dialect::Messages, "x-api-key"),
            (Dialect::Chat, "authorization"),
            (Dialect::Responses, "authorization"),
        ] {
            let server = Server {
                name: "chat",
                dialect,
                base: "http://127.0.0.1:1/v1".to_owned(),
                key: ApiKey::new("secret"),
                key_variable: "SOME_KEY",
                model: "m".to_owned(),
                drops_bound_thinking: false,
            };
            let asked = request(&server, Method::POST, &server.url(), body::whole(""));
            let asked = asked.expect("an address");
            assert!(asked.headers()[name].is_sensitive(), "{name}");
            assert!(!format!("{:?}", asked.headers()).contains("secret"));
        }
    }
}
