//! The upstreams: the server for each path, and the addresses of its API.

mod upstream_config;

use std::fmt;

use hyper::Uri;
use hyper::header::{HeaderMap, HeaderName};
use hyper::http::uri::{Authority, PathAndQuery, Scheme};

use crate::credentials::Credentials;
use crate::request_purpose;

pub use self::upstream_config::{UpstreamConfig, UpstreamConfigError, is_upstream_name};

/// The header that names an upstream. It is not forwarded.
pub const UPSTREAM_HEADER: HeaderName = HeaderName::from_static("x-foveal-upstream");

/// The host of OpenAI's own API.
const OPENAI_HOST: &str = "api.openai.com";

/// Built-in upstreams: their names, and the base addresses of their APIs without the path that
/// clients append.
const KNOWN_UPSTREAMS: &[(&str, &str)] = &[
    ("anthropic", "https://api.anthropic.com"),
    ("openai", "https://api.openai.com"),
    ("gemini", "https://generativelanguage.googleapis.com"),
    ("chatgpt", "https://chatgpt.com/backend-api/codex"),
    ("openrouter", "https://openrouter.ai/api"),
    ("ollama", "http://127.0.0.1:11434"),
    ("lmstudio", "http://127.0.0.1:1234"),
];

/// A server that requests are forwarded to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    /// The name in messages and figures.
    pub name: String,
    scheme: Scheme,
    authority: Authority,
    /// The path in front of each request's path, without a slash at its end.
    prefix: String,
}

/// The error of an invalid upstream address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{address}` is not a valid API address: {reason}; use one such as https://api.example.com"
)]
pub struct UpstreamAddressError {
    /// The given address, without secrets.
    pub address: String,
    /// The reason.
    pub reason: &'static str,
}

impl Upstream {
    /// Creates the upstream at `address`: `http` or `https`, a host, and optionally a path.
    ///
    /// # Errors
    /// [`UpstreamAddressError`].
    pub fn new(name: &str, address: &str) -> Result<Self, UpstreamAddressError> {
        let bad = |reason| UpstreamAddressError { address: strip_secrets(address), reason };
        let uri: Uri = address.parse().map_err(|_| bad("it cannot be parsed"))?;
        let parts = uri.into_parts();
        let scheme =
            parts.scheme.ok_or_else(|| bad("it does not begin with https:// or http://"))?;
        if scheme != Scheme::HTTP && scheme != Scheme::HTTPS {
            return Err(bad("it is neither https nor http"));
        }
        let authority = parts.authority.ok_or_else(|| bad("it has no host"))?;
        if authority.as_str().contains('@') {
            return Err(bad("it contains a user name or password; send these in headers"));
        }
        let path = parts.path_and_query;
        if path.as_ref().is_some_and(|path| path.query().is_some()) {
            return Err(bad("it has a query"));
        }
        let prefix = path.map(|path| path.path().trim_end_matches('/').to_owned());
        Ok(Self { name: name.to_owned(), scheme, authority, prefix: prefix.unwrap_or_default() })
    }

    /// Returns the address of a request for the client's `path`, which includes its query. If the
    /// upstream's path ends with the version that begins the client's, the version is not repeated.
    /// `None` for a path that could lead out of the upstream's own.
    pub(crate) fn request_uri(&self, path: &str) -> Option<Uri> {
        if has_parent_segment(path) {
            return None;
        }
        let version = self.prefix.rsplit_once('/').map(|(_, last)| last).filter(|last| {
            last.strip_prefix('v')
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        });
        let again = version.and_then(|version| path.strip_prefix('/')?.strip_prefix(version));
        let rest = again.filter(|rest| rest.is_empty() || rest.starts_with(['/', '?']));
        let whole = format!("{}{}", self.prefix, rest.unwrap_or(path));
        let mut parts = hyper::http::uri::Parts::default();
        parts.scheme = Some(self.scheme.clone());
        parts.authority = Some(self.authority.clone());
        parts.path_and_query = Some(PathAndQuery::try_from(whole).ok()?);
        Uri::from_parts(parts).ok()
    }

    /// Returns the host without the port.
    pub(crate) fn host_name(&self) -> &str {
        self.authority.host().trim_matches(['[', ']'])
    }

    /// Returns the port.
    pub(crate) fn port(&self) -> u16 {
        let usual = if self.scheme == Scheme::HTTP { 80 } else { 443 };
        self.authority.port_u16().unwrap_or(usual)
    }

    /// Returns the value of the header `host`.
    pub(crate) fn host_header(&self) -> &str {
        self.authority.as_str()
    }
}

/// Returns whether a path has a segment that means the parent folder, to a server that decodes `%`
/// codes, treats `\\` as `/`, or ignores parameters.
fn has_parent_segment(path: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    // Decoded twice: for the upstream, and for a proxy in front of it.
    let plain = percent_decode(&percent_decode(path.as_bytes()));
    plain.split(|byte| matches!(byte, b'/' | b'\\')).any(|segment| {
        let name = segment.split(|byte| *byte == b';').next().unwrap_or_default();
        name == b".."
    })
}

