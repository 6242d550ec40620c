//! `foveal serve` before an upstream behind TLS, whose certificate the user trusts.

use std::convert::Infallible;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONNECTION, UPGRADE};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;

use crate::world::World;

/// A certificate of this machine and its key, made for this test; `None` where nothing makes one.
fn certificate(folder: &Path) -> Option<()> {
    let made = Command::new("openssl")
        .current_dir(folder)
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"])
        .args(["-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2"])
        .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .output();
    match made {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(())
        }
        Err(_) => {
            drop(writeln!(std::io::stderr(), "skipped: no `openssl` that makes a certificate"));
            None
        }
    }
}

/// An upstream that says by which version of HTTP it was asked, and sends back what comes over
/// connections that become others.
struct Upstream {
    address: SocketAddr,
    _runtime: Runtime,
}

impl Upstream {
    fn start(folder: &Path, protocols: &[&str]) -> Self {
        let certificate = CertificateDer::from_pem_file(folder.join("cert.pem")).expect("one");
        let key = PrivateKeyDer::from_pem_file(folder.join("key.pem")).expect("a key");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut tls = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .expect("they belong together");
        tls.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let acceptor = TlsAcceptor::from(Arc::new(tls));
        let runtime = Runtime::new().expect("threads");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let address = listener.local_addr().expect("an address");
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let served = auto::Builder::new(TokioExecutor::new())
                        .serve_connection_with_upgrades(TokioIo::new(stream), service_fn(answer))
                        .await;
                    drop(served);
                });
            }
        });
        Self { address, _runtime: runtime }
    }
}

async fn answer(mut request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let version = format!("{:?}", request.version());
    let Some(wanted) = request.headers().get(UPGRADE).cloned() else {
        drop(request.collect().await);
        return Ok(Response::new(Full::from(version)));
    };
    let upgraded = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        let Ok(upgraded) = upgraded.await else { return };
        let (mut read, mut write) = tokio::io::split(TokioIo::new(upgraded));
        drop(tokio::io::copy(&mut read, &mut write).await);
    });
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    response.headers_mut().insert(UPGRADE, wanted);
    response.headers_mut().insert(CONNECTION, "upgrade".parse().expect("a value"));
    Ok(response)
}

/// `foveal serve` until this is dropped.
struct Gateway {
    child: Child,
    address: String,
}

impl Gateway {
    fn start(world: &World, upstream: &Upstream, trusts: bool) -> Self {
        let url = format!("https://localhost:{}", upstream.address.port());
        let mut command = world.command("serve --listen 0 --websockets pass --profile off");
        command.args(["--upstream", &url]).stdout(Stdio::null()).stderr(Stdio::piped());
        if trusts {
            command.env("SSL_CERT_FILE", world.folder.join("cert.pem"));
        }
        let mut child = command.spawn().expect("the program starts");
        let mut said = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut line = String::new();
        said.read_line(&mut line).expect("it says where it listens");
        let address = line.trim().strip_prefix("listening at http://");
        Self { address: address.unwrap_or_else(|| panic!("{line}")).to_owned(), child }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time");
        stream
    }

    fn ask(&self) -> String {
        let mut stream = self.connect();
        let request = "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                       Content-Length: 2\r\n\r\n{}";
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn an_upstream_behind_tls_is_asked_by_the_version_that_it_speaks() {
    let world = World::new("tls_versions");
    let Some(()) = certificate(&world.folder) else { return };
    for (protocols, version) in
        [(&["h2", "http/1.1"][..], "HTTP/2.0"), (&["http/1.1"], "HTTP/1.1"), (&[], "HTTP/1.1")]
    {
        let upstream = Upstream::start(&world.folder, protocols);
        let gateway = Gateway::start(&world, &upstream, true);
        for _ in 0..2 {
            let answer = gateway.ask();
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
            assert!(answer.ends_with(version), "{protocols:?}: {answer}");
        }
    }
}

#[test]
fn nobody_is_asked_whom_the_user_does_not_trust() {
    let world = World::new("tls_trust");
    let Some(()) = certificate(&world.folder) else { return };
    let upstream = Upstream::start(&world.folder, &["h2", "http/1.1"]);
    let answer = Gateway::start(&world, &upstream, false).ask();
    assert!(answer.starts_with("HTTP/1.1 502"), "{answer}");
    assert!(answer.contains("foveal cannot reach https://localhost"), "{answer}");
}

/// In HTTP/2 no connection becomes another: such a request goes by HTTP/1.1 where the upstream
/// speaks both.
#[test]
fn a_websocket_passes_to_an_upstream_that_speaks_http2() {
    let world = World::new("tls_websocket");
    let Some(()) = certificate(&world.folder) else { return };
    let upstream = Upstream::start(&world.folder, &["h2", "http/1.1"]);
    let gateway = Gateway::start(&world, &upstream, true);
    assert!(gateway.ask().ends_with("HTTP/2.0"));
    let mut stream = gateway.connect();
    let request = "GET /v1/responses HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n\
                   Upgrade: websocket\r\n\r\n";
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut read = Vec::new();
    let mut part = [0; 1024];
    while !read.ends_with(b"\r\n\r\n") {
        let count = stream.read(&mut part).expect("it answers");
        assert!(count > 0, "{}", String::from_utf8_lossy(&read));
        read.extend_from_slice(&part[..count]);
    }
    let head = String::from_utf8_lossy(&read);
    assert!(head.starts_with("HTTP/1.1 101"), "{head}");
    stream.write_all(b"back").expect("it reads");
    let mut back = [0; 4];
    stream.read_exact(&mut back).expect("it sends back");
    assert_eq!(&back, b"back");
}
