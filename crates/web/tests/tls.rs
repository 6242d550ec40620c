//! Encrypted pages: trusted certificates, and no downgrade in redirects.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use foveal_web::{FetchError, Fetcher};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, Stream};

use crate::server::{self, Server, good};

/// The self-signed certificate of `site.test`, valid for a hundred years; made for these tests.
const CERTIFICATE: &[u8] = include_bytes!("certificate/site.test.der");
const KEY: &[u8] = include_bytes!("certificate/site.test.key.der");

/// Starts a server that sends `answer` to clients that trust it, and returns its port.
fn encrypted(answer: String) -> u16 {
    let key = PrivateKeyDer::try_from(KEY.to_vec()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(CERTIFICATE.to_vec())], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut encrypted = Stream::new(&mut connection, &mut stream);
            // Who does not trust the certificate goes away.
            if encrypted.read(&mut [0; 4096]).is_ok() {
                drop(encrypted.write_all(answer.as_bytes()));
                encrypted.conn.send_close_notify();
                drop(encrypted.flush());
            }
        }
    });
    port
}

fn trusting() -> Fetcher {
    server::fetcher(server::limits()).with_root_certificates(&[CERTIFICATE])
}

const PAGE: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\npage";

#[test]
fn encrypted_pages_are_fetched() {
    let url = format!("https://site.test:{}/", encrypted(PAGE.to_owned()));
    assert_eq!(server::fetch(&trusting(), &url).unwrap().content.text(), "page");
}

#[test]
fn certificates_must_be_trusted() {
    let port = encrypted(PAGE.to_owned());
    let other = format!("https://10.0.0.1:{port}/");
    let url = format!("https://site.test:{port}/");
    // Not one of the system's; and for a host that it is not of.
    let nobody = server::fetcher(server::limits());
    let error = server::failure(&nobody, &url);
    let refused =
        matches!(error, FetchError::Certificate { .. } | FetchError::NoCertificates { .. });
    assert!(refused, "{error:?}");
    assert!(matches!(server::failure(&trusting(), &other), FetchError::Forbidden { .. }));
    let none = server::fetcher(server::limits()).with_root_certificates(&[]);
    assert_eq!(server::failure(&none, &url), FetchError::NoCertificates { url });
}

#[test]
fn a_redirect_that_drops_encryption_is_not_followed() {
    let plain = Server::start(vec![("/", good("text/plain", "plain"))]);
    let port = encrypted(format!(
        "HTTP/1.1 302 Found\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n",
        plain.url("/")
    ));
    let from = format!("https://site.test:{port}/");
    let expected = FetchError::Downgrade { from: from.clone(), to: plain.url("/") };
    assert_eq!(server::failure(&trusting(), &from), expected);
    assert_eq!(plain.count(), 0);
}
