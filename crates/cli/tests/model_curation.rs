//! A model that chooses what is shown of files, seen at work.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use foveal_mock_provider::{
    MockProvider, ModelReply, ReplyScript, ScriptedFault, ScriptedOutcome, Settings,
};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use serde_json::{Value, json};

use crate::curator::{READ, chooses, file, world};
use crate::mcp::called_by;
use crate::run_sessions::{go_on, messages};
use crate::run_task::{bodies, calls, events, model, of_type, provider};
use crate::world::World;

const THINKING: &str = "The question is about step_12, which begins at line 111.";

fn thinks() -> ModelReply {
    ModelReply { thinking: THINKING.to_owned(), ..chooses(111, 120) }
}

/// What it took, and what the model thought, is kept with the choice.
#[test]
fn thinking_is_kept_with_what_was_chosen() {
    let upstream = provider([thinks()]);
    let world = world("curating-kept", &upstream, "messages", "");
    let read = || -> Value {
        serde_json::from_str(&world.output(&format!("{READ} --json"))).expect("JSON")
    };
    let first = read();
    let by = &first["curated"];
    assert_eq!((&by["lines"], &by["lines_kept"]), (&json!(300), &json!(10)), "{first}");
    assert!(by["tokens"].as_u64().is_some_and(|tokens| tokens > 100), "{first}");
    assert!(by["model"].as_str().is_some_and(|model| model.contains(":small@")), "{first}");
    let handle = by["thinking"].as_str().expect("a handle");
    assert!(world.output(&format!("expand {handle}")).contains(THINKING));
    // The model is not shown what it cost to choose, nor the thinking.
    assert!(!first["text"].as_str().is_some_and(|text| text.contains(handle)), "{first}");
    // What is known already is told with it too, and nobody is asked.
    assert_eq!(read()["curated"], *by);
    assert_eq!(upstream.request_count(), 1);
}

/// `foveal run` tells of it between the answer of the tool and the request that waits for it.
#[test]
fn a_run_tells_what_the_curator_does() {
    let curator = provider([thinks()]);
    let world = world("curating-run", &curator, "messages", "");
    world.write("steps.rs", file(90));
    let upstream = provider([
        calls(&[("read_file", json!({"path": "steps.rs"}))]),
        ModelReply::from_text("Seen."),
    ]);
    let mut command = world.command("run --json --profile curated --model");
    command.arg(model(&upstream, "chat")).arg("what does step_12 do?").stdin(Stdio::null());
    let events = events(&world.ran(&mut command));
    let call = of_type(&events, "call")[0]["id"].clone();
    let told: Vec<&Value> = events.iter().filter(|event| !event["model"].is_null()).collect();
    let told: Vec<&Value> = told.into_iter().filter(|event| event["type"] == "progress").collect();
    assert!(told.iter().all(|event| event["id"] == call), "{told:?}");
    let thought: String =
        told.iter().filter_map(|event| event["model"]["thinks"].as_str()).collect();
    assert_eq!(thought, THINKING);
    let message = |event: &Value| event["message"].as_str().unwrap_or_default().to_owned();
    assert!(told.iter().any(|event| message(event).starts_with("curating steps.rs: the model")));
    let last = told.last().expect("it is told");
    assert!(message(last).starts_with("steps.rs curated by messages:small@"), "{last}");
    assert!(message(last).contains(": 10 of 900 lines, "), "{last}");
    assert_eq!(last["model"]["chose"]["lines_kept"], 10);
    let at = |wanted: &dyn Fn(&Value) -> bool| events.iter().position(wanted);
    let done = at(&|event| !event["model"]["chose"].is_null());
    let result = at(&|event| event["type"] == "result");
    assert!(result < done, "{events:?}");
    assert!(done < at(&|event| event["type"] == "sent" && event["number"] == 2), "{events:?}");
    // A person reads one line.
    let mut command = world.command("run --profile curated --model");
    let upstream = provider([
        calls(&[("read_file", json!({"path": "steps.rs"}))]),
        ModelReply::from_text("Seen."),
    ]);
    command.arg(model(&upstream, "chat")).arg("and step_12?").stdin(Stdio::null());
    let ran = world.ran(&mut command);
    assert!(ran.err.contains("  steps.rs curated by messages:small@"), "{}", ran.err);
}

