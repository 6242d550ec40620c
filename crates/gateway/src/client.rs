//! The client of the upstreams.

use hyper::body::Incoming;
use hyper::{Request, Response};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};

use crate::body::Passed;
use crate::settings::ServeError;

/// Asks upstreams. Cheap to clone.
///
/// It has no time-outs: a client of ours waits as long as it would without us. Of itself it asks
/// again only where a connection that it had kept was closed before anything was written to it.
#[derive(Clone)]
pub(crate) struct Upward {
    /// Speaks HTTP/2 where the upstream does.
    any: Asking,
    /// Speaks HTTP/1.1 alone: in HTTP/2 a connection cannot become one of another kind.
    first: Asking,
}

type Asking = Client<HttpsConnector<HttpConnector>, Passed>;

impl Upward {
    /// Asks.
    pub(crate) async fn request(
        &self,
        request: Request<Passed>,
    ) -> Result<Response<Incoming>, Error> {
        self.any.request(request).await
    }

    /// Asks for a connection of another kind.
    pub(crate) async fn upgrade(
        &self,
        request: Request<Passed>,
    ) -> Result<Response<Incoming>, Error> {
        self.first.request(request).await
    }
}

/// A client that trusts what the system trusts.
pub(crate) fn client() -> Result<Upward, ServeError> {
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
    // Requests are written whole: collecting only delays.
    tcp.set_nodelay(true);
    let builder = |tls| HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
    let any = builder(tls.clone()).enable_all_versions().wrap_connector(tcp.clone());
    let first = builder(tls).enable_http1().wrap_connector(tcp);
    Ok(Upward { any: asking(any), first: asking(first) })
}

fn asking(connector: HttpsConnector<HttpConnector>) -> Asking {
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .http1_preserve_header_case(true)
        .http2_adaptive_window(true)
        .build(connector)
}
