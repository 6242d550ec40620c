//! foveal's own agent with a scripted model, over real HTTP, in all three protocols.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use foveal_mock_provider::{
    MockProvider, ModelReply, ReceivedRequest, ReplyCall, ReplyScript, ScriptedFault,
    ScriptedOutcome, Settings,
};
use foveal_sandbox::Confinement;
use serde_json::{Value, json};

use crate::document_stories::results;
use crate::world::{Ran, World};

pub(crate) const DIALECTS: [&str; 3] = ["messages", "chat", "responses"];

pub(crate) const KEY: &str = "sk-test-4711-secret";

/// A provider that plays these turns.
pub(crate) fn provider<P: Into<ScriptedOutcome>>(
    turns: impl IntoIterator<Item = P>,
) -> MockProvider {
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    upstream.set_script(ReplyScript::by_turn(turns));
    upstream
}

pub(crate) fn model(upstream: &MockProvider, dialect: &str) -> String {
    format!("{dialect}:claude-sonnet-4-5@{}", upstream.url())
}

pub(crate) fn calls(calls: &[(&str, Value)]) -> ModelReply {
    let call = |(name, arguments): &(&str, Value)| ReplyCall {
        name: (*name).to_owned(),
        arguments: arguments.clone(),
    };
    ModelReply { calls: calls.iter().map(call).collect(), ..ModelReply::from_text("I go on.") }
}

/// Runs a task.
pub(crate) fn run(world: &World, upstream: &MockProvider, dialect: &str, options: &str) -> Ran {
    let mut command = world.command("run");
    command.args(["--model", &model(upstream, dialect)]).args(options.split_whitespace());
    command.env("FOVEAL_MODEL_KEY", KEY).arg("make it three").stdin(Stdio::null());
    world.ran(&mut command)
}

/// The request bodies, each of which the provider found in order.
pub(crate) fn bodies(upstream: &MockProvider) -> Vec<Value> {
    let body = |seen: &Arc<ReceivedRequest>| {
        assert!(seen.violations.is_empty(), "{:?}", seen.violations);
        serde_json::from_slice(&seen.body).expect("JSON")
    };
    upstream.received_requests().iter().map(body).collect()
}

pub(crate) fn events(ran: &Ran) -> Vec<Value> {
    ran.out.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

pub(crate) fn of_type<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["type"] == kind).collect()
}

/// Has all in a folder, and itself, look as if it had been there for long: what was changed just
/// now may be changing still.
pub(crate) fn settle(folder: &Path) {
    let long_ago = SystemTime::now() - Duration::from_secs(3_600);
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => settle(&path),
            false => set_time(&path, long_ago),
        }
    }
    set_time(folder, long_ago);
}

fn set_time(path: &Path, time: SystemTime) {
    let file = fs::File::open(path).expect("it can be read");
    file.set_modified(time).expect("it is ours");
}

/// A person sees of each call what it is when it begins, and how long it took.
#[test]
fn each_call_is_told_with_its_time() {
    let world = World::new("run-times");
    world.write("a.rs", "const A: u8 = 2;\n");
    let look = ("grep", json!({"pattern": "const", "path": "a.rs"}));
    settle(&world.folder);
    let upstream = provider([
        calls(&[("bash", json!({"command": "sleep 0.3"}))]),
        calls(&[("read_file", json!({"path": "none.rs"}))]),
        calls(std::slice::from_ref(&look)),
        calls(&[look]),
        ModelReply::from_text("Done."),
    ]);
    let ran = run(&world, &upstream, "chat", "--yes");
    let lines: Vec<&str> = ran.err.lines().collect();
    let after = |call: &str| {
        let at = lines.iter().position(|line| line.contains(call)).expect(call);
        lines[at + 1].trim_start_matches("foveal: ").trim().to_owned()
    };
    let seconds = |line: &str, tool: &str| {
        let number = line.strip_prefix(tool).and_then(|rest| rest.split(' ').next());
        number.and_then(|number| number.parse::<f64>().ok()).unwrap_or_else(|| panic!("{line}"))
    };
    assert!(seconds(&after("· bash"), "bash: ") >= 0.3, "{}", ran.err);
    let failed = after("· read_file");
    assert!(
        failed.starts_with("read_file: failed after ") && failed.contains("none.rs"),
        "{failed}"
    );
    seconds(&after("· grep"), "grep: ");
    assert!(ran.err.contains(" s, repeated an earlier answer"), "{}", ran.err);
}

