//! Cache keep-alive while a client pauses, with a provider that caches and bills.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use foveal_gateway::exchange::{Exchange, ExchangeEnd};
use foveal_gateway::keep_alive_policy::KeepAlivePolicy;
use foveal_gateway::shaper::Shaper;
use foveal_mock_provider::{
    MockProvider, ModelReply, ReplyScript, ScriptedFault, ScriptedOutcome, Settings,
};
use foveal_proxy::request::{RequestReport, ShapeOutcome, ShapeRequest};

use crate::support::{Client, World};

const KEY: &str = "sk-ant-key-of-the-user";

/// The delay of a refresh in these tests.
const STEP: Duration = Duration::from_millis(60);

/// Longer than all allowed refreshes take.
const LONG: Duration = Duration::from_millis(600);

/// Identifies conversations by the names of the client, and changes bodies.
struct Named;

impl Shaper for Named {
    fn shape(&self, asked: &ShapeRequest<'_>) -> ShapeOutcome {
        let has_name = |name: &str| asked.agents.contains(&name);
        let name = ["one", "two"].into_iter().find(|name| has_name(name));
        let about = RequestReport {
            conversation: name.map(str::to_owned),
            inactive_reason: has_name("summary").then(|| "it is summed up".to_owned()),
            lacks_breakpoints: has_name("unmarked"),
            breakpoints: 1,
            ..RequestReport::default()
        };
        let body = String::from_utf8_lossy(asked.body).replace("original", "shaped");
        ShapeOutcome { body: Some(body.into()), report: about, prefetch: None }
    }
}

/// Allows so many refreshes.
struct Times {
    most: u32,
    asked: AtomicUsize,
}

impl KeepAlivePolicy for Times {
    fn refresh_delay(&self, _: &Exchange, _: u32) -> Option<Duration> {
        Some(STEP)
    }

    fn is_worthwhile(&self, _: &Exchange, nth: u32, _: Duration) -> bool {
        self.asked.fetch_add(1, Ordering::SeqCst);
        nth <= self.most
    }
}

fn body(is_stream: bool) -> Vec<u8> {
    let rules = "Rule: read a file before you change it, and say why.\n".repeat(800);
    let system = serde_json::json!([
        { "type": "text", "text": rules, "cache_control": { "type": "ephemeral" } }
    ]);
    serde_json::json!({
        "model": "claude-opus-4-5", "max_tokens": 10, "stream": is_stream, "system": system,
        "messages": [{ "role": "user", "content": "original" }],
    })
    .to_string()
    .into_bytes()
}

async fn ask(world: &World, lines: &[&str], body: &[u8]) -> Client {
    let mut client = world.client().await;
    let key = format!("X-Api-Key: {KEY}");
    let mut all = vec![key.as_str(), "Content-Type: application/json", "X-Foveal: balanced"];
    all.extend(lines);
    client.send("/v1/messages?beta=true", &all, body).await;
    client.read_until("\r\n\r\n").await;
    client
}

fn upstream() -> MockProvider {
    MockProvider::start(Settings { refuses_violations: false, ..Settings::default() })
        .expect("loopback")
}

async fn world(upstream: &MockProvider, most: Option<u32>) -> World {
    World::start(upstream.address(), |settings| {
        settings.shaper = Arc::new(Named);
        let rule = most.map(|most| Times { most, asked: AtomicUsize::new(0) });
        settings.keep_alive = rule.map(|rule| Arc::new(rule) as Arc<dyn KeepAlivePolicy>);
    })
    .await
}

const ONE: &str = "User-Agent: one";

#[tokio::test]
async fn the_same_request_goes_again_and_only_as_often_as_it_pays() {
    let upstream = upstream();
    let world = world(&upstream, Some(2)).await;
    let _client = ask(&world, &[ONE], &body(true)).await;
    let told = world.told(3).await;
    tokio::time::sleep(LONG).await;
    let seen = upstream.received_requests();
    assert_eq!(seen.len(), 3, "two refreshes");
    for refresh in &seen[1..] {
        assert_eq!(refresh.path, "/v1/messages?beta=true");
        assert_eq!(refresh.body, seen[0].body, "what went goes again");
        assert_eq!(refresh.headers, seen[0].headers);
        assert_eq!(refresh.header("x-api-key"), Some(KEY));
        let bill = refresh.bill.expect("a bill");
        assert!(bill.read > 5_000 && bill.written_5m == 0, "{bill:?}");
    }
    assert!(String::from_utf8_lossy(&seen[0].body).contains("shaped"));
    let told: Vec<_> = told.iter().map(|it| (it.refresh, it.end, it.status)).collect();
    let expected = [(None, 200), (Some(1), 200), (Some(2), 200)];
    assert_eq!(told, expected.map(|(nth, status)| (nth, ExchangeEnd::Complete, status)));
}

