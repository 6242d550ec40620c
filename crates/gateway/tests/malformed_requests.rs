//! Requests that are malformed, too large, too deep, too slow, or ambiguous.

use std::io::Write as _;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use foveal_gateway::exchange::FailedOpen;
use foveal_mock_provider::{MockProvider, ReceivedRequest};
use foveal_proxy::RequestShaper;
use foveal_proxy::recorder::InMemoryRecorder;
use foveal_proxy::rules::ShapingRules;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Act, Scripted, World, request_line, world};

const ANSWER: &str = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1";

/// Starts an upstream that accepts everything, behind a gateway that shapes bodies.
async fn deciding() -> (MockProvider, World) {
    let settings = foveal_mock_provider::Settings {
        refuses_violations: false,
        ..foveal_mock_provider::Settings::default()
    };
    let upstream = MockProvider::start(settings).expect("loopback");
    let world = World::start(upstream.address(), |settings| {
        let rules = ShapingRules::from_profile("balanced").expect("a profile");
        settings.shaper =
            Arc::new(RequestShaper::new(rules, Arc::new(InMemoryRecorder::default())));
    })
    .await;
    (upstream, world)
}

/// Heads and bodies of requests that could be read as two requests.
const TWO_WAYS: &[&str] = &[
    "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "Content-Length: 2\r\nContent-Length: 53\r\n\r\n{}GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "Content-Length: 2, 53\r\n\r\n{}GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "Content-Length: +2\r\n\r\n{}GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "Content-Length: -2\r\n\r\n{}GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "Content-Length: 0x2\r\n\r\n{}GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "Transfer-Encoding : chunked\r\nContent-Length: 2\r\n\r\n{}",
    "Transfer-Encoding:\x0bchunked\r\nContent-Length: 2\r\n\r\n{}",
    "X-A: b\r\n Content-Length: 40\r\nContent-Length: 2\r\n\r\n{}",
    "X-A: b\nContent-Length: 40\r\nContent-Length: 2\r\n\r\n{}",
    "Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\n2\r\n{}GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n",
];

#[tokio::test]
async fn what_can_be_read_in_two_ways_goes_in_one_or_nowhere() {
    for case in TWO_WAYS {
        let upstream = MockProvider::start(foveal_mock_provider::Settings {
            refuses_violations: false,
            ..foveal_mock_provider::Settings::default()
        });
        let upstream = upstream.expect("loopback");
        let world = world(upstream.address()).await;
        let mut client = world.client().await;
        let head = "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\n";
        client.write(format!("{head}{case}").as_bytes()).await;
        client.finish().await;
        let (Ok(answer) | Err(answer)) = client.read_to_end().await;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        for seen in upstream.received_requests() {
            // The forwarded request is framed anew: it holds one length, and nothing of another
            // request.
            let name = |name: &str| {
                seen.headers.iter().filter(|(it, _)| it.eq_ignore_ascii_case(name)).count()
            };
            assert!(name("content-length") + name("transfer-encoding") <= 1, "{case}: {seen:?}");
            let body = String::from_utf8_lossy(&seen.body);
            assert!(!body.contains("smuggled"), "{case}: {seen:?}");
        }
        // A second request may follow the first only if all readers agree on the first one's end.
        let is_clear = answer.is_empty() || answer.starts_with("HTTP/1.1 ");
        assert!(is_clear, "{case}: {answer}");
        assert!(
            smuggled(&upstream.received_requests()) <= 1,
            "{case}: {:?}",
            upstream.received_requests()
        );
    }
}

fn smuggled(seen: &[Arc<ReceivedRequest>]) -> usize {
    seen.iter().filter(|seen| seen.path == "/smuggled").count()
}