/// A model that reads a file, changes it and says so.
pub(crate) fn changes_a_file() -> Vec<ModelReply> {
    let edit = json!({"path": "a.rs", "old_str": "= 2;", "new_str": "= 3;", "intent": "three"});
    vec![
        ModelReply {
            thinking: "I look first.".to_owned(),
            ..calls(&[("read_file", json!({"path": "a.rs"})), ("list", json!({}))])
        },
        calls(&[("edit_file", edit)]),
        ModelReply::from_text("It is three now."),
    ]
}

#[test]
fn a_task_is_done_over_each_protocol() {
    for dialect in DIALECTS {
        let world = World::new(&format!("run-{dialect}"));
        world.write("a.rs", "const A: u8 = 2;\n");
        world.write("AGENTS.md", "Be kind to numbers.\n");
        let upstream = provider(changes_a_file());
        let ran = run(&world, &upstream, dialect, "--yes");
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "It is three now.\n"), "{}", ran.err);
        assert_eq!(world.read("a.rs"), "const A: u8 = 3;\n");
        assert!(
            ran.err.contains("· read_file a.rs") && ran.err.contains("3 requests"),
            "{}",
            ran.err
        );
        let bodies = bodies(&upstream);
        assert_eq!(bodies.len(), 3);
        let first = bodies[0].to_string();
        assert!(
            first.contains("make it three") && first.contains("Be kind to numbers."),
            "{first}"
        );
        assert!(bodies[1].to_string().contains("const A: u8 = 2;"));
        // What went before goes again, and the provider's cache has it.
        let seen = upstream.received_requests();
        let read: Vec<u64> = seen.iter().map(|it| it.bill.expect("it was answered").read).collect();
        assert!(read[2] > 0, "{dialect}: {read:?}");
        assert!(!ran.err.contains(KEY) && !ran.out.contains(KEY));
    }
}

#[test]
fn what_is_pinned_stands_in_the_system_prompt() {
    let world = World::new("run-pinned");
    world.write("project/README.md", "Numbers live here.\n");
    world.write("project/web/parts/knowledge.md", "Pages are drawn here.\n");
    world.write("project/docs/design.md", "Numbers are odd.\n");
    world.write("project/src/a.rs", "const A: u8 = 3;\n");
    world.write(
        "home/.config/foveal/config.toml",
        "[agent]\nbase_files = [\"docs/design.md\", \"docs/none.md\"]\n",
    );
    let upstream = provider([ModelReply::from_text("Done."), ModelReply::from_text("Done again.")]);
    let run = |options: &str| {
        let mut command = world.command("run look --model");
        command.current_dir(world.folder.join("project")).arg(model(&upstream, "messages"));
        world.ran(command.args(options.split_whitespace()))
    };
    let ran = run("--pin src/a.rs");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // A session that goes on keeps what it began with.
    world.write("project/README.md", "Letters live here.\n");
    let ran = run("--continue");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let systems: Vec<String> =
        bodies(&upstream).iter().map(|body| body["system"][0]["text"].to_string()).collect();
    assert_eq!(systems[0], systems[1]);
    let places =
        ["Pages are drawn here.", "Numbers live here.", "Numbers are odd.", "const A: u8 = 3;"]
            .map(|text| systems[0].find(text).expect(text));
    assert!(places.is_sorted(), "{places:?}");
    let ran = run("--pin none.md");
    assert!(ran.code == Some(2) && ran.err.contains("`none.md` cannot be pinned"), "{}", ran.err);
    assert_eq!(upstream.request_count(), 2);
}

/// The system prompt shows a pinned file: a read of it points there, and an edit needs no read.
#[test]
fn a_pinned_file_counts_as_shown() {
    let world = World::new("run-pinned-shown");
    world.write("project/AGENTS.md", "Be brief.\nBe right.\n");
    world.write("project/src/a.rs", "const A: u8 = 3;\n");
    settle(&world.folder.join("project"));
    let read = |path: &str| calls(&[("read_file", json!({"path": path}))]);
    let edit = json!({"path": "src/a.rs", "old_str": "= 3;", "new_str": "= 4;", "intent": "more"});
    let edit = calls(&[("edit_file", edit)]);
    let turns =
        [read("AGENTS.md"), read("AGENTS.md"), edit, read("src/a.rs"), ModelReply::from_text("Ok")];
    let upstream = provider(turns);
    let mut command = world.command("run look --yes --json --pin src/a.rs --model");
    command.current_dir(world.folder.join("project")).arg(model(&upstream, "messages"));
    let ran = world.ran(&mut command);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let results = results(&bodies(&upstream).pop().expect("a request"));
    let note = "[AGENTS.md: unchanged, its 2 lines are in the system prompt]";
    assert_eq!(results[0].trim_end(), note);
    // The same read at once gives the text.
    assert!(results[1].contains("Be right."), "{results:?}");
    assert_eq!(world.read("project/src/a.rs"), "const A: u8 = 4;\n", "{results:?}");
    // What the model changed since is read from the disk.
    assert!(results[3].contains("= 4;"), "{results:?}");
    let cached: Vec<bool> = of_type(&events(&ran), "result")
        .iter()
        .map(|result| result["cached"].as_bool().unwrap_or_default())
        .collect();
    assert_eq!(cached, [true, false, false, false]);
}

