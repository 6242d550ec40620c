//! Requests and redirects of one fetch, on a thread of their own, so that whoever waits can
//! stop waiting at any time.

use std::io::Read;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use flate2::read::MultiGzDecoder;
use foveal_cancel::Cancel;
use rustls::crypto::ring;
use ureq::config::Config;
use ureq::http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, LOCATION};
use ureq::http::{HeaderMap, HeaderName, Uri};
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Body, Proxy};
use url::Url;

use crate::address::Guard;
use crate::error::{FetchError, shown};
use crate::freshness::{ExchangeTimes, Freshness, UnixMs, Validators};
use crate::kind;
use crate::limits::{Limits, Names, ProxyChoice};
use crate::normal::{MayFollow, normal};

/// What is asked for, best first: some sites have their pages in Markdown.
const ACCEPTED: &str = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, \
                        text/plain;q=0.8, application/json;q=0.8, */*;q=0.5";

/// Bytes of what is only described, which are looked at for its kind.
const DESCRIBED_BYTES: u64 = 4 << 10;

/// Bytes of an answer that is an error.
const SAID_BYTES: u64 = 32 << 10;

/// Bytes that are read at once.
const CHUNK_BYTES: usize = 16 << 10;

/// The addresses that one connection tries.
const ADDRESSES_MAX: usize = 16;

/// What one fetch needs; everything is its own, so that nobody has to wait for its end.
pub(crate) struct Exchange {
    /// Asks the first address, and others that are behind the same proxy.
    pub(crate) agent: ProxiedAgent,
    pub(crate) guard: Arc<Guard>,
    pub(crate) limits: Limits,
    pub(crate) cached: Option<Validators>,
    pub(crate) may_follow: MayFollow,
    pub(crate) cancel: Cancel<'static>,
}

/// The last answer of a fetch.
pub(crate) struct Raw {
    pub(crate) url: Url,
    pub(crate) status: u16,
    pub(crate) content_type: String,
    /// By `Content-Length`, if the body was not compressed.
    pub(crate) length: Option<u64>,
    /// Decompressed.
    pub(crate) bytes: Vec<u8>,
    pub(crate) truncated: bool,
    pub(crate) freshness: Freshness,
}

impl Exchange {
    /// The answer at `url`, or where it leads.
    pub(crate) fn run(&self, mut url: Url) -> Result<Raw, FetchError> {
        let mut hops: Vec<(Freshness, bool)> = Vec::new();
        loop {
            let (mut raw, location, body) = self.ask(&url)?;
            let Some(location) = location else {
                self.fill(&mut raw, body)?;
                raw.freshness = hops
                    .iter()
                    .fold(raw.freshness, |page, (hop, permanent)| page.through(hop, *permanent));
                return Ok(raw);
            };
            if hops.len() >= self.limits.redirects as usize {
                let count = self.limits.redirects;
                return Err(FetchError::Redirects { url: shown(url.as_str()), count });
            }
            let next = self.guard.check_url(&location, Some(&url))?;
            if url.scheme() == "https" && next.scheme() == "http" {
                let (from, to) = (shown(url.as_str()), shown(next.as_str()));
                return Err(FetchError::Downgrade { from, to });
            }
            if !(self.may_follow)(&normal(&next)) {
                let (from, to) = (shown(url.as_str()), shown(next.as_str()));
                return Err(FetchError::Elsewhere { from, to });
            }
            hops.push((raw.freshness, matches!(raw.status, 301 | 308)));
            url = next;
        }
    }

    /// The head of the answer at `url`, where it redirects to, and its body, not read yet.
    fn ask(&self, url: &Url) -> Result<(Raw, Option<String>, Encoded), FetchError> {
        self.check_cancelled()?;
        let request_time = now();
        let proxy = (self.agent.parts.proxies)(url.as_str());
        let agent = match proxy == self.agent.proxy {
            true => self.agent.agent.clone(),
            false => self.agent.parts.agent(proxy.as_deref(), &self.limits)?,
        };
        if proxy.is_some() {
            self.check_name(url)?;
        }
        let mut request =
            agent.get(url.as_str()).header(ACCEPT, ACCEPTED).header(ACCEPT_ENCODING, "gzip");
        // Validators are those of one address; others must not learn them.
        let cached = self.cached.as_ref().filter(|cached| cached.url == url.as_str());
        for (name, value) in cached.map(Validators::headers).unwrap_or_default() {
            request = request.header(name, value);
        }
        let answer = request.call().map_err(|error| self.failure(url, error))?;
        let times = ExchangeTimes { request_time, response_time: now() };
        let status = answer.status().as_u16();
        let (parts, body) = answer.into_parts();
        let redirects = matches!(status, 301 | 302 | 303 | 307 | 308);
        let location = text(&parts.headers, LOCATION).filter(|_| redirects);
        let encoding = text(&parts.headers, CONTENT_ENCODING).unwrap_or_default();
        let gzip = self.is_gzip(url, &encoding)?;
        let length = text(&parts.headers, CONTENT_LENGTH).and_then(|value| value.parse().ok());
        let raw = Raw {
            url: url.clone(),
            status,
            content_type: text(&parts.headers, HeaderName::from_static("content-type"))
                .unwrap_or_default(),
            length: length.filter(|_| !gzip),
            bytes: Vec::new(),
            truncated: false,
            freshness: Freshness::of(status, &pairs(&parts.headers), times),
        };
        Ok((raw, location, Encoded { body, gzip }))
    }

    /// Checks where a name leads that a proxy looks up. Where names are not known on this machine,
    /// the proxy's network decides what can be reached.
    fn check_name(&self, url: &Url) -> Result<(), FetchError> {
        let host = url.host_str().unwrap_or_default();
        let port = url.port_or_known_default().unwrap_or_default();
        match (self.agent.parts.names)(host) {
            Ok(addresses) => self.guard.check_addresses(host, port, &addresses),
            Err(_) => Ok(()),
        }
    }

    fn is_gzip(&self, url: &Url, encoding: &str) -> Result<bool, FetchError> {
        match encoding.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Ok(false),
            "gzip" | "x-gzip" => Ok(true),
            other => Err(FetchError::Broken {
                url: shown(url.as_str()),
                reason: format!("it is encoded as `{}`, which was not asked for", shown(other)),
            }),
        }
    }

    /// Reads the body as far as it is wanted.
    fn fill(&self, raw: &mut Raw, encoded: Encoded) -> Result<(), FetchError> {
        let essence = kind::essence(&raw.content_type);
        let limit = match raw.status {
            204 | 205 | 304 => return Ok(()),
            200..=299 if kind::of_header(&essence) == Some(kind::Kind::Binary) => DESCRIBED_BYTES,
            200..=299 => self.limits.body_bytes,
            _ => SAID_BYTES,
        };
        let limit = limit.min(self.limits.body_bytes);
        let reader = encoded.body.into_reader();
        // What is counted is what comes out: a small body may unfold to a huge one.
        let mut reader: Box<dyn Read> = match encoded.gzip {
            true => Box::new(MultiGzDecoder::new(reader)),
            false => Box::new(reader),
        };
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            self.check_cancelled()?;
            let count = match reader.read(&mut chunk) {
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.failure(&raw.url, ureq::Error::Io(error))),
            };
            if count == 0 {
                return Ok(());
            }
            let room = usize::try_from(limit).unwrap_or(usize::MAX) - raw.bytes.len();
            raw.bytes.extend_from_slice(&chunk[..count.min(room)]);
            if count > room {
                raw.truncated = true;
                return Ok(());
            }
        }
    }

    fn check_cancelled(&self) -> Result<(), FetchError> {
        match self.cancel.is_cancelled() {
            true => Err(FetchError::Cancelled),
            false => Ok(()),
        }
    }

    /// What a request says that got no answer, or not all of it.
    fn failure(&self, url: &Url, error: ureq::Error) -> FetchError {
        let address = shown(url.as_str());
        let broken = |reason: String| FetchError::Broken { url: shown(url.as_str()), reason };
        match error {
            ureq::Error::Other(error) => match error.downcast::<FetchError>() {
                Ok(error) => *error,
                Err(error) => FetchError::Away { url: address, reason: error.to_string() },
            },
            ureq::Error::Io(error)
                if error.get_ref().is_some_and(|inner| inner.is::<ureq::Error>()) =>
            {
                let inner = error.into_inner().and_then(|inner| inner.downcast().ok());
                match inner {
                    Some(inner) => self.failure(url, *inner),
                    None => broken("it could not be read".to_owned()),
                }
            }
            ureq::Error::Timeout(which) => {
                let time = match which {
                    ureq::Timeout::Connect => self.limits.connect_time,
                    ureq::Timeout::PerRead => self.limits.read_time,
                    _ => self.limits.total_time,
                };
                FetchError::Slow { url: address, seconds: time.as_secs().max(1) }
            }
            ureq::Error::HostNotFound => {
                FetchError::NoHost { host: shown(url.host_str().unwrap_or_default()) }
            }
            ureq::Error::Rustls(error) => tls_failure(address, &error),
            ureq::Error::Io(error) => io_failure(address, &error),
            ureq::Error::LargeResponseHeader(..) => {
                broken(format!("its head is larger than {} bytes", self.limits.header_bytes))
            }
            ureq::Error::Protocol(error) => broken(error.to_string()),
            ureq::Error::BadUri(reason) => FetchError::Url { url: address, reason },
            error => FetchError::Away { url: address, reason: error.to_string() },
        }
    }
}

/// A body as it is sent.
struct Encoded {
    body: Body,
    gzip: bool,
}

fn tls_failure(url: String, error: &rustls::Error) -> FetchError {
    match error {
        rustls::Error::InvalidCertificate(reason) => {
            FetchError::Certificate { url, reason: format!("{reason:?}") }
        }
        error => FetchError::Away { url, reason: error.to_string() },
    }
}

fn io_failure(url: String, error: &std::io::Error) -> FetchError {
    use std::io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    if let Some(error) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return tls_failure(url, error);
    }
    match error.kind() {
        UnexpectedEof => FetchError::Broken { url, reason: "it ends too early".to_owned() },
        InvalidData | InvalidInput => FetchError::Broken { url, reason: error.to_string() },
        _ => FetchError::Away { url, reason: error.to_string() },
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let value = headers.get(name)?;
    // Addresses with letters beyond ASCII are sent as they are by some.
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn pairs(headers: &HeaderMap) -> Vec<(String, String)> {
    let known = headers.iter().filter_map(|(name, value)| Some((name, value.to_str().ok()?)));
    known.map(|(name, value)| (name.as_str().to_owned(), value.to_owned())).collect()
}

fn now() -> UnixMs {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMs(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// What agents are made of.
#[derive(Clone)]
pub(crate) struct AgentParts {
    pub(crate) guard: Arc<Guard>,
    pub(crate) names: Names,
    pub(crate) proxies: ProxyChoice,
    pub(crate) tls: TlsConfig,
}

/// An agent, and the proxy that it asks.
pub(crate) struct ProxiedAgent {
    pub(crate) parts: AgentParts,
    pub(crate) proxy: Option<String>,
    pub(crate) agent: Agent,
}

impl ProxiedAgent {
    /// The agent for one fetch, which begins at `url`.
    pub(crate) fn new(parts: AgentParts, url: &Url, limits: &Limits) -> Result<Self, FetchError> {
        let proxy = (parts.proxies)(url.as_str());
        let agent = parts.agent(proxy.as_deref(), limits)?;
        Ok(Self { parts, proxy, agent })
    }
}

impl AgentParts {
    /// An agent that asks through this proxy, if one is named. It sends no cookies and knows no
    /// credentials.
    fn agent(&self, proxy: Option<&str>, limits: &Limits) -> Result<Agent, FetchError> {
        let proxy = proxy.map(read_proxy).transpose()?;
        let proxy_host = proxy.as_ref().map(|proxy| (proxy.host().to_owned(), proxy.port()));
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // Redirects are followed here, where each is checked.
            .max_redirects(0)
            .max_redirects_will_error(false)
            // No variable of the environment: the caller says which one is asked.
            .proxy(proxy)
            .user_agent(concat!("foveal/", env!("CARGO_PKG_VERSION")))
            .max_response_header_size(limits.header_bytes)
            .timeout_connect(Some(limits.connect_time))
            .timeout_per_read(Some(limits.read_time))
            .timeout_global(Some(limits.total_time))
            .tls_config(self.tls.clone())
            .build();
        let (guard, names) = (Arc::clone(&self.guard), Arc::clone(&self.names));
        let resolver = GuardedNames { guard, names, proxy_host };
        Ok(Agent::with_parts(config, DefaultConnector::default(), resolver))
    }
}

/// A proxy as it is named. Its address may hold a password: no message repeats it.
fn read_proxy(address: &str) -> Result<Proxy, FetchError> {
    let away =
        |reason: &str| FetchError::Away { url: "the proxy".to_owned(), reason: reason.to_owned() };
    if address.starts_with("socks") {
        return Err(away(
            "pages need an http:// proxy; name one in HTTPS_PROXY, or in NO_PROXY the hosts that need none",
        ));
    }
    Proxy::new(address).map_err(|_| away("its address cannot be read; see HTTPS_PROXY"))
}

/// The certificates that the system trusts.
pub(crate) fn system_roots() -> Vec<Certificate<'static>> {
    let found = rustls_native_certs::load_native_certs();
    found.certs.iter().map(|one| Certificate::from_der(one).to_owned()).collect()
}

/// Trust in `roots`, and how many they are.
pub(crate) fn tls(roots: &[Certificate<'static>]) -> (TlsConfig, usize) {
    let config = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()))
        .root_certs(RootCerts::new_with_certs(roots))
        .build();
    (config, roots.len())
}

/// Looks names up and hands on only addresses that were checked: the connection is made to
/// these, so that a name cannot lead elsewhere a moment later.
struct GuardedNames {
    guard: Arc<Guard>,
    names: Names,
    /// The proxy's host and port. The user named it: it may be in a private network.
    proxy_host: Option<(String, u16)>,
}

impl std::fmt::Debug for GuardedNames {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("GuardedNames")
    }
}

impl Resolver for GuardedNames {
    fn resolve(
        &self,
        uri: &Uri,
        _: &Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let host = uri.host().unwrap_or_default();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let encrypted = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if encrypted { 443 } else { 80 });
        let addresses = match bare.parse::<IpAddr>() {
            Ok(address) => vec![address],
            Err(_) => (self.names)(bare).map_err(|_| ureq::Error::HostNotFound)?,
        };
        let is_proxy = self.proxy_host.as_ref().is_some_and(|it| (&*it.0, it.1) == (host, port));
        if !is_proxy {
            let checked = self.guard.check_addresses(bare, port, &addresses);
            checked.map_err(|error| ureq::Error::Other(Box::new(error)))?;
        }
        let mut resolved = self.empty();
        for address in addresses.into_iter().take(ADDRESSES_MAX) {
            resolved.push(SocketAddr::new(address, port));
        }
        Ok(resolved)
    }
}
