//! The shaped body is sent upstream, or the fallback if the shaper fails.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use foveal_gateway::exchange::FailedOpen;
use foveal_gateway::shaper::Shaper;
use foveal_protocols::Protocol;
use foveal_proxy::RequestShaper;
use foveal_proxy::recorder::InMemoryRecorder;
use foveal_proxy::request::{PrefetchTicket, RequestReport, ShapeOutcome, ShapeRequest};
use foveal_proxy::rules::ShapingRules;

use crate::support::{Act, Scripted, World, request_line};

const ANSWER: &str = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1";

/// A decision time-out that a slow shaper exceeds.
const SHORT: Duration = Duration::from_millis(20);

/// Returns `shorter` as every body.
struct Shorter;

impl Shaper for Shorter {
    fn shape(&self, asked: &ShapeRequest<'_>) -> ShapeOutcome {
        assert_eq!(asked.protocol, Protocol::Messages);
        assert_eq!(asked.body, b"longer than before");
        let about = RequestReport { model: Some("m".to_owned()), ..RequestReport::default() };
        ShapeOutcome { body: Some("shorter".into()), report: about, prefetch: None }
    }
}

/// Panics.
struct Broken;

impl Shaper for Broken {
    fn shape(&self, _: &ShapeRequest<'_>) -> ShapeOutcome {
        panic!("a fault of ours");
    }
}

/// Is slow, and records whether the caller still waited.
struct Slow {
    decides_first: bool,
    waited: Arc<AtomicBool>,
}

impl Shaper for Slow {
    fn shape(&self, asked: &ShapeRequest<'_>) -> ShapeOutcome {
        asked.decision.offer_original();
        let was_decided = self.decides_first && asked.decision.mark_decided();
        std::thread::sleep(Duration::from_millis(120));
        self.waited.store(was_decided || asked.decision.mark_decided(), Ordering::SeqCst);
        ShapeOutcome { body: Some("decided".into()), ..ShapeOutcome::default() }
    }
}

/// Returns the head and body that are sent upstream for a request.
async fn sent(shaper: impl Shaper + 'static, lines: &[&str], body: &[u8]) -> Sent {
    sent_within(Duration::from_secs(20), shaper, lines, body).await
}

/// Returns them with this time limit for a decision.
async fn sent_within(
    decision: Duration,
    shaper: impl Shaper + 'static,
    lines: &[&str],
    body: &[u8],
) -> Sent {
    let upstream = Scripted::start(vec![vec![Act::Read, Act::write(ANSWER)]]).await;
    let world = World::start(upstream.address, |settings| {
        settings.shaper = Arc::new(shaper);
        settings.limits.decision_timeout = decision;
    })
    .await;
    let mut client = world.client().await;
    client.send("/v1/messages", lines, body).await;
    assert_eq!(client.answer().await.text(), "1");
    let (head, body) = request_line(&upstream.request());
    let told = world.told(1).await.remove(0);
    Sent { head, body, failed: told.failed_open, told: (told.bytes_received, told.bytes_sent) }
}

struct Sent {
    head: Vec<String>,
    body: Vec<u8>,
    failed: Option<FailedOpen>,
    told: (u64, u64),
}

#[tokio::test]
async fn what_a_shaper_says_goes() {
    let sent = sent(Shorter, &["X-Foveal: max"], b"longer than before").await;
    assert_eq!(sent.body, b"shorter");
    assert!(sent.head.iter().any(|line| line.eq_ignore_ascii_case("content-length: 7")));
    assert!(!sent.head.iter().any(|line| line.to_lowercase().starts_with("x-foveal")));
    assert_eq!((sent.failed, sent.told), (None, (18, 7)));
}

#[tokio::test]
async fn an_encoded_body_is_read_and_goes_plain() {
    let body = zstd::stream::encode_all(&b"longer than before"[..], 1).unwrap();
    let sent = sent(Shorter, &["Content-Encoding: zstd"], &body).await;
    assert_eq!(sent.body, b"shorter");
    assert!(!sent.head.iter().any(|line| line.to_lowercase().starts_with("content-encoding")));
}

