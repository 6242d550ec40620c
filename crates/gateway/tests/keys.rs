//! Keys reach only the configured upstream, whatever a request says.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use foveal_gateway::upstream_selection::{Upstream, Upstreams};
use foveal_mock_provider::MockProvider;
use tokio::net::TcpListener;

use crate::support::{Act, Scripted, World, world};

const KEY: &str = "sk-ant-key-of-the-user";

/// A server that a request tries to send a key to, and the number of its connections.
struct Elsewhere {
    address: String,
    visits: Arc<AtomicUsize>,
}

impl Elsewhere {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback");
        let address = listener.local_addr().expect("an address").to_string();
        let visits = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&visits);
        tokio::spawn(async move {
            while listener.accept().await.is_ok() {
                count.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { address, visits }
    }
}

/// Heads that name another server, each in its own way. `EVIL` is its address.
const ATTEMPTS: &[&str] = &[
    "POST http://EVIL/v1/messages HTTP/1.1\r\nHost: localhost",
    "POST http://EVIL/v1/messages HTTP/1.1\r\nHost: EVIL",
    "POST //EVIL/v1/messages HTTP/1.1\r\nHost: localhost",
    "POST /\\EVIL/v1/messages HTTP/1.1\r\nHost: localhost",
    "POST /@EVIL/v1/messages HTTP/1.1\r\nHost: localhost",
    "POST /http://EVIL/v1/messages HTTP/1.1\r\nHost: localhost",
    "POST /v1/messages?upstream=http://EVIL&url=http://EVIL HTTP/1.1\r\nHost: localhost",
    "POST /v1/messages?@EVIL/ HTTP/1.1\r\nHost: localhost",
    "POST /%2f%2fEVIL/v1/messages HTTP/1.1\r\nHost: localhost",
    "POST /work/..//EVIL/v1/messages HTTP/1.1\r\nHost: localhost",
    "POST EVIL HTTP/1.1\r\nHost: localhost",
    "CONNECT EVIL HTTP/1.1\r\nHost: EVIL",
    "CONNECT EVIL HTTP/1.1\r\nHost: localhost",
    "POST /v1/messages HTTP/1.1\r\nHost: EVIL",
    "POST /v1/messages HTTP/1.1\r\nHost: localhost@EVIL",
    "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nHost: EVIL",
    "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Host: EVIL\r\nForwarded: host=EVIL",
    "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nX-Foveal-Upstream: http://EVIL",
    "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nX-Foveal-Upstream: EVIL",
    "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nX-Foveal-Upstream: work\r\nX-Foveal-Upstream: http://EVIL",
    "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nX-Foveal-Base-Url: http://EVIL\r\nX-Base-Url: http://EVIL",
    "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nX-Portkey-Custom-Host: http://EVIL\r\nHelicone-Target-Url: http://EVIL",
    "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nProxy-Connection: keep-alive\r\nVia: 1.1 EVIL\r\nConnection: host",
    "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nX-Original-URL: http://EVIL/\r\nX-Rewrite-URL: http://EVIL/",
    "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: upgrade\r\nX-Foveal-Upstream: ws://EVIL",
];

#[tokio::test]
async fn nothing_in_a_request_sends_a_key_to_another_host() {
    let upstream =
        MockProvider::start(foveal_mock_provider::Settings::default()).expect("loopback");
    let elsewhere = Elsewhere::start().await;
    let world = World::start(upstream.address(), |settings| {
        let work = Upstream::new("work", &upstream.url()).expect("an address");
        settings.upstreams = Upstreams::clone(&settings.upstreams).with_upstream(work);
    })
    .await;
    let body = r#"{"model":"m","messages":[{"role":"user","content":"hello"}]}"#;
    for attempt in ATTEMPTS {
        let head = attempt.replace("EVIL", &elsewhere.address);
        let mut client = world.client().await;
        let request = format!(
            "{head}\r\nX-Api-Key: {KEY}\r\nAuthorization: Bearer {KEY}\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        client.write(request.as_bytes()).await;
        let (Ok(answer) | Err(answer)) = client.read_to_end().await;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(answer.starts_with("HTTP/1.1 "), "{attempt}: {answer}");
        assert!(!answer.contains(KEY), "{attempt}: {answer}");
    }
    assert_eq!(elsewhere.visits.load(Ordering::SeqCst), 0);
    for seen in upstream.received_requests() {
        assert_eq!(seen.header("host"), Some(&*upstream.address().to_string()));
    }
}

#[tokio::test]
async fn a_redirect_is_the_clients_to_follow() {
    let elsewhere = Elsewhere::start().await;
    let answer = format!(
        "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://{}/\r\nContent-Length: 0\r\n\r\n",
        elsewhere.address
    );
    let upstream = Scripted::start(vec![vec![Act::Read, Act::write(&answer)]]).await;
    let world = world(upstream.address).await;
    let mut client = world.client().await;
    client.send("/v1/messages", &["X-Api-Key: k"], b"{}").await;
    assert_eq!(client.answer().await.status(), 307);
    assert_eq!(elsewhere.visits.load(Ordering::SeqCst), 0);
}
