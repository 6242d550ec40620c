//! The additional breakpoint behind the latest answer, for clients that set one at the end of their
//! messages: the results behind the answer may be reduced at the next request.

use std::sync::Arc;

use foveal_protocols::Protocol;
use foveal_protocols::request_body::{BreakpointTarget, RequestBody};
use foveal_proxy::RequestShaper;
use foveal_proxy::recorder::{
    InMemoryRecorder, OriginalContent, PlannedStep, Recorder, RecorderError, StepRecord,
};
use foveal_proxy::request::{DecisionSlot, ShapeRequest};
use foveal_proxy::rules::{BreakpointMode, ShapingRules};
use foveal_testkit::conversation_scripts;
use foveal_testkit::request_bodies::ModelApi;
use foveal_transcript::{ContentHash, Timestamp};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::support::{
    MODEL, Sent, bytes, conversations, marks, messages, over, requests, shaped, shaped_for,
    without_own_mark, without_results,
};

/// Returns the output of a program run: long enough to be worth a reduction, short enough to be
/// shown whole.
fn output(seed: usize) -> String {
    (0..60)
        .map(|at| format!("compiled unit {} in {} ms\n", seed * 1_000 + at, at * 7_919))
        .collect()
}

/// Returns a system prompt as long as that of an agent, with breakpoints as agents set them.
fn system(marks: usize) -> Value {
    let text: String = (0..400)
        .map(|at| format!("Rule {at}: read a file before you change it, and say why.\n"))
        .collect();
    let mut blocks = vec![json!({ "type": "text", "text": "billing" })];
    for at in 0..3 {
        blocks.push(json!({ "type": "text", "text": text }));
        if at < marks {
            blocks[at + 1]["cache_control"] = json!({ "type": "ephemeral" });
        }
    }
    json!(blocks)
}

/// Returns a request after so many runs, with breakpoints as Claude Code sets them.
fn request(runs: usize) -> Value {
    let mut messages =
        vec![json!({ "role": "user", "content": [{ "type": "text", "text": "Build." }] })];
    for run in 0..runs {
        let id = format!("c{run}");
        let input = json!({ "command": format!("make {run}") });
        messages.extend([
            json!({ "role": "assistant", "content": [
                { "type": "tool_use", "id": id, "name": "Bash", "input": input },
            ] }),
            json!({ "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": id, "content": output(run) },
            ] }),
        ]);
    }
    let last = messages.last_mut().expect("a message");
    last["content"][0]["cache_control"] = json!({ "type": "ephemeral" });
    json!({ "model": MODEL, "max_tokens": 9, "system": system(2), "messages": messages })
}

fn sent(body: &Value, second: i64) -> Sent {
    let now = Timestamp(1_000 * second);
    Sent { api: ModelApi::Messages, now, body: body.to_string().into_bytes() }
}

/// Returns for requests after 0, 1, 2 … runs foveal's breakpoints, and whether the first result is
/// whole.
fn course(conversations: &RequestShaper, change: &dyn Fn(&mut Value)) -> (Vec<u64>, bool) {
    let mut told = Vec::new();
    let mut stands = true;
    for runs in 0..4 {
        let mut body = request(runs);
        change(&mut body);
        let sent = sent(&body, runs as i64);
        let shaped = shaped(conversations, &sent);
        let own = shaped.report.breakpoints;
        let went = bytes(shaped, &sent);
        assert_eq!(
            marks(ModelApi::Messages, &went) as u64,
            marks(ModelApi::Messages, &sent.body) as u64 + own
        );
        told.push(own);
        let went: Value = serde_json::from_slice(&went).expect("JSON");
        let result = &went["messages"][2]["content"][0]["content"];
        stands = result.is_null() || *result == output(0);
    }
    (told, stands)
}

#[test]
fn what_is_seen_goes_where_the_answer_before_it_is_kept() {
    let (told, stands) = course(&conversations("balanced"), &|_| {});
    assert_eq!((told, stands), (vec![0, 1, 1, 1], false));
    let conversations = conversations("balanced");
    let sent = sent(&request(2), 1);
    let went = bytes(shaped(&conversations, &sent), &sent);
    let scanned = RequestBody::scan(Protocol::Messages, &went).expect("a body");
    let at: Vec<_> = scanned.breakpoints.iter().map(|mark| mark.target).collect();
    use BreakpointTarget::{Message, System};
    assert_eq!(at, [System, System, Message(3), Message(4)]);
    assert_eq!(without_own_mark(&sent, &went), sent.body);
}