/// Without the engine all goes as it is, and the provider's cache is used all the same.
#[test]
fn nothing_is_left_out_where_the_engine_is_off() {
    let world = World::new("run-off");
    world.write("long.sh", "for i in $(seq 3000); do echo \"line $i of the output\"; done\n");
    let long = calls(&[("bash", json!({"command": "sh long.sh"}))]);
    let sent = |options: &str| {
        let look = |pattern: &str| calls(&[("grep", json!({"pattern": pattern}))]);
        let turns = [long.clone(), look("none"), look("nothing"), ModelReply::from_text("Long.")];
        let upstream = provider(turns);
        let ran = run(&world, &upstream, "messages", &format!("--yes --json {options}"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let second = bodies(&upstream).swap_remove(1);
        // A prompt is written to the cache once what could have been read before pays for it.
        let read = upstream.received_requests()[3].bill.expect("it was answered").read;
        (second.to_string().contains("line 1500 of the"), read > 0, events(&ran))
    };
    let (is_whole, is_cached, events) = sent("--profile off");
    assert!(is_whole && is_cached);
    let told = of_type(&events, "sent")[1];
    assert_eq!(told["tokens_asked"], told["tokens_sent"]);
    let (is_whole, is_cached, _) = sent("");
    assert!(!is_whole && is_cached);
}

#[test]
fn all_that_happens_is_told_as_json() {
    let world = World::new("run-json");
    world.write("project/src/a.rs", "const A: u8 = 2;\n");
    settle(&world.folder.join("project"));
    let look = ("grep", json!({"pattern": "const"}));
    let turns = [
        ModelReply { thinking: "Hm.".to_owned(), ..calls(std::slice::from_ref(&look)) },
        calls(&[look]),
        ModelReply::from_text("Found."),
    ];
    let upstream = provider(turns);
    let mut command = world.command("run --json look --model");
    command.current_dir(world.folder.join("project")).arg(model(&upstream, "messages"));
    let ran = world.ran(&mut command);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let events = events(&ran);
    assert_eq!(events[0]["type"], "start");
    let results = of_type(&events, "result");
    assert!(results.iter().all(|result| result["ms"].as_u64().is_some_and(|ms| ms < 60_000)));
    let cached: Vec<bool> = results.iter().map(|result| result["cached"] == true).collect();
    assert_eq!(cached, [false, true]);
    assert!(results[1]["text"].as_str().expect("text").starts_with("[Cached result from "));
    let text: String =
        of_type(&events, "text").iter().filter_map(|event| event["text"].as_str()).collect();
    assert_eq!(text, "I go on.I go on.Found.");
    assert_eq!(of_type(&events, "reasoning").len(), 1);
    assert_eq!(of_type(&events, "sent").len(), 3);
    let arguments: String = of_type(&events, "call_arguments")
        .iter()
        .filter(|event| event["id"] == results[0]["id"])
        .filter_map(|event| event["piece"].as_str())
        .collect();
    assert_eq!(
        serde_json::from_str::<Value>(&arguments).expect("JSON"),
        json!({"pattern": "const"})
    );
    let last = events.last().expect("an event");
    assert_eq!(
        (&last["type"], &last["outcome"], &last["text"]),
        (&json!("done"), &json!("finished"), &json!("Found."))
    );
    let spent = &last["spent"];
    assert!(spent["cost"].as_f64() > Some(0.0) && spent["turns"] == 3, "{spent}");
    let billed: u64 = upstream
        .received_requests()
        .iter()
        .map(|it| it.bill.expect("a bill").prompt_tokens())
        .sum();
    let told =
        ["uncached", "cache_read", "cache_write"].map(|name| spent[name].as_u64().unwrap_or(0));
    assert_eq!(told.iter().sum::<u64>(), billed);
}

#[test]
fn nothing_is_changed_without_an_approval() {
    let world = World::new("run-refused");
    world.write("a.rs", "const A: u8 = 2;\n");
    let turns = [
        calls(&[("read_file", json!({"path": "a.rs"}))]),
        calls(&[("edit_file", json!({"path": "a.rs", "old_str": "= 2;", "new_str": "= 3;"}))]),
        calls(&[("bash", json!({"command": "touch made"}))]),
        ModelReply::from_text("I may not."),
    ];
    let upstream = provider(turns);
    let ran = run(&world, &upstream, "chat", "");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "I may not.\n"));
    assert_eq!(world.read("a.rs"), "const A: u8 = 2;\n");
    assert!(!world.folder.join("made").exists());
    let last = bodies(&upstream).pop().expect("a request").to_string();
    assert_eq!(last.matches("--yes was not given").count(), 2, "{last}");
}

