//! Which requests can be read in one way only. Others are refused: what stands before a server may
//! have read them in another way.
//!
//! Lines of a head may end in LF alone, as servers may take them (RFC 9112, section 2.2): hyper and
//! the checks here see the same lines.

use foveal_listening::Host;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderName, ORIGIN, TRANSFER_ENCODING};
use hyper::{Method, Request};

/// The header that names a session.
pub(super) const SESSION_HEADER: &str = "mcp-session-id";

/// Why a request can be read in more ways than one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unclear {
    #[error("the header `{0}` comes twice")]
    Twice(HeaderName),
    #[error("the header `host` is missing")]
    NoHost,
    #[error("the header `host` has to be one name or address, with one port at most")]
    ManyHosts,
    #[error("the header `origin` has to be `null`, or a scheme with one name or address")]
    ManyOrigins,
    #[error("the address is of another host than the header `host`")]
    OtherHost,
    #[error("of `transfer-encoding` only `chunked` is read, and once")]
    OtherPieces,
    #[error("there are both `content-length` and `transfer-encoding`")]
    TwoLengths,
    #[error("a body in pieces comes along with the request before it; wait for that one's answer")]
    NotAlone,
}

/// Headers that a request has at most once.
const SINGLE: [HeaderName; 7] = [
    AUTHORIZATION,
    CONTENT_TYPE,
    HOST,
    ORIGIN,
    HeaderName::from_static(SESSION_HEADER),
    HeaderName::from_static("mcp-protocol-version"),
    HeaderName::from_static("last-event-id"),
];

/// That a request can be read in one way only; `read` holds its head as it came. Returns whom it
/// asks.
///
/// # Errors
/// [`Unclear`].
pub(super) fn check<Body>(request: &Request<Body>, read: &[u8]) -> Result<Host, Unclear> {
    let (uri, headers) = (request.uri(), request.headers());
    for name in SINGLE {
        if headers.get_all(&name).iter().count() > 1 {
            return Err(Unclear::Twice(name));
        }
    }
    let host = headers.get(HOST).map(|host| host.as_bytes()).unwrap_or_default();
    if host.is_empty() {
        return Err(Unclear::NoHost);
    }
    let named = uri.authority().map(|authority| authority.as_str().as_bytes());
    if named.is_some_and(|named| !named.eq_ignore_ascii_case(host)) {
        return Err(Unclear::OtherHost);
    }
    let host = Host::read(host).ok_or(Unclear::ManyHosts)?;
    if headers.get(ORIGIN).is_some_and(|origin| !is_one_origin(origin.as_bytes())) {
        return Err(Unclear::ManyOrigins);
    }
    let mut pieces = headers.get_all(TRANSFER_ENCODING).iter();
    if let Some(first) = pieces.next() {
        if pieces.next().is_some() || !first.as_bytes().eq_ignore_ascii_case(b"chunked") {
            return Err(Unclear::OtherPieces);
        }
        // A head that begins before what was read last came along with the request before it.
        if !has_start(read, request.method()) {
            return Err(Unclear::NotAlone);
        }
        if has_length(read) {
            return Err(Unclear::TwoLengths);
        }
    }
    Ok(host)
}

/// Whether an origin is `null`, or a scheme with one name or address.
fn is_one_origin(origin: &[u8]) -> bool {
    let Ok(origin) = std::str::from_utf8(origin) else { return false };
    let host = origin.split_once("://").and_then(|(_, host)| Host::read(host.as_bytes()));
    origin == "null" || host.is_some()
}

/// Whether one of the lines begins a head, so that all of it was read.
fn has_start(read: &[u8], method: &Method) -> bool {
    let begins = |line: &[u8]| {
        let rest = line.strip_prefix(method.as_str().as_bytes());
        rest.is_some_and(|rest| rest.starts_with(b" "))
            && line.trim_ascii_end().ends_with(b" HTTP/1.1")
    };
    read.split(|byte| *byte == b'\n').any(begins)
}

/// Whether one of the lines says how long a body is. What reads heads for us hides that where
/// the body comes in chunks.
fn has_length(read: &[u8]) -> bool {
    const NAME: &[u8] = b"content-length:";
    let lines = read.split(|byte| *byte == b'\n');
    lines
        .into_iter()
        .any(|line| line.get(..NAME.len()).is_some_and(|start| start.eq_ignore_ascii_case(NAME)))
}
