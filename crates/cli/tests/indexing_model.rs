//! A model that reads files into the index, beside everything else.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use foveal_mock_provider::{
    MockProvider, ModelReply, ReplyScript, ScriptRequest, ScriptedFault, ScriptedOutcome, Settings,
};
use serde_json::{Value, json};

use crate::chat::chat;
use crate::run_task::{bodies, calls, events, model, of_type};
use crate::world::World;

/// How long it is waited for the model.
const PATIENCE: Duration = Duration::from_secs(600);

/// A server of tools that goes on until it is dropped.
pub(crate) struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    number: u64,
}

impl Server {
    pub(crate) fn start(world: &World) -> Self {
        let mut command = world.command("mcp");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut server = Self { child, input, output, number: 0 };
        server.ask(
            "initialize",
            &json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}),
        );
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        server.send(&ready);
        server
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().expect("it is open"), "{message}").expect("it reads");
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let number = self.number;
        self.send(&json!({"jsonrpc": "2.0", "id": number, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("it answers") > 0, "it is gone");
            let message: Value = serde_json::from_str(&line).expect("JSON");
            if message["id"] == number {
                return message["result"].clone();
            }
        }
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        answer["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn read(&mut self, path: &str) {
        self.call("read_file", &json!({ "path": path, "mode": "full" }));
    }

    /// How far the model has come, once it is as wanted.
    pub(crate) fn state(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            let report = self.ask("resources/read", &json!({"uri": "foveal://session.json"}));
            let text = report["contents"][0]["text"].as_str().expect("a text").to_owned();
            let report: Value = serde_json::from_str(&text).expect("JSON");
            let state = report["indexer"].clone();
            if wanted(&state) {
                return state;
            }
            assert!(Instant::now() < until, "{state}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.input = None;
        drop(self.child.wait());
    }
}

const WORDS: &str = "computes the triangular postage discount";

/// A model that says something of the first thing, and relates it to the last that it is told.
fn answers(asked: &ScriptRequest<'_>) -> ScriptedOutcome {
    let text = asked.body.to_string();
    let summaries = text.contains("\"thing\\\\\\\": 1") || text.contains("one line of at most 120");
    let answer = match summaries {
        true => json!({"summaries": [{"thing": 1, "summary": WORDS}]}),
        false => json!({"relations": [{"from": 1, "to": 2, "why": "reads what this writes"}]}),
    };
    ScriptedOutcome::from(ModelReply::from_text(answer.to_string()))
}

fn world(test: &str, upstream: &MockProvider, more: &str) -> World {
    let world = World::new(test);
    world.write("a.rs", "pub fn zorp(n: u32) -> u32 {\n    n * 3 + 1\n}\n");
    world.write("b.rs", "pub fn blip() -> u32 {\n    7\n}\n");
    let settings = format!("indexer_model = \"chat:small@{}\"\n{more}", upstream.url());
    world.write("home/.config/foveal/config.toml", settings);
    world
}

fn provider() -> MockProvider {
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    upstream.set_script(ReplyScript::new(answers));
    upstream
}

/// A prompt holds sixty functions: the model is asked about the others too.
#[test]
fn a_large_file_is_asked_about_in_parts() {
    let upstream = provider();
    let world = world("indexing-parts", &upstream, "");
    let text: String = (1..=130).map(|at| format!("pub fn part_{at}() {{}}\n")).collect();
    world.write("large.rs", text);
    let mut server = Server::start(&world);
    server.read("large.rs");
    server.state(|state| state["told"] == 1 && state["running"].is_null());
    let asked: Vec<String> = bodies(&upstream).iter().map(Value::to_string).collect();
    let first_phase = asked.iter().filter(|body| body.contains("one line of at most 120"));
    assert_eq!(first_phase.count(), 3, "{asked:?}");
    for at in 1..=130 {
        let listed = format!("function part_{at}, line {at}\\n");
        assert_eq!(asked.iter().filter(|body| body.contains(&listed)).count(), 1, "{listed}");
    }
}

/// Ignored and hidden files are searched once the model has read them.
#[test]
fn a_file_that_was_read_is_indexed_though_it_is_ignored() {
    let world = World::new("indexing-ignored");
    world.write(".gitignore", "built/\n");
    world.write("built/zebra.rs", "pub fn zebra_crossing() -> u32 {\n    3\n}\n");
    world.write(".notes/quokka.md", "# Quokka habitats\n\nThey live on an island.\n");
    world.write("src/a.rs", "pub fn other() {}\n");
    let mut server = Server::start(&world);
    let search = |server: &mut Server, words: &str| {
        server.call("search_code", &json!({"query": words, "enable_duplicate_detection": false}))
    };
    let before = search(&mut server, "zebra crossing");
    assert!(!before.contains("built/zebra.rs"), "{before}");
    server.read("built/zebra.rs");
    server.read(".notes/quokka.md");
    for (words, path) in
        [("zebra crossing", "built/zebra.rs"), ("quokka habitats", ".notes/quokka.md")]
    {
        let found = search(&mut server, words);
        assert!(found.contains(path), "{words}: {found}");
    }
}

#[test]
fn files_that_were_read_are_told_of_found_and_asked_about_again() {
    let upstream = provider();
    let world = world("indexing-model", &upstream, "");
    let mut server = Server::start(&world);
    server.read("a.rs");
    let state = server.state(|state| state["told"] == 1 && state["running"].is_null());
    assert!(state["tokens"].as_u64().is_some_and(|tokens| tokens > 0), "{state}");
    // Each question begins anew: the second knows only what came of the first.
    let [first, second] = bodies(&upstream).try_into().expect("two requests");
    assert_eq!(
        (first["temperature"].as_f64(), second["messages"].as_array().map(Vec::len)),
        (Some(0.3), Some(2))
    );
    assert!(first["response_format"]["json_schema"]["schema"].is_object());
    assert!(first.to_string().contains("1: pub fn zorp"), "{first}");
    assert!(second.to_string().contains(WORDS), "{second}");
    let found = server.call("search_code", &json!({"query": "triangular postage discount"}));
    assert!(found.contains("a.rs:1-3 function zorp"), "{found}");
    assert!(found.contains(&format!("[a model says of zorp: {WORDS}]")), "{found}");
    // Relations to files that are told of already.
    server.read("b.rs");
    server.state(|state| state["told"] == 2 && state["running"].is_null());
    let related = server.call("graph", &json!({"symbol": "zorp"}));
    assert!(related.contains(&format!("[a model says of zorp: {WORDS}]")), "{related}");
    let relation = "[a model says of b.rs:blip and a.rs:zorp: reads what this writes]";
    assert!(related.contains(relation), "{related}");
    // What was told stays, and costs nothing again.
    let asked = upstream.request_count();
    server.read("a.rs");
    drop(server);
    let found = world.run("search triangular postage discount");
    assert!(found.out.contains(&format!("a model says: {WORDS}")), "{}", found.out);
    graph_marks_what_it_says(&world);
    let mut server = Server::start(&world);
    server.read("a.rs");
    server.state(|state| state["waiting"] == 0 && state["running"].is_null());
    assert_eq!(upstream.request_count(), asked);
    // A file that changed is another.
    world.write("a.rs", "pub fn zorp(n: u32) -> u32 {\n    n * 4 + 1\n}\n");
    server.read("a.rs");
    server.state(|state| state["told"] == 1 && state["running"].is_null());
    assert_eq!(upstream.request_count(), asked + 2);
}

/// `foveal graph` at a shell tells a model's words from what was read of the code.
fn graph_marks_what_it_says(world: &World) {
    const WHY: &str = "reads what this writes";
    let zorp = world.output("graph zorp");
    assert!(zorp.contains(&format!("\n  a model says: {WORDS}\n")), "{zorp}");
    let other =
        format!("\nrelated, as a model says (1)\n  b.rs:1  function blip  to here: {WHY}\n");
    assert!(zorp.contains(&other) && !zorp.contains("no relations"), "{zorp}");
    let blip = world.output("graph blip");
    assert!(blip.contains(&format!("  a.rs:1  function zorp  from here: {WHY}\n")), "{blip}");
    let json: Value = serde_json::from_str(&world.output("graph zorp --json")).expect("JSON");
    assert_eq!(json["relations"], json!([]));
    assert_eq!(json["model_relations"][0]["why"], WHY);
    let names = ["from", "to"].map(|end| {
        let id = &json["model_relations"][0][end];
        let nodes = json["nodes"].as_array().expect("a list");
        let node = nodes.iter().find(|node| node["id"] == *id).expect("its node");
        (node["name"].clone(), node["model_says"].clone())
    });
    assert_eq!(names, [(json!("blip"), json!(WORDS)), (json!("zorp"), json!(WORDS))]);
    let mermaid = world.output("graph zorp --format mermaid");
    assert!(mermaid.contains(&format!("n1 -. \"a model says: {WHY}\" .-> n0")), "{mermaid}");
    let dot = world.output("graph zorp --format dot");
    let edge = format!("n1 -> n0 [label=\"a model says: {WHY}\", style=dotted];");
    assert!(dot.contains(&edge), "{dot}");
    // What a rule hides is related to nothing.
    let path = "home/.config/foveal/config.toml";
    let settings = std::fs::read_to_string(world.folder.join(path)).expect("settings");
    let rule = "[[permissions]]\ntool = \"graph\"\nsubject = \"b.rs\"\nverdict = \"deny\"\n";
    world.write(path, format!("{settings}\n{rule}"));
    for format in ["text", "json", "dot"] {
        let told = world.output(&format!("graph zorp --format {format}"));
        assert!(told.contains(WORDS) != (format == "dot") && !told.contains("blip"), "{told}");
        assert!(!told.contains(WHY), "{told}");
    }
    world.write(path, settings);
}

#[test]
fn it_stops_at_its_budget() {
    let upstream = provider();
    let world = world("indexing-budget", &upstream, "indexer_tokens_max = 1\n");
    let mut server = Server::start(&world);
    server.read("a.rs");
    server.state(|state| state["told"] == 1 && state["running"].is_null());
    server.read("b.rs");
    let state = server.state(|state| state["waiting"] == 0);
    assert_eq!((&state["told"], &state["tokens_max"]), (&json!(1), &json!(1)), "{state}");
    assert_eq!(upstream.request_count(), 1);
}

/// Whatever goes wrong, the index is as without a model.
#[test]
fn failures_leave_nothing() {
    let plays = [
        ("garbage", ScriptedOutcome::from(ModelReply::from_text("I do not know.")), 2),
        (
            "fails",
            ScriptedOutcome::from(ScriptedFault::Status { status: 500, retry_after_s: None }),
            1,
        ),
        (
            "cut",
            ScriptedOutcome {
                fault: ScriptedFault::TruncatedBefore(2),
                ..ScriptedOutcome::from(ModelReply::from_text("{}"))
            },
            1,
        ),
    ];
    for (name, play, requests) in plays {
        let upstream = MockProvider::start(Settings::default()).expect("a provider");
        upstream.set_script(ReplyScript::always(play));
        let world = world(&format!("indexing-{name}"), &upstream, "");
        let mut server = Server::start(&world);
        server.read("a.rs");
        let state = server.state(|state| state["failed"] == 1);
        assert_eq!(state["told"], 0, "{name}");
        assert_eq!(upstream.request_count(), requests, "{name}");
        let found = server.call("search_code", &json!({"query": "zorp"}));
        assert!(found.contains("function zorp") && !found.contains("a model says"), "{found}");
        if requests > 1 {
            continue;
        }
        // Whoever failed is left alone for a while; files wait for that and are not given up.
        server.read("b.rs");
        server.state(|state| state["running"] == "b.rs");
        std::thread::sleep(Duration::from_millis(300));
        let state = server.state(|_| true);
        assert_eq!((&state["running"], &state["failed"]), (&json!("b.rs"), &json!(1)), "{name}");
        assert_eq!(upstream.request_count(), requests, "{name}");
    }
}

/// A server that never answers keeps nobody from searching, nor from ending.
#[test]
fn nobody_waits_for_it() {
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    upstream.set_script(ReplyScript::always(ScriptedOutcome {
        fault: ScriptedFault::SilentBefore(1),
        ..ScriptedOutcome::from(ModelReply::from_text("{}"))
    }));
    let world = world("indexing-silent", &upstream, "");
    let begun = Instant::now();
    let mut server = Server::start(&world);
    server.read("a.rs");
    upstream.wait_for_requests(1, Duration::from_secs(30));
    let state = server.state(|state| !state["running"].is_null());
    assert_eq!(state["running"], "a.rs");
    assert!(server.call("search_code", &json!({"query": "zorp"})).contains("function zorp"));
    drop(server);
    assert!(begun.elapsed() < Duration::from_secs(40), "{:?}", begun.elapsed());
}

#[test]
fn nobody_is_asked_unless_the_user_names_one() {
    let world = World::new("indexing-off");
    world.write("a.rs", "pub fn zorp() {}\n");
    let mut server = Server::start(&world);
    server.read("a.rs");
    assert!(server.state(|_| true).is_null());
    drop(server);
    world.write("home/.config/foveal/config.toml", "indexer_tokens_max = 5\n");
    let ran = world.run("read a.rs");
    assert!(ran.code == Some(2) && ran.err.contains("name one, such as"), "{}", ran.err);
}

/// A run tells how far the model is, as events and to a person in one line.
#[test]
fn a_run_tells_how_far_it_is() {
    for (name, options) in [("events", "run --json"), ("line", "run")] {
        let beside = Arc::new(provider());
        // Long enough to be seen at work.
        let late = ScriptedFault::DelayedHead(Duration::from_millis(300));
        beside.set_script(ReplyScript::new(move |asked| ScriptedOutcome {
            fault: late,
            ..answers(asked)
        }));
        let world = world(&format!("indexing-run-{name}"), &beside, "");
        let upstream = MockProvider::start(Settings::default()).expect("a provider");
        let other = Arc::clone(&beside);
        upstream.set_script(ReplyScript::new(move |request| {
            let until = Instant::now() + Duration::from_secs(20);
            while request.turn == 1 && other.request_count() < 2 && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(10));
            }
            if request.turn == 0 {
                return ScriptedOutcome::from(calls(&[("read_file", json!({"path": "a.rs"}))]));
            }
            std::thread::sleep(Duration::from_millis(900));
            ScriptedOutcome::from(ModelReply::from_text("Seen."))
        }));
        let mut command = world.command(options);
        command.args(["--model", &model(&upstream, "chat"), "what is zorp?"]);
        let ran = world.ran(command.stdin(Stdio::null()));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let named = format!("chat:small@{}", beside.url());
        if name == "line" {
            let line = format!("  {named} indexed 1 file: ");
            assert!(ran.err.contains(&line), "{}", ran.err);
            continue;
        }
        let events = events(&ran);
        let told = of_type(&events, "indexing");
        assert!(told.iter().all(|told| told["model"] == named), "{told:?}");
        assert!(told.iter().any(|told| told["file"] == "a.rs"), "{told:?}");
        let last = told.last().expect("it is told");
        assert_eq!((&last["told"], &last["file"]), (&json!(1), &Value::Null), "{last}");
        assert!(last["tokens"].as_u64().is_some_and(|tokens| tokens > 0), "{last}");
        // It counts as a part of what the run costs.
        let costs = of_type(&events, "side_usage");
        assert!(costs.iter().all(|cost| cost["agent"] == "indexer"), "{costs:?}");
        assert_eq!(costs.len(), 2);
        let spent = &events.last().expect("an event")["spent"];
        assert_eq!(spent["side"]["requests"], 2, "{spent}");
    }
}

