//! What a provider that keeps prompts up to marks reads again where results are reduced as soon as
//! the model has seen them.

use std::sync::Arc;

use foveal_context::tokens::Tokenizer;
use foveal_gateway::exchange::Exchange;
use foveal_live::Conversations;
use foveal_live::recorder::InMemory;
use foveal_live::rules::Rules;
use foveal_upstream::{Bill, Upstream};
use serde_json::{Value, json};

use crate::support::World;

/// Requests of the conversation.
const REQUESTS: usize = 6;

/// Words of a program that ran.
fn output(seed: usize) -> String {
    (0..60)
        .map(|at| format!("compiled unit {} in {} ms\n", seed * 1_000 + at, at * 7_919))
        .collect()
}

/// A request behind so many runs, with so many marks in its system prompt and one at its end.
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

/// What was billed for each request, and what the gateway told.
async fn course(marks: usize) -> (Vec<Bill>, Vec<Exchange>) {
    let upstream = Upstream::start(foveal_upstream::Settings::default()).expect("loopback");
    let rules = Rules::named("balanced").expect("a profile");
    let shaper = Conversations::new(rules, Arc::new(InMemory::default()));
    let change = |settings: &mut foveal_gateway::Settings| settings.shaper = Arc::new(shaper);
    let world = World::start(upstream.address(), change).await;
    for runs in 0..REQUESTS {
        let mut client = world.client().await;
        client.send("/v1/messages", &[], request(runs, marks).to_string().as_bytes()).await;
        client.answer().await;
    }
    let seen = upstream.seen();
    assert!(seen.iter().all(|seen| seen.broken.is_empty()), "{seen:?}");
    let bills = seen.iter().map(|seen| seen.bill.expect("a bill")).collect();
    (bills, world.told(REQUESTS).await)
}

#[tokio::test]
async fn what_stands_before_reduced_results_is_read() {
    let (bills, told) = course(2).await;
    let (mut reduced, mut marks) = (0, Vec::new());
    for at in 1..REQUESTS {
        let result = if at > 1 { Tokenizer::Claude.count(&output(at - 2)).0 } else { 0 };
        let about = &told[at].about;
        marks.push(about.marks);
        let is_reduced = about.rewrite.is_some();
        reduced += usize::from(is_reduced);
        // All of the last prompt, or all before the result in it.
        let kept = bills[at - 1].prompt() - if is_reduced { result } else { 0 };
        assert_eq!(bills[at].read, kept, "{at}: {bills:?}");
    }
    assert_eq!((reduced, marks), (REQUESTS - 2, vec![1; REQUESTS - 1]));
}

#[tokio::test]
async fn where_no_mark_is_free_nothing_is_reduced_that_soon() {
    let (bills, told) = course(3).await;
    for at in 0..REQUESTS {
        assert_eq!((told[at].about.marks, told[at].about.rewrite), (0, None));
        assert!(at == 0 || bills[at].read == bills[at - 1].prompt(), "{at}: {bills:?}");
    }
}