#[tokio::test]
async fn malformed_and_deep_bodies_go_as_they_came() {
    let (upstream, world) = deciding().await;
    let deep = |open: &str, count: usize| open.repeat(count);
    let wrapped = |inner: &str| {
        format!(
            r#"{{"model":"m","messages":[{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"a","content":{inner}}}]}}]}}"#
        )
    };
    let bodies: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"\0\xff\xfe".to_vec(),
        b"[]".to_vec(),
        b"nul".to_vec(),
        br#"{"model":"m","messages":"#.to_vec(),
        br#"{"model":"m","messages":{}}"#.to_vec(),
        br#"{"messages":[],"messages":[{"role":"user"}],"model":"a","model":"b"}"#.to_vec(),
        br#"{"model":"\ud800","messages":[{"role":"user","content":"\udc00\u0000"}]}"#.to_vec(),
        deep("[", 2_000_000).into_bytes(),
        deep("{\"a\":", 1_000_000).into_bytes(),
        wrapped(&format!("{}{}", deep("[", 500_000), deep("]", 500_000))).into_bytes(),
        wrapped(&format!("{}1{}", deep("{\"a\":", 100_000), deep("}", 100_000))).into_bytes(),
        wrapped(&format!("{}1{}", deep("[", 200), deep("]", 200))).into_bytes(),
        wrapped(&format!("{}1{}", deep("[", 1_000), deep("]", 1_000))).into_bytes(),
        wrapped(&format!("\"{}\"", "\\u0041".repeat(1_000))).into_bytes(),
        wrapped(&"9".repeat(500_000)).into_bytes(),
    ];
    let paths = [
        "/v1/messages",
        "/v1/messages/count_tokens",
        "/v1/chat/completions",
        "/v1/responses",
        "/v1beta/models/g:generateContent",
    ];
    for path in paths {
        for body in &bodies {
            let mut client = world.client().await;
            client.send(path, &[], body).await;
            let answer = client.answer().await;
            let start = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
            assert_ne!(answer.status(), 0, "{path} {start}");
            let seen = upstream.take_received_requests();
            assert_eq!(seen.len(), 1, "{path} {start}");
            assert!(seen[0].body == *body, "{path} {start}: it is another body");
        }
    }
}

#[tokio::test]
async fn bodies_of_a_wrong_length_are_refused_or_waited_for() {
    let upstream = Scripted::start(vec![vec![Act::Read, Act::write(ANSWER)]]).await;
    let world = World::start(upstream.address, |settings| {
        settings.limits.body_idle_timeout = Duration::from_millis(200);
    })
    .await;
    // Shorter than declared, on a connection that stays open: the wait is limited.
    let mut client = world.client().await;
    client
        .write(b"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{}")
        .await;
    assert_eq!(client.answer().await.status(), 408);
    // Shorter than declared, and the client disconnects.
    let mut client = world.client().await;
    client
        .write(b"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{}")
        .await;
    client.finish().await;
    drop(client.read_to_end().await);
    assert!(upstream.seen()[0].requests.is_empty());
    // Longer than declared: the rest is another request, and a malformed one.
    let mut client = world.client().await;
    client
        .write(b"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}{}{}\r\n\r\n")
        .await;
    let (Ok(answer) | Err(answer)) = client.read_to_end().await;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(answer.contains("HTTP/1.1 400"), "{answer}");
    let (_, body) = request_line(&upstream.request());
    assert_eq!(body, b"{}");
}

/// Returns zeros in as few bytes as each encoding allows.
fn bombs(bytes: usize) -> Vec<(&'static str, Vec<u8>)> {
    let part = vec![b' '; 1 << 20];
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let mut zstd = zstd::stream::write::Encoder::new(Vec::new(), 19).expect("an encoder");
    for _ in 0..bytes >> 20 {
        gzip.write_all(&part).expect("memory");
        zstd.write_all(&part).expect("memory");
    }
    let gzip = gzip.finish().expect("memory");
    let zstd = zstd.finish().expect("memory");
    vec![("gzip", gzip), ("zstd", zstd), ("br", BROTLI_BOMB.to_vec())]
}