/// Decodes `%` codes.
fn percent_decode(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                plain.push(byte);
                rest = &after[2..];
            }
            None => {
                plain.push(*first);
                rest = after;
            }
        }
    }
    plain
}

impl fmt::Display for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme, self.authority, self.prefix)
    }
}

/// All servers that requests may be forwarded to. A request cannot name another one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Upstreams {
    default: Option<Upstream>,
    named: Vec<Upstream>,
}

/// The reasons why a request has no upstream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoUpstream {
    /// The named upstream does not exist.
    #[error("upstream `{0}` not found; define it with foveal serve --upstream {0}=https://…")]
    Unknown(String),
    /// The request names no upstream, and its API is unclear.
    #[error(
        "cannot tell which provider this request is for, or its key does not look like that \
         provider's; begin the path with a name such as /anthropic or /openai, or use foveal serve \
         --upstream"
    )]
    Unclear,
    /// A key belongs to another provider.
    #[error(
        "the request has a key for {owner}, which must not be sent to {host}; use a key for \
         {host}, or select another upstream in the path or with foveal serve --upstream"
    )]
    ForeignKey { owner: &'static str, host: String },
}

impl Upstreams {
    /// Returns the built-in upstreams: each protocol goes to its own provider.
    pub fn new() -> Self {
        let known = KNOWN_UPSTREAMS.iter().map(|(name, address)| Upstream::new(name, address));
        let named = known.map(|upstream| upstream.expect("a test reads the table")).collect();
        Self { default: None, named }
    }

    /// Adds an upstream for all requests that name no other one.
    #[must_use]
    pub fn with_default(mut self, upstream: Upstream) -> Self {
        self.default = Some(upstream);
        // A path of this server may begin with the name of a built-in upstream.
        self.named.retain(|named| !KNOWN_UPSTREAMS.iter().any(|(name, _)| *name == named.name));
        self
    }

    /// Adds an upstream that a path (`/NAME/…`) or the header `x-foveal-upstream` names.
    #[must_use]
    pub fn with_upstream(mut self, upstream: Upstream) -> Self {
        self.named.retain(|named| named.name != upstream.name);
        self.named.push(upstream);
        self
    }

    /// Returns all upstreams.
    pub fn all(&self) -> impl Iterator<Item = &Upstream> {
        self.default.iter().chain(&self.named)
    }

    /// Returns the upstreams that a path can name.
    pub fn addressable(&self) -> impl Iterator<Item = &Upstream> {
        self.named.iter()
    }

    /// Returns the upstream of a request for `path` (with its query), and the path that it is asked
    /// for.
    ///
    /// # Errors
    /// [`NoUpstream`].
    pub(crate) fn select<'a>(
        &self,
        path: &'a str,
        headers: &HeaderMap,
    ) -> Result<(&Upstream, &'a str), NoUpstream> {
        let (upstream, path) = self.select_unchecked(path, headers)?;
        let query = path.split_once('?').map_or("", |(_, query)| query);
        let host = upstream.host_name();
        match Credentials::from_request(headers, query).foreign_owner(host) {
            Some(owner) => Err(NoUpstream::ForeignKey { owner, host: host.to_owned() }),
            None => Ok((upstream, path)),
        }
    }

    /// Returns the upstream without a check that the keys may go to it.
    fn select_unchecked<'a>(
        &self,
        path: &'a str,
        headers: &HeaderMap,
    ) -> Result<(&Upstream, &'a str), NoUpstream> {
        let named = |name: &str| self.named.iter().find(|upstream| upstream.name == name);
        if let Some(value) = headers.get(UPSTREAM_HEADER) {
            let name = value.to_str().unwrap_or_default();
            let upstream = named(name).ok_or_else(|| NoUpstream::Unknown(printable_name(name)))?;
            return Ok((upstream, path));
        }
        let first = path.strip_prefix('/').and_then(|rest| rest.split_once('/'));
        if let Some((name, rest)) = first
            && let Some(upstream) = named(name)
        {
            // Azure's paths begin like this too, and its keys must not reach OpenAI.
            let is_azure =
                upstream.host_header() == OPENAI_HOST && request_purpose::is_azure_path(rest);
            return match is_azure {
                true => Err(NoUpstream::Unclear),
                false => Ok((upstream, &path[name.len() + 1..])),
            };
        }
        if let Some(upstream) = &self.default {
            return Ok((upstream, path));
        }
        let provider =
            request_purpose::detect_provider(path, headers).ok_or(NoUpstream::Unclear)?;
        let name = provider.name();
        let upstream = named(name).ok_or_else(|| NoUpstream::Unknown(name.to_owned()))?;
        Ok((upstream, provider.upstream_path(path)))
    }
}

/// Removes user name, password and query from an address, which may contain keys.
pub fn strip_secrets(address: &str) -> String {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let (scheme, rest) = match address.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), address),
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}{host}{path}")
}

/// Returns the printable ASCII characters of a name from a client, at most 40.
fn printable_name(name: &str) -> String {
    name.chars().filter(char::is_ascii_graphic).take(40).collect()
}

#[cfg(test)]
mod tests;
