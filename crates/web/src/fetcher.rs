//! Fetching a page: what is asked, what comes back, and who may stop it.

use std::ffi::OsString;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use foveal_cancel::Cancel;
use ureq::tls::{Certificate, TlsConfig};
use url::Url;

use crate::address::Guard;
use crate::charset;
use crate::conversion::{Converter, Left, start, wait};
use crate::error::{FetchError, shown};
use crate::exchange::{self, AgentParts, Exchange, ProxiedAgent, Raw};
use crate::freshness::{Freshness, Validators};
use crate::kind::{self, Kind};
use crate::limits::{Limits, Names, ProxyChoice};
use crate::markdown::Converted;
use crate::normal::MayFollow;
use crate::plain;

/// Characters of what an error's page says.
const SAID_CHARS_MAX: usize = 300;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The page's address.
    pub url: String,
    /// What is known of the page from before.
    pub cached: Option<Validators>,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// A page.
    Page(Box<Page>),
    /// The page that [`Request::cached`] is about has not changed.
    NotModified {
        /// The page's address, after redirects.
        final_url: String,
        /// How long it may now be used without asking.
        freshness: Freshness,
    },
}

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Where it was found, after redirects; without a fragment.
    pub final_url: String,
    /// 200–299.
    pub status: u16,
    /// `Content-Type` without parameters, in lower case; empty if there is none.
    pub content_type: String,
    /// The charset its text was in; `None` for what is no text.
    pub charset: Option<&'static str>,
    /// The title of an HTML page.
    pub title: Option<String>,
    /// What there is to read.
    pub content: Content,
    /// Bytes that were read, after decompression.
    pub bytes: u64,
    /// There was more than [`Limits::body_bytes`].
    pub truncated: bool,
    /// How long it may be used without asking, and what to ask with.
    pub freshness: Freshness,
}

/// What there is to read in a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The main part of an HTML page.
    Markdown(String),
    /// An HTML page without its markup, where no Markdown could be made of it.
    Stripped(String),
    /// Text that is no HTML, as it is.
    Text(String),
    /// What is no text, in one sentence.
    Described(String),
}

impl Content {
    /// What is shown.
    pub fn text(&self) -> &str {
        match self {
            Self::Markdown(text)
            | Self::Stripped(text)
            | Self::Text(text)
            | Self::Described(text) => text,
        }
    }
}

/// Fetches pages. It may be shared between threads; each fetch has a connection of its own.
pub struct Fetcher {
    guard: Arc<Guard>,
    limits: Limits,
    names: Names,
    proxies: ProxyChoice,
    tls: OnceLock<(TlsConfig, usize)>,
    converter: Converter,
}

impl Fetcher {
    /// One that fetches what `guard` allows within `limits`. Nothing is asked yet.
    pub fn new(guard: Guard, limits: Limits) -> Self {
        let (guard, converter) = (Arc::new(guard), Converter::default());
        let (names, proxies): (Names, ProxyChoice) = (Arc::new(system), Arc::new(|_| None));
        Self { guard, limits, names, proxies, tls: OnceLock::new(), converter }
    }

    /// One that asks through the proxies that `proxies` chooses. A name that this machine cannot
    /// look up is looked up by the proxy; what it can is checked as without one.
    #[must_use]
    pub fn through(mut self, proxies: ProxyChoice) -> Self {
        self.proxies = proxies;
        self
    }

    /// One that has pages converted by a process of `program`, given as name and arguments, which
    /// runs [`convert_page`](crate::convert_page). The process is ended when the call ends.
    /// Without it a thread converts, which is left behind when it takes too long.
    #[must_use]
    pub fn converting_by(mut self, program: Vec<OsString>) -> Self {
        self.converter = Converter::Process(program.into());
        self
    }

    /// One that looks names up by `names` instead of asking the system. What they lead to is
    /// checked all the same.
    #[must_use]
    pub fn with_names(mut self, names: Names) -> Self {
        self.names = names;
        self
    }

    /// One that trusts the root certificates in `roots` (each in DER) instead of the system's.
    #[must_use]
    pub fn with_roots(mut self, roots: &[&[u8]]) -> Self {
        let roots: Vec<Certificate<'static>> =
            roots.iter().map(|one| Certificate::from_der(one).to_owned()).collect();
        self.tls = OnceLock::from(exchange::tls(&roots));
        self
    }

    /// The page at `request.url`, by redirects that `may_follow` allows. `cancel` is asked about 50 times a second; a yes ends the
    /// fetch at once.
    ///
    /// # Errors
    /// Everything but a page: refused addresses, no answer, statuses outside 200–299.
    pub fn fetch(
        &self,
        request: &Request,
        may_follow: &MayFollow,
        cancel: &Cancel<'_>,
    ) -> Result<Fetched, FetchError> {
        let url = self.guard.check_url(&request.url, None)?;
        let raw = self.exchange(url, request.cached.clone(), may_follow, cancel)?;
        match (raw.status, &request.cached) {
            // Validators were sent only there; elsewhere nobody asked.
            (304, Some(cached)) if cached.url == raw.url.as_str() => Ok(Fetched::NotModified {
                final_url: raw.url.to_string(),
                freshness: raw.freshness.renewed(cached),
            }),
            (200..=299, _) => self.page(raw, cancel).map(|page| Fetched::Page(Box::new(page))),
            _ => Err(refusal(&raw)),
        }
    }

