//! Callers that send prompts to models themselves.

use std::sync::Arc;

use foveal_gateway::AccessToken;
use foveal_gateway::shaper::{CompressingShaper, Shaper};
use foveal_proxy::compress::{CompressError, CompressedMessages};
use foveal_proxy::recorder::{InMemoryRecorder, Recorder};
use foveal_proxy::request::{ShapeOutcome, ShapeRequest};
use foveal_proxy::rules::ShapingRules;
use foveal_proxy::{Compressor, RequestShaper};
use foveal_transcript::Timestamp;
use serde_json::{Value, json};

use crate::support::{Scripted, World};

fn shaper() -> Arc<dyn Shaper> {
    let rules = ShapingRules::from_profile("balanced").expect("a profile");
    let recorder: Arc<dyn Recorder> = Arc::new(InMemoryRecorder::default());
    Arc::new(CompressingShaper {
        requests: RequestShaper::new(rules.clone(), Arc::clone(&recorder)),
        messages: Compressor::new(rules, recorder),
    })
}

async fn world(shaper: Arc<dyn Shaper>, token: Option<&str>) -> World {
    // These calls never reach an upstream.
    let upstream = Scripted::start(Vec::new()).await;
    World::start(upstream.address, |settings| {
        settings.shaper = shaper;
        settings.token = token.and_then(AccessToken::new);
        settings.limits.body_bytes = 1 << 20;
    })
    .await
}

async fn compressed(world: &World, lines: &[&str], body: &Value) -> (u16, Value) {
    let mut client = world.client().await;
    client.send("/v1/compress", lines, body.to_string().as_bytes()).await;
    let answer = client.answer().await;
    (answer.status(), serde_json::from_str(&answer.text()).expect("JSON"))
}

async fn retrieved(world: &World, path: &str, lines: &str) -> (u16, Value) {
    let mut client = world.client().await;
    let head = format!("GET /v1/retrieve/{path} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n");
    client.write(head.as_bytes()).await;
    let answer = client.answer().await;
    (answer.status(), serde_json::from_str(&answer.text()).expect("JSON"))
}

fn output() -> String {
    let lines = |range: std::ops::Range<usize>| -> String {
        range.map(|at| format!("step {at} took {} ms\n", at * 37 % 101)).collect()
    };
    lines(0..400) + "ERROR: the widget failed\n" + &lines(400..800)
}

fn conversation() -> Value {
    json!({ "model": "m", "messages": [
        { "role": "user", "content": "run it" },
        { "role": "assistant", "content": null, "tool_calls": [
            { "id": "a", "type": "function",
              "function": { "name": "bash", "arguments": "{\"command\":\"./run\"}" } },
        ] },
        { "role": "tool", "tool_call_id": "a", "content": output() },
    ] })
}

#[tokio::test]
async fn messages_come_back_shorter_and_what_is_left_out_can_be_had() {
    let world = world(shaper(), None).await;
    let asked = conversation();
    let (status, answer) = compressed(&world, &[], &asked).await;
    assert_eq!(status, 200, "{answer}");
    let messages = answer["messages"].as_array().expect("a list");
    assert_eq!(messages[..2], asked["messages"].as_array().unwrap()[..2]);
    let text = messages[2]["content"].as_str().expect("a text");
    let hash = answer["ccr_hashes"][0].as_str().expect("a hash");
    assert!(text.contains(&format!("retrieve hash={hash}")), "{text}");
    let (before, after) = (&answer["tokens_before"], &answer["tokens_after"]);
    let ratio = after.as_f64().unwrap() / before.as_f64().unwrap();
    assert!(ratio < 0.5 && answer["compression_ratio"].as_f64() == Some(ratio), "{answer}");
    assert_eq!(compressed(&world, &[], &asked).await.1, answer);

    let (status, original) = retrieved(&world, hash, "").await;
    assert_eq!((status, original["original_content"].as_str()), (200, Some(&*output())));
    let narrowed = retrieved(&world, &format!("{hash}?query=the+widget"), "").await.1;
    let narrowed = narrowed["original_content"].as_str().expect("a text");
    assert!(narrowed.contains("ERROR: the widget failed") && narrowed.len() < 1_000);
    let (status, error) = retrieved(&world, "0123456789abcdef01234567", "").await;
    assert_eq!((status, error["error"]["type"].as_str()), (404, Some("not_found_error")));
}

#[tokio::test]
async fn what_cannot_be_read_is_an_error_that_says_why() {
    let world = world(shaper(), None).await;
    for broken in [json!({}), json!([]), json!({ "messages": "x" }), json!({ "messages": [1] })] {
        let (status, error) = compressed(&world, &[], &broken).await;
        assert_eq!(status, 400, "{broken}");
        assert!(error["error"]["message"].as_str().is_some_and(|it| !it.is_empty()), "{error}");
    }
    let long = json!({ "messages": [{ "role": "user", "content": "x".repeat(2 << 20) }] });
    assert_eq!(compressed(&world, &[], &long).await.0, 413);
    let (status, _) = compressed(&world, &["Content-Encoding: gzip"], &conversation()).await;
    assert_eq!(status, 413);
}

#[tokio::test]
async fn the_same_gate_stands_before_it() {
    let secret = "0123456789abcdef0123";
    let world = world(shaper(), Some(secret)).await;
    assert_eq!(compressed(&world, &[], &conversation()).await.0, 401);
    assert_eq!(retrieved(&world, "0123456789abcdef01234567", "").await.0, 401);
    // Callers of this API cannot send the token in any other way.
    let bearer = format!("Authorization: Bearer {secret}");
    assert_eq!(compressed(&world, &[&bearer], &conversation()).await.0, 200);
    let own = format!("X-Foveal-Token: {secret}");
    assert_eq!(compressed(&world, &[&own], &conversation()).await.0, 200);
    assert_eq!(compressed(&world, &[&format!("{bearer}4")], &conversation()).await.0, 401);
    let lines = [bearer.as_str(), "Origin: https://evil.example"];
    assert_eq!(compressed(&world, &lines, &conversation()).await.0, 403);
    let mut client = world.client().await;
    client.write(b"GET /v1/retrieve/x HTTP/1.1\r\nHost: evil.example\r\n\r\n").await;
    assert_eq!(client.answer().await.status(), 403);
    // In a forwarded request this header belongs to the upstream.
    client.send("/v1/messages", &[&bearer], b"{}").await;
    assert_eq!(client.answer().await.status(), 401);
}

/// Panics.
struct Broken;

impl Shaper for Broken {
    fn shape(&self, _: &ShapeRequest<'_>) -> ShapeOutcome {
        ShapeOutcome::default()
    }

    fn compress(&self, _: &[u8], _: Timestamp) -> Result<CompressedMessages, CompressError> {
        panic!("a fault of ours");
    }
}

#[tokio::test]
async fn messages_go_as_they_came_where_nothing_can_be_done() {
    let asked = conversation();
    let bypass = ["X-Headroom-Bypass: true"];
    let (working, broken) = (world(shaper(), None).await, world(Arc::new(Broken), None).await);
    for (world, lines) in [(&working, &bypass[..]), (&broken, &[][..])] {
        let (status, answer) = compressed(world, lines, &asked).await;
        assert_eq!((status, &answer["messages"]), (200, &asked["messages"]));
        assert_eq!(answer["tokens_before"], answer["tokens_after"]);
        assert_eq!(
            (&answer["compression_ratio"], &answer["ccr_hashes"]),
            (&json!(1.0), &json!([]))
        );
    }
}
