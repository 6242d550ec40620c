//! Fetching a page: request, result and cancellation.

use std::ffi::OsString;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use foveal_transcript::CancelToken;
use ureq::tls::{Certificate, TlsConfig};
use url::Url;

use crate::address::AddressPolicy;
use crate::charset;
use crate::content_kind::{self, ContentKind};
use crate::conversion::{PageConverter, WaitAbandoned, spawn_worker, wait_for_result};
use crate::error::{FetchError, shorten_url};
use crate::exchange::{self, AgentConfig, FetchExchange, ProxiedAgent, RawResponse};
use crate::freshness::{Freshness, Validators};
use crate::html_text;
use crate::limits::{FetchLimits, NameLookup, ProxyChoice};
use crate::markdown::ConvertedPage;
use crate::normalization::RedirectFilter;

/// Characters of an error response in a message.
const ERROR_TEXT_CHARS_MAX: usize = 300;

/// A page to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchRequest {
    /// The page's URL.
    pub url: String,
    /// Validators of an earlier fetch.
    pub cached: Option<Validators>,
}

/// The result of a fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchOutcome {
    /// A page.
    Page(Box<WebPage>),
    /// The page of [`FetchRequest::cached`] has not changed.
    NotModified {
        /// The page's URL after redirects.
        final_url: String,
        /// How long it may now be used without revalidation.
        freshness: Freshness,
    },
}

/// A fetched page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebPage {
    /// The URL after redirects, without a fragment.
    pub final_url: String,
    /// 200–299.
    pub status: u16,
    /// The media type in lower case, without parameters; empty if there is none.
    pub content_type: String,
    /// The charset of its text; `None` for binary content.
    pub charset: Option<&'static str>,
    /// The title of an HTML page.
    pub title: Option<String>,
    /// The readable content.
    pub content: PageContent,
    /// Bytes read, after decompression.
    pub bytes: u64,
    /// The page was longer than [`FetchLimits::body_bytes`].
    pub truncated: bool,
    /// How long it may be used without revalidation, and its validators.
    pub freshness: Freshness,
}

/// The readable content of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageContent {
    /// The main part of an HTML page.
    Markdown(String),
    /// The text of an HTML page that could not be converted to Markdown.
    Stripped(String),
    /// Text other than HTML, unchanged.
    Text(String),
    /// A one-sentence description of binary content.
    Described(String),
}

impl PageContent {
    /// Returns the text to show.
    pub fn text(&self) -> &str {
        match self {
            Self::Markdown(text)
            | Self::Stripped(text)
            | Self::Text(text)
            | Self::Described(text) => text,
        }
    }
}

/// Fetches pages. Can be shared between threads; each fetch has a connection of its own.
pub struct Fetcher {
    guard: Arc<AddressPolicy>,
    limits: FetchLimits,
    names: NameLookup,
    proxies: ProxyChoice,
    tls: OnceLock<(TlsConfig, usize)>,
    converter: PageConverter,
}

impl Fetcher {
    /// Creates a fetcher for addresses that `guard` allows, within `limits`.
    pub fn new(guard: AddressPolicy, limits: FetchLimits) -> Self {
        let (guard, converter) = (Arc::new(guard), PageConverter::default());
        let (names, proxies): (NameLookup, ProxyChoice) =
            (Arc::new(resolve_host), Arc::new(|_| None));
        Self { guard, limits, names, proxies, tls: OnceLock::new(), converter }
    }

    /// Uses the proxies that `proxies` chooses. A name that this machine cannot resolve is resolved
    /// by the proxy; others are checked as without a proxy.
    #[must_use]
    pub fn with_proxies(mut self, proxies: ProxyChoice) -> Self {
        self.proxies = proxies;
        self
    }

    /// Converts pages in a process of `program`, given as name and arguments, which runs
    /// [`convert_page`](crate::convert_page) and ends with the call. Without it a thread converts,
    /// which is abandoned if it takes too long.
    #[must_use]
    pub fn with_converter_program(mut self, program: Vec<OsString>) -> Self {
        self.converter = PageConverter::Process(program.into());
        self
    }

    /// Resolves names with `names` instead of the system. The addresses are checked all the same.
    #[must_use]
    pub fn with_name_lookup(mut self, names: NameLookup) -> Self {
        self.names = names;
        self
    }

    /// Trusts the root certificates in `roots` (each in DER) instead of the system's.
    #[must_use]
    pub fn with_root_certificates(mut self, roots: &[&[u8]]) -> Self {
        let roots: Vec<Certificate<'static>> =
            roots.iter().map(|one| Certificate::from_der(one).to_owned()).collect();
        self.tls = OnceLock::from(exchange::tls_config(&roots));
        self
    }

    /// Fetches the page at `request.url`, by redirects that `may_follow` allows. `cancel` is
    /// checked about 50 times a second and ends the fetch at once.
    ///
    /// # Errors
    /// If the address is refused, there is no complete response, or the status is outside of
    /// 200–299.
    pub fn fetch(
        &self,
        request: &FetchRequest,
        may_follow: &RedirectFilter,
        cancel: &CancelToken<'_>,
    ) -> Result<FetchOutcome, FetchError> {
        let url = self.guard.check_url(&request.url, None)?;
        let raw = self.run_exchange(url, request.cached.clone(), may_follow, cancel)?;
        match (raw.status, &request.cached) {
            // Validators were sent only to that address; another one's 304 is an error.
            (304, Some(cached)) if cached.url == raw.url.as_str() => {
                Ok(FetchOutcome::NotModified {
                    final_url: raw.url.to_string(),
                    freshness: raw.freshness.revalidated(cached),
                })
            }
            (200..=299, _) => {
                self.build_page(raw, cancel).map(|page| FetchOutcome::Page(Box::new(page)))
            }
            _ => Err(status_error(&raw)),
        }
    }

