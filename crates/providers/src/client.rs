//! HTTP requests, over TLS if the address asks for it.

use std::time::Duration;

use hyper::body::Incoming;
use hyper::{Request, Response};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};

use crate::body::StreamingBody;
use crate::proxy::{ProxyConnector, ProxySettings};

/// An HTTP client. Cheap to clone.
///
/// Apart from the connect time-out it has no time-outs; the caller sets those. It repeats a request
/// on its own only if a pooled connection was closed before anything was written to it. It follows
/// no redirects.
#[derive(Clone)]
pub struct HttpClient {
    /// Speaks HTTP/2 if the server does.
    any_version: PooledClient,
    /// Speaks HTTP/1.1 only: an HTTP/2 connection cannot be upgraded.
    http1: PooledClient,
}

type PooledClient = Client<HttpsConnector<ProxyConnector>, StreamingBody>;

impl HttpClient {
    /// Sends a request.
    ///
    /// # Errors
    /// If there is no connection, or it breaks off before the head of the response.
    pub async fn request(
        &self,
        request: Request<StreamingBody>,
    ) -> Result<Response<Incoming>, Error> {
        self.any_version.request(request).await
    }

    /// Sends a request that upgrades the connection, over HTTP/1.1.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub async fn upgrade(
        &self,
        request: Request<StreamingBody>,
    ) -> Result<Response<Incoming>, Error> {
        self.http1.request(request).await
    }
}

/// Builds a client that trusts the certificates of the system, spends at most `connect_time` on
/// connecting to one of a server's addresses, and uses the proxies of `proxies`.
///
/// # Errors
/// If TLS cannot be set up.
pub fn build_http_client(
    connect_time: Option<Duration>,
    proxies: &ProxySettings,
) -> Result<HttpClient, rustls::Error> {
    let mut roots = RootCertStore::empty();
    // An unreadable certificate of the system fails later, when a server needs it.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_connect_timeout(connect_time);
    // Requests are written in one piece: buffering only delays them.
    tcp.set_nodelay(true);
    let builder = |tls| HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
    let to_proxy = builder(tls.clone()).enable_http1().wrap_connector(tcp.clone());
    let connector = ProxyConnector::new(proxies, tcp, to_proxy);
    let any = builder(tls.clone()).enable_all_versions().wrap_connector(connector.clone());
    let first = builder(tls).enable_http1().wrap_connector(connector);
    Ok(HttpClient { any_version: build_pool(any), http1: build_pool(first) })
}

fn build_pool(connector: HttpsConnector<ProxyConnector>) -> PooledClient {
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .http1_preserve_header_case(true)
        .http2_adaptive_window(true)
        .build(connector)
}
