//! What models beside the main one cost: it is told, it counts, and it ends what has a limit.

use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use foveal_mock_provider::{MockProvider, ModelReply, ReplyScript, ScriptedFault, ScriptedOutcome};
use serde_json::{Value, json};

use crate::curator::{chooses, file, world};
use crate::run_task::{calls, events, model, of_type, provider};
use crate::world::{Ran, World};

/// What the small model costs in dollars a token; the main one is not named so.
const PRICES: &str =
    "[[gateway.prices]]\nmodel = \"small\"\ninput = 1000000\noutput = 2000000\ncached = 1000000\n";

/// A model that reads a file, and says that it saw it.
fn reads() -> MockProvider {
    provider([calls(&[("read_file", json!({"path": "steps.rs"}))]), ModelReply::from_text("Seen.")])
}

/// Has the model work in this world, with these options.
fn run(world: &World, upstream: &MockProvider, options: &str) -> Ran {
    let mut command = world.command("run");
    command.args(options.split_whitespace()).args(["--model", &model(upstream, "chat")]);
    world.ran(command.arg("what does step_12 do?").stdin(Stdio::null()))
}

fn number(of: &Value) -> f64 {
    of.as_f64().expect("a number")
}

/// What the provider billed a model for all it was asked: dollars by `PRICES`, and tokens.
fn billed(upstream: &MockProvider) -> (f64, u64) {
    let bills = upstream.received_requests().into_iter().filter_map(|seen| seen.bill);
    bills.fold((0.0, 0), |(cost, tokens), bill| {
        let (prompt, output) = (bill.prompt_tokens(), bill.output);
        (cost + (prompt + 2 * output) as f64, tokens + prompt + output)
    })
}

#[test]
fn a_run_tells_what_they_cost_by_their_own_prices() {
    for dialect in ["chat", "responses", "messages"] {
        let curator = provider([chooses(111, 120)]);
        let world = world(&format!("side-costs-{dialect}"), &curator, dialect, PRICES);
        world.write("steps.rs", file(90));
        let upstream = reads();
        let ran = run(&world, &upstream, "--json --profile curated");
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let events = events(&ran);
        let told = of_type(&events, "side_usage");
        let [told] = told[..] else { panic!("{events:?}") };
        let (cost, tokens) = billed(&curator);
        assert_eq!(number(&told["cost"]), cost, "{dialect}: {told}");
        let parts = ["uncached", "cache_read", "cache_write", "output"];
        let all = |of: &Value| parts.map(|part| number(&of[part])).iter().sum::<f64>();
        assert_eq!(all(told), tokens as f64, "{dialect}: {told}");
        assert_eq!((&told["agent"], &told["estimated"]), (&json!("curator"), &json!(false)));
        assert_eq!(told["model"], format!("{dialect}:small@{}", curator.url()));
        // It is a part of what all came to.
        let spent = &events.last().expect("an event")["spent"];
        let side = &spent["side"];
        assert_eq!((number(&side["cost"]), all(side)), (cost, tokens as f64), "{spent}");
        assert_eq!((&side["requests"], &spent["turns"]), (&json!(1), &json!(2)));
        let main: u64 = upstream
            .received_requests()
            .iter()
            .filter_map(|it| it.bill)
            .map(|it| it.prompt_tokens() + it.output)
            .sum();
        assert_eq!(all(spent), (main + tokens) as f64, "{spent}");
        let rest = number(&spent["cost"]) - cost;
        assert!(rest > 0.0 && rest < 1.0, "{spent}");
        // A person reads a line of it.
        let upstream = reads();
        let ran = run(&world, &upstream, "--profile curated");
        let line = "tokens and $";
        assert!(!ran.err.contains(line), "what was chosen is known: {}", ran.err);
        world.write("steps.rs", file(91));
        let ran = run(&world, &reads(), "--profile curated");
        assert!(ran.err.contains(" in 1 request to side models"), "{}", ran.err);
        assert!(ran.err.contains("  of that, ") && ran.err.contains(line), "{}", ran.err);
    }
}

