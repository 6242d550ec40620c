//! Token limits that follow the model's window.

use std::sync::Arc;

use foveal_pricing::tokens::Tokens;
use foveal_protocols::Protocol;
use foveal_protocols::response::ContextOverflow;
use foveal_proxy::RequestShaper;
use foveal_proxy::recorder::InMemoryRecorder;
use foveal_proxy::request::ShapeOutcome;

use crate::support::over;

/// Returns the lines of a unique file.
fn file(seed: usize) -> String {
    (0..200).map(|line| format!("let name_{seed}_{line} = {seed} + {line};\\n")).collect()
}

/// Returns a body with so many file reads.
fn body(files: usize) -> Vec<u8> {
    let turns: String = (0..files)
        .map(|at| {
            let call = format!(r#"{{"type":"tool_use","id":"c{at}","name":"Read","input":{{"file_path":"/w/{at}.rs"}}}}"#);
            let result = format!(r#"{{"type":"tool_result","tool_use_id":"c{at}","content":"{}"}}"#, file(at));
            format!(r#",{{"role":"assistant","content":[{call}]}},{{"role":"user","content":[{result}]}}"#)
        })
        .collect();
    format!(
        r#"{{"model":"claude-opus-4-5","messages":[{{"role":"user","content":"Read."}}{turns}]}}"#
    )
    .into_bytes()
}

fn ask(conversations: &RequestShaper, files: usize) -> ShapeOutcome {
    crate::faults::ask(conversations, &body(files), |_| {})
}

#[test]
fn prompts_stay_below_a_window_that_is_told() {
    let conversations = over("balanced", Arc::new(InMemoryRecorder::default()));
    conversations.learn_window("", "claude-opus-4-5", Tokens(24_000));
    for files in 1..20 {
        let about = ask(&conversations, files).report;
        assert!(about.tokens_sent <= 24_000 * 97 / 120, "{files}: {}", about.tokens_sent);
    }
}

#[test]
fn a_bill_says_how_a_server_counts() {
    let conversations = over("balanced", Arc::new(InMemoryRecorder::default()));
    conversations.learn_window("", "claude-opus-4-5", Tokens(40_000));
    for files in 1..20 {
        let about = ask(&conversations, files).report;
        let billed = about.tokens_sent * 2;
        assert!(billed <= 40_000 || files == 1, "{files}: {billed}");
        conversations.learn_usage("", Protocol::Messages, &about, billed);
    }
}

#[test]
fn a_request_that_was_refused_goes_again_shorter() {
    let conversations = over("balanced", Arc::new(InMemoryRecorder::default()));
    let before = (1..=8).map(|files| ask(&conversations, files).report).last().expect("one");
    assert!(before.rewrite.is_none());
    conversations.learn_overflow("", &before, ContextOverflow::default());
    let after = ask(&conversations, 8).report;
    assert!(after.tokens_sent * 10 <= before.tokens_sent * 8, "{}", after.tokens_sent);
    assert_eq!(after.rewrite, Some("the prompt was too long"));
    // Later messages continue from there.
    assert!(ask(&conversations, 9).report.rewrite.is_none());
}
