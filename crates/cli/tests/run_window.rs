//! Runs of foveal's own agent at the end of the model's window, against a provider that refuses
//! longer prompts.

use std::collections::HashMap;

use foveal_mock_provider::{MockProvider, ModelReply, ReplyScript, Settings};
use serde_json::{Value, json};

use crate::run_task::{DIALECTS, KEY, calls, events, of_type, settle};
use crate::world::{Ran, World};

/// Tokens of the longest prompt. The tools take a part of it.
const WINDOW: u64 = 40_000;

/// Files that are read, which together are longer than that.
const FILES: usize = 14;

/// A file of about 5,000 tokens, in which no line is like that of another.
fn file(at: usize) -> String {
    let line = |line: usize| {
        format!("fn name_{at}_{line}(value: u32) -> u32 {{ value + {} }}\n", line * 7 + at)
    };
    (0..240).map(line).collect()
}

/// A model that reads one file after the other, whatever it is told of those before the last.
fn reads_all(settings: Settings) -> MockProvider {
    let upstream = MockProvider::start(settings).expect("a provider");
    upstream.set_script(ReplyScript::new(|asked| {
        let body = asked.body.to_string();
        let last = (0..FILES).rev().find(|at| body.contains(&format!("f{at}.rs")));
        match last.map_or(0, |last| last + 1) {
            FILES => ModelReply::from_text("All is read.").into(),
            next => calls(&[("read_file", json!({"path": format!("f{next}.rs"), "mode": "full"}))])
                .into(),
        }
    }));
    upstream
}

fn world(test: &str) -> World {
    let world = World::new(test);
    for at in 0..FILES {
        world.write(&format!("project/f{at}.rs"), file(at));
    }
    settle(&world.folder.join("project"));
    world
}

fn run(world: &World, upstream: &MockProvider, dialect: &str, options: &str) -> Ran {
    let mut command = world.command("run read-all --yes --model");
    command.current_dir(world.folder.join("project"));
    command.arg(format!("{dialect}:local-coder@{}", upstream.url()));
    command.args(options.split_whitespace()).env("FOVEAL_MODEL_KEY", KEY);
    world.ran(command.stdin(std::process::Stdio::null()))
}

/// Requests for an answer, and how many of them were refused.
fn asked(upstream: &MockProvider) -> (usize, usize) {
    let seen = upstream.received_requests();
    let answers = seen.iter().filter(|seen| !seen.body.is_empty());
    let refused = answers.clone().filter(|seen| seen.bill.is_none()).count();
    (answers.count(), refused)
}

#[test]
fn a_window_is_learnt_from_a_refusal() {
    for (dialect, tells_window) in DIALECTS.into_iter().zip([true, true, false]) {
        let world = world(&format!("window-learnt-{dialect}"));
        let upstream = reads_all(Settings {
            window: Some(WINDOW),
            states_window: tells_window,
            ..Settings::default()
        });
        let ran = run(&world, &upstream, dialect, "");
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "All is read.\n"), "{}", ran.err);
        let (all, refused) = asked(&upstream);
        assert!((1..=4).contains(&refused), "{dialect}: {refused} of {all}: {}", ran.err);
        assert!(ran.err.contains("retrying with a shorter prompt"), "{}", ran.err);
        assert!(!ran.err.contains("are left out from now on"), "{}", ran.err);
    }
}

#[test]
fn a_window_that_the_server_lists_is_never_passed() {
    let world = world("window-listed");
    let settings = Settings { window: Some(WINDOW), lists_window: true, ..Settings::default() };
    let upstream = reads_all(settings);
    let ran = run(&world, &upstream, "chat", "");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "All is read.\n"), "{}", ran.err);
    assert_eq!(asked(&upstream), (FILES + 1, 0), "{}", ran.err);
}

/// Without a budget in the settings, contents leave from a share of the model's window on.
#[test]
fn contents_leave_by_the_window_of_the_model() {
    let world = world("window-budget");
    let settings = Settings { window: Some(WINDOW), lists_window: true, ..Settings::default() };
    let upstream = reads_all(settings);
    let ran = run(&world, &upstream, "chat", "--json");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let events = events(&ran);
    let sent = of_type(&events, "sent");
    let tokens = |event: &&Value| event["tokens_sent"].as_u64().expect("a count");
    let longest = sent.iter().map(tokens).max().expect("requests");
    // Three quarters with `balanced`.
    assert!(longest <= WINDOW * 3 / 4, "{longest} of {WINDOW}");
    assert!(sent.iter().any(|event| !event["rewrite"].is_null()), "{sent:?}");
}

/// A request without marks of what is to be cached.
fn unmarked(body: &Value) -> Value {
    match body {
        Value::Array(items) => items.iter().map(unmarked).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(key, _)| *key != "cache_control");
            fields.map(|(key, value)| (key.clone(), unmarked(value))).collect()
        }
        other => other.clone(),
    }
}

