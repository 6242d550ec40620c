//! Where requests go: which server answers which path, and how its addresses are spelled.

use std::fmt;

use hyper::Uri;
use hyper::header::{HeaderMap, HeaderName};
use hyper::http::uri::{Authority, PathAndQuery, Scheme};

use crate::credentials::Credentials;
use crate::route;

/// The header that names an upstream. It is not passed on.
pub const UPSTREAM_HEADER: HeaderName = HeaderName::from_static("x-foveal-upstream");

/// Where OpenAI's own API stands.
const OPENAI_HOST: &str = "api.openai.com";

/// Upstreams that need not be named: their names, and where their APIs stand without the path that
/// clients bring along.
const KNOWN: &[(&str, &str)] = &[
    ("anthropic", "https://api.anthropic.com"),
    ("openai", "https://api.openai.com"),
    ("gemini", "https://generativelanguage.googleapis.com"),
    ("chatgpt", "https://chatgpt.com/backend-api/codex"),
    ("openrouter", "https://openrouter.ai/api"),
    ("ollama", "http://127.0.0.1:11434"),
    ("lmstudio", "http://127.0.0.1:1234"),
];

/// A server that answers requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    /// What it is called in messages and figures.
    pub name: String,
    scheme: Scheme,
    authority: Authority,
    /// What stands before the path of each request, without a slash at its end.
    prefix: String,
}

/// Why an address cannot be an upstream's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{address}` is no address of an API: {reason}; give one as https://api.example.com")]
pub struct BadUpstream {
    /// The address as it was given, without what may be secret in it.
    pub address: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl Upstream {
    /// The upstream at `address`: `http` or `https`, a host, and perhaps a path.
    ///
    /// # Errors
    /// [`BadUpstream`].
    pub fn new(name: &str, address: &str) -> Result<Self, BadUpstream> {
        let bad = |reason| BadUpstream { address: without_secrets(address), reason };
        let uri: Uri = address.parse().map_err(|_| bad("it cannot be read"))?;
        let parts = uri.into_parts();
        let scheme = parts.scheme.ok_or_else(|| bad("it has no https:// or http://"))?;
        if scheme != Scheme::HTTP && scheme != Scheme::HTTPS {
            return Err(bad("it is neither https nor http"));
        }
        let authority = parts.authority.ok_or_else(|| bad("it names no host"))?;
        if authority.as_str().contains('@') {
            return Err(bad("it holds a name or password, which belong into headers"));
        }
        let path = parts.path_and_query;
        if path.as_ref().is_some_and(|path| path.query().is_some()) {
            return Err(bad("it has a query"));
        }
        let prefix = path.map(|path| path.path().trim_end_matches('/').to_owned());
        Ok(Self { name: name.to_owned(), scheme, authority, prefix: prefix.unwrap_or_default() })
    }

    /// The address of a request for `path`, which is what the client asked for, with its query.
    /// A version that ends the upstream's own path and begins the client's stands there once.
    /// `None` for a path that could lead out of the upstream's own.
    pub(crate) fn address(&self, path: &str) -> Option<Uri> {
        if climbs(path) {
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

    /// Its host, without a port.
    pub(crate) fn server(&self) -> &str {
        self.authority.host().trim_matches(['[', ']'])
    }

    /// The port that it is asked at.
    pub(crate) fn port(&self) -> u16 {
        let usual = if self.scheme == Scheme::HTTP { 80 } else { 443 };
        self.authority.port_u16().unwrap_or(usual)
    }

    /// What the header `host` says to it.
    pub(crate) fn host(&self) -> &str {
        self.authority.as_str()
    }
}

/// Whether a path has a segment that means the folder above, to a server that reads `%` codes,
/// takes `\\` for `/`, or leaves parameters away.
fn climbs(path: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    // Once for the upstream, once more for a proxy before it.
    let plain = decoded(&decoded(path.as_bytes()));
    plain.split(|byte| matches!(byte, b'/' | b'\\')).any(|segment| {
        let name = segment.split(|byte| *byte == b';').next().unwrap_or_default();
        name == b".."
    })
}

/// Bytes with those in the place of `%` codes that they stand for.
fn decoded(text: &[u8]) -> Vec<u8> {
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

/// All servers that requests may go to. Nothing in a request can name another one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Upstreams {
    every: Option<Upstream>,
    named: Vec<Upstream>,
}

/// Why nobody can answer a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoUpstream {
    /// The name is none.
    #[error("there is no upstream `{0}`; foveal serve --upstream {0}=https://… makes one")]
    Unknown(String),
    /// Nothing is named.
    #[error(
        "it is not clear whose API this is, or the key looks like none of its keys; begin the path \
         with a name, as /anthropic or /openai, or give foveal serve --upstream"
    )]
    Unclear,
    /// A key is another provider's.
    #[error(
        "the request has a key of {owner}, which must not go to {host}; use a key of that provider, \
         or name another upstream in the path or with foveal serve --upstream"
    )]
    ForeignKey { owner: &'static str, host: String },
}