/// The handle that the last note names.
fn handle(body: &Value) -> String {
    let text = body.to_string();
    let at = text.rfind("expand ").expect("a note") + "expand ".len();
    text[at..at + 12].to_owned()
}

/// What is left out of a prompt can be had, in the run and after it.
#[test]
fn what_is_left_out_is_kept() {
    let world = World::new("run-expand");
    world.write("long.sh", "for i in $(seq 4000); do echo \"line $i of the output\"; done\n");
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    upstream.set_script(ReplyScript::new(|asked| {
        ScriptedOutcome::from(match asked.turn {
            0 => calls(&[("bash", json!({"command": "sh long.sh"}))]),
            1 => {
                let part = json!({"handle": handle(asked.body), "start": 2_000, "end": 2_001});
                calls(&[("expand", part)])
            }
            _ => ModelReply::from_text("That was long."),
        })
    }));
    let ran = run(&world, &upstream, "messages", "--yes");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let bodies = bodies(&upstream);
    let [before, after] = [&bodies[1], &bodies[2]].map(Value::to_string);
    assert!(before.contains("line 1 of the") && before.contains("line 4000 of the"), "{before}");
    assert!(!before.contains("line 2000 of the") && after.contains("line 2000 of the"), "{after}");
    let handle = handle(&bodies[1]);
    let whole = world.output(&format!("expand {handle}"));
    assert!(whole.contains("line 2000 of the output\n"), "{handle}");
    // The run is one of the sessions that are kept.
    assert!(world.output("sessions").contains("run "), "it is listed");
}

/// Commands that the model runs cannot tell anybody the key that it is asked with.
#[test]
fn commands_do_not_see_the_key() {
    let world = World::new("run-key");
    let upstream = provider([
        calls(&[("bash", json!({"command": "env; echo all of it"}))]),
        ModelReply::from_text("Done."),
    ]);
    let mut command = world.command("run --yes --json look --model anthropic:claude-sonnet-4-5");
    command.env("ANTHROPIC_API_KEY", KEY).env("ANTHROPIC_BASE_URL", upstream.url());
    let ran = world.ran(&mut command);
    assert!(ran.code == Some(0) && ran.out.contains("all of it"), "{}", ran.err);
    assert!(ran.out.contains("HOME=") && !ran.out.contains(KEY), "{}", ran.out);
    assert_eq!(upstream.received_requests()[0].header("x-api-key"), Some(KEY));
    assert!(!bodies(&upstream)[1].to_string().contains(KEY));
}

#[test]
fn a_task_stands_on_standard_input() {
    let world = World::new("run-stdin");
    let upstream = provider([ModelReply::from_text("Done.")]);
    let mut command = world.command("run --model");
    command.arg(model(&upstream, "chat")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("an input");
    input.write_all(b"from\nthe pipe").expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Done.\n");
    assert!(bodies(&upstream)[0].to_string().contains("from\\nthe pipe"));
    // Beside a task in an argument, the input is not used, which is said.
    let mut command = world.command("run --model");
    command.arg(model(&upstream, "chat")).args(["what is it?"]).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut input = child.stdin.take().expect("an input");
    input.write_all(b"the piped text").expect("it is taken");
    let output = child.wait_with_output().expect("it ends though the input is open");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said.matches("standard input is not used, because").count(), 1, "{said}");
    drop(input);
    let last = bodies(&upstream).pop().expect("a request").to_string();
    assert!(last.contains("what is it?") && !last.contains("the piped text"), "{last}");
    let ran = world.ran(world.command("run").stdin(Stdio::null()));
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("no task: give it as an argument"), "{}", ran.err);
}