/// Returns 64 MiB of zeros, encoded by Brotli in a few bytes.
const BROTLI_BOMB: &[u8] = &[
    0xcf, 0xff, 0xff, 0x7f, 0xf8, 0x27, 0x00, 0xe2, 0xb1, 0x40, 0x20, 0xf7, 0xfe, 0x9f, 0xff, 0xff,
    0xff, 0xf0, 0x4f, 0x00, 0xc4, 0x61, 0x01, 0x80, 0xee, 0xfd, 0x3f, 0xff, 0xff, 0xff, 0xe1, 0x9f,
    0x00, 0x88, 0xc3, 0x22, 0x00, 0xdd, 0xfb, 0x7f, 0xfe, 0xff, 0xff, 0xc3, 0x3f, 0x01, 0x10, 0x87,
    0x05, 0x00, 0xba, 0xf7, 0xff, 0x03,
];

/// Returns the peak memory of this process, in bytes.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
}

#[tokio::test]
async fn a_little_that_becomes_a_lot_goes_as_it_came() {
    for (name, bomb) in bombs(64 << 20) {
        assert!(bomb.len() < 100_000, "{name}: {}", bomb.len());
        let upstream = Scripted::start(vec![vec![Act::Read, Act::write(ANSWER)]]).await;
        let world = World::start(upstream.address, |settings| {
            settings.limits.body_bytes = 4 << 20;
        })
        .await;
        let mut client = world.client().await;
        let line = format!("Content-Encoding: {name}");
        client.send("/v1/messages", &[&line], &bomb).await;
        assert_eq!(client.answer().await.status(), 200, "{name}");
        let (_, body) = request_line(&upstream.request());
        assert!(body == bomb, "{name}");
        assert_eq!(world.told(1).await[0].failed_open, Some(FailedOpen::Encoding), "{name}");
    }
}

#[tokio::test]
async fn an_answer_that_becomes_a_lot_is_passed_on_and_not_held() {
    // The peak is that of the whole process, and other tests use memory too: this test runs in its
    // own.
    if std::env::var_os("FOVEAL_TEST_PEAK").is_none() {
        let mut alone = Command::new(std::env::current_exe().expect("this program"));
        let test = "malformed_requests::an_answer_that_becomes_a_lot_is_passed_on_and_not_held";
        let ran = alone.args(["--exact", test]).env("FOVEAL_TEST_PEAK", "1").output();
        let ran = ran.expect("it runs");
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success() && said.contains("1 passed"), "{ran:?}");
        return;
    }
    let before = peak();
    for (name, bomb) in bombs(1 << 30) {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: {name}\r\n\
             Content-Length: {}\r\n\r\n",
            bomb.len()
        );
        let answer = [head.as_bytes(), &bomb].concat();
        let upstream = Scripted::start(vec![vec![Act::Read, Act::Write(answer)]]).await;
        let world = world(upstream.address).await;
        let mut client = world.client().await;
        client.send("/v1/messages", &[], b"{}").await;
        assert!(client.answer().await.body == bomb, "{name}");
        world.told(1).await;
    }
    if let (Some(before), Some(after)) = (before, peak()) {
        assert!(after - before < 256 << 20, "{before} bytes, then {after}");
    }
}