impl Upstreams {
    /// Each protocol to its own provider.
    pub fn new() -> Self {
        let known = KNOWN.iter().map(|(name, address)| Upstream::new(name, address));
        let named = known.map(|upstream| upstream.expect("a test reads the table")).collect();
        Self { every: None, named }
    }

    /// The same with all requests that name no other to one server.
    #[must_use]
    pub fn with_every(mut self, upstream: Upstream) -> Self {
        self.every = Some(upstream);
        // A path of this server may begin with the name of a known one.
        self.named.retain(|named| !KNOWN.iter().any(|(name, _)| *name == named.name));
        self
    }

    /// The same with one more, which a path (`/NAME/…`) or the header `x-foveal-upstream` names.
    #[must_use]
    pub fn with_named(mut self, upstream: Upstream) -> Self {
        self.named.retain(|named| named.name != upstream.name);
        self.named.push(upstream);
        self
    }

    /// All of them, for who wants to see.
    pub fn all(&self) -> impl Iterator<Item = &Upstream> {
        self.every.iter().chain(&self.named)
    }

    /// Those that a path can name.
    pub fn named(&self) -> impl Iterator<Item = &Upstream> {
        self.named.iter()
    }

    /// Who answers a request for `path` (with its query), and the path that they are asked for.
    pub(crate) fn choose<'a>(
        &self,
        path: &'a str,
        headers: &HeaderMap,
    ) -> Result<(&Upstream, &'a str), NoUpstream> {
        let (upstream, path) = self.candidate(path, headers)?;
        let query = path.split_once('?').map_or("", |(_, query)| query);
        let host = upstream.server();
        match Credentials::find(headers, query).foreign_to(host) {
            Some(owner) => Err(NoUpstream::ForeignKey { owner, host: host.to_owned() }),
            None => Ok((upstream, path)),
        }
    }

    /// Who is meant, whatever keys there are where a person named it.
    fn candidate<'a>(
        &self,
        path: &'a str,
        headers: &HeaderMap,
    ) -> Result<(&Upstream, &'a str), NoUpstream> {
        let named = |name: &str| self.named.iter().find(|upstream| upstream.name == name);
        if let Some(value) = headers.get(UPSTREAM_HEADER) {
            let name = value.to_str().unwrap_or_default();
            let upstream = named(name).ok_or_else(|| NoUpstream::Unknown(shown(name)))?;
            return Ok((upstream, path));
        }
        let first = path.strip_prefix('/').and_then(|rest| rest.split_once('/'));
        if let Some((name, rest)) = first
            && let Some(upstream) = named(name)
        {
            // Azure's own paths begin so too: its keys are no business of OpenAI.
            let is_azure = upstream.host() == OPENAI_HOST && route::is_of_azure(rest);
            return match is_azure {
                true => Err(NoUpstream::Unclear),
                false => Ok((upstream, &path[name.len() + 1..])),
            };
        }
        if let Some(upstream) = &self.every {
            return Ok((upstream, path));
        }
        let provider = route::provider(path, headers).ok_or(NoUpstream::Unclear)?;
        let name = provider.name();
        let upstream = named(name).ok_or_else(|| NoUpstream::Unknown(name.to_owned()))?;
        Ok((upstream, provider.path(path)))
    }
}

/// An address without a name and password before the host and without its query: where keys may
/// stand.
pub fn without_secrets(address: &str) -> String {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let (scheme, rest) = match address.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), address),
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}{host}{path}")
}

/// A name as a client spelled it, in bounds.
fn shown(name: &str) -> String {
    name.chars().filter(char::is_ascii_graphic).take(40).collect()
}

#[cfg(test)]
mod tests;
