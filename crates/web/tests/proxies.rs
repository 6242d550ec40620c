//! Pages fetched through a proxy.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use foveal_web::{AddressPolicy, FetchError, FetchLimits, Fetcher};

use crate::server::{self, Server, good};

/// A fetcher that uses the proxy `server`, on a machine that resolves no name but `inside.test`.
fn fetcher(server: &Server) -> Fetcher {
    let proxy = format!("http://127.0.0.1:{}", server.port);
    Fetcher::new(AddressPolicy::new(Vec::<String>::new()), FetchLimits::default())
        .with_name_lookup(Arc::new(|name| match name {
            "inside.test" => Ok(vec![IpAddr::V4(Ipv4Addr::new(10, 0, 0, 7))]),
            _ => Err(std::io::ErrorKind::NotFound.into()),
        }))
        .with_proxies(Arc::new(move |address| {
            (!address.contains("direct.test")).then(|| proxy.clone())
        }))
}

#[test]
fn a_page_comes_through_the_proxy() {
    let server = Server::start(vec![("/", good("text/plain", "hello"))]);
    let fetcher = fetcher(&server);
    let page = server::fetch(&fetcher, "http://outside.test/").unwrap();
    assert_eq!(page.content.text(), "hello");
    let asked = server.asked.lock().unwrap()[0].clone();
    assert!(asked.starts_with("CONNECT outside.test:80 HTTP/1.1\r\n"), "{asked}");
}

#[test]
fn the_guard_holds_with_a_proxy_too() {
    let server = Server::start(vec![("/", good("text/plain", "hello"))]);
    let fetcher = fetcher(&server);
    for url in ["http://inside.test/", "http://10.0.0.7/", "http://localhost/"] {
        let failure = server::failure(&fetcher, url);
        assert!(matches!(failure, FetchError::Forbidden { .. }), "{url}: {failure}");
    }
    // Of what goes directly the names are looked up here.
    let failure = server::failure(&fetcher, "http://direct.test/");
    assert!(matches!(failure, FetchError::UnknownHost { .. }), "{failure}");
    assert_eq!(server.count(), 0);
}