/// Nobody listens at the usual ports of a local server, as far as this can be told here.
const NOBODY: (&str, &str) = ("OLLAMA_HOST", "127.0.0.1:1");

#[test]
fn without_a_model_it_says_what_to_set() {
    let world = World::new("run-no-model");
    let ran = world.ran(world.command("run task").env(NOBODY.0, NOBODY.1));
    // Somebody may run a server on this machine.
    if ran.code == Some(2) && ran.err.contains("no model was found") {
        assert!(
            ran.err.contains("--model ollama:") && ran.err.contains("export ANTHROPIC_API_KEY=")
        );
        let listed = world.ran(world.command("models --json").env(NOBODY.0, NOBODY.1));
        assert_eq!((listed.code, listed.out.as_str()), (Some(1), "{\"models\":[]}\n"));
    }
    let ran = world.run("run --model anthropic:m task");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("set ANTHROPIC_API_KEY"), "{}", ran.err);
    let ran = world.run("run --model gpt task");
    assert!(ran.code == Some(2) && ran.err.contains("use NAME:MODEL"), "{}", ran.err);
    let ran = world.ran(world.command("run task").env("FOVEAL_MODEL", "nobody:m"));
    assert!(ran.code == Some(2) && ran.err.contains("FOVEAL_MODEL"), "{}", ran.err);
}

