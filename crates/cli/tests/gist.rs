//! A model that tells the oldest turns in words, beside the run.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use foveal_upstream::{Fault, Play, Reply, Script, Settings, Upstream};
use serde_json::{Value, json};

use crate::run_sessions::{go_on, messages};
use crate::run_task::{DIALECTS, bodies, calls, events, of_type, provider, run};
use crate::world::World;

/// Turns of the model, the last without a call.
const TURNS: usize = 26;

/// The prompt is over the high mark from about this one on.
const LONG_FROM: usize = 14;

const SECRET: &str = "sk-ant-api03-Tc6Rf8Lp3Hs5Jd1Gz0AyKx7Qm2Vn9Wb4";

/// What the model tells.
const TELLING: &str = "It weighed the plans one after the other and kept plan three.";

/// What the model says in a turn: much.
fn says(turn: usize, key: &str) -> Reply {
    let mut words = format!("Turn {turn}. The key is {key} for now.");
    for line in 0..520 {
        words += &format!(" Plan {turn} step {line} would do, but others are better.");
    }
    match turn {
        _ if turn + 1 >= TURNS => Reply::text("All is said."),
        _ => Reply { text: words, ..calls(&[("list", json!({"path": format!("d{turn}")}))]) },
    }
}

/// A model that says much, and waits for the one beside it where the prompt is long.
fn talker(beside: &Arc<Upstream>, key: &'static str) -> Upstream {
    let upstream = provider([Reply::text("")]);
    let beside = Arc::clone(beside);
    upstream.play(Script::new(move |request| {
        if request.turn >= LONG_FROM && request.turn + 1 < TURNS {
            let until = Instant::now() + Duration::from_secs(1);
            while beside.requests() == 0 && Instant::now() < until {
                thread::sleep(Duration::from_millis(10));
            }
            thread::sleep(Duration::from_millis(150));
        }
        Play::from(says(request.turn, key))
    }));
    upstream
}

fn world(test: &str, beside: &Upstream, dialect: &str) -> World {
    let world = World::new(test);
    for turn in 0..TURNS {
        world.write(&format!("d{turn}/a.txt"), "a\n");
    }
    let settings = format!("gist_model = \"{dialect}:small@{}\"\n", beside.url());
    world.write("home/.config/foveal/config.toml", settings);
    world
}

const OPTIONS: &str = "--yes --json --profile max";

/// The texts of the model in a request.
fn texts(body: &Value) -> Vec<String> {
    fn of(value: &Value, texts: &mut Vec<String>) {
        match value {
            Value::String(text) => texts.push(text.clone()),
            Value::Array(all) => all.iter().for_each(|part| match part {
                Value::Object(part) => {
                    texts.extend(part.get("text").and_then(Value::as_str).map(str::to_owned));
                }
                other => of(other, texts),
            }),
            _ => {}
        }
    }
    let mut all = Vec::new();
    for message in messages(body).iter().filter(|message| message["role"] == "assistant") {
        of(&message["content"], &mut all);
    }
    all
}

/// All questions are answered and counted; the last may be under way, and not have arrived.
fn check_costs(costs: &[&Value], asked: usize) {
    let estimated = costs.iter().position(|cost| cost["estimated"] == true);
    assert!(estimated.is_none_or(|at| at + 1 == costs.len()), "{costs:?}");
    let late = costs.len().checked_sub(asked);
    assert!(
        late.is_some_and(|late| late <= usize::from(estimated.is_some())),
        "{asked}: {costs:?}"
    );
}