#[test]
fn where_the_answer_cannot_be_kept_nothing_goes_that_soon() {
    type Change = fn(&mut Value);
    let cases: [(&str, Change); 8] = [
        ("no mark is free", |body| body["system"] = system(3)),
        ("a model that is not known to cache by marks", |body| body["model"] = json!("kimi-k2")),
        ("too short to be cached", |body| body["system"] = json!("Be brief.")),
        ("the provider takes parts out", |body| {
            let kept = json!({ "type": "thinking_turns", "value": 1 });
            body["context_management"] =
                json!({ "edits": [{ "type": "clear_thinking_20251015", "keep": kept }] });
        }),
        ("an hour behind five minutes", |body| {
            let messages = body["messages"].as_array_mut().expect("messages");
            let last = messages.last_mut().expect("one");
            last["content"][0]["cache_control"] = json!({ "type": "ephemeral", "ttl": "1h" });
        }),
        ("nothing of the messages is marked", |body| {
            for message in body["messages"].as_array_mut().expect("messages") {
                message["content"][0].as_object_mut().expect("a block").remove("cache_control");
            }
        }),
        ("answers end with thinking", |body| {
            for message in body["messages"].as_array_mut().expect("messages") {
                if message["role"] == "assistant" {
                    let thinking = json!({ "type": "thinking", "thinking": "t", "signature": "s" });
                    message["content"].as_array_mut().expect("blocks").push(thinking);
                }
            }
        }),
        ("an older Claude", |body| {
            body["model"] = json!("claude-3-5-haiku-latest");
        }),
    ];
    for (why, change) in cases {
        assert_eq!(course(&conversations("balanced"), &change), (vec![0; 4], true), "{why}");
    }
    assert_eq!(course(&conversations("lossless"), &|_| {}), (vec![0; 4], true));
    let mut rules = ShapingRules::from_profile("balanced").expect("a profile");
    rules.breakpoint_mode = BreakpointMode::Off;
    let off = RequestShaper::new(rules, Arc::new(InMemoryRecorder::default()));
    assert_eq!(course(&off, &|_| {}), (vec![0; 4], true));
}

#[test]
fn claude_through_an_api_without_marks_keeps_no_answer() {
    let conversations = conversations("balanced");
    for runs in 0..4 {
        let mut messages = vec![json!({ "role": "user", "content": "Build." })];
        for run in 0..runs {
            let id = format!("c{run}");
            let arguments = json!({ "command": format!("make {run}") }).to_string();
            let function = json!({ "name": "Bash", "arguments": arguments });
            let call = json!({ "id": id, "type": "function", "function": function });
            messages.extend([
                json!({ "role": "assistant", "tool_calls": [call] }),
                json!({ "role": "tool", "tool_call_id": id, "content": output(run) }),
            ]);
        }
        let body = json!({ "model": "anthropic/claude-opus-4.5", "messages": messages });
        let body = body.to_string().into_bytes();
        let sent = Sent { api: ModelApi::Chat, now: Timestamp(1_000 * runs as i64), body };
        assert_eq!(shaped(&conversations, &sent).body, None, "{runs}");
    }
}

#[test]
fn thinking_that_is_all_kept_changes_nothing() {
    let keeps_all = |body: &mut Value| {
        body["context_management"] =
            json!({ "edits": [{ "type": "clear_thinking_20251015", "keep": "all" }] });
    };
    assert_eq!(course(&conversations("balanced"), &keeps_all), (vec![0, 1, 1, 1], false));
}

#[test]
fn a_client_that_marks_the_answer_itself_gets_no_mark() {
    let as_opencode = |body: &mut Value| {
        body["system"] = system(1);
        for message in body["messages"].as_array_mut().expect("messages").iter_mut().rev().take(2) {
            message["content"][0]["cache_control"] = json!({ "type": "ephemeral" });
        }
    };
    assert_eq!(course(&conversations("balanced"), &as_opencode), (vec![0; 4], false));
    let mut rules = ShapingRules::from_profile("balanced").expect("a profile");
    rules.breakpoint_mode = BreakpointMode::Off;
    let off = RequestShaper::new(rules, Arc::new(InMemoryRecorder::default()));
    assert_eq!(course(&off, &as_opencode), (vec![0; 4], false));
}

