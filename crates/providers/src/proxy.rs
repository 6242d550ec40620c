//! Connections to servers, through a proxy if the settings name one.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::Uri;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower_service::Service;

use crate::address::is_this_machine;

/// The default port of a SOCKS proxy.
const SOCKS_PORT: u16 = 1080;

/// The proxies, in the form in which `curl` and other programs read them from the environment. An
/// empty text means no proxy. Not printed: the addresses may hold passwords.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ProxySettings {
    /// The proxy for all servers (`ALL_PROXY`).
    pub all: String,
    /// The proxy for servers behind TLS (`HTTPS_PROXY`).
    pub https: String,
    /// The proxy for other servers (`HTTP_PROXY`).
    pub http: String,
    /// Names, domains and networks without a proxy (`NO_PROXY`).
    pub no: String,
}

impl fmt::Debug for ProxySettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ProxySettings(…)")
    }
}

impl ProxySettings {
    /// Returns the address of the proxy for a server, including its credentials; `None` if the
    /// server is contacted directly, as this machine always is.
    pub fn proxy_for(&self, address: &str) -> Option<String> {
        let intercept = match_proxy(&self.matcher(), &address.parse().ok()?)?;
        let uri = intercept.uri();
        let login = match (intercept.raw_auth(), intercept.basic_auth()) {
            // As written in the settings: the matcher returns it encoded.
            (None, Some(_)) => self.find_credentials(uri),
            (Some((name, password)), _) => Some(format!("{name}:{password}")),
            (None, None) => None,
        };
        let scheme = uri.scheme_str().unwrap_or("http");
        let authority = uri.authority()?;
        Some(match login {
            Some(login) => format!("{scheme}://{login}@{authority}"),
            None => format!("{scheme}://{authority}"),
        })
    }

    fn find_credentials(&self, uri: &Uri) -> Option<String> {
        let authority = uri.authority()?.as_str();
        let given = [&self.https, &self.http, &self.all].into_iter();
        given.filter_map(|it| it.split("://").last()?.rsplit_once('@')).find_map(|(login, host)| {
            (host.trim_end_matches('/') == authority).then(|| login.to_owned())
        })
    }

    fn matcher(&self) -> Matcher {
        let Self { all, https, http, no } = self;
        Matcher::builder()
            .all(all.as_str())
            .https(https.as_str())
            .http(http.as_str())
            .no(no.as_str())
            .build()
    }
}

fn match_proxy(matcher: &Matcher, server: &Uri) -> Option<Intercept> {
    // To a proxy, `localhost` is another machine.
    if server.host().is_none_or(is_this_machine) {
        return None;
    }
    matcher.intercept(server)
}

/// Connects to servers. It always asks a proxy for a tunnel, whatever the protocol inside: the
/// proxy sees the server's name, and behind TLS nothing else.
#[derive(Clone)]
pub(crate) struct ProxyConnector {
    tcp: HttpConnector,
    to_proxy: HttpsConnector<HttpConnector>,
    matcher: Arc<Matcher>,
}

/// The error of a connection through a proxy.
#[derive(Debug)]
struct ProxyError {
    proxy: String,
    source: Box<dyn Error + Send + Sync>,
}

impl fmt::Display for ProxyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { proxy, source } = self;
        write!(formatter, "cannot connect through the proxy {proxy}: {source}")
    }
}

// The text includes the source: callers that show the innermost error show all of it.
impl Error for ProxyError {}

type ConnectError = Box<dyn Error + Send + Sync>;
type ProxyStream = MaybeHttpsStream<TokioIo<TcpStream>>;

impl ProxyConnector {
    pub(crate) fn new(
        settings: &ProxySettings,
        tcp: HttpConnector,
        to_proxy: HttpsConnector<HttpConnector>,
    ) -> Self {
        Self { tcp, to_proxy, matcher: Arc::new(settings.matcher()) }
    }
}

impl Service<Uri> for ProxyConnector {
    type Response = ProxyStream;
    type Error = ConnectError;
    type Future = Pin<Box<dyn Future<Output = Result<ProxyStream, ConnectError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        self.tcp.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, server: Uri) -> Self::Future {
        let Some(proxy) = match_proxy(&self.matcher, &server) else {
            let connecting = self.tcp.call(server);
            return Box::pin(async move { Ok(MaybeHttpsStream::Http(connecting.await?)) });
        };
        let to_proxy = self.to_proxy.clone();
        Box::pin(async move {
            let name = proxy.uri().authority().map(|it| it.host().to_owned()).unwrap_or_default();
            let connected = connect_through_proxy(&proxy, to_proxy, server).await;
            connected.map_err(|source| ProxyError { proxy: name, source }.into())
        })
    }
}

async fn connect_through_proxy(
    proxy: &Intercept,
    to_proxy: HttpsConnector<HttpConnector>,
    server: Uri,
) -> Result<ProxyStream, ConnectError> {
    let server = with_port(server)?;
    match proxy.uri().scheme_str() {
        Some("http" | "https") => {
            let mut tunnel = Tunnel::new(proxy.uri().clone(), to_proxy);
            if let Some(login) = proxy.basic_auth() {
                tunnel = tunnel.with_auth(login.clone());
            }
            Ok(tunnel.call(server).await?)
        }
        Some("socks5" | "socks5h") => {
            let authority = proxy.uri().authority().ok_or("it has no host")?;
            let port = authority.port_u16().unwrap_or(SOCKS_PORT);
            // The connector below supports only these two schemes.
            let address: Uri = format!("http://{}:{port}", authority.host()).parse()?;
            let mut socks = SocksV5::new(address, to_proxy);
            if let Some((name, password)) = proxy.raw_auth() {
                socks = socks.with_auth(name.to_owned(), password.to_owned());
            }
            Ok(socks.call(server).await?)
        }
        scheme => {
            let scheme = scheme.unwrap_or_default();
            Err(format!("{scheme}:// is not supported; use http://, https:// or socks5://").into())
        }
    }
}

/// Returns the address with an explicit port. Without one, a tunnel would take the port of TLS.
fn with_port(server: Uri) -> Result<Uri, ConnectError> {
    let (None, Some(host)) = (server.port(), server.host()) else { return Ok(server) };
    let port = if server.scheme_str() == Some("http") { 80 } else { 443 };
    let authority = format!("{host}:{port}");
    let mut parts = server.into_parts();
    parts.authority = Some(authority.parse()?);
    Ok(Uri::from_parts(parts)?)
}

#[cfg(test)]
mod tests {
    use super::ProxySettings;

    #[test]
    fn the_proxy_for_a_server_is_told() {
        let settings = ProxySettings {
            all: "socks5://proxy.example:1080".to_owned(),
            https: "http://me:secret@proxy.example:3128".to_owned(),
            http: String::new(),
            no: "internal.example,10.0.0.0/8".to_owned(),
        };
        let tls = "http://me:secret@proxy.example:3128";
        for (address, expected) in [
            ("https://api.anthropic.com/v1", Some(tls)),
            ("http://models.example", Some("socks5://proxy.example:1080")),
            ("https://internal.example", None),
            ("https://a.internal.example", None),
            ("http://10.1.2.3:11434", None),
            ("http://127.0.0.1:11434", None),
            ("http://[::1]:11434", None),
            ("http://localhost:1234", None),
        ] {
            assert_eq!(settings.proxy_for(address).as_deref(), expected, "{address}");
        }
        assert_eq!(ProxySettings::default().proxy_for("https://api.anthropic.com"), None);
        assert!(!format!("{settings:?}").contains("secret"));
    }
}