#[tokio::test]
async fn an_encoded_body_that_stays_goes_as_it_came() {
    let body = zstd::stream::encode_all(&b"longer than before"[..], 1).unwrap();
    let untouched = foveal_gateway::shaper::NoopShaper;
    let sent = sent(untouched, &["Content-Encoding: zstd"], &body).await;
    assert_eq!(sent.body, body);
    assert!(sent.head.contains(&"Content-Encoding: zstd".to_owned()), "{:?}", sent.head);
    assert_eq!(sent.failed, None);
}

#[tokio::test]
async fn a_body_that_cannot_be_decoded_goes_as_it_came() {
    let sent = sent(Shorter, &["Content-Encoding: lzma"], b"\0\x01\x02").await;
    assert_eq!((&sent.body[..], sent.failed), (&b"\0\x01\x02"[..], Some(FailedOpen::Encoding)));
    assert!(sent.head.contains(&"Content-Encoding: lzma".to_owned()), "{:?}", sent.head);
}

#[tokio::test]
async fn a_panic_costs_the_saving_alone() {
    let sent = sent(Broken, &[], b"the client's own bytes").await;
    assert_eq!(sent.body, b"the client's own bytes");
    assert_eq!(sent.failed, Some(FailedOpen::Panicked));
}

#[tokio::test]
async fn nobody_waits_for_a_slow_decision() {
    let waited = Arc::new(AtomicBool::new(true));
    let slow = Slow { decides_first: false, waited: Arc::clone(&waited) };
    let sent = sent_within(SHORT, slow, &[], b"the client's own bytes").await;
    assert_eq!(sent.body, b"the client's own bytes");
    assert_eq!(sent.failed, Some(FailedOpen::Late));
    while waited.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn what_is_decided_in_time_goes_though_it_takes_long() {
    let waited = Arc::new(AtomicBool::new(false));
    let slow = Slow { decides_first: true, waited: Arc::clone(&waited) };
    let sent = sent_within(SHORT, slow, &[], b"the client's own bytes").await;
    assert_eq!(sent.body, b"decided");
    assert_eq!(sent.failed, None);
    assert!(waited.load(Ordering::SeqCst));
}

/// Shapes requests, and records prefetches.
struct GetsReady {
    requests: RequestShaper,
    got_ready: Arc<AtomicBool>,
}

impl Shaper for GetsReady {
    fn shape(&self, asked: &ShapeRequest<'_>) -> ShapeOutcome {
        Shaper::shape(&self.requests, asked)
    }

    fn prefetch(&self, ready: &PrefetchTicket) {
        Shaper::prefetch(&self.requests, ready);
        self.got_ready.store(true, Ordering::SeqCst);
        panic!("a fault of ours");
    }
}

#[tokio::test]
async fn it_is_got_ready_for_the_next_request_once_the_answer_comes() {
    let got_ready = Arc::new(AtomicBool::default());
    let rules = ShapingRules::from_profile("balanced").expect("a profile");
    let requests = RequestShaper::new(rules, Arc::new(InMemoryRecorder::default()));
    let shaper = GetsReady { requests, got_ready: Arc::clone(&got_ready) };
    let call = r#"{"type":"tool_use","id":"c","name":"Bash","input":{"command":"ls"}}"#;
    let result = r#"{"type":"tool_result","tool_use_id":"c","content":"a.rs"}"#;
    let body = format!(
        r#"{{"model":"claude-opus-4-5","messages":[{{"role":"user","content":"Look."}},{{"role":"assistant","content":[{call}]}},{{"role":"user","content":[{result}]}}]}}"#
    );
    let sent = sent(shaper, &[], body.as_bytes()).await;
    assert_eq!(sent.failed, None);
    let began = Instant::now();
    while !got_ready.load(Ordering::SeqCst) {
        assert!(began.elapsed() < Duration::from_secs(20), "nobody gets ready");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