#[test]
fn models_are_found_and_shown() {
    let world = World::new("run-models");
    let upstream = provider([ModelReply::from_text("Hello.")]);
    let address = upstream.address().to_string();
    let with = |arguments: &str, key: bool| {
        let mut command = world.command(arguments);
        command.env("OLLAMA_HOST", &address);
        if key {
            command.env("OPENAI_API_KEY", KEY).env("OPENAI_BASE_URL", upstream.url());
        }
        world.ran(&mut command)
    };
    let ran = with("models --json", true);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let listed: Value = serde_json::from_str(&ran.out).expect("JSON");
    let [hosted, local] = [&listed["models"][0], &listed["models"][1]];
    assert_eq!(
        (&hosted["found_by"], &hosted["variable"]),
        (&json!("key"), &json!("OPENAI_API_KEY"))
    );
    assert_eq!(
        (&local["model"], &local["found_by"]),
        (&json!("ollama:scripted"), &json!("server"))
    );
    assert_eq!(local["address"], json!(format!("http://{address}/v1")));
    let ran = with("models", true);
    assert!(
        ran.out.contains("ollama:scripted") && ran.out.contains("OPENAI_API_KEY is set"),
        "{}",
        ran.out
    );
    assert!(!format!("{}{}", ran.out, ran.err).contains(KEY));
    // The one of the local server is asked where there is no other; it costs nothing.
    upstream.take_received_requests();
    let ran = with("run --json hello", false);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(events(&ran).last().expect("an event")["spent"]["cost"], 0.0);
    // With a key its provider is preferred, where the environment says that it is.
    let ran = with("run hello", true);
    assert_eq!(ran.out, "Hello.\n", "{}", ran.err);
    let seen = upstream.received_requests();
    let last = seen.last().expect("a request");
    assert_eq!(last.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
}

#[test]
fn limits_end_it_with_another_code() {
    let world = World::new("run-limits");
    let looks: Vec<ModelReply> =
        (0..9).map(|at| calls(&[("grep", json!({"pattern": format!("p{at}")}))])).collect();
    let upstream = provider(looks.clone());
    let ran = run(&world, &upstream, "responses", "--max-turns 3");
    assert_eq!((ran.code, upstream.request_count()), (Some(1), 3));
    assert!(ran.err.contains("limit of requests to the model"), "{}", ran.err);
    let upstream = provider(looks);
    let ran = run(&world, &upstream, "messages", "--max-cost 0.000001");
    assert_eq!((ran.code, upstream.request_count()), (Some(1), 1));
    assert!(ran.err.contains("limit of cost"), "{}", ran.err);
}

#[test]
fn what_the_user_says_of_prices_counts() {
    let world = World::new("run-prices");
    let spent = |settings: &str| {
        world.write("home/.config/foveal/config.toml", settings);
        let upstream = provider([ModelReply::from_text("Done.")]);
        let ran = run(&world, &upstream, "chat", "--json");
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let billed = upstream.received_requests()[0].bill.expect("a bill");
        (events(&ran).pop().expect("an event")["spent"].clone(), billed.prompt_tokens())
    };
    let at = |rule: &str| {
        format!("[[gateway.prices]]\n{rule}\ninput = 1000000\noutput = 0\ncached = 1000000\n")
    };
    let (own, prompt) = spent(&at("model = \"claude-*\""));
    assert_eq!(own["cost"].as_f64(), Some(prompt as f64), "{own}");
    // No upstream of the gateway is asked.
    let (other, _) = spent(&at("upstream = \"work\""));
    assert!(other["cost"].as_f64().expect("a sum") < 10.0, "{other}");
}

#[test]
fn circles_are_ended() {
    let world = World::new("run-circles");
    world.write("a.rs", "x\n");
    let upstream = provider([calls(&[("list", json!({}))])]);
    let ran = run(&world, &upstream, "chat", "");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(
        upstream.request_count() < 12 && ran.err.contains("the model called list"),
        "{}",
        ran.err
    );
    assert!(bodies(&upstream).pop().expect("one").to_string().contains("Do something else"));
}

#[test]
fn what_the_model_cannot_be_asked_for_is_said() {
    for (status, word) in
        [(401, "FOVEAL_MODEL_KEY"), (404, "has no model"), (400, "rejected the request")]
    {
        let world = World::new(&format!("run-{status}"));
        let upstream = provider([ScriptedFault::Status { status, retry_after_s: None }]);
        let ran = run(&world, &upstream, "messages", "");
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
        assert!(ran.err.contains(word) && !ran.err.contains(KEY), "{}", ran.err);
    }
}

/// What a project says of itself is read from files alone, and what a model calls its tools makes no
/// line of its own.
#[cfg(unix)]
#[test]
fn a_hostile_folder_and_a_hostile_model_do_nothing_to_a_person() {
    let world = World::new("run-hostile");
    let made = std::process::Command::new("mkfifo").arg(world.folder.join("AGENTS.md")).status();
    assert!(made.expect("there is mkfifo").success());
    std::os::unix::fs::symlink("/dev/zero", world.folder.join("CLAUDE.md")).expect("a link");
    let name = "no_tool\n\u{1b}[31mall is well\u{202e}";
    let turns =
        [calls(&[(name, json!({"path": "\u{1b}[2Ja\nb"}))]), ModelReply::from_text("Done.")];
    let upstream = provider(turns);
    let ran = run(&world, &upstream, "chat", "--yes");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Done.\n"), "{}", ran.err);
    assert!(!bodies(&upstream)[0].to_string().contains("What the project says"));
    assert!(!ran.err.contains(['\u{1b}', '\u{202e}']), "{}", ran.err);
    let lines: Vec<&str> = ran.err.lines().take(3).collect();
    assert!(
        lines[1].starts_with("· no_tool …") && lines[2].starts_with("  no_tool …"),
        "{lines:?}"
    );
}

/// An answer that breaks off is asked for again, and its text does not stand twice.
#[test]
fn broken_answers_are_asked_for_again() {
    let world = World::new("run-again");
    let broken = ScriptedOutcome {
        fault: ScriptedFault::ResetInEvent(4),
        ..ScriptedOutcome::from(ModelReply::from_text("Half of it, and more."))
    };
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    upstream.set_script(ReplyScript::in_order([
        broken,
        ScriptedOutcome::from(ModelReply::from_text("All of it.")),
    ]));
    let ran = run(&world, &upstream, "messages", "");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "All of it.\n"));
    assert!(ran.err.contains("retrying in"), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn a_person_can_stop_it_anywhere() {
    let world = World::new("run-stopped");
    let sleeps = calls(&[("bash", json!({"command": "sleep 60"})), ("list", json!({}))]);
    let silent = ScriptedOutcome {
        fault: ScriptedFault::SilentBefore(3),
        ..ScriptedOutcome::from(ModelReply::from_text("It never comes."))
    };
    for play in [ScriptedOutcome::from(sleeps), silent] {
        let upstream = provider([play]);
        let mut command = world.command("run --json --yes --model");
        command.arg(model(&upstream, "messages")).arg("task").stdin(Stdio::null());
        let child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
        upstream.wait_for_requests(1, Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(300));
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, rustix::process::Signal::INT).expect("it runs");
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130));
        let out = String::from_utf8(output.stdout).expect("text");
        let last: Value = serde_json::from_str(out.lines().last().expect("a line")).expect("JSON");
        assert_eq!(last["outcome"], "stopped");
        assert_eq!(upstream.request_count(), 1);
    }
}