/// `foveal chat` shows what the model thinks, as of a curator: Ctrl+O opens it again.
#[test]
fn a_person_sees_what_it_thinks_and_opens_it_again() {
    const THOUGHT: &str = "It triples a number and adds one.";
    let beside = MockProvider::start(Settings::default()).expect("a provider");
    beside.set_script(ReplyScript::new(|asked| {
        let text = match asked.turn {
            0 => json!({"summaries": [{"thing": 1, "summary": WORDS}]}),
            _ => json!({"relations": []}),
        };
        let thinking = THOUGHT.to_owned();
        ScriptedOutcome::from(ModelReply { thinking, ..ModelReply::from_text(text.to_string()) })
    }));
    let world = World::new("indexing-chat");
    world.write("a.rs", "pub fn zorp(n: u32) -> u32 {\n    n * 3 + 1\n}\n");
    let settings = format!("indexer_model = \"messages:small@{}\"\n", beside.url());
    world.write("home/.config/foveal/config.toml", settings);
    let upstream = crate::run_task::provider([
        calls(&[("read_file", json!({"path": "a.rs"}))]),
        ModelReply::from_text("Seen."),
    ]);
    let mut chat = chat(&world, &upstream, &[]);
    chat.types("what is zorp?").types("\r").shows("Seen.");
    chat.shows("∴ messages:small@").shows("indexed 1 file: ").shows_no(THOUGHT);
    chat.types("\x0f").shows(&format!("│ {THOUGHT}"));
    chat.types("\x0f").shows_no(THOUGHT).types("\x04");
    assert_eq!(chat.ends(), 0);
}

