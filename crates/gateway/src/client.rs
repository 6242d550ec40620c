//! The client of the upstreams.

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};

use crate::body::Passed;
use crate::settings::ServeError;

/// Asks upstreams. Cheap to clone.
pub(crate) type Upward = Client<HttpsConnector<HttpConnector>, Passed>;

/// A client that trusts what the system trusts, and speaks HTTP/2 where the upstream does.
///
/// It has no time-outs: a client of ours waits as long as it would without us. Of itself it asks
/// again only where a connection that it had kept was closed before anything was written to it.
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
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http()
        .enable_all_versions()
        .wrap_connector(tcp);
    Ok(Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .http1_preserve_header_case(true)
        .http2_adaptive_window(true)
        .build(connector))
}