/// A file that is read again goes as a note alone, and that is told when it goes; who wants a call
/// carried out again says so.
#[test]
fn what_only_points_at_earlier_results_is_told() {
    let world = World::new("run-reduced");
    let text: String = (0..80).map(|n| format!("const A_{n}: u32 = {n};\n")).collect();
    world.write("project/a.rs", text);
    world.write("project/b.rs", "const B: u8 = 2;\n");
    settle(&world.folder.join("project"));
    let read = || calls(&[("read_file", json!({"path": "a.rs"}))]);
    let grep = |more: &str| {
        let asked = format!("{{\"pattern\": \"const B\"{more}}}");
        calls(&[("grep", serde_json::from_str(&asked).expect("JSON"))])
    };
    let detect = ", \"enable_duplicate_detection\": false";
    let turns = [read(), grep(""), read(), grep(""), grep(detect), ModelReply::from_text("Seen.")];
    let upstream = provider(turns);
    let mut command = world.command("run --json look --model");
    command.current_dir(world.folder.join("project")).arg(model(&upstream, "chat"));
    let events = events(&world.ran(&mut command));
    let reduced = of_type(&events, "reduced");
    let calls = of_type(&events, "call");
    let second = &calls[2]["id"];
    let told: Vec<_> = reduced.iter().filter(|event| event["id"] == *second).collect();
    let [told] = told.as_slice() else { panic!("{events:?}") };
    assert_eq!(told["cached"], true, "{told}");
    assert!(told["bytes_sent"].as_u64() < told["bytes"].as_u64(), "{told}");
    let first = reduced.iter().find(|event| event["id"] == calls[0]["id"]);
    assert!(first.is_none_or(|event| event["cached"].is_null()), "{reduced:?}");
    let at = |wanted: &dyn Fn(&Value) -> bool| events.iter().position(wanted);
    let sent = at(&|event| event["type"] == "sent" && event["number"] == 4);
    assert!(sent < at(&|event| event["type"] == "reduced" && event["id"] == *second));
    let results = of_type(&events, "result");
    let cached: Vec<bool> = results.iter().map(|result| result["cached"] == true).collect();
    assert_eq!(cached, [false, false, false, true, false], "{results:?}");
    // No event denies it, since the next request may decide otherwise; each repeat counts once.
    assert!(events.iter().all(|event| event["cached"] != false), "{events:?}");
    assert_eq!(of_type(&events, "done")[0]["spent"]["repeats"], 2, "{events:?}");
}

/// Commands that only read what the tools would read.
const FREE: &[&str] = &[
    "find . -name ''",
    "find . -name 'ü*'",
    "ls -la; pwd",
    "cat a.rs | head -1 | wc -l",
    "sed -n '1,80p' a.rs && grep -n 'const A' a.rs",
    "cat sub/b.rs",
    "cd . && cat sub/b.rs && ls sub/..",
    "git status; git log -1 --oneline",
    "cat *.rs; rg -n A a.rs lib; grep -n KEY lib/c.rs",
    "find . -name '*.rs'",
];

/// Commands that do more than that.
const ASKED: &[&str] = &[
    "cat < /dev/tcp/127.0.0.1/9",
    "echo evil | uniq - a.rs",
    "rg KEY -g '.e*'",
    "touch made",
    "rm a.rs",
    "cat sub/.env",
    "cd sub && cat .env",
    "cat /etc/hostname",
    "cat outside",
    "ls ..",
    "cat sub/.e*",
    "grep -r KEY sub",
    "grep -r KEY lib",
    "grep -nfsub/.env a.rs",
    "rg -uu KEY sub",
    "rg --hidden KEY lib",
    "cd sub && grep -r KEY .",
    "cd /etc && ls",
    "cat outsi*",
    "cat {a.rs,.env}",
    "head -c9 ~/x",
    "git show HEAD:sub/.env",
    "sort -o a.rs sub/b.rs",
    "sudo ls",
    "./ls",
    "cat $HOME/x",
    "ls $(touch made)",
    "echo \"`echo '`$(touch made)`'`\"",
    "echo x > /tmp/foveal-made",
    "echo x > .git/hooks/pre-commit",
    "echo x > .env",
    "X=1 ls",
    "find . -delete",
    "git config --list",
    "sed -i s/2/3/ a.rs",
    "env",
];

