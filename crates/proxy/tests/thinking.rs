//! Models that accept their thinking only behind the prefix it was made with.

use std::sync::Arc;

use foveal_proxy::recorder::InMemoryRecorder;
use foveal_transcript::Timestamp;

use crate::faults::{ask, output};
use crate::support::over;

/// Returns a body with so many program runs, with thinking before each.
fn body(runs: usize, thinking: &str) -> Vec<u8> {
    let turns: String = (0..runs)
        .map(|run| {
            let thought = format!(r#"{{"type":"thinking","thinking":"so {run}","signature":"s{run}"}}"#);
            let call = format!(r#"{{"type":"tool_use","id":"c{run}","name":"Bash","input":{{"command":"./run {run}"}}}}"#);
            let result = format!(r#"{{"type":"tool_result","tool_use_id":"c{run}","content":"{}"}}"#, output(run));
            format!(r#",{{"role":"assistant","content":[{thought},{call}]}},{{"role":"user","content":[{result}]}}"#)
        })
        .collect();
    format!(r#"{{"model":"claude-fable-5-1","thinking":{thinking},"messages":[{{"role":"user","content":"Run it."}}{turns}]}}"#)
        .into_bytes()
}

/// Returns the reason why a request after a long pause changed sent results, if it did.
fn rewrite_after_a_pause(thinking: &str) -> Option<&'static str> {
    let conversations = over("balanced", Arc::new(InMemoryRecorder::default()));
    for runs in 1..9 {
        ask(&conversations, &body(runs, thinking), |_| {});
    }
    let cold = |asked: &mut foveal_proxy::request::ShapeRequest<'_>| asked.now = Timestamp(600_000);
    ask(&conversations, &body(9, thinking), cold).report.rewrite
}

#[test]
fn what_stands_before_bound_thinking_stays() {
    assert_eq!(rewrite_after_a_pause(r#"{"type":"adaptive"}"#), None);
}

/// The provider drops the thinking then, as the client allows.
#[test]
fn a_client_that_has_thinking_dropped_gets_rewrites() {
    let thinking =
        r#"{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}"#;
    assert_eq!(
        rewrite_after_a_pause(thinking),
        Some("as far as is known, nothing of the prompt was cached")
    );
}