#[test]
fn a_mark_lives_as_long_as_the_clients() {
    let for_an_hour = |body: &mut Value| {
        let text = body.to_string().replace(r#""ephemeral""#, r#""ephemeral","ttl":"1h""#);
        *body = serde_json::from_str(&text).expect("JSON");
    };
    let conversations = conversations("balanced");
    assert_eq!(course(&conversations, &for_an_hour), (vec![0, 1, 1, 1], false));
    let mut body = request(4);
    for_an_hour(&mut body);
    let sent = sent(&body, 9);
    let went = bytes(shaped(&conversations, &sent), &sent);
    let scanned = RequestBody::scan(Protocol::Messages, &went).expect("a body");
    assert!(
        scanned.breakpoints.len() == 4
            && scanned.breakpoints.iter().all(|mark| mark.lasts_one_hour)
    );
}

fn asked<'a>(sent: &'a Sent, wait: &'a DecisionSlot) -> ShapeRequest<'a> {
    ShapeRequest {
        protocol: Protocol::Messages,
        counts_tokens: false,
        model: None,
        body: &sent.body,
        now: sent.now,
        profile_override: None,
        agents: &[],
        upstream: "",
        decision: wait,
    }
}

#[test]
fn other_requests_get_no_mark() {
    let conversations = conversations("balanced");
    for runs in 0..3 {
        shaped(&conversations, &sent(&request(runs), runs as i64));
    }
    let sent = sent(&request(3), 3);
    let wait = DecisionSlot::default();
    let counted = conversations.shape(&ShapeRequest { counts_tokens: true, ..asked(&sent, &wait) });
    let off =
        conversations.shape(&ShapeRequest { profile_override: Some("off"), ..asked(&sent, &wait) });
    assert_eq!((counted.report.breakpoints, off.body), (0, None));
    let went = bytes(counted.clone(), &sent);
    assert_eq!(marks(ModelApi::Messages, &went), marks(ModelApi::Messages, &sent.body));
    let shaped = shaped(&conversations, &sent);
    assert_eq!(
        shaped.report.tokens_sent, counted.report.tokens_sent,
        "what is counted is what goes"
    );
    assert_eq!(without_own_mark(&sent, &bytes(shaped, &sent)), went);
}

#[test]
fn a_request_for_a_summary_gets_no_mark() {
    // A model whose thinking is bound to the prompt: reduced results stay reduced.
    let bound = |runs: usize| {
        let mut body = request(runs);
        body["model"] = json!("claude-opus-5-5");
        body
    };
    let conversations = conversations("balanced");
    for runs in 0..4 {
        let sent = sent(&bound(runs), runs as i64);
        assert_eq!(shaped(&conversations, &sent).report.breakpoints, u64::from(runs > 0));
    }
    let mut body = bound(3);
    let summary = "Your task is to create a detailed summary of the conversation so far.";
    body["messages"].as_array_mut().expect("messages").push(json!({
        "role": "user", "content": [{ "type": "text", "text": summary }],
    }));
    let shaped = shaped(&conversations, &sent(&body, 4));
    assert_eq!((shaped.report.breakpoints, shaped.report.inactive_reason), (0, None));
}

#[test]
fn what_passes_keeps_no_answer() {
    let conversations = conversations("balanced");
    shaped(&conversations, &sent(&request(0), 0));
    let first = sent(&request(1), 1);
    let wait = DecisionSlot::impatient();
    let shaped = shaped_for(&conversations, &first, &wait);
    assert_eq!((shaped.report.breakpoints, wait.abandon(&first.body)), (0, Some(None)));
    let second = sent(&request(2), 2);
    let went = bytes(crate::support::shaped(&conversations, &second), &second);
    let went: Value = serde_json::from_slice(&went).expect("JSON");
    assert_eq!(went["messages"][2]["content"][0]["content"], output(0), "it was not kept");
}

#[test]
fn another_model_goes_on_by_its_own_rules() {
    for (other, marks_of_other) in [("claude-opus-4-6", 1), ("kimi-k2", 0)] {
        let kept = Arc::new(AsText::default());
        let conversations = over("balanced", Arc::clone(&kept) as _);
        let mut told = Vec::new();
        for runs in 0..6 {
            let mut body = request(runs);
            if runs == 3 {
                body["model"] = json!(other);
            }
            let sent = sent(&body, runs as i64);
            let shaped = shaped(&conversations, &sent);
            told.push(shaped.report.breakpoints);
            let went = bytes(shaped, &sent);
            let third = over("balanced", Arc::clone(&kept) as _);
            assert_eq!(went, bytes(crate::support::shaped(&third, &sent), &sent));
        }
        assert_eq!(told, [0, 1, 1, marks_of_other, 1, 1], "{other}");
    }
}

/// Stores steps as a store does: as text.
#[derive(Default)]
struct AsText(InMemoryRecorder);

impl Recorder for AsText {
    fn find_steps(
        &self,
        root: ContentHash,
        ends: &[ContentHash],
    ) -> Result<Vec<PlannedStep>, RecorderError> {
        self.0.find_steps(root, ends)
    }

    fn has_any_step(&self, ends: &[ContentHash]) -> Result<bool, RecorderError> {
        self.0.has_any_step(ends)
    }

    fn record_step(
        &self,
        turn: &StepRecord,
        contents: &[OriginalContent<'_>],
    ) -> Result<(), RecorderError> {
        let text = serde_json::to_string(&*turn.step).expect("a step is text");
        let step = Arc::new(serde_json::from_str(&text).expect("a step"));
        self.0.record_step(&StepRecord { step, ..turn.clone() }, contents)
    }
}

/// Returns the request of a client that sets breakpoints as Claude Code does.
fn with_system(sent: &Sent) -> Sent {
    let mut body: Value = serde_json::from_slice(&sent.body).expect("a body");
    body["system"] = system(2);
    Sent { body: body.to_string().into_bytes(), ..sent.clone() }
}

/// Operations of a generated conversation.
const OPERATIONS_MAX: usize = 24;

#[test]
fn generated_conversations_reach_what_is_tested() {
    let mut runner = TestRunner::deterministic();
    let (mut marked, mut rewritten) = (0, 0);
    for _ in 0..20 {
        let script =
            conversation_scripts(OPERATIONS_MAX).new_tree(&mut runner).expect("a script").current();
        let conversations = conversations("balanced");
        for sent in requests(&script, ModelApi::Messages).iter().map(with_system) {
            let about = shaped(&conversations, &sent).report;
            marked += usize::from(about.breakpoints > 0);
            rewritten += usize::from(about.rewrite.is_some_and(|why| why.contains("seen")));
        }
    }
    assert!(marked > 50 && rewritten > 10, "{marked} marked, {rewritten} rewritten");
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() }
}

const PROFILES: [&str; 3] = ["lossless", "balanced", "max"];

fn profiles() -> impl Strategy<Value = &'static str> {
    (0..PROFILES.len()).prop_map(|at| PROFILES[at])
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn nothing_changes_but_one_mark_and_texts_of_results(
        script in conversation_scripts(OPERATIONS_MAX), profile in profiles(),
    ) {
        let conversations = conversations(profile);
        for sent in requests(&script, ModelApi::Messages).iter().map(with_system) {
            let shaped = shaped(&conversations, &sent);
            let told = shaped.report.breakpoints as usize;
            prop_assert!(told <= 1 && !shaped.report.lacks_breakpoints);
            prop_assert!(told == 0 || profile != "lossless");
            let went = bytes(shaped, &sent);
            let before = marks(ModelApi::Messages, &sent.body);
            prop_assert!(before <= 3);
            prop_assert_eq!(marks(ModelApi::Messages, &went), before + told);
            let rest = without_results(ModelApi::Messages, &without_own_mark(&sent, &went));
            prop_assert_eq!(rest, without_results(ModelApi::Messages, &sent.body));
        }
    }

    #[test]
    fn a_restart_between_any_two_requests_moves_no_mark(
        script in conversation_scripts(OPERATIONS_MAX), profile in profiles(), late in any::<u32>(),
    ) {
        let one = conversations(profile);
        let kept = Arc::new(AsText::default());
        for (at, sent) in requests(&script, ModelApi::Messages).iter().map(with_system).enumerate() {
            let is_late = late >> (at % 32) & 3 == 3;
            let wait = || if is_late { DecisionSlot::impatient() } else { DecisionSlot::default() };
            let other = over(profile, Arc::clone(&kept) as _);
            let went = bytes(shaped_for(&one, &sent, &wait()), &sent);
            prop_assert_eq!(&went, &bytes(shaped_for(&other, &sent, &wait()), &sent));
            prop_assert_eq!(&went, &bytes(shaped(&other, &sent), &sent));
            let third = over(profile, Arc::clone(&kept) as _);
            prop_assert_eq!(&went, &bytes(shaped(&third, &sent), &sent));
        }
    }

    #[test]
    fn a_mark_breaks_no_prefix(script in conversation_scripts(OPERATIONS_MAX), late in any::<u32>()) {
        let conversations = conversations("balanced");
        let mut earlier: Vec<(Vec<String>, Vec<String>)> = Vec::new();
        for (at, sent) in requests(&script, ModelApi::Messages).iter().map(with_system).enumerate() {
            let is_late = late >> (at % 32) & 3 == 3;
            let wait = if is_late { DecisionSlot::impatient() } else { DecisionSlot::default() };
            let shaped = shaped_for(&conversations, &sent, &wait);
            let rewrite = shaped.report.rewrite;
            let went = match wait.abandon(&sent.body) {
                Some(earlier) if is_late => earlier.unwrap_or_else(|| sent.body.clone()),
                Some(_) | None => bytes(shaped, &sent),
            };
            let asked = messages(ModelApi::Messages, &sent.body);
            let went = messages(ModelApi::Messages, &without_own_mark(&sent, &went));
            let continued = earlier.iter().rev().filter(|(before, _)| asked.starts_with(before));
            let continued = continued.max_by_key(|(before, _)| before.len());
            if let Some((_, before)) = continued.filter(|_| rewrite.is_none()) {
                prop_assert_eq!(&before[..], &went[..before.len()]);
            }
            earlier.push((asked, went));
        }
    }
}