/// Where nobody can be asked, a command is made if it needs no approval, and else refused.
#[test]
fn commands_that_only_read_need_no_approval() {
    let world = World::new("run-reads");
    world.write("a.rs", "const A: u8 = 2;\n");
    world.write("sub/.env", "KEY=4711\n");
    world.write("lib/c.rs", "KEY\n");
    world.write("sub/b.rs", "const B: u8 = 3;\n");
    std::os::unix::fs::symlink("/etc/hostname", world.folder.join("outside")).expect("a link");
    // Redirections pass where the kernel holds commands to the folder.
    let holds = Confinement::detect();
    let holds = matches!(holds, Ok(Confinement::Full | Confinement::Writes));
    let writes = "echo done > out.txt";
    let free: Vec<&str> = FREE.iter().copied().chain(holds.then_some(writes)).collect();
    let lines = free.iter().chain(ASKED);
    let turns: Vec<ModelReply> =
        lines.map(|line| calls(&[("bash", json!({"command": line}))])).collect();
    let upstream = provider(turns.into_iter().chain([ModelReply::from_text("Done.")]));
    let ran = run(&world, &upstream, "messages", "--json");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let events = events(&ran);
    let results = of_type(&events, "result");
    assert_eq!(results.len(), free.len() + ASKED.len(), "{}", ran.out);
    for (line, result) in free.iter().chain(ASKED).zip(results) {
        let text = result["text"].as_str().unwrap_or_default();
        let is_refused = text.contains("needs an approval");
        assert_eq!(is_refused, ASKED.contains(line), "{line}: {text}");
        assert!(!text.contains("4711"), "{line}: {text}");
        assert_eq!(text.contains("no rule allows `touch *`"), *line == "touch made", "{text}");
    }
    assert!(!holds || world.read("out.txt") == "done\n");
    assert!(world.folder.join("a.rs").exists() && !world.folder.join("made").exists());
}

/// Runs a task with a model of which no price is known.
fn run_unpriced(world: &World, upstream: &MockProvider, options: &str) -> Ran {
    let mut command = world.command("run");
    command.args(["--model", &format!("chat:quartz-9@{}", upstream.url())]);
    command.args(options.split_whitespace());
    command.env("FOVEAL_MODEL_KEY", KEY).arg("make it three").stdin(Stdio::null());
    world.ran(&mut command)
}

#[test]
fn a_cost_that_is_not_known_is_called_unknown_and_keeps_no_limit() {
    let world = World::new("run-unpriced");
    let done = || provider([ModelReply::from_text("Done.")]);
    let ran = run_unpriced(&world, &done(), "");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains(" tokens, cost unknown"), "{}", ran.err);
    assert!(!ran.err.contains('$'), "{}", ran.err);
    let ran = run_unpriced(&world, &done(), "--json");
    let spent = events(&ran).pop().expect("an event")["spent"].clone();
    assert_eq!((&spent["cost"], &spent["has_unknown_cost"]), (&json!(0.0), &json!(true)));
    // No second request is sent under a limit that cannot be checked.
    let looks = || calls(&[("grep", json!({"pattern": "p"}))]);
    let upstream = provider([looks(), looks()]);
    let ran = run_unpriced(&world, &upstream, "--max-cost 1");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("1 request, "), "{}", ran.err);
    assert!(ran.err.contains("no price of the model is known"), "{}", ran.err);
    // A price of the user's own makes it known.
    let prices = "[[gateway.prices]]\nmodel = \"quartz-*\"\ninput = 1\noutput = 2\n";
    world.write("home/.config/foveal/config.toml", prices);
    let ran = run_unpriced(&world, &done(), "");
    assert!(ran.err.contains(" tokens, $"), "{}", ran.err);
}

/// The replay of a single session prices its bill as the run did.
#[test]
fn a_run_and_its_replay_tell_the_same_cost() {
    let world = World::new("run-one-cost");
    let prices =
        "[[gateway.prices]]\nname = \"mine\"\nmodel = \"quartz-*\"\ninput = 100\noutput = 200\n";
    world.write("home/.config/foveal/config.toml", prices);
    let upstream = provider([ModelReply::from_text("Done.")]);
    let ran = run_unpriced(&world, &upstream, "--json");
    let spent = events(&ran).pop().expect("an event")["spent"]["cost"].as_f64().expect("a cost");
    assert!(spent > 0.0);
    let name = crate::run_sessions::name(&world);
    let id = name.rsplit(' ').next().expect("an id");
    let told = world.output(&format!("replay {id} --json --profile balanced"));
    let document: Value = serde_json::from_str(&told).expect("JSON");
    let bill = &document["raw"]["bill"];
    let dollars = |part: &str| bill[part]["dollars"].as_f64().expect("dollars");
    let all = dollars("input") + dollars("output");
    assert!((all - spent).abs() < 1e-9, "{all} {spent} {document:#}");
    assert_eq!(document["prices"]["name"], "mine");
}