/// The main model is not asked once a model on the way of its request has reached the limit.
#[test]
fn what_helps_to_decide_about_a_request_counts_before_it_goes() {
    for (name, option) in [("cost", "--max-cost 1"), ("tokens", "--max-tokens 9000")] {
        let curator = provider([chooses(111, 120)]);
        let world = world(&format!("side-limit-{name}"), &curator, "chat", PRICES);
        world.write("steps.rs", file(90));
        let upstream = reads();
        let ran = run(&world, &upstream, &format!("--json --profile curated {option}"));
        assert_eq!((ran.code, upstream.request_count()), (Some(1), 1), "{}", ran.out);
        let events = events(&ran);
        let last = events.last().expect("an event");
        assert_eq!((&last["outcome"], &last["limit"]), (&json!("limit"), &json!(name)), "{last}");
        assert_eq!((&last["spent"]["turns"], curator.request_count()), (&json!(1), 1), "{last}");
    }
}

/// A provider that is asked again and again for files until it says that it saw them, each time once
/// the curator has answered, or cannot.
fn reads_one_after_the_other(curator: &Arc<MockProvider>) -> MockProvider {
    let upstream = provider([ModelReply::from_text("")]);
    let curator = Arc::clone(curator);
    upstream.set_script(ReplyScript::new(move |request| {
        let until = Instant::now() + Duration::from_secs(5);
        while request.turn == 1 && curator.request_count() == 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        if request.turn > 0 {
            std::thread::sleep(Duration::from_millis(400));
        }
        ScriptedOutcome::from(match request.turn {
            turn @ 0..4 => calls(&[("read_file", json!({"path": format!("s{turn}.rs")}))]),
            _ => ModelReply::from_text("Seen."),
        })
    }));
    upstream
}

fn world_of_four(test: &str, curator: &MockProvider) -> World {
    let world = world(test, curator, "chat", PRICES);
    for at in 0..4 {
        world.write(&format!("s{at}.rs"), file(60 + at));
    }
    world
}

/// Nobody waits for a model that chooses beside the run, but it counts all the same, and is not asked
/// any more once the limit is reached.
#[test]
fn what_is_asked_beside_the_run_ends_it_too() {
    let curator = Arc::new(provider([chooses(111, 120)]));
    let world = world_of_four("side-beside", &curator);
    let ran = run(&world, &reads_one_after_the_other(&curator), "--json --max-cost 1");
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    let last = events(&ran).pop().expect("an event");
    assert_eq!((&last["limit"], curator.request_count()), (&json!("cost"), 1), "{last}");
    // With more money the other files are asked about, and it goes on to its end.
    let curator = Arc::new(provider([chooses(111, 120)]));
    let world = world_of_four("side-beside-rich", &curator);
    let upstream = reads_one_after_the_other(&curator);
    let ran = run(&world, &upstream, "--json --max-cost 1e9");
    assert!(ran.code == Some(0) && curator.request_count() > 1, "{}", ran.out);
}

/// A question that is not answered when the run ends was asked: it counts by estimate.
#[test]
fn what_is_under_way_at_the_end_counts() {
    let curator = Arc::new(provider([chooses(111, 120)]));
    curator.set_script(ReplyScript::always(ScriptedOutcome {
        fault: ScriptedFault::SilentBefore(1),
        ..ScriptedOutcome::from(chooses(1, 9))
    }));
    let world = world_of_four("side-under-way", &curator);
    let ran = run(&world, &reads_one_after_the_other(&curator), "--json --profile balanced");
    assert_eq!(ran.code, Some(0), "{}", ran.out);
    let events = events(&ran);
    let [.., told, last] = &events[..] else { panic!("{events:?}") };
    assert_eq!((&told["type"], &told["estimated"]), (&json!("side_usage"), &json!(true)), "{told}");
    assert!(number(&told["cost"]) > 1_000.0 && told["output"] == 0, "{told}");
    assert_eq!(last["spent"]["side"]["requests"], 1, "{last}");
}

