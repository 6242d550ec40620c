//! The cache reads of a provider that caches up to breakpoints, if results are reduced as soon as
//! the model has seen them.

use std::sync::Arc;

use foveal_gateway::exchange::Exchange;
use foveal_mock_provider::{MockProvider, TokenBill};
use foveal_pricing::tokens::Tokenizer;
use foveal_proxy::RequestShaper;
use foveal_proxy::recorder::InMemoryRecorder;
use foveal_proxy::rules::ShapingRules;
use serde_json::{Value, json};

use crate::support::World;

/// The number of requests of the conversation.
const REQUESTS: usize = 6;

/// Returns the output of a program run.
fn output(seed: usize) -> String {
    (0..60)
        .map(|at| format!("compiled unit {} in {} ms\n", seed * 1_000 + at, at * 7_919))
        .collect()
}

/// Returns a request after so many runs, with so many breakpoints in its system prompt and one at
/// its end.
fn request(runs: usize, marks: usize) -> Value {
    let mark = json!({"type": "ephemeral"});
    let text = "Read a file before you change it, and say why.\n".repeat(200);
    let mut system: Vec<Value> =
        (0..3).map(|at| json!({"type": "text", "text": format!("{at}: {text}")})).collect();
    system.iter_mut().take(marks).for_each(|block| block["cache_control"] = mark.clone());
    let mut messages =
        vec![json!({"role": "user", "content": [{"type": "text", "text": "Build."}]})];
    for run in 0..runs {
        let id = format!("c{run}");
        let input = json!({"command": format!("make {run}")});
        messages.push(json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": id, "name": "Bash", "input": input},
        ]}));
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": output(run)},
        ]}));
    }
    messages.last_mut().expect("one")["content"][0]["cache_control"] = mark;
    json!({"model": "claude-opus-4-5", "max_tokens": 9, "system": system, "messages": messages})
}

/// Returns the bill of each request, and the gateway's reports.
async fn course(marks: usize) -> (Vec<TokenBill>, Vec<Exchange>) {
    let upstream =
        MockProvider::start(foveal_mock_provider::Settings::default()).expect("loopback");
    let rules = ShapingRules::from_profile("balanced").expect("a profile");
    let shaper = RequestShaper::new(rules, Arc::new(InMemoryRecorder::default()));
    let change = |settings: &mut foveal_gateway::Settings| settings.shaper = Arc::new(shaper);
    let world = World::start(upstream.address(), change).await;
    for runs in 0..REQUESTS {
        let mut client = world.client().await;
        client.send("/v1/messages", &[], request(runs, marks).to_string().as_bytes()).await;
        client.answer().await;
    }
    let seen = upstream.received_requests();
    assert!(seen.iter().all(|seen| seen.violations.is_empty()), "{seen:?}");
    let bills = seen.iter().map(|seen| seen.bill.expect("a bill")).collect();
    (bills, world.told(REQUESTS).await)
}

#[tokio::test]
async fn what_stands_before_reduced_results_is_read() {
    let (bills, told) = course(2).await;
    let (mut reduced, mut marks) = (0, Vec::new());
    for at in 1..REQUESTS {
        let result = if at > 1 { Tokenizer::Claude.count(&output(at - 2)).0 } else { 0 };
        let about = &told[at].report;
        marks.push(about.breakpoints);
        let is_reduced = about.rewrite.is_some();
        reduced += usize::from(is_reduced);
        // All of the last prompt, or all of it in front of the result.
        let kept = bills[at - 1].prompt_tokens() - if is_reduced { result } else { 0 };
        assert_eq!(bills[at].read, kept, "{at}: {bills:?}");
    }
    assert_eq!((reduced, marks), (REQUESTS - 2, vec![1; REQUESTS - 1]));
}

#[tokio::test]
async fn where_no_mark_is_free_nothing_is_reduced_that_soon() {
    let (bills, told) = course(3).await;
    for at in 0..REQUESTS {
        assert_eq!((told[at].report.breakpoints, told[at].report.rewrite), (0, None));
        assert!(at == 0 || bills[at].read == bills[at - 1].prompt_tokens(), "{at}: {bills:?}");
    }
}