/// Where the model is not asked, a run tells why.
#[test]
fn a_run_tells_why_the_curator_is_not_asked() {
    let fails = ScriptedOutcome::from(ScriptedFault::Status { status: 500, retry_after_s: None });
    let curator = MockProvider::start(Settings::default()).expect("a provider");
    curator.set_script(ReplyScript::in_order([fails]));
    let world = world("curating-not-asked", &curator, "chat", "curator = \"auto\"\n");
    for (name, functions) in [("steps.rs", 20), ("a.rs", 30), ("b.rs", 31)] {
        world.write(name, file(functions));
    }
    let upstream = provider([
        calls(&[("read_file", json!({"path": "steps.rs"}))]),
        calls(&[("read_file", json!({"path": "a.rs"}))]),
        calls(&[("read_file", json!({"path": "b.rs"}))]),
        ModelReply::from_text("Seen."),
    ]);
    let mut command = world.command("run --json --profile curated --model");
    command.arg(model(&upstream, "chat")).arg("what does step_12 do?").stdin(Stdio::null());
    let events = events(&world.ran(&mut command));
    let told = events.iter().filter(|event| !event["model"]["left_out"].is_null());
    let told: Vec<&str> = told.filter_map(|event| event["message"].as_str()).collect();
    let [short, failed, paused] = told[..] else { panic!("{events:?}") };
    assert_eq!(
        short,
        "curating steps.rs: the file has 200 lines, and the model is asked about files of more \
         than 200; the built-in curator chooses"
    );
    assert!(failed.starts_with("curating a.rs: ") && !failed.contains("not asked"), "{failed}");
    assert_eq!(
        paused,
        "curating b.rs: the model is not asked, since the model failed a short time ago; the \
         built-in curator chooses"
    );
}

/// A client of MCP that wants progress is told, and the answer says what it took.
#[test]
fn clients_are_told_what_the_curator_does() {
    let curator = provider([thinks()]);
    let world = world("curating-mcp", &curator, "chat", "");
    let params = json!({"name": "read_file", "_meta": {"progressToken": 7},
        "arguments": {"path": "steps.rs", "question": "what does step_12 do?"}});
    let out = called_by(world.command("mcp"), &params, || {
        curator.wait_for_requests(1, Duration::from_secs(60));
    });
    let messages: Vec<Value> =
        out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let told: Vec<&str> = messages
        .iter()
        .filter(|message| message["method"] == "notifications/progress")
        .filter_map(|message| message["params"]["message"].as_str())
        .collect();
    assert!(told.iter().any(|message| message.starts_with("curating steps.rs: ")), "{out}");
    let answer = messages.iter().find(|message| message["id"] == 1).expect("an answer");
    assert_eq!(answer["result"]["_meta"]["foveal/curated"]["lines_kept"], 10, "{answer}");
}

/// At a terminal a line tells what is waited for, and goes; what it took stays.
#[test]
fn a_person_sees_it_at_work() {
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    let slow = ScriptedFault::DelayedHead(Duration::from_millis(1_500));
    upstream.set_script(ReplyScript::always(ScriptedOutcome {
        fault: slow,
        ..ScriptedOutcome::from(thinks())
    }));
    let world = world("curating-terminal", &upstream, "messages", "");
    let out = terminal_output(&world, READ.split(' ').chain(["--no-pager"]));
    assert!(out.contains("curating steps.rs: the model is waited for"), "{out}");
    assert!(out.contains("steps.rs curated by messages:small@"), "{out}");
    assert!(out.contains("its thinking: foveal expand "), "{out}");
    // A run shows the same.
    world.write("steps.rs", file(90));
    let main = provider([
        calls(&[("read_file", json!({"path": "steps.rs"}))]),
        ModelReply::from_text("Seen."),
    ]);
    let model = model(&main, "chat");
    let out = terminal_output(&world, ["run", "--model", &model, "what does step_12 do?"]);
    assert!(out.contains("steps.rs: the model is waited for"), "{out}");
    assert!(out.contains("steps.rs curated by messages:small@"), "{out}");
}

/// Returns the output of the program at a terminal.
fn terminal_output<'a>(world: &World, arguments: impl IntoIterator<Item = &'a str>) -> String {
    let size = PtySize { rows: 50, cols: 200, pixel_width: 0, pixel_height: 0 };
    let terminal = native_pty_system().openpty(size).expect("a terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_foveal"));
    command.env_clear();
    command.args(arguments);
    command.env("HOME", world.folder.join("home"));
    command.env("TERM", "xterm-256color");
    command.cwd(&world.folder);
    let mut reader = terminal.master.try_clone_reader().expect("its output");
    let mut child = terminal.slave.spawn_command(command).expect("the program starts");
    drop(terminal.slave);
    let mut out = Vec::new();
    // At the end of a terminal reading fails.
    drop(reader.read_to_end(&mut out));
    let out = String::from_utf8_lossy(&out).into_owned();
    assert!(child.wait().expect("it ends").success(), "{out}");
    out
}