/// A model on this machine is free, as the main one is there; its tokens count.
#[test]
fn a_local_model_costs_no_money() {
    let curator = provider([chooses(111, 120)]);
    let world = World::new("side-free");
    world.write("steps.rs", file(90));
    world.write("home/.config/foveal/config.toml", "curator_model = \"ollama:small\"\n");
    let upstream = reads();
    let mut command = world.command("run --json --profile curated --max-cost 1 --model");
    command.arg(model(&upstream, "chat")).env("OLLAMA_HOST", curator.address().to_string());
    let ran = world.ran(command.arg("what does step_12 do?").stdin(Stdio::null()));
    assert_eq!((ran.code, curator.request_count()), (Some(0), 1), "{}", ran.err);
    let side = &events(&ran).pop().expect("an event")["spent"]["side"];
    assert!(side["cost"] == 0.0 && number(&side["uncached"]) > 1_000.0, "{side}");
}

/// What is asked because of a sub-agent counts for the agent that starts it, once; a request of the
/// sub-agent does not go where that reaches the limit.
#[test]
fn what_is_asked_beside_a_sub_agent_counts_too() {
    let is_main = |body: &Value| body["tools"].to_string().contains("\"start_agent\"");
    for (name, more, requests) in [("rich", "", 4), ("poor", "--max-cost 1", 2)] {
        let curator = provider([chooses(111, 120)]);
        let world = world(&format!("side-agents-{name}"), &curator, "chat", PRICES);
        world.write("steps.rs", file(90));
        let upstream = provider([ModelReply::from_text("")]);
        upstream.set_script(ReplyScript::new(move |asked| {
            let task = json!({"task": "what does step_12 do?", "label": "look"});
            ScriptedOutcome::from(match (is_main(asked.body), asked.turn) {
                (true, 0) => calls(&[("start_agent", task)]),
                (false, 0) => calls(&[("read_file", json!({"path": "steps.rs"}))]),
                _ => ModelReply::from_text("Seen."),
            })
        }));
        let ran = run(&world, &upstream, &format!("--json --profile curated --yes {more}"));
        assert_eq!(upstream.request_count(), requests, "{name}: {}", ran.out);
        let events = events(&ran);
        let told = of_type(&events, "side_usage");
        assert_eq!((told.len(), curator.request_count()), (1, 1), "{told:?}");
        let spent = &events.last().expect("an event")["spent"];
        assert_eq!(number(&spent["side"]["cost"]), billed(&curator).0, "{name}: {spent}");
        assert_eq!(spent["agents"]["count"], 1, "{name}: {spent}");
        let rest = number(&spent["cost"]) - number(&spent["side"]["cost"]);
        assert!(rest > 0.0 && rest < 1.0, "it counts once: {spent}");
        if name == "poor" {
            assert_eq!(events.last().expect("an event")["limit"], "cost", "{spent}");
        }
    }
}

/// A server that refuses the form of a question bills nothing for that.
#[test]
fn a_refused_request_costs_nothing() {
    let curator = provider([chooses(111, 120)]);
    let refused = ScriptedOutcome::from(ScriptedFault::Status { status: 400, retry_after_s: None });
    curator.set_script(ReplyScript::in_order([refused, ScriptedOutcome::from(chooses(111, 120))]));
    let world = world("side-refused", &curator, "chat", PRICES);
    world.write("steps.rs", file(90));
    let ran = run(&world, &reads(), "--json --profile curated");
    let side = &events(&ran).pop().expect("an event")["spent"]["side"];
    assert_eq!((&side["requests"], curator.request_count()), (&json!(1), 2), "{side}");
}
