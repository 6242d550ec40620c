//! The requests and redirects of one fetch, on a thread of its own, so that the caller can stop
//! waiting at any time.

use std::io::Read;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use flate2::read::MultiGzDecoder;
use foveal_transcript::CancelToken;
use rustls::crypto::ring;
use ureq::config::Config;
use ureq::http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, LOCATION};
use ureq::http::{HeaderMap, HeaderName, Uri};
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Body, Proxy};
use url::Url;

use crate::address::AddressPolicy;
use crate::content_kind;
use crate::error::{FetchError, shorten_url};
use crate::freshness::{ExchangeTimes, Freshness, UnixMs, Validators};
use crate::limits::{FetchLimits, NameLookup, ProxyChoice};
use crate::normalization::{RedirectFilter, normalize_url};

/// The `Accept` header, best type first: some sites serve Markdown.
const ACCEPT_VALUE: &str = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, \
                        text/plain;q=0.8, application/json;q=0.8, */*;q=0.5";

/// Bytes of binary content, which are read only to detect its kind.
const BINARY_BYTES_MAX: u64 = 4 << 10;

/// Bytes of an error response.
const ERROR_BODY_BYTES_MAX: u64 = 32 << 10;

/// Bytes per read.
const CHUNK_BYTES: usize = 16 << 10;

/// The most addresses that one connection attempt tries.
const CONNECT_ADDRESSES_MAX: usize = 16;

/// The inputs of one fetch. It owns them, so that the caller need not wait for its end.
pub(crate) struct FetchExchange {
    /// Sends the first request, and later ones through the same proxy.
    pub(crate) agent: ProxiedAgent,
    pub(crate) guard: Arc<AddressPolicy>,
    pub(crate) limits: FetchLimits,
    pub(crate) cached: Option<Validators>,
    pub(crate) may_follow: RedirectFilter,
    pub(crate) cancel: CancelToken<'static>,
}

/// The last response of a fetch.
pub(crate) struct RawResponse {
    pub(crate) url: Url,
    pub(crate) status: u16,
    pub(crate) content_type: String,
    /// From `Content-Length`, if the body was not compressed.
    pub(crate) length: Option<u64>,
    /// The body, decompressed.
    pub(crate) bytes: Vec<u8>,
    pub(crate) truncated: bool,
    pub(crate) freshness: Freshness,
}

impl FetchExchange {
    /// Fetches `url` and follows its redirects.
    pub(crate) fn follow_redirects(&self, mut url: Url) -> Result<RawResponse, FetchError> {
        let mut hops: Vec<(Freshness, bool)> = Vec::new();
        loop {
            let (mut raw, location, body) = self.send_request(&url)?;
            let Some(location) = location else {
                self.read_body(&mut raw, body)?;
                raw.freshness = hops.iter().fold(raw.freshness, |page, (hop, permanent)| {
                    page.after_redirect(hop, *permanent)
                });
                return Ok(raw);
            };
            if hops.len() >= self.limits.redirects as usize {
                let count = self.limits.redirects;
                return Err(FetchError::TooManyRedirects { url: shorten_url(url.as_str()), count });
            }
            let next = self.guard.check_url(&location, Some(&url))?;
            if url.scheme() == "https" && next.scheme() == "http" {
                let (from, to) = (shorten_url(url.as_str()), shorten_url(next.as_str()));
                return Err(FetchError::Downgrade { from, to });
            }
            if !(self.may_follow)(&normalize_url(&next)) {
                let (from, to) = (shorten_url(url.as_str()), shorten_url(next.as_str()));
                return Err(FetchError::RestrictedRedirect { from, to });
            }
            hops.push((raw.freshness, matches!(raw.status, 301 | 308)));
            url = next;
        }
    }

    /// Requests `url`. Returns the head of the response, its redirect target, and its unread body.
    fn send_request(
        &self,
        url: &Url,
    ) -> Result<(RawResponse, Option<String>, EncodedBody), FetchError> {
        self.check_cancelled()?;
        let request_time = current_time();
        let proxy = (self.agent.parts.proxies)(url.as_str());
        let agent = match proxy == self.agent.proxy {
            true => self.agent.agent.clone(),
            false => self.agent.parts.build_agent(proxy.as_deref(), &self.limits)?,
        };
        if proxy.is_some() {
            self.check_proxied_host(url)?;
        }
        let mut request =
            agent.get(url.as_str()).header(ACCEPT, ACCEPT_VALUE).header(ACCEPT_ENCODING, "gzip");
        // Validators belong to one address and must not be sent to others.
        let cached = self.cached.as_ref().filter(|cached| cached.url == url.as_str());
        for (name, value) in cached.map(Validators::conditional_headers).unwrap_or_default() {
            request = request.header(name, value);
        }
        let answer = request.call().map_err(|error| self.fetch_error(url, error))?;
        let times = ExchangeTimes { request_time, response_time: current_time() };
        let status = answer.status().as_u16();
        let (parts, body) = answer.into_parts();
        let redirects = matches!(status, 301 | 302 | 303 | 307 | 308);
        let location = header_text(&parts.headers, LOCATION).filter(|_| redirects);
        let encoding = header_text(&parts.headers, CONTENT_ENCODING).unwrap_or_default();
        let gzip = self.is_gzip(url, &encoding)?;
        let length =
            header_text(&parts.headers, CONTENT_LENGTH).and_then(|value| value.parse().ok());
        let raw = RawResponse {
            url: url.clone(),
            status,
            content_type: header_text(&parts.headers, HeaderName::from_static("content-type"))
                .unwrap_or_default(),
            length: length.filter(|_| !gzip),
            bytes: Vec::new(),
            truncated: false,
            freshness: Freshness::from_response(status, &header_pairs(&parts.headers), times),
        };
        Ok((raw, location, EncodedBody { body, gzip }))
    }

    /// Checks the addresses of a name that a proxy resolves. If this machine cannot resolve it, the
    /// proxy's network decides what is reachable.
    fn check_proxied_host(&self, url: &Url) -> Result<(), FetchError> {
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
                url: shorten_url(url.as_str()),
                reason: format!(
                    "its content encoding is `{}`, which was not requested",
                    shorten_url(other)
                ),
            }),
        }
    }

    /// Reads the body up to its limit.
    fn read_body(&self, raw: &mut RawResponse, encoded: EncodedBody) -> Result<(), FetchError> {
        let essence = content_kind::media_type(&raw.content_type);
        let limit = match raw.status {
            204 | 205 | 304 => return Ok(()),
            200..=299
                if content_kind::kind_from_media_type(&essence)
                    == Some(content_kind::ContentKind::Binary) =>
            {
                BINARY_BYTES_MAX
            }
            200..=299 => self.limits.body_bytes,
            _ => ERROR_BODY_BYTES_MAX,
        };
        let limit = limit.min(self.limits.body_bytes);
        let reader = encoded.body.into_reader();
        // Decompressed bytes are counted, since a small body may expand to a huge one.
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
                Err(error) => return Err(self.fetch_error(&raw.url, ureq::Error::Io(error))),
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

    /// Converts the error of a request without a complete response.
    fn fetch_error(&self, url: &Url, error: ureq::Error) -> FetchError {
        let address = shorten_url(url.as_str());
        let broken = |reason: String| FetchError::Broken { url: shorten_url(url.as_str()), reason };
        match error {
            ureq::Error::Other(error) => match error.downcast::<FetchError>() {
                Ok(error) => *error,
                Err(error) => FetchError::Unreachable { url: address, reason: error.to_string() },
            },
            ureq::Error::Io(error)
                if error.get_ref().is_some_and(|inner| inner.is::<ureq::Error>()) =>
            {
                let inner = error.into_inner().and_then(|inner| inner.downcast().ok());
                match inner {
                    Some(inner) => self.fetch_error(url, *inner),
                    None => broken("it could not be read".to_owned()),
                }
            }
            ureq::Error::Timeout(which) => {
                let time = match which {
                    ureq::Timeout::Connect => self.limits.connect_time,
                    ureq::Timeout::PerRead => self.limits.read_time,
                    _ => self.limits.total_time,
                };
                FetchError::TimedOut { url: address, seconds: time.as_secs().max(1) }
            }
            ureq::Error::HostNotFound => {
                FetchError::UnknownHost { host: shorten_url(url.host_str().unwrap_or_default()) }
            }
            ureq::Error::Rustls(error) => tls_error(address, &error),
            ureq::Error::Io(error) => connection_error(address, &error),
            ureq::Error::LargeResponseHeader(..) => {
                broken(format!("its header is larger than {} bytes", self.limits.header_bytes))
            }
            ureq::Error::Protocol(error) => broken(error.to_string()),
            ureq::Error::BadUri(reason) => FetchError::InvalidUrl { url: address, reason },
            error => FetchError::Unreachable { url: address, reason: error.to_string() },
        }
    }
}

/// A body with its content encoding.
struct EncodedBody {
    body: Body,
    gzip: bool,
}

fn tls_error(url: String, error: &rustls::Error) -> FetchError {
    match error {
        rustls::Error::InvalidCertificate(reason) => {
            FetchError::Certificate { url, reason: format!("{reason:?}") }
        }
        error => FetchError::Unreachable { url, reason: error.to_string() },
    }
}

fn connection_error(url: String, error: &std::io::Error) -> FetchError {
    use std::io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    if let Some(error) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return tls_error(url, error);
    }
    match error.kind() {
        UnexpectedEof => FetchError::Broken { url, reason: "it ends too early".to_owned() },
        InvalidData | InvalidInput => FetchError::Broken { url, reason: error.to_string() },
        _ => FetchError::Unreachable { url, reason: error.to_string() },
    }
}

fn header_text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let value = headers.get(name)?;
    // Some servers send URLs with non-ASCII characters unencoded.
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn header_pairs(headers: &HeaderMap) -> Vec<(String, String)> {
    let known = headers.iter().filter_map(|(name, value)| Some((name, value.to_str().ok()?)));
    known.map(|(name, value)| (name.as_str().to_owned(), value.to_owned())).collect()
}

fn current_time() -> UnixMs {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMs(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// The configuration from which agents are built.
#[derive(Clone)]
pub(crate) struct AgentConfig {
    pub(crate) guard: Arc<AddressPolicy>,
    pub(crate) names: NameLookup,
    pub(crate) proxies: ProxyChoice,
    pub(crate) tls: TlsConfig,
}

/// An agent, and the proxy that it uses.
pub(crate) struct ProxiedAgent {
    pub(crate) parts: AgentConfig,
    pub(crate) proxy: Option<String>,
    pub(crate) agent: Agent,
}

impl ProxiedAgent {
    /// Builds the agent for one fetch, which starts at `url`.
    pub(crate) fn new(
        parts: AgentConfig,
        url: &Url,
        limits: &FetchLimits,
    ) -> Result<Self, FetchError> {
        let proxy = (parts.proxies)(url.as_str());
        let agent = parts.build_agent(proxy.as_deref(), limits)?;
        Ok(Self { parts, proxy, agent })
    }
}

impl AgentConfig {
    /// Builds an agent that uses `proxy`, if one is given. It sends no cookies and no credentials.
    fn build_agent(&self, proxy: Option<&str>, limits: &FetchLimits) -> Result<Agent, FetchError> {
        let proxy = proxy.map(parse_proxy).transpose()?;
        let proxy_host = proxy.as_ref().map(|proxy| (proxy.host().to_owned(), proxy.port()));
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // Redirects are followed here, where each is checked.
            .max_redirects(0)
            .max_redirects_will_error(false)
            // Environment variables are ignored: the caller chooses the proxy.
            .proxy(proxy)
            .user_agent(concat!("foveal/", env!("CARGO_PKG_VERSION")))
            .max_response_header_size(limits.header_bytes)
            .timeout_connect(Some(limits.connect_time))
            .timeout_per_read(Some(limits.read_time))
            .timeout_global(Some(limits.total_time))
            .tls_config(self.tls.clone())
            .build();
        let (guard, names) = (Arc::clone(&self.guard), Arc::clone(&self.names));
        let resolver = GuardedResolver { guard, names, proxy_host };
        Ok(Agent::with_parts(config, DefaultConnector::default(), resolver))
    }
}

/// Parses a proxy address. It may hold a password, so that no message repeats it.
fn parse_proxy(address: &str) -> Result<Proxy, FetchError> {
    let away = |reason: &str| FetchError::Unreachable {
        url: "the proxy".to_owned(),
        reason: reason.to_owned(),
    };
    if address.starts_with("socks") {
        return Err(away(
            "SOCKS proxies are not supported; set HTTPS_PROXY to an http:// proxy, or list the \
             hosts that need none in NO_PROXY",
        ));
    }
    Proxy::new(address).map_err(|_| away("its address is not valid; check HTTPS_PROXY"))
}

/// Loads the root certificates that the system trusts.
pub(crate) fn load_system_roots() -> Vec<Certificate<'static>> {
    let found = rustls_native_certs::load_native_certs();
    found.certs.iter().map(|one| Certificate::from_der(one).to_owned()).collect()
}

/// Returns a TLS configuration that trusts `roots`, and their number.
pub(crate) fn tls_config(roots: &[Certificate<'static>]) -> (TlsConfig, usize) {
    let config = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()))
        .root_certs(RootCerts::new_with_certs(roots))
        .build();
    (config, roots.len())
}

/// Resolves names to checked addresses. The connection uses exactly these, so that a name cannot
/// resolve differently a moment later (DNS rebinding).
struct GuardedResolver {
    guard: Arc<AddressPolicy>,
    names: NameLookup,
    /// The proxy's host and port. The user configured it, so it may be in a private network.
    proxy_host: Option<(String, u16)>,
}

impl std::fmt::Debug for GuardedResolver {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("GuardedNames")
    }
}

impl Resolver for GuardedResolver {
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
        for address in addresses.into_iter().take(CONNECT_ADDRESSES_MAX) {
            resolved.push(SocketAddr::new(address, port));
        }
        Ok(resolved)
    }
}