/// Whoever no longer wants to wait is not held up.
#[test]
fn ctrl_c_ends_it_at_once() {
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    upstream.set_script(ReplyScript::always(ScriptedOutcome {
        fault: ScriptedFault::SilentBefore(1),
        ..ScriptedOutcome::from(thinks())
    }));
    let world = world("curating-stopped", &upstream, "chat", "");
    let mut command = world.command(READ);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("the program starts");
    upstream.wait_for_requests(1, Duration::from_secs(60));
    let begun = Instant::now();
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let ran = child.wait_with_output().expect("it was started");
    assert_eq!(ran.status.code(), Some(130));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(String::from_utf8_lossy(&ran.stderr), "stopped\n");
    // Nothing of it is kept: the next time the model chooses.
    upstream.set_script(ReplyScript::always(thinks()));
    assert!(world.output(READ).contains("a model chose these lines"));
}

/// What was shown in the model's place does not stand for what it would choose.
#[test]
fn the_model_is_asked_again_after_a_failure() {
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    let fails = ScriptedOutcome::from(ScriptedFault::Status { status: 500, retry_after_s: None });
    upstream.set_script(ReplyScript::in_order([fails, ScriptedOutcome::from(thinks())]));
    let world = world("curating-again", &upstream, "chat", "");
    assert!(!world.output(READ).contains("a model chose"));
    assert!(world.output(READ).contains("a model chose these lines"));
}

/// With `auto` the model is asked about long files alone.
#[test]
fn short_files_are_left_to_the_built_in_curator() {
    for (curator, functions, asked) in [("auto", 20, 0), ("auto", 21, 1), ("model", 12, 1)] {
        let upstream = provider([chooses(111, 120)]);
        let settings = format!("curator = \"{curator}\"\n");
        let name = format!("curating-{curator}-{functions}");
        let world = world(&name, &upstream, "chat", &settings);
        world.write("steps.rs", file(functions));
        world.output(READ);
        assert_eq!(upstream.request_count(), asked, "{name}");
    }
}

/// Who wants to know why is told, one line for each decision, and nobody else.
#[test]
fn decisions_are_explained_where_that_is_wanted() {
    let upstream = provider([thinks()]);
    let world = world("curating-explained", &upstream, "messages", "");
    let ran = world.run_with(READ, &[("FOVEAL_DEBUG", "reads,model")]);
    for line in [
        "[reads] steps.rs has 300 lines, more than the limit of 100: relevant ones are requested; \
         10 are shown, curated, chosen by messages:small@",
        "[model] asking messages:small@",
        " for line_ranges, ",
        "[model] messages:small@",
        " answered line_ranges after ",
    ] {
        assert!(ran.err.contains(line), "{line}: {}", ran.err);
    }
    assert_eq!(ran.out, world.output(READ));
    let graph = world.run_with(READ, &[("DEBUG_GRAPHRAG", "1")]);
    assert!(graph.err.contains("[index] ") && graph.err.contains("steps.rs is queued"));
    let refused = world.run_with(READ, &[("FOVEAL_DEBUG", "reeds")]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("did you mean `reads`?"), "{}", refused.err);
    // What goes to the model of an agent, and why.
    let upstream = provider([
        calls(&[("read_file", json!({"path": "steps.rs"}))]),
        ModelReply::from_text("Seen."),
    ]);
    let mut command = world.command("run --model");
    command.arg(model(&upstream, "chat")).arg("look").env("FOVEAL_DEBUG", "plan");
    let ran = world.ran(command.stdin(Stdio::null()));
    assert!(ran.err.contains("[plan] request 2: "), "{}", ran.err);
}

/// A model that reads a file, and then others until the prompt is too long. What it waits for is
/// done `beside`.
fn reads_on(beside: &Arc<MockProvider>, parts: usize) -> MockProvider {
    let upstream = provider([ModelReply::from_text("")]);
    let beside = Arc::clone(beside);
    upstream.set_script(ReplyScript::new(move |request| {
        let read = |path: String| calls(&[("read_file", json!({ "path": path }))]);
        let until = Instant::now() + Duration::from_secs(10);
        while request.turn == 1 && beside.request_count() == 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        if request.turn == 1 {
            std::thread::sleep(Duration::from_millis(300));
        }
        ScriptedOutcome::from(match request.turn {
            0 => read("steps.rs".to_owned()),
            turn if turn <= parts => read(format!("part_{turn}.txt")),
            _ => ModelReply::from_text("Seen."),
        })
    }));
    upstream
}

const PARTS: usize = 9;