/// Where a limit of the run is reached it is asked no more, and is at rest.
#[test]
fn a_limit_of_the_run_ends_it() {
    let beside = Arc::new(provider());
    let prices = "[[gateway.prices]]\nmodel = \"small\"\ninput = 1000000\noutput = 0\n";
    let world = world("indexing-limit", &beside, prices);
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    let other = Arc::clone(&beside);
    upstream.set_script(ReplyScript::new(move |request| {
        let until = Instant::now() + Duration::from_secs(20);
        while request.turn == 1 && other.request_count() < 1 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(500));
        let read = |path: &str| ("read_file", json!({ "path": path }));
        ScriptedOutcome::from(calls(&[match request.turn {
            0 => read("a.rs"),
            _ => read("b.rs"),
        }]))
    }));
    let mut command = world.command("run --json --max-cost 1 --model");
    command.args([&model(&upstream, "chat"), "what is zorp?"]);
    let ran = world.ran(command.stdin(Stdio::null()));
    let events = events(&ran);
    let last = events.last().expect("an event");
    assert_eq!((ran.code, &last["limit"]), (Some(1), &json!("cost")), "{last}");
    // The second question about the first file was not asked, and the second file not asked about.
    assert_eq!((beside.request_count(), upstream.request_count()), (1, 2));
    let indexing = of_type(&events, "indexing");
    let told = indexing.last().expect("it is told");
    assert_eq!((&told["failed"], &told["file"]), (&json!(0), &Value::Null), "{told}");
}
