//! Tools that are shortened, over a store that fails or is slow.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use foveal_context::tool_use::{SESSIONS_MIN, ToolUse};
use foveal_gateway::exchange::FailedOpen;
use foveal_live::Conversations;
use foveal_live::choices::{Choice, Choices, Chosen};
use foveal_live::recorder::Recorder;
use foveal_live::rules::Rules;
use foveal_live::shorter::Knowledge;
use foveal_upstream::Upstream;
use serde_json::{Value, json};

use crate::support::{Rough, World};

/// How long a decision may take. It is waited for twenty times as long where nothing is known.
const DECISION: Duration = Duration::from_millis(20);

/// Knows that sessions called `read`, and no other tool.
fn knowledge() -> Knowledge {
    let mut known = ToolUse::default();
    let called = std::iter::once("read".to_owned()).collect();
    (0..SESSIONS_MIN).for_each(|_| known.add(&called));
    let known = Arc::new(known);
    Arc::new(move || Some(Arc::clone(&known)))
}

/// A gateway over this store, with nothing in its memory.
async fn world(upstream: &Upstream, store: &Arc<Rough>, choices: Choices) -> World {
    let recorder = Arc::clone(store) as Arc<dyn Recorder>;
    World::start(upstream.address(), |settings| {
        let rules = Rules::named("balanced").expect("a profile");
        let conversations =
            Conversations::new(rules, recorder).shortening(Some(knowledge())).choosing(choices);
        settings.shaper = Arc::new(conversations);
        settings.limits.decision = DECISION;
    })
    .await
}

/// The request of a conversation called `name` with so many answers; the tools that went.
async fn ask(world: &World, upstream: &Upstream, name: &str, answers: usize) -> String {
    let mut messages = vec![json!({"role": "user", "content": name})];
    for at in 0..answers {
        messages.push(json!({"role": "assistant", "content": format!("answer {at}")}));
        messages.push(json!({"role": "user", "content": "go on"}));
    }
    let long = "It says more than anybody has to know who calls it. ".repeat(20);
    let tool = |name: &str| {
        json!({"name": name, "description": format!("Does {name}. {long}"),
               "input_schema": {"type": "object"}})
    };
    let body = json!({"model": "claude-opus-4-5", "max_tokens": 9, "messages": messages,
                      "tools": [tool("read"), tool("fetch")]});
    let mut client = world.client().await;
    client.send("/v1/messages", &["User-Agent: codex"], body.to_string().as_bytes()).await;
    client.read_until("Scripted").await;
    let seen = upstream.take_seen();
    let body: Value = serde_json::from_slice(&seen[0].body).expect("JSON");
    body["tools"].to_string()
}

fn is_short(tools: &str) -> bool {
    tools.contains("left out]")
}

/// Why nothing was decided about the requests so far.
async fn failed(world: &World, count: usize) -> Vec<Option<FailedOpen>> {
    world.told(count).await.iter().map(|told| told.failed_open).collect()
}

#[tokio::test]
async fn what_comes_too_late_for_the_first_request_comes_for_no_other() {
    let upstream = Upstream::start(foveal_upstream::Settings::default()).expect("loopback");
    for is_of_note in [false, true] {
        let store = Arc::new(Rough::default());
        let slow = if is_of_note { &store.writes_slowly } else { &store.is_slow };
        let first = world(&upstream, &store, Choices::default()).await;
        slow.store(true, Ordering::SeqCst);
        let went = ask(&first, &upstream, "a", 0).await;
        assert!(!is_short(&went), "{is_of_note}");
        slow.store(false, Ordering::SeqCst);
        for answers in [1, 0, 2] {
            assert_eq!(ask(&first, &upstream, "a", answers).await, went, "{answers}");
        }
        assert_eq!(failed(&first, 4).await, [Some(FailedOpen::Late), None, None, None]);
        // After a restart too; and other conversations are shortened.
        let second = world(&upstream, &store, Choices::default()).await;
        assert_eq!(ask(&second, &upstream, "a", 3).await, went);
        assert!(is_short(&ask(&second, &upstream, "b", 0).await));
        assert_eq!(failed(&second, 2).await, [None, None]);
    }
}

#[tokio::test]
async fn a_conversation_keeps_its_tools_whatever_the_store_does() {
    let upstream = Upstream::start(foveal_upstream::Settings::default()).expect("loopback");
    let store = Arc::new(Rough::default());
    let first = world(&upstream, &store, Choices::default()).await;
    let went = ask(&first, &upstream, "a", 0).await;
    assert!(is_short(&went));
    store.is_slow.store(true, Ordering::SeqCst);
    assert_eq!(ask(&first, &upstream, "a", 1).await, went);
    store.is_slow.store(false, Ordering::SeqCst);
    store.fails.store(true, Ordering::SeqCst);
    assert_eq!(ask(&first, &upstream, "a", 2).await, went);
    // One that begins meanwhile has its tools whole, and keeps them so.
    let whole = ask(&first, &upstream, "b", 0).await;
    assert!(!is_short(&whole));
    // After a restart nothing is known, and that is told.
    let second = world(&upstream, &store, Choices::default()).await;
    assert_eq!(ask(&second, &upstream, "a", 3).await, whole);
    store.fails.store(false, Ordering::SeqCst);
    assert_eq!(ask(&second, &upstream, "a", 4).await, went);
    for answers in [0, 1] {
        assert_eq!(ask(&first, &upstream, "b", answers).await, whole);
    }
    let unshortened = Some(FailedOpen::Unshortened);
    assert_eq!(failed(&first, 6).await, [None, None, None, unshortened, None, None]);
    assert_eq!(failed(&second, 2).await, [unshortened, None]);
}

#[tokio::test]
async fn a_rule_says_whose_tools_are_shortened() {
    let upstream = Upstream::start(foveal_upstream::Settings::default()).expect("loopback");
    let said = |shorten_tools| Chosen { shorten_tools, ..Chosen::default() };
    for (rule, otherwise, expected) in [
        (Some(false), Some(true), false),
        (Some(true), Some(false), true),
        (None, Some(false), false),
        (None, None, true),
    ] {
        let store = Arc::new(Rough::default());
        let rule = Choice::new(None, Some("codex"), said(rule)).expect("a glob");
        let choices = Choices { all: vec![rule], otherwise: said(otherwise) };
        let world = world(&upstream, &store, choices).await;
        assert_eq!(is_short(&ask(&world, &upstream, "a", 0).await), expected);
    }
}
