//! Refuses requests that could be read in more than one way, since a proxy before the server may
//! have read them differently (request smuggling).
//!
//! Head lines may end in a bare LF, as servers may accept (RFC 9112, section 2.2); hyper and these
//! checks see the same lines.

use foveal_http_guard::Host;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderName, ORIGIN, TRANSFER_ENCODING};
use hyper::{Method, Request};

/// The header that names a session.
pub(super) const SESSION_HEADER: &str = "mcp-session-id";

/// Why a request could be read in more than one way.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum AmbiguousRequest {
    #[error("the header `{0}` occurs twice")]
    DuplicateHeader(HeaderName),
    #[error("the header `host` is missing")]
    MissingHost,
    #[error("the header `host` must be one name or address, with at most one port")]
    InvalidHost,
    #[error("the header `origin` must be `null`, or a scheme with one name or address")]
    InvalidOrigin,
    #[error("the request's address and the header `host` name different hosts")]
    HostMismatch,
    #[error("`transfer-encoding` must be `chunked`, and occur only once")]
    UnsupportedTransferEncoding,
    #[error("both `content-length` and `transfer-encoding` are set")]
    ConflictingLengths,
    #[error(
        "a chunked body was sent before the previous request was answered; wait for that answer"
    )]
    PipelinedChunkedBody,
}

/// Headers that may occur at most once.
const SINGLE_VALUE_HEADERS: [HeaderName; 7] = [
    AUTHORIZATION,
    CONTENT_TYPE,
    HOST,
    ORIGIN,
    HeaderName::from_static(SESSION_HEADER),
    HeaderName::from_static("mcp-protocol-version"),
    HeaderName::from_static("last-event-id"),
];

/// Checks that a request can be read in one way only, and returns its host; `read` holds its head
/// as received.
///
/// # Errors
/// [`AmbiguousRequest`].
pub(super) fn check_unambiguous<Body>(
    request: &Request<Body>,
    read: &[u8],
) -> Result<Host, AmbiguousRequest> {
    let (uri, headers) = (request.uri(), request.headers());
    for name in SINGLE_VALUE_HEADERS {
        if headers.get_all(&name).iter().count() > 1 {
            return Err(AmbiguousRequest::DuplicateHeader(name));
        }
    }
    let host = headers.get(HOST).map(|host| host.as_bytes()).unwrap_or_default();
    if host.is_empty() {
        return Err(AmbiguousRequest::MissingHost);
    }
    let named = uri.authority().map(|authority| authority.as_str().as_bytes());
    if named.is_some_and(|named| !named.eq_ignore_ascii_case(host)) {
        return Err(AmbiguousRequest::HostMismatch);
    }
    let host = Host::parse(host).ok_or(AmbiguousRequest::InvalidHost)?;
    if headers.get(ORIGIN).is_some_and(|origin| !is_one_origin(origin.as_bytes())) {
        return Err(AmbiguousRequest::InvalidOrigin);
    }
    let mut pieces = headers.get_all(TRANSFER_ENCODING).iter();
    if let Some(first) = pieces.next() {
        if pieces.next().is_some() || !first.as_bytes().eq_ignore_ascii_case(b"chunked") {
            return Err(AmbiguousRequest::UnsupportedTransferEncoding);
        }
        // A head that starts before the recently read bytes was pipelined behind the previous
        // request.
        if !has_request_line(read, request.method()) {
            return Err(AmbiguousRequest::PipelinedChunkedBody);
        }
        if has_content_length(read) {
            return Err(AmbiguousRequest::ConflictingLengths);
        }
    }
    Ok(host)
}

/// Returns whether an origin is `null`, or a scheme with one host.
fn is_one_origin(origin: &[u8]) -> bool {
    let Ok(origin) = std::str::from_utf8(origin) else { return false };
    let host = origin.split_once("://").and_then(|(_, host)| Host::parse(host.as_bytes()));
    origin == "null" || host.is_some()
}

/// Returns whether one of the lines is a request line, so that the head was read completely.
fn has_request_line(read: &[u8], method: &Method) -> bool {
    let begins = |line: &[u8]| {
        let rest = line.strip_prefix(method.as_str().as_bytes());
        rest.is_some_and(|rest| rest.starts_with(b" "))
            && line.trim_ascii_end().ends_with(b" HTTP/1.1")
    };
    read.split(|byte| *byte == b'\n').any(begins)
}

/// Returns whether one of the lines is a `Content-Length`. hyper removes that header from chunked
/// requests.
fn has_content_length(read: &[u8]) -> bool {
    const NAME: &[u8] = b"content-length:";
    let lines = read.split(|byte| *byte == b'\n');
    lines
        .into_iter()
        .any(|line| line.get(..NAME.len()).is_some_and(|start| start.eq_ignore_ascii_case(NAME)))
}
