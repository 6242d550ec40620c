//! Requests over HTTP, with TLS where the address says so.

use std::time::Duration;

use hyper::body::Incoming;
use hyper::{Request, Response};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};

use crate::body::Passed;
use crate::proxy::{ProxyConnector, ProxySettings};

/// Asks servers. Cheap to clone.
///
/// Beside that for a connection it has no time-outs: whoever asks knows how long to wait. Of itself
/// it asks again only where a connection that it had kept was closed before anything was written to
/// it. It follows nothing elsewhere.
#[derive(Clone)]
pub struct Upward {
    /// Speaks HTTP/2 where the upstream does.
    any: Asking,
    /// Speaks HTTP/1.1 alone: in HTTP/2 a connection cannot become one of another kind.
    first: Asking,
}

type Asking = Client<HttpsConnector<ProxyConnector>, Passed>;

impl Upward {
    /// Asks.
    ///
    /// # Errors
    /// If there is no connection, or it breaks off before the head of an answer.
    pub async fn request(&self, request: Request<Passed>) -> Result<Response<Incoming>, Error> {
        self.any.request(request).await
    }

    /// Asks for a connection of another kind.
    ///
    /// # Errors
    /// The same.
    pub async fn upgrade(&self, request: Request<Passed>) -> Result<Response<Incoming>, Error> {
        self.first.request(request).await
    }
}

/// A client that trusts what the system trusts, tries no longer than `connect_time` to connect to
/// one of a server's addresses, and asks servers through the proxies that `proxies` name.
///
/// # Errors
/// If TLS cannot be spoken.
pub fn client(
    connect_time: Option<Duration>,
    proxies: &ProxySettings,
) -> Result<Upward, rustls::Error> {
    let mut roots = RootCertStore::empty();
    // What cannot be read of the system's certificates is missed when it is needed.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_connect_timeout(connect_time);
    // Requests are written whole: collecting only delays.
    tcp.set_nodelay(true);
    let builder = |tls| HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
    let to_proxy = builder(tls.clone()).enable_http1().wrap_connector(tcp.clone());
    let connector = ProxyConnector::new(proxies, tcp, to_proxy);
    let any = builder(tls.clone()).enable_all_versions().wrap_connector(connector.clone());
    let first = builder(tls).enable_http1().wrap_connector(connector);
    Ok(Upward { any: asking(any), first: asking(first) })
}

fn asking(connector: HttpsConnector<ProxyConnector>) -> Asking {
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .http1_preserve_header_case(true)
        .http2_adaptive_window(true)
        .build(connector)
}