fn world_with_parts(test: &str, curator: &MockProvider) -> World {
    let more = "[agent]\nprofile = \"balanced\"\nbudget = 30_000\nbudget_low = 26_000\n";
    let world = world(test, curator, "chat", more);
    for part in 1..=PARTS {
        let line = |n: usize| format!("value {n} of part {part} is {}\n", n * part);
        world.write(&format!("part_{part}.txt"), (0..400).map(line).collect::<String>());
    }
    world
}

/// What the first read goes as in a request.
fn first_result(body: &Value) -> String {
    let messages = body["messages"].as_array().expect("a list");
    let tool = messages.iter().find(|message| message["role"] == "tool").expect("a result");
    tool["content"].as_str().expect("a text").to_owned()
}

/// A read goes whole at once; what the model beside shows of it stands in its place once less of it
/// goes anyway.
#[test]
fn what_a_model_chose_beside_stands_in_place_of_an_old_read() {
    let curator = Arc::new(provider([chooses(111, 120)]));
    let world = world_with_parts("curating-later", &curator);
    let upstream = reads_on(&curator, PARTS);
    let mut command = world.command("run --json --model");
    command.arg(model(&upstream, "chat")).arg("what does step_12 do?").stdin(Stdio::null());
    let ran = world.ran(&mut command);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let all = bodies(&upstream);
    let whole = first_result(&all[1]);
    assert!(whole.contains("pub fn step_29()") && whole.contains("pub fn step_3()"), "{whole}");
    let last = first_result(all.last().expect("requests"));
    for words in [
        "a model chose what is shown, and says: one step of thirty",
        "pub fn step_12() ",
        "expand ",
    ] {
        assert!(last.contains(words), "{last}");
    }
    assert!(!last.contains("let value_3 = 13 * 3") && last.len() * 4 < whole.len(), "{last}");
    // What had gone changes only with a rewrite that is told.
    let events = events(&ran);
    let sent = of_type(&events, "sent");
    for (at, pair) in all.windows(2).enumerate() {
        let [before, after] = [messages(&pair[0]), messages(&pair[1])];
        let is_rewrite = !sent[at + 1]["rewrite"].is_null();
        assert!(is_rewrite || after.starts_with(&before), "request {}", at + 2);
    }
    // The model was asked about what was said before, and about each read once.
    let asked = bodies(&curator);
    assert!(asked[0].to_string().contains("what does step_12 do?"));
    assert!(asked.len() <= PARTS + 1, "{}", asked.len());
    // The session goes on in the same bytes where no model is named any more.
    world.write("home/.config/foveal/config.toml", "");
    let ran = go_on(&world, &["--continue", "and now?"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let again = bodies(&upstream);
    let [before, after] = [all.last(), again.last()].map(|body| messages(body.expect("requests")));
    assert!(after.starts_with(&before));
}

/// Whatever the model beside does, the run goes on as without one.
#[test]
fn without_a_choice_of_use_old_reads_go_as_without_a_model() {
    let plays = [
        ("garbage", ScriptedOutcome::from(ModelReply::from_text("I do not know."))),
        (
            "fails",
            ScriptedOutcome::from(ScriptedFault::Status { status: 500, retry_after_s: None }),
        ),
        (
            "stalls",
            ScriptedOutcome {
                fault: ScriptedFault::SilentBefore(1),
                ..ScriptedOutcome::from(chooses(111, 120))
            },
        ),
        (
            "late",
            ScriptedOutcome {
                fault: ScriptedFault::DelayedHead(Duration::from_secs(20)),
                ..ScriptedOutcome::from(chooses(1, 9))
            },
        ),
    ];
    let mut all: Vec<String> = Vec::new();
    for (name, play) in plays {
        let curator = Arc::new(MockProvider::start(Settings::default()).expect("a provider"));
        curator.set_script(ReplyScript::always(play));
        let world = world_with_parts(&format!("curating-later-{name}"), &curator);
        let upstream = reads_on(&curator, PARTS);
        let mut command = world.command("run --model");
        command.arg(model(&upstream, "chat")).arg("what does step_12 do?").stdin(Stdio::null());
        let begun = Instant::now();
        let ran = world.ran(&mut command);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Seen.\n"), "{name}: {}", ran.err);
        assert!(begun.elapsed() < Duration::from_secs(15), "{name}: it was waited for");
        let last = first_result(bodies(&upstream).last().expect("requests"));
        assert!(last.contains("expand ") && !last.contains("a model chose"), "{name}: {last}");
        all.push(last);
    }
    all.dedup();
    assert_eq!(all.len(), 1, "{all:?}");
}