#[tokio::test]
async fn a_client_that_writes_byte_by_byte_is_served() {
    let upstream = Scripted::start(vec![vec![Act::Read, Act::write(ANSWER)]]).await;
    let world = World::start(upstream.address, |settings| {
        settings.limits.body_idle_timeout = Duration::from_millis(500);
    })
    .await;
    let mut client = world.client().await;
    let body = br#"{"model":"m","messages":[]}"#;
    let head = format!(
        "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    for byte in head.as_bytes().iter().chain(body) {
        client.write(&[*byte]).await;
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(client.answer().await.status(), 200);
    assert_eq!(request_line(&upstream.request()).1, body);
}

#[tokio::test]
async fn a_head_has_a_time_and_a_length() {
    let upstream = Scripted::start(Vec::new()).await;
    let world = World::start(upstream.address, |settings| {
        settings.limits.head_timeout = Duration::from_millis(300);
    })
    .await;
    let mut slow = world.client().await;
    slow.write(b"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\n").await;
    let began = std::time::Instant::now();
    let reading = tokio::spawn(slow.read_to_end());
    drop(reading.await);
    assert!(began.elapsed() < Duration::from_secs(10));
    let mut large = world.client().await;
    let line = format!("X-A: {}\r\n", "a".repeat(1 << 20));
    let head = format!("POST /v1/messages HTTP/1.1\r\nHost: localhost\r\n{line}");
    large.try_write(head.as_bytes()).await;
    let (Ok(answer) | Err(answer)) = large.read_to_end().await;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
}

/// More bytes than the operating system buffers for a connection without a reader.
const MUCH: usize = 64 << 20;

#[tokio::test]
async fn a_client_that_does_not_read_holds_the_upstream_up_and_nobody_else() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback");
    let address = listener.local_addr().expect("an address");
    let (tell, mut told) = tokio::sync::watch::channel(0_usize);
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a client");
        let mut read = vec![0; 4096];
        let _ = stream.read(&mut read).await;
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: {MUCH}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.expect("an open connection");
        let part = vec![b'x'; 64 << 10];
        for at in 1..=MUCH / part.len() {
            if stream.write_all(&part).await.is_err() {
                return;
            }
            tell.send_replace(at * part.len());
        }
    });
    let world = world(address).await;
    let mut stream = TcpStream::connect(world.address).await.expect("an open connection");
    let head = "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}";
    stream.write_all(head.as_bytes()).await.expect("an open connection");
    told.changed().await.expect("a beginning");
    // Writing stops once the buffers are full.
    let mut written = 0;
    loop {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let now = *told.borrow();
        if now == written {
            break;
        }
        written = now;
    }
    assert!(written < MUCH / 2, "{written} bytes were taken of an answer that nobody reads");
    let mut other = world.client().await;
    other.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!(other.answer().await.text(), "ok\n");
    // It continues at the same position.
    let mut read = 0;
    let mut part = vec![0; 1 << 20];
    while read < MUCH {
        read += stream.read(&mut part).await.expect("an open connection");
    }
}

#[tokio::test]
async fn names_that_only_lead_here_are_refused() {
    let upstream = Scripted::start(vec![vec![Act::Read]]).await;
    let world = world(upstream.address).await;
    let port = world.address.port();
    // A page of another site whose name was made to resolve to this machine, and headers that
    // browsers send from pages.
    let cases = [
        format!("Host: rebound.example:{port}"),
        format!("Host: 127.0.0.1.nip.io:{port}"),
        format!("Host: localhost.evil.example:{port}"),
        format!("Host: 0.0.0.0:{port}"),
        format!("Host: 192.168.0.1:{port}"),
        format!("Host: rebound.example:{port}\r\nOrigin: http://rebound.example:{port}"),
        format!("Host: localhost:{port}\r\nOrigin: https://evil.example"),
        format!("Host: localhost:{port}\r\nOrigin: null"),
        format!("Host: 127.0.0.1:{port}\r\nOrigin: http://localhost.evil.example"),
        format!("Host: 127.0.0.1:{port}\r\nOrigin: http://localhost@evil.example"),
        format!(
            "Host: localhost:{port}\r\nOrigin: http://localhost\r\nOrigin: https://evil.example"
        ),
    ];
    for lines in cases {
        for method in ["POST", "OPTIONS", "GET"] {
            let mut client = world.client().await;
            let request = format!(
                "{method} /v1/messages HTTP/1.1\r\n{lines}\r\nContent-Length: 2\r\n\r\n{{}}"
            );
            client.write(request.as_bytes()).await;
            let answer = client.answer().await;
            assert_eq!(answer.status(), 403, "{method} {lines}: {}", answer.text());
            assert!(!answer.head.to_lowercase().contains("access-control"), "{}", answer.head);
        }
    }
    assert!(upstream.seen()[0].requests.is_empty());
}
