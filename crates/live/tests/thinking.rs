//! Models that take their thinking back only behind the prefix that it was made with.

use std::sync::Arc;

use foveal_live::recorder::InMemory;
use foveal_transcript::Timestamp;

use crate::faults::{ask, output};
use crate::support::over;

/// A body in which a program ran so many times, with thoughts before each run.
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

/// Why a request after a long pause changed what had gone before, if it did.
fn rewrite_after_a_pause(thinking: &str) -> Option<&'static str> {
    let conversations = over("balanced", Arc::new(InMemory::default()));
    for runs in 1..9 {
        ask(&conversations, &body(runs, thinking), |_| {});
    }
    let cold = |asked: &mut foveal_live::request::Asked<'_>| asked.now = Timestamp(600_000);
    ask(&conversations, &body(9, thinking), cold).about.rewrite
}

#[test]
fn what_stands_before_bound_thinking_stays() {
    assert_eq!(rewrite_after_a_pause(r#"{"type":"adaptive"}"#), None);
}

/// The provider leaves the thinking out then, as the client wants it.
#[test]
fn a_client_that_has_thinking_dropped_gets_rewrites() {
    let thinking =
        r#"{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}"#;
    assert_eq!(rewrite_after_a_pause(thinking), Some("nothing of the prompt was cached"));
}
