//! Upstreams and pages are asked through the proxy that variables name, and this machine directly.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use foveal_mock_provider::{MockProvider, Settings};

use super::served::{Served, ask};
use crate::world::World;

const BODY: &[u8] = br#"{"model":"m","messages":[{"role":"user","content":"hello"}]}"#;

/// A proxy that makes a tunnel to `target`, whatever it is asked for. It ends with the test.
struct Proxy {
    address: SocketAddr,
    /// The heads of all requests for a tunnel.
    asked: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    fn start(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
        let address = listener.local_addr().expect("an address");
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let log = Arc::clone(&log);
                std::thread::spawn(move || tunnel(client, target, &log));
            }
        });
        Self { address, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("a lock").clone()
    }
}

fn tunnel(mut client: TcpStream, target: SocketAddr, log: &Mutex<Vec<String>>) {
    let mut head = String::new();
    let mut reader = BufReader::new(client.try_clone().expect("a connection"));
    while reader.read_line(&mut head).is_ok_and(|count| count > 2) {}
    log.lock().expect("a lock").push(head);
    client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").expect("it reads");
    let mut server = TcpStream::connect(target).expect("the target listens");
    let mut back = (server.try_clone().expect("a connection"), client);
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut back.0, &mut back.1);
        let _ = back.1.shutdown(std::net::Shutdown::Both);
    });
    let _ = std::io::copy(&mut reader, &mut server);
}

fn upstream() -> MockProvider {
    MockProvider::start(Settings { refuses_violations: false, ..Settings::default() })
        .expect("loopback")
}

#[test]
fn an_upstream_is_asked_through_the_proxy() {
    for (test, variable) in [("all", "ALL_PROXY"), ("http", "http_proxy")] {
        let world = World::new(&format!("gateway_proxy_{test}"));
        let upstream = upstream();
        let proxy = Proxy::start(upstream.address());
        let told = format!("http://me:secret@{}", proxy.address);
        // There is no such host: without the proxy there is no answer.
        let upstreams = ["http://models.invalid".to_owned()];
        let served = Served::start_with(&world, &upstreams, None, &[(variable, &told)]);
        let got = ask(served.address, "/v1/messages", &[], BODY, Duration::ZERO);
        assert_eq!(got.expect("an answer").status, 200, "{variable}");
        let asked = proxy.asked();
        assert!(asked[0].starts_with("CONNECT models.invalid:80 HTTP/1.1\r\n"), "{asked:?}");
        assert!(asked[0].to_lowercase().contains("proxy-authorization: basic "), "{asked:?}");
        let seen = upstream.received_requests();
        assert_eq!(seen[0].header("host"), Some("models.invalid"));
        assert_eq!(seen[0].header("proxy-authorization"), None);
        assert!(!world.read("complaints.txt").contains("secret"));
    }
}

#[test]
fn this_machine_is_asked_directly() {
    let world = World::new("gateway_proxy_here");
    let upstream = upstream();
    let proxy = Proxy::start(upstream.address());
    let told = format!("http://{}", proxy.address);
    let variables = [("ALL_PROXY", &*told), ("HTTP_PROXY", &told), ("HTTPS_PROXY", &told)];
    let served = Served::start_with(&world, &[upstream.url()], None, &variables);
    let got = ask(served.address, "/v1/messages", &[], BODY, Duration::ZERO);
    assert_eq!(got.expect("an answer").status, 200);
    assert_eq!(proxy.asked(), Vec::<String>::new());
}
