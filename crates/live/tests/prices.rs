//! Prices that the user says decide whether a rewrite pays.

use std::sync::Arc;

use foveal_live::Conversations;
use foveal_live::prices::{OwnPrice, OwnPrices, Said};
use foveal_live::recorder::InMemory;
use foveal_live::request::{Asked, Wait};
use foveal_live::rules::Rules;
use foveal_transcript::Timestamp;
use foveal_wire::Protocol;
use serde_json::{Value, json};

/// Requests that rewrote something, of a conversation of so many runs asked of `upstream`.
fn rewrites(prices: &OwnPrices, upstream: &str) -> usize {
    let mut rules = Rules::named("max").expect("a profile");
    rules.prices = Arc::new(prices.clone());
    let conversations = Conversations::new(rules, Arc::new(InMemory::default()));
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    let mut count = 0;
    for at in 0..12 {
        let call = json!({"id": format!("c{at}"), "type": "function", "function": {
            "name": "bash", "arguments": json!({"command": format!("./run {at}")}).to_string()}});
        let output: String =
            (0..90).map(|line| format!("step {at} did what line {line} says of it\n")).collect();
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": format!("c{at}"), "content": output}));
        let body: Value = json!({"model": "glm-5", "messages": messages});
        let (body, wait) = (body.to_string().into_bytes(), Wait::default());
        let asked = Asked {
            protocol: Protocol::Chat,
            counts: false,
            model: None,
            upstream,
            body: &body,
            now: Timestamp(at * 1_000),
            wish: None,
            wait: &wait,
        };
        count += usize::from(conversations.shape(&asked).about.rewrite.is_some());
    }
    count
}

#[test]
fn what_is_dear_to_write_again_is_rewritten_less_often() {
    let said = Said {
        name: "mine".to_owned(),
        input: 1.0,
        cached: Some(0.001),
        written: Some(20.0),
        output: 1.0,
        cache_lifetime_ms: None,
    };
    let own = OwnPrices(vec![OwnPrice::new(Some("glm-*"), Some("work"), said).expect("a glob")]);
    // Where nothing is known to be cached, a rewrite costs nothing.
    let (free, other) = (rewrites(&OwnPrices::default(), "work"), rewrites(&own, "other"));
    assert_eq!(free, other);
    let dear = rewrites(&own, "work");
    assert!(dear < free, "{dear} {free}");
}