#[test]
fn the_oldest_turns_are_told_in_words() {
    for dialect in DIALECTS {
        let beside = Arc::new(provider([Reply::text(json!({"gist": TELLING}).to_string())]));
        let upstream = talker(&beside, "4711");
        let world = world(&format!("gist-{dialect}"), &beside, dialect);
        let ran = run(&world, &upstream, dialect, OPTIONS);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let events = events(&ran);
        let told = of_type(&events, "gist");
        assert!(!told.is_empty(), "{dialect}: nothing is told");
        let count = |told: &Value, of: &str| told[of].as_u64().expect("a number");
        for told in &told {
            assert!(count(told, "turns") >= 3, "{told}");
            assert!(count(told, "tokens") * 4 < count(told, "tokens_before"), "{told}");
            assert!(count(told, "model_tokens") > 1_000, "{told}");
            assert_eq!(told["model"], format!("{dialect}:small@{}", beside.url()));
        }
        // What it cost counts, whether or not what it told was of use.
        let costs = of_type(&events, "side_usage");
        assert!(costs.iter().all(|cost| cost["agent"] == "gist"), "{costs:?}");
        check_costs(&costs, beside.requests());
        // It was asked with what was said, and in the form of its answer.
        for asked in bodies(&beside) {
            let asked = asked.to_string();
            assert!(
                asked.contains("The key is 4711") && asked.contains("It calls: list"),
                "{asked}"
            );
            assert!(!asked.contains("Turn 25.") && asked.contains("0.3"), "{asked}");
        }
        // All calls stand there still, and all turns say something.
        let all = bodies(&upstream);
        let last = all.last().expect("requests");
        let said = texts(last);
        assert_eq!(said.len(), TURNS - 1);
        let turns: u64 = told.iter().map(|told| count(told, "turns")).sum();
        let is_told = |text: &&String| text.starts_with("[told in short above; expand ");
        assert_eq!(said.iter().filter(is_told).count() as u64, turns - told_times(&said));
        assert!(said[0].starts_with("[what you said in "), "{}", said[0]);
        assert!(said[0].ends_with(TELLING), "{}", said[0]);
        assert_eq!(
            last.to_string().matches("d7").count(),
            all[8].to_string().matches("d7").count()
        );
        // What had gone changes only with a rewrite that is told.
        let sent = of_type(&events, "sent");
        for (at, pair) in all.windows(2).enumerate() {
            let [before, after] = [messages(&pair[0]), messages(&pair[1])];
            let is_rewrite = !sent[at + 1]["rewrite"].is_null();
            assert!(is_rewrite || after.starts_with(&before), "{dialect}: request {}", at + 2);
        }
        // What is told can be had again.
        let (_, handle) = said[0].split_once("expand ").expect("a way back");
        let expanded = world.run(&format!("expand {}", &handle[..12])).out;
        assert!(expanded.contains("Plan 0 step 519 would do, but others are better."));
        // The session goes on in the same bytes, also where no model is named any more.
        world.write("home/.config/foveal/config.toml", "");
        let ran = go_on(&world, &["--continue", "and now?"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let again = bodies(&upstream);
        let [before, after] = [last, again.last().expect("requests")].map(messages);
        for (at, (one, other)) in before.iter().zip(&after).enumerate() {
            assert_eq!(one, other, "{dialect}: message {at} of {}", before.len());
        }
        assert!(after.len() > before.len(), "{dialect}");
    }
}

/// How many tellings stand there.
fn told_times(said: &[String]) -> u64 {
    said.iter().filter(|text| text.starts_with("[what you said in ")).count() as u64
}

/// What the models say may hold secrets: neither does the one beside see any, nor is one kept.
#[test]
fn secrets_are_not_told() {
    let beside = Arc::new(provider([Reply::text(json!({"gist": TELLING}).to_string())]));
    let upstream = talker(&beside, SECRET);
    let world = world("gist-secret", &beside, "chat");
    let ran = run(&world, &upstream, "chat", OPTIONS);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let asked = Value::from(bodies(&beside)).to_string();
    assert!(asked.contains("The key is [secret removed") && !asked.contains(SECRET), "{asked}");
    let last = bodies(&upstream).pop().expect("requests");
    let said = texts(&last);
    let (_, handle) = said[0].split_once("expand ").expect("a way back");
    let expanded = world.run(&format!("expand {}", &handle[..12])).out;
    assert!(expanded.contains("The key is [secret removed") && !expanded.contains(SECRET));
    // What was told stays told where the session goes on with the words as they were kept.
    world.write("home/.config/foveal/config.toml", "");
    let ran = go_on(&world, &["--continue", "and now?"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let again = texts(&bodies(&upstream).pop().expect("requests"));
    assert_eq!(again[0], said[0]);
    assert!(!Value::from(again).to_string().contains(SECRET));
}

/// Whatever the model beside does, the run goes on as without it.
#[test]
fn without_a_telling_of_use_the_run_goes_on() {
    let says = |words: &str| Play::from(Reply::text(json!({ "gist": words }).to_string()));
    let plays = [
        ("lies", says("It rewrote `src/payments.rs` and ran `rm -rf /`."), 2),
        ("long", says(&"It said that plan three is the best. ".repeat(400)), 2),
        ("garbage", Play::from(Reply::text("I do not know.")), 2),
        ("fails", Play::from(Fault::Status { status: 500, retry_after_s: None }), 1),
        ("stalls", Play { fault: Fault::Silent(1), ..says("It was so.") }, 1),
    ];
    for (name, play, requests) in plays {
        let beside = Arc::new(Upstream::start(Settings::default()).expect("a provider"));
        beside.play(Script::always(play));
        let upstream = talker(&beside, "4711");
        let world = world(&format!("gist-{name}"), &beside, "chat");
        let begun = Instant::now();
        let ran = run(&world, &upstream, "chat", OPTIONS);
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.err);
        assert!(begun.elapsed() < Duration::from_secs(40), "{name}: it was waited for");
        assert_eq!(of_type(&events(&ran), "gist").len(), 0, "{name}");
        // After that it is left alone for a while.
        assert_eq!(beside.requests(), requests, "{name}");
        let last = bodies(&upstream).pop().expect("requests").to_string();
        assert!(!last.contains("in short") && last.contains("Plan 0 step 519"), "{name}");
    }
}

#[test]
fn nobody_is_asked_unless_the_user_names_a_model() {
    let beside = Arc::new(provider([Reply::text(json!({"gist": TELLING}).to_string())]));
    let upstream = talker(&beside, "4711");
    let world = world("gist-off", &beside, "chat");
    world.write("home/.config/foveal/config.toml", "");
    let ran = run(&world, &upstream, "chat", OPTIONS);
    assert_eq!((ran.code, beside.requests()), (Some(0), 0), "{}", ran.err);
    // A key that is not set is said, and all goes on.
    world.write("home/.config/foveal/config.toml", "gist_model = \"anthropic:m\"\n");
    let ran = go_on(&world, &["--continue", "and now?"]);
    assert!(ran.err.contains("no model tells old turns in words"), "{}", ran.err);
    assert_eq!(ran.code, Some(0));
    world.write("home/.config/foveal/config.toml", "\ngist_model = \"gpt\"\n");
    let ran = go_on(&world, &["--continue", "and now?"]);
    assert!(ran.code == Some(2) && ran.err.contains("line 2"), "{}", ran.err);
}
