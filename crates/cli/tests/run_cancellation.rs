//! How runs of foveal's own agent end that somebody wants to end, and what is known of them then.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use foveal_mock_provider::{
    MockProvider, ModelReply, ReplyScript, ScriptedFault, ScriptedOutcome, Settings,
};
use foveal_store::{SessionId, SessionMetadata, SessionStore, SqliteStore};
use foveal_transcript::Timestamp;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::run_sessions::{go_on, name};
use crate::run_task::{KEY, bodies, calls, events, model, provider, run};
use crate::world::World;

/// How long something may take that happens at once.
const SOON: Duration = Duration::from_secs(20);

/// Starts a run that tells all that happens as JSON.
fn started(command: &mut Command, upstream: &MockProvider) -> Child {
    command.args(["--model", &model(upstream, "messages"), "task"]);
    command.env("FOVEAL_MODEL_KEY", KEY).stdin(Stdio::null()).stdout(Stdio::piped());
    command.spawn().expect("the program starts")
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("it runs");
}

/// Waits until a file is there that a command of the run makes.
fn wait_for_file(world: &World, path: &str) {
    let begin = Instant::now();
    while !world.folder.join(path).exists() {
        assert!(begin.elapsed() < SOON, "`{path}` does not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What was told last.
fn last(child: Child) -> (Option<i32>, Value) {
    let output = child.wait_with_output().expect("it ends");
    let out = String::from_utf8(output.stdout).expect("text");
    let last = out.lines().last().expect("a line");
    (output.status.code(), serde_json::from_str(last).expect("JSON"))
}

#[test]
fn a_run_under_nohup_lives_on() {
    let world = World::new("ends-nohup");
    let waits = calls(&[("bash", json!({"command": "touch there; sleep 1"}))]);
    let upstream = provider([waits, ModelReply::from_text("Done.")]);
    let program = env!("CARGO_BIN_EXE_foveal");
    let mut command = Command::new("sh");
    command.args(["-c", &format!("trap '' HUP; exec '{program}' \"$@\""), "sh", "run", "--json"]);
    command.arg("--yes").current_dir(&world.folder).env_clear();
    command.env("HOME", world.folder.join("home")).env("PATH", "/usr/bin:/bin");
    let child = started(&mut command, &upstream);
    wait_for_file(&world, "there");
    signal(&child, Signal::HUP);
    let (code, last) = last(child);
    assert_eq!((code, &last["outcome"]), (Some(0), &json!("finished")));

    // Without that, it ends.
    let world = World::new("ends-hangup");
    let waits = calls(&[("bash", json!({"command": "touch there; sleep 30"}))]);
    let upstream = provider([waits, ModelReply::from_text("Done.")]);
    let child = started(&mut world.command("run --json --yes"), &upstream);
    wait_for_file(&world, "there");
    signal(&child, Signal::HUP);
    let (code, last) = self::last(child);
    assert_eq!((code, &last["outcome"]), (Some(130), &json!("stopped")));
}

/// The first one has it wait for what runs, which here does not want to end.
#[test]
fn the_second_sigterm_is_not_waited_for() {
    let world = World::new("ends-twice");
    let stays = "trap '' TERM INT HUP; touch there; while :; do sleep 0.05; done";
    let upstream = provider([calls(&[("bash", json!({"command": stays}))])]);
    let child = started(&mut world.command("run --json --yes"), &upstream);
    wait_for_file(&world, "there");
    signal(&child, Signal::TERM);
    std::thread::sleep(Duration::from_millis(150));
    signal(&child, Signal::TERM);
    let begin = Instant::now();
    let (code, last) = last(child);
    assert!(begin.elapsed() < SOON);
    assert_eq!(code, Some(130));
    assert_ne!(last["type"], "done", "it was waited for");
}

#[test]
fn the_time_is_up_while_the_model_talks_without_a_pause() {
    let world = World::new("ends-time");
    let talks = ModelReply::from_text("word ".repeat(60_000));
    let slow = ScriptedFault::Slow { bytes: 64, pause: Duration::from_millis(2) };
    let upstream = provider([ScriptedOutcome { fault: slow, ..ScriptedOutcome::from(talks) }]);
    let begin = Instant::now();
    let ran = run(&world, &upstream, "chat", "--json --max-time 4");
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let events = events(&ran);
    let last = events.last().expect("an event");
    assert_eq!((&last["outcome"], &last["limit"]), (&json!("limit"), &json!("time")));
    assert!(events.iter().any(|event| event["type"] == "text"), "it talked");
}

/// A session whose beginning could not be kept is none that can be gone on with.
#[test]
fn what_has_no_beginning_is_passed_over() {
    let world = World::new("ends-beginning");
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    upstream.set_script(ReplyScript::in_order([
        ModelReply::from_text("One."),
        ModelReply::from_text("Two."),
    ]));
    assert_eq!(run(&world, &upstream, "chat", "--yes").code, Some(0));
    let path = world.folder.join("home/.local/share/foveal/store.db");
    let store = SqliteStore::open(&path).expect("the store");
    let later = Timestamp(4_000_000_000_000);
    let id = SessionId("run ffffffffffff".to_owned());
    store.open_session(&id, &SessionMetadata::default(), later).expect("opened");
    drop(store);
    let ran = go_on(&world, &["--continue", "and now"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Two.\n"), "{}", ran.err);
    let told = bodies(&upstream)[1].to_string();
    assert!(told.contains("make it three") && told.contains("and now"), "{told}");
}

/// A person is asked whether a command may be run, and the machine dies before they answer.
#[test]
fn a_call_that_was_only_asked_about_was_not_made() {
    let world = World::new("ends-asked");
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    let makes = calls(&[("bash", json!({"command": "touch made"}))]);
    upstream.set_script(ReplyScript::in_order([makes, ModelReply::from_text("I see.")]));
    let pair = native_pty_system().openpty(PtySize::default()).expect("a terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_foveal"));
    command.args(["run", "--model", &model(&upstream, "messages"), "task"]);
    command.cwd(&world.folder);
    command.env_clear();
    command.env("HOME", world.folder.join("home"));
    command.env("FOVEAL_MODEL_KEY", KEY);
    command.env("TERM", "xterm");
    let mut child = pair.slave.spawn_command(command).expect("the program starts");
    let screen = Arc::new(Mutex::new(String::new()));
    let (shown, mut reader) = (Arc::clone(&screen), pair.master.try_clone_reader().expect("it"));
    std::thread::spawn(move || {
        let mut bytes = [0; 4_096];
        while let Ok(count @ 1..) = reader.read(&mut bytes) {
            shown.lock().expect("text").push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    });
    let begin = Instant::now();
    while !screen.lock().expect("text").contains("Continue?") {
        assert!(begin.elapsed() < SOON, "{}", screen.lock().expect("text"));
        std::thread::sleep(Duration::from_millis(20));
    }
    let id = child.process_id().and_then(|id| Pid::from_raw(id as i32)).expect("it runs");
    kill_process(id, Signal::KILL).expect("it runs");
    child.wait().expect("it ends");
    assert!(!world.folder.join("made").exists());
    let ran = go_on(&world, &["--session", &name(&world), "--yes"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "I see.\n"), "{}", ran.err);
    let told = bodies(&upstream)[1].to_string();
    assert!(told.contains("before this call began"), "{told}");
    assert!(!told.contains("its answer is not known"), "{told}");
}

/// Starts a run at a terminal that makes these commands.
fn at_terminal(world: &World, commands: &[&str]) -> (crate::terminal::Terminal, MockProvider) {
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    let turns = commands.iter().map(|line| calls(&[("bash", json!({"command": line}))]));
    upstream.set_script(ReplyScript::in_order(turns.chain([ModelReply::from_text("I see.")])));
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_foveal"));
    command.args(["run", "--model", &model(&upstream, "messages"), "task"]);
    command.cwd(&world.folder);
    command.env_clear();
    command.env("HOME", world.folder.join("home"));
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("FOVEAL_MODEL_KEY", KEY);
    command.env("TERM", "xterm");
    (crate::terminal::Terminal::start(command, (100, 40)), upstream)
}

/// What is typed before a question stands there was not meant for it.
#[test]
fn what_is_typed_before_a_question_is_no_answer() {
    let world = World::new("ends-ahead");
    let (mut terminal, _upstream) = at_terminal(&world, &["touch one", "touch two"]);
    // Before the first question, and more than one question needs.
    terminal.types("y\ny\ny\ny\n");
    terminal.shows("bash `touch one`: no rule allows `touch *`. Continue? [y/N]");
    std::thread::sleep(Duration::from_millis(500));
    assert!(!world.folder.join("one").exists() && !terminal.screen().contains("touch two"));
    terminal.types("y\n").shows("bash `touch two`: no rule allows `touch *`. Continue? [y/N]");
    terminal.types("n\n").shows("I see.");
    assert_eq!(terminal.ends(), 0);
    assert!(world.folder.join("one").exists() && !world.folder.join("two").exists());
}

/// What only reads is not asked about, and a question names the rule that would make it needless.
#[test]
fn a_question_names_the_rule_that_is_missing() {
    let world = World::new("ends-rule");
    world.write("sub/x", "x");
    let commands = ["ls && git status", "cd sub && cat x | wc -c", "rm x"];
    let (mut terminal, _upstream) = at_terminal(&world, &commands);
    terminal.shows("bash `rm x`: no rule allows `rm *`. Continue? [y/N]");
    assert_eq!(terminal.screen().matches("Continue?").count(), 1, "{}", terminal.screen());
    terminal.types("n\n").shows("I see.");
    assert_eq!(terminal.ends(), 0);
    assert!(world.folder.join("sub/x").exists());
}