#[tokio::test]
async fn the_answer_is_cut_after_its_first_event() {
    let upstream = upstream();
    // The first response arrives at once, the others never get beyond their first event.
    let silent = ScriptedOutcome {
        fault: ScriptedFault::SilentBefore(1),
        ..ScriptedOutcome::from(ModelReply::from_text("hello"))
    };
    upstream.set_script(ReplyScript::in_order([
        ScriptedOutcome::from(ModelReply::from_text("hello")),
        silent,
    ]));
    let world = world(&upstream, Some(1)).await;
    let _client = ask(&world, &[ONE], &body(true)).await;
    let told = world.told(2).await;
    let billed = told[1].response.as_ref().expect("it says what it cost").billed;
    assert!(billed.cache_read > Some(5_000), "{billed:?}");
    tokio::time::sleep(LONG).await;
    assert_eq!(
        upstream.received_requests()[1].delivery(),
        foveal_mock_provider::AnswerDelivery::Dropped
    );
}

/// Returns the number of requests that the upstream received some time after these, and the number
/// of requests sent.
async fn refreshes(upstream: &MockProvider, world: &World, lines: &[&str], body: &[u8]) -> usize {
    let before = upstream.request_count();
    let _client = ask(world, lines, body).await;
    tokio::time::sleep(LONG).await;
    upstream.request_count() - before - 1
}

#[tokio::test]
async fn what_is_not_to_be_kept_warm_goes_once() {
    let upstream = upstream();
    let off = world(&upstream, None).await;
    assert_eq!(refreshes(&upstream, &off, &[ONE], &body(true)).await, 0, "it is off");
    let on = world(&upstream, Some(1)).await;
    let count = async |lines: &[&str], body: &[u8]| refreshes(&upstream, &on, lines, body).await;
    assert_eq!(count(&[ONE], &body(true)).await, 1);
    assert_eq!(count(&[ONE, "Originator: summary"], &body(true)).await, 0, "a summary");
    assert_eq!(
        count(&[ONE, "Originator: unmarked"], &body(true)).await,
        0,
        "all marks are foveal's"
    );
    assert_eq!(count(&[], &body(true)).await, 0, "of no known conversation");
    assert_eq!(count(&[ONE], &body(false)).await, 0, "no stream, so it cannot be cut");
    let small =
        br#"{"model":"claude-opus-4-5","stream":true,"messages":[{"role":"user","content":"hi"}]}"#;
    assert_eq!(count(&[ONE], small).await, 0, "nothing is cached");
}

#[tokio::test]
async fn the_next_request_of_the_conversation_ends_it() {
    let upstream = upstream();
    let world = world(&upstream, Some(1)).await;
    let _first = ask(&world, &[ONE], &body(true)).await;
    world.told(1).await;
    // A summary request, so that it is not held either.
    let _next = ask(&world, &[ONE, "Originator: summary"], &body(true)).await;
    tokio::time::sleep(LONG).await;
    assert_eq!(upstream.request_count(), 2);
    // Another conversation releases nothing.
    let _first = ask(&world, &[ONE], &body(true)).await;
    let _other = ask(&world, &["User-Agent: two", "Originator: summary"], &body(true)).await;
    tokio::time::sleep(LONG).await;
    assert_eq!(upstream.request_count(), 5);
}

#[tokio::test]
async fn an_error_ends_it() {
    for fault in [
        ScriptedFault::Status { status: 429, retry_after_s: Some(1) },
        ScriptedFault::Status { status: 401, retry_after_s: None },
        ScriptedFault::ResetBeforeHead,
        ScriptedFault::ErrorEvent(0),
    ] {
        let upstream = upstream();
        upstream.set_script(ReplyScript::in_order([
            ScriptedOutcome::from(ModelReply::from_text("hello")),
            ScriptedOutcome { fault, ..ScriptedOutcome::default() },
            ScriptedOutcome::from(ModelReply::from_text("hello")),
        ]));
        let world = world(&upstream, Some(5)).await;
        let _client = ask(&world, &[ONE], &body(true)).await;
        world.told(2).await;
        tokio::time::sleep(LONG).await;
        assert_eq!(upstream.request_count(), 2, "{fault:?}");
    }
}

#[tokio::test]
async fn what_the_provider_has_forgotten_is_not_asked_for_again() {
    let upstream = upstream();
    let world = world(&upstream, Some(5)).await;
    let _client = ask(&world, &[ONE], &body(true)).await;
    world.told(1).await;
    upstream.advance_clock(Duration::from_secs(301));
    world.told(2).await;
    tokio::time::sleep(LONG).await;
    assert_eq!(upstream.request_count(), 2);
}

#[tokio::test]
async fn nothing_goes_once_the_gateway_has_ended() {
    let upstream = upstream();
    let world = world(&upstream, Some(5)).await;
    let client = ask(&world, &[ONE], &body(true)).await;
    world.told(1).await;
    // A client that stays connected delays the shutdown, and causes no refresh.
    drop(world);
    tokio::time::sleep(LONG).await;
    assert_eq!(upstream.request_count(), 1);
    drop(client);
}