    fn exchange(
        &self,
        url: Url,
        cached: Option<Validators>,
        may_follow: &MayFollow,
        cancel: &Cancel<'_>,
    ) -> Result<Raw, FetchError> {
        let (tls, roots) = self.tls.get_or_init(|| exchange::tls(&exchange::system_roots()));
        if *roots == 0 && url.scheme() == "https" {
            return Err(FetchError::NoCertificates { url: shown(url.as_str()) });
        }
        let (guard, names) = (Arc::clone(&self.guard), Arc::clone(&self.names));
        let (proxies, tls) = (Arc::clone(&self.proxies), tls.clone());
        let parts = AgentParts { guard: Arc::clone(&guard), names, proxies, tls };
        let proxied = ProxiedAgent::new(parts, &url, &self.limits)?;
        let agent = proxied.agent.clone();
        let stopped = Arc::<AtomicBool>::default();
        let exchange = Exchange {
            agent: proxied,
            guard,
            limits: self.limits.clone(),
            cached,
            may_follow: Arc::clone(may_follow),
            cancel: Arc::clone(&stopped).into(),
        };
        let address = shown(url.as_str());
        let started = start("foveal-fetch", None, move || exchange.run(url));
        let result = started.map_err(|error| error.to_string()).and_then(|receiver| {
            wait(&receiver, self.limits.total_time, cancel).map_or_else(
                |left| Ok(Err(left)),
                |result| result.map(Ok).ok_or_else(|| "it could not be read".to_owned()),
            )
        });
        match result {
            Ok(Ok(result)) => result,
            Ok(Err(left)) => {
                stopped.store(true, Ordering::Relaxed);
                // Ends the reading and writing that the thread is in.
                agent.shutdown();
                Err(match left {
                    Left::Cancelled => FetchError::Cancelled,
                    Left::Late => FetchError::Slow {
                        url: address,
                        seconds: self.limits.total_time.as_secs().max(1),
                    },
                })
            }
            Err(reason) => Err(FetchError::Broken { url: address, reason }),
        }
    }

    fn page(&self, raw: Raw, cancel: &Cancel<'_>) -> Result<Page, FetchError> {
        let content_type = kind::essence(&raw.content_type);
        let kind = kind::of(&content_type, &raw.bytes);
        let bytes = raw.bytes.len() as u64;
        let (mut title, mut charset) = (None, None);
        let content = if kind == Kind::Binary {
            let length = raw.length.or((!raw.truncated).then_some(bytes));
            Content::Described(kind::described(&content_type, &raw.bytes, length))
        } else {
            let named = charset::of_content_type(&raw.content_type);
            let markup = kind == Kind::Html || content_type.ends_with("xml");
            let (text, used) = charset::decode(&raw.bytes, named, markup);
            charset = Some(used);
            match kind {
                Kind::Html => {
                    let (found, content) = self.converted(text, &raw.url, cancel)?;
                    title = found;
                    content
                }
                Kind::Text | Kind::Binary => Content::Text(text),
            }
        };
        Ok(Page {
            final_url: raw.url.to_string(),
            status: raw.status,
            content_type,
            charset,
            title,
            content,
            bytes,
            truncated: raw.truncated && kind != Kind::Binary,
            freshness: raw.freshness,
        })
    }

    /// Markdown of a page, or its text where that takes too long or is too deep.
    fn converted(
        &self,
        html: String,
        url: &Url,
        cancel: &Cancel<'_>,
    ) -> Result<(Option<String>, Content), FetchError> {
        let html = Arc::new(html);
        match self.converter.convert(&html, url, self.limits.convert_time, cancel) {
            Err(_) => Err(FetchError::Cancelled),
            Ok(Some(Converted { title, markdown: Some(markdown) })) => {
                Ok((title, Content::Markdown(markdown)))
            }
            Ok(other) => {
                let title = other.and_then(|converted| converted.title);
                Ok((title, Content::Stripped(plain::text(&html))))
            }
        }
    }
}

/// What an answer says that is no page.
fn refusal(raw: &Raw) -> FetchError {
    let essence = kind::essence(&raw.content_type);
    let kind = kind::of(&essence, &raw.bytes);
    let named = charset::of_content_type(&raw.content_type);
    let (text, _) = charset::decode(&raw.bytes, named, kind == Kind::Html);
    let text = match kind {
        Kind::Html => plain::text(&text),
        Kind::Text => text,
        Kind::Binary => String::new(),
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let words = words.join(" ");
    let mut said: String = words.chars().filter(|c| !c.is_control()).take(SAID_CHARS_MAX).collect();
    if !said.is_empty() {
        said.insert_str(0, ": ");
    }
    FetchError::Status { url: shown(raw.url.as_str()), status: raw.status, said }
}

/// The addresses of `host` as the system knows them.
fn system(host: &str) -> io::Result<Vec<IpAddr>> {
    Ok((host, 0).to_socket_addrs()?.map(|address| address.ip()).collect())
}
