//! The user's own prices decide whether a rewrite pays.

use std::sync::Arc;

use foveal_protocols::Protocol;
use foveal_proxy::RequestShaper;
use foveal_proxy::price_overrides::{PriceOverride, PriceOverrideRule, PriceOverrides};
use foveal_proxy::recorder::InMemoryRecorder;
use foveal_proxy::request::{DecisionSlot, ShapeRequest};
use foveal_proxy::rules::ShapingRules;
use foveal_transcript::Timestamp;
use serde_json::{Value, json};

/// Returns the requests with a rewrite, in a conversation of so many runs at `upstream`.
fn rewrites(prices: &PriceOverrides, upstream: &str) -> usize {
    let mut rules = ShapingRules::from_profile("max").expect("a profile");
    rules.prices = Arc::new(prices.clone());
    let conversations = RequestShaper::new(rules, Arc::new(InMemoryRecorder::default()));
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
        let (body, wait) = (body.to_string().into_bytes(), DecisionSlot::default());
        let asked = ShapeRequest {
            protocol: Protocol::Chat,
            counts_tokens: false,
            model: None,
            upstream,
            body: &body,
            now: Timestamp(at * 1_000),
            profile_override: None,
            agents: &[],
            decision: &wait,
        };
        count += usize::from(conversations.shape(&asked).report.rewrite.is_some());
    }
    count
}

#[test]
fn what_is_dear_to_write_again_is_rewritten_less_often() {
    let said = PriceOverride {
        name: "mine".to_owned(),
        input: 1.0,
        cache_read: Some(0.001),
        cache_write: Some(20.0),
        output: 1.0,
        cache_lifetime_ms: None,
    };
    let own = PriceOverrides(vec![
        PriceOverrideRule::new(Some("glm-*"), Some("work"), said).expect("a glob"),
    ]);
    // A rewrite costs nothing if the provider is not known to cache.
    let (free, other) = (rewrites(&PriceOverrides::default(), "work"), rewrites(&own, "other"));
    assert_eq!(free, other);
    let dear = rewrites(&own, "work");
    assert!(dear < free, "{dear} {free}");
}