/// How many requests bring thinking back behind another prefix than it was made with, as a provider
/// that binds thinking counts them.
fn requests_with_unbound_thinking(upstream: &MockProvider) -> usize {
    let mut prefixes: HashMap<String, Vec<Value>> = HashMap::new();
    let mut answered: Vec<Value> = Vec::new();
    let mut unbound = 0;
    for seen in upstream.received_requests().iter().filter(|seen| !seen.body.is_empty()) {
        let body = unmarked(&serde_json::from_slice(&seen.body).expect("JSON"));
        let messages = body["messages"].as_array().expect("messages");
        let blocks = messages.iter().enumerate().flat_map(|(at, message)| {
            let blocks = message["content"].as_array().into_iter().flatten();
            blocks.filter(|block| block["type"] == "thinking").map(move |block| (at, block))
        });
        let is_unbound = |(at, block): (usize, &Value)| {
            let prefix = prefixes.entry(block["signature"].to_string());
            prefix.or_insert_with(|| answered.clone())[..] != messages[..at]
        };
        unbound += usize::from(blocks.map(is_unbound).filter(|it| *it).count() > 0);
        if seen.bill.is_some() {
            answered.clone_from(messages);
        }
    }
    unbound
}

/// Models that bind their thinking are asked to go on without what no longer fits.
#[test]
fn bound_thinking_is_left_out_where_results_are_rewritten() {
    for (model, is_bound) in [("claude-fable-5-1", true), ("claude-opus-4-5", false)] {
        let world = world(&format!("window-{model}"));
        let upstream =
            MockProvider::start(Settings { window: Some(WINDOW), ..Settings::default() });
        let upstream = upstream.expect("a provider");
        upstream.set_script(ReplyScript::new(|asked| {
            let body = asked.body.to_string();
            let last = (0..FILES).rev().find(|at| body.contains(&format!("f{at}.rs")));
            let answer = match last.map_or(0, |last| last + 1) {
                FILES => ModelReply::from_text("All is read."),
                next => {
                    calls(&[("read_file", json!({"path": format!("f{next}.rs"), "mode": "full"}))])
                }
            };
            ModelReply { thinking: "The next one.".to_owned(), ..answer }.into()
        }));
        let mut command = world.command("run read-all --yes --model");
        command.current_dir(world.folder.join("project"));
        command.arg(format!("anthropic:{model}@{}", upstream.url())).env("FOVEAL_MODEL_KEY", KEY);
        let ran = world.ran(command.stdin(std::process::Stdio::null()));
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "All is read.\n"), "{}", ran.err);
        assert!(requests_with_unbound_thinking(&upstream) > 0, "{model}: nothing is rewritten");
        for seen in upstream.received_requests().iter().filter(|seen| !seen.body.is_empty()) {
            let body: Value = serde_json::from_slice(&seen.body).expect("JSON");
            let behavior = &body["thinking"]["block_binding"]["prefix_mismatch_behavior"];
            assert_eq!(behavior == "drop_block", is_bound, "{model}: {}", body["thinking"]);
            let beta = is_bound.then_some("thinking-binding-controls-2026-08-01");
            assert_eq!(seen.header("anthropic-beta"), beta, "{model}");
        }
    }
}

/// Where nothing may be left out of results, the oldest messages go, and can be had again.
#[test]
fn a_conversation_that_the_model_cannot_hold_goes_on_without_its_oldest_messages() {
    let world = world("window-oldest");
    let upstream = reads_all(Settings { window: Some(WINDOW), ..Settings::default() });
    let ran = run(&world, &upstream, "messages", "--profile off");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "All is read.\n"), "{}", ran.err);
    assert!(ran.err.contains("are left out from now on"), "{}", ran.err);
    let last = upstream.received_requests().iter().rev().find(|seen| seen.bill.is_some()).cloned();
    let last: Value = serde_json::from_slice(&last.expect("an answer").body).expect("JSON");
    let summary = last["messages"][0].to_string();
    assert!(summary.contains("read-all"), "what the person said stays: {summary}");
    let handle = summary.split("expand with handle ").nth(1).expect("a handle");
    let handle = handle.split(' ').next().expect("a word");
    let original = world.run(&format!("expand {handle}"));
    assert!(original.out.contains("read_file"), "{} {}", original.out, original.err);
    // It goes on from there, in the same bytes.
    let before = upstream.request_count();
    let mut command = world.command("run --continue more --profile off");
    command.current_dir(world.folder.join("project")).env("FOVEAL_MODEL_KEY", KEY);
    let ran = world.ran(command.stdin(std::process::Stdio::null()));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(upstream.request_count() > before);
    let next: Value =
        serde_json::from_slice(&upstream.received_requests().last().expect("one").body).unwrap();
    assert_eq!(next["messages"][0].to_string(), summary);
}

/// A session that ended because the model could not hold it, as earlier versions left them.
#[test]
fn a_session_that_ended_at_the_window_goes_on() {
    let world = world("window-ended");
    let upstream = reads_all(Settings::default());
    let ran = run(&world, &upstream, "chat", "--profile off");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // The same conversation with a model of which the window is small.
    let small = reads_all(Settings { window: Some(WINDOW), ..Settings::default() });
    let mut command = world.command("run --continue again --model");
    command.current_dir(world.folder.join("project")).env("FOVEAL_MODEL_KEY", KEY);
    command.arg(format!("chat:local-coder@{}", small.url()));
    let ran = world.ran(command.stdin(std::process::Stdio::null()));
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "All is read.\n"), "{}", ran.err);
    let (all, refused) = asked(&small);
    assert!(refused >= 1 && all > refused, "{refused} of {all}");
}