    fn run_exchange(
        &self,
        url: Url,
        cached: Option<Validators>,
        may_follow: &RedirectFilter,
        cancel: &CancelToken<'_>,
    ) -> Result<RawResponse, FetchError> {
        let (tls, roots) =
            self.tls.get_or_init(|| exchange::tls_config(&exchange::load_system_roots()));
        if *roots == 0 && url.scheme() == "https" {
            return Err(FetchError::NoCertificates { url: shorten_url(url.as_str()) });
        }
        let (guard, names) = (Arc::clone(&self.guard), Arc::clone(&self.names));
        let (proxies, tls) = (Arc::clone(&self.proxies), tls.clone());
        let parts = AgentConfig { guard: Arc::clone(&guard), names, proxies, tls };
        let proxied = ProxiedAgent::new(parts, &url, &self.limits)?;
        let agent = proxied.agent.clone();
        let stopped = Arc::<AtomicBool>::default();
        let exchange = FetchExchange {
            agent: proxied,
            guard,
            limits: self.limits.clone(),
            cached,
            may_follow: Arc::clone(may_follow),
            cancel: Arc::clone(&stopped).into(),
        };
        let address = shorten_url(url.as_str());
        let started = spawn_worker("foveal-fetch", None, move || exchange.follow_redirects(url));
        let result = started.map_err(|error| error.to_string()).and_then(|receiver| {
            wait_for_result(&receiver, self.limits.total_time, cancel).map_or_else(
                |left| Ok(Err(left)),
                |result| result.map(Ok).ok_or_else(|| "it could not be read".to_owned()),
            )
        });
        match result {
            Ok(Ok(result)) => result,
            Ok(Err(left)) => {
                stopped.store(true, Ordering::Relaxed);
                // Ends a blocking read or write of the thread.
                agent.shutdown();
                Err(match left {
                    WaitAbandoned::Cancelled => FetchError::Cancelled,
                    WaitAbandoned::TimedOut => FetchError::TimedOut {
                        url: address,
                        seconds: self.limits.total_time.as_secs().max(1),
                    },
                })
            }
            Err(reason) => Err(FetchError::Broken { url: address, reason }),
        }
    }

    fn build_page(
        &self,
        raw: RawResponse,
        cancel: &CancelToken<'_>,
    ) -> Result<WebPage, FetchError> {
        let content_type = content_kind::media_type(&raw.content_type);
        let kind = content_kind::detect_kind(&content_type, &raw.bytes);
        let bytes = raw.bytes.len() as u64;
        let (mut title, mut charset) = (None, None);
        let content = if kind == ContentKind::Binary {
            let length = raw.length.or((!raw.truncated).then_some(bytes));
            PageContent::Described(content_kind::describe_binary(&content_type, &raw.bytes, length))
        } else {
            let named = charset::charset_parameter(&raw.content_type);
            let markup = kind == ContentKind::Html || content_type.ends_with("xml");
            let (text, used) = charset::decode_page(&raw.bytes, named, markup);
            charset = Some(used);
            match kind {
                ContentKind::Html => {
                    let (found, content) = self.convert_html_page(text, &raw.url, cancel)?;
                    title = found;
                    content
                }
                ContentKind::Text | ContentKind::Binary => PageContent::Text(text),
            }
        };
        Ok(WebPage {
            final_url: raw.url.to_string(),
            status: raw.status,
            content_type,
            charset,
            title,
            content,
            bytes,
            truncated: raw.truncated && kind != ContentKind::Binary,
            freshness: raw.freshness,
        })
    }

    /// Converts a page to Markdown, or strips its markup if that takes too long or the page is
    /// nested too deep.
    fn convert_html_page(
        &self,
        html: String,
        url: &Url,
        cancel: &CancelToken<'_>,
    ) -> Result<(Option<String>, PageContent), FetchError> {
        let html = Arc::new(html);
        match self.converter.convert(&html, url, self.limits.convert_time, cancel) {
            Err(_) => Err(FetchError::Cancelled),
            Ok(Some(ConvertedPage { title, markdown: Some(markdown) })) => {
                Ok((title, PageContent::Markdown(markdown)))
            }
            Ok(other) => {
                let title = other.and_then(|converted| converted.title);
                Ok((title, PageContent::Stripped(html_text::html_to_text(&html))))
            }
        }
    }
}

/// Returns the error for a response that is no page.
fn status_error(raw: &RawResponse) -> FetchError {
    let essence = content_kind::media_type(&raw.content_type);
    let kind = content_kind::detect_kind(&essence, &raw.bytes);
    let named = charset::charset_parameter(&raw.content_type);
    let (text, _) = charset::decode_page(&raw.bytes, named, kind == ContentKind::Html);
    let text = match kind {
        ContentKind::Html => html_text::html_to_text(&text),
        ContentKind::Text => text,
        ContentKind::Binary => String::new(),
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let words = words.join(" ");
    let mut said: String =
        words.chars().filter(|c| !c.is_control()).take(ERROR_TEXT_CHARS_MAX).collect();
    if !said.is_empty() {
        said.insert_str(0, ": ");
    }
    FetchError::Status { url: shorten_url(raw.url.as_str()), status: raw.status, said }
}

/// Resolves `host` with the system's resolver.
fn resolve_host(host: &str) -> io::Result<Vec<IpAddr>> {
    Ok((host, 0).to_socket_addrs()?.map(|address| address.ip()).collect())
}
