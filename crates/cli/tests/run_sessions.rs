//! Runs of foveal's own agent that are gone on with: after their end, after a kill, by another model.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use foveal_mock_provider::{
    MockProvider, ModelReply, ReplyScript, ScriptedFault, ScriptedOutcome, Settings,
};
use serde_json::{Value, json};

use crate::run_task::{DIALECTS, KEY, bodies, calls, changes_a_file, model, provider, run};
use crate::world::{Ran, World};

/// Goes on with a session.
pub(crate) fn go_on(world: &World, options: &[&str]) -> Ran {
    let mut command = world.command("run");
    command.args(options).env("FOVEAL_MODEL_KEY", KEY).stdin(Stdio::null());
    world.ran(&mut command)
}

/// The messages of a request, without the marks for the cache, which move.
pub(crate) fn messages(body: &Value) -> Vec<Value> {
    let name = if body["input"].is_array() { "input" } else { "messages" };
    let mut messages = body[name].as_array().expect("a list").clone();
    messages.iter_mut().for_each(without_marks);
    messages
}

fn without_marks(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.shift_remove("cache_control");
            fields.values_mut().for_each(without_marks);
        }
        Value::Array(values) => values.iter_mut().for_each(without_marks),
        _ => {}
    }
}

/// The only session that is kept.
fn session(world: &World) -> Value {
    let listed: Value = serde_json::from_str(&world.output("sessions --json")).expect("JSON");
    let [one] = listed.as_array().expect("a list").as_slice() else { panic!("{listed}") };
    one.clone()
}

pub(crate) fn name(world: &World) -> String {
    session(world)["session"].as_str().expect("a name").to_owned()
}

/// What a file of foveal's folder of data holds, all of them together.
fn stored(world: &World) -> Vec<u8> {
    fn of(folder: &std::path::Path, bytes: &mut Vec<u8>) {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            match entry.path() {
                path if path.is_dir() => of(&path, bytes),
                path => bytes.extend(std::fs::read(path).expect("a file")),
            }
        }
    }
    let mut bytes = Vec::new();
    of(&world.folder.join("home/.local/share/foveal"), &mut bytes);
    bytes
}

#[test]
fn a_session_goes_on_with_the_next_task_in_the_same_bytes() {
    for dialect in DIALECTS {
        let world = World::new(&format!("sessions-{dialect}"));
        world.write("a.rs", "const A: u8 = 2;\n");
        let upstream = provider([ModelReply::from_text("")]);
        let turns = changes_a_file().into_iter().chain([ModelReply::from_text("And four.")]);
        upstream.set_script(ReplyScript::in_order(turns));
        let ran = run(&world, &upstream, dialect, "--yes");
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let listed = session(&world);
        assert_eq!(listed["about"], "make it three");
        let name = name(&world);
        let shown = name.strip_prefix("run ").expect("a run");
        assert!(ran.err.contains(&format!(", session {shown}")), "{}", ran.err);
        let ran = go_on(&world, &["--continue", "make it four"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "And four.\n"), "{}", ran.err);
        let bodies = bodies(&upstream);
        let [before, after] = [messages(&bodies[2]), messages(&bodies[3])];
        assert!(after.starts_with(&before), "{dialect}: {before:?} {after:?}");
        assert_eq!(bodies[2]["tools"], bodies[3]["tools"]);
        let [before_system, after_system] = [2, 3].map(|at| {
            let mut system = bodies[at]["system"].clone();
            without_marks(&mut system);
            system
        });
        assert_eq!(before_system, after_system);
        let told = Value::Array(after[before.len()..].to_vec()).to_string();
        assert!(told.contains("It is three now.") && told.contains("make it four"), "{told}");
        // The provider knows all that it was sent before.
        let seen = upstream.received_requests();
        let [before, after] = [2, 3].map(|at| seen[at].bill.expect("it was answered"));
        assert!(after.read >= before.read + before.written_5m, "{dialect}: {before:?} {after:?}");
    }
}

/// What the engine left out stays left out, in the same bytes.
#[test]
fn what_was_decided_stands() {
    for dialect in DIALECTS {
        let world = World::new(&format!("sessions-decided-{dialect}"));
        world.write("long.sh", "for i in $(seq 4000); do echo \"line $i of the output\"; done\n");
        let upstream = MockProvider::start(Settings::default()).expect("a provider");
        let shows = calls(&[("bash", json!({"command": "sh long.sh"}))]);
        let looks = calls(&[("list", json!({}))]);
        upstream.set_script(ReplyScript::in_order([
            shows,
            looks,
            ModelReply::from_text("Long."),
            ModelReply::from_text("Yes."),
        ]));
        assert_eq!(run(&world, &upstream, dialect, "--yes").code, Some(0));
        let ran = go_on(&world, &["--continue", "was it long?"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let bodies = bodies(&upstream);
        let [before, after] = [messages(&bodies[2]), messages(&bodies[3])];
        assert!(!Value::Array(before.clone()).to_string().contains("line 2000 of"), "{dialect}");
        assert!(after.starts_with(&before), "{dialect}");
    }
}

/// A run that is killed when `is_time`, and what it is waited for.
fn killed(world: &World, upstream: &MockProvider, dialect: &str, is_time: &dyn Fn() -> bool) {
    let mut child =
        started(world, &["--yes", "--model", &model(upstream, dialect), "make it three"]);
    wait_for(is_time);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

pub(crate) fn started(world: &World, options: &[&str]) -> Child {
    let mut command: Command = world.command("run");
    command.args(options).env("FOVEAL_MODEL_KEY", KEY);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the program starts")
}

pub(crate) fn wait_for(is_time: &dyn Fn() -> bool) {
    let begin = Instant::now();
    while !is_time() {
        assert!(begin.elapsed() < Duration::from_secs(60), "it never comes");
        std::thread::sleep(Duration::from_millis(10));
    }
    // What is done now is done.
    std::thread::sleep(Duration::from_millis(100));
}

#[test]
fn a_kill_in_the_middle_of_a_call_runs_nothing_twice() {
    for dialect in DIALECTS {
        let world = World::new(&format!("sessions-killed-{dialect}"));
        let acts = json!({"command": "echo done >> made; sleep 30"});
        let upstream = provider([ModelReply::from_text("")]);
        let both = calls(&[("bash", acts), ("bash", json!({"command": "echo two >> made"}))]);
        upstream.set_script(ReplyScript::in_order([both, ModelReply::from_text("I looked.")]));
        let made = world.folder.join("made");
        killed(&world, &upstream, dialect, &|| made.exists());
        let ran = go_on(&world, &["--continue", "--yes"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "I looked.\n"), "{}", ran.err);
        assert_eq!(world.read("made"), "done\n", "{dialect}");
        let last = bodies(&upstream).pop().expect("a request").to_string();
        assert!(last.contains("its answer is not known"), "{last}");
        assert!(last.contains("before this call began"), "{last}");
        // Nothing is left of the lock, of the killed one neither.
        let runs = world.folder.join("home/.local/share/foveal/runs");
        assert_eq!(std::fs::read_dir(runs).expect("a folder").count(), 0);
    }
}

#[test]
fn a_kill_in_the_middle_of_an_answer_has_it_asked_for_again() {
    let world = World::new("sessions-killed-stream");
    world.write("a.rs", "const A: u8 = 2;\n");
    let upstream = provider([ModelReply::from_text("")]);
    let silent = ScriptedOutcome {
        fault: ScriptedFault::SilentBefore(3),
        ..ScriptedOutcome::from(ModelReply::from_text("It never comes."))
    };
    let looks = ScriptedOutcome::from(calls(&[("read_file", json!({"path": "a.rs"}))]));
    upstream.set_script(ReplyScript::in_order([
        looks,
        silent,
        ScriptedOutcome::from(ModelReply::from_text("Two.")),
    ]));
    killed(&world, &upstream, "messages", &|| upstream.request_count() == 2);
    let ran = go_on(&world, &["--continue"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Two.\n"), "{}", ran.err);
    let bodies = bodies(&upstream);
    assert_eq!(bodies.len(), 3);
    assert_eq!(bodies[1], bodies[2]);
}

#[test]
fn one_process_at_a_time_goes_on_with_a_session() {
    let world = World::new("sessions-two");
    let silent = ScriptedOutcome {
        fault: ScriptedFault::SilentBefore(2),
        ..ScriptedOutcome::from(ModelReply::from_text("It never comes."))
    };
    let upstream = provider([silent]);
    let mut child = started(&world, &["--model", &model(&upstream, "chat"), "wait"]);
    wait_for(&|| upstream.request_count() == 1);
    for options in [&["--continue"][..], &["--session", &name(&world)], &["--continue", "more"]] {
        let ran = go_on(&world, options);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert!(ran.err.contains("another foveal process uses this session"), "{}", ran.err);
    }
    assert_eq!(upstream.request_count(), 1);
    let mode = |path: &std::path::Path| {
        let data = std::fs::metadata(path).expect("it is there");
        std::os::unix::fs::PermissionsExt::mode(&data.permissions()) & 0o777
    };
    let folder = world.folder.join("home/.local/share/foveal/runs");
    let lock = std::fs::read_dir(&folder).expect("a folder").flatten().next().expect("a lock");
    assert_eq!((mode(&folder), mode(&lock.path())), (0o700, 0o600));
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    upstream.set_script(ReplyScript::always(ModelReply::from_text("Done.")));
    assert_eq!(go_on(&world, &["--continue"]).out, "Done.\n");
}

#[test]
fn what_cannot_be_gone_on_with_is_said() {
    let world = World::new("sessions-refused");
    let upstream = provider([ModelReply::from_text("Done.")]);
    let refused = |options: &[&str], word: &str| {
        let ran = go_on(&world, options);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{options:?}");
        assert!(ran.err.contains(word), "{options:?}: {}", ran.err);
    };
    refused(&["--continue"], "no session of `foveal run` is stored for this folder");
    refused(&["--session", "1234"], "is neither a file nor a stored session");
    assert_eq!(run(&world, &upstream, "chat", "").code, Some(0));
    let name = name(&world);
    refused(&["--session", "1234"], "is neither a file nor a stored session");
    refused(&["--session", ""], "is neither a file nor a stored session");
    refused(&["--continue"], "the model had finished: give the next task");
    refused(&["--session", &name], "foveal run --session");
    refused(&["--continue", "--session", &name, "x"], "cannot be used with");
    refused(&["--continue", " "], "no task: give it");
    assert_eq!(upstream.request_count(), 1);
    // Of another folder, and of another kind.
    std::fs::create_dir(world.folder.join("other")).expect("a new folder");
    let mut command = world.command("run --session");
    command.arg(&name).arg("more").current_dir(world.folder.join("other"));
    let ran = world.ran(&mut command);
    assert!(ran.code == Some(2) && ran.err.contains("a session of another folder"), "{}", ran.err);
    assert!(ran.err.contains("cd "), "{}", ran.err);
    world.write("a.rs", "x\n");
    world.output("read a.rs");
    let all: Value = serde_json::from_str(&world.output("sessions --all --json")).expect("JSON");
    let shell = all[0]["session"].as_str().expect("a name");
    assert!(shell.starts_with("shell "), "{all}");
    refused(&["--session", shell, "more"], "is not a session of `foveal run`");
    // A part of the name is enough.
    let part = &name["run ".len().."run ".len() + 8];
    assert_eq!(go_on(&world, &["--session", part, "more"]).out, "Done.\n");
}

#[test]
fn another_model_is_not_sent_the_reasoning_of_the_first() {
    let world = World::new("sessions-models");
    world.write("a.rs", "const A: u8 = 2;\n");
    let upstream = provider([ModelReply::from_text("")]);
    let thinks = ModelReply {
        thinking: "I look first.".to_owned(),
        ..calls(&[("read_file", json!({"path": "a.rs"}))])
    };
    upstream.set_script(ReplyScript::in_order([
        thinks,
        ModelReply::from_text("Two."),
        ModelReply::from_text("Still."),
        ModelReply::from_text("Again."),
    ]));
    assert_eq!(run(&world, &upstream, "messages", "").code, Some(0));
    let other = format!("messages:claude-opus-4-5@{}", upstream.url());
    let ran = go_on(&world, &["--continue", "--model", &other, "sure?"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("reasoning of another model is omitted"), "{}", ran.err);
    // The first one still has it.
    let ran = go_on(&world, &["--continue", "--model", &model(&upstream, "messages"), "sure?"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let is_signed = |body: &Value| Value::Array(messages(body)).to_string().contains("signature");
    let signed: Vec<bool> = bodies(&upstream).iter().map(is_signed).collect();
    assert_eq!(signed, [false, true, false, true]);
}

/// The redactor stands between the run and the disk; what it left out the model is told.
#[test]
fn secrets_and_keys_are_not_kept() {
    let world = World::new("sessions-secrets");
    let secret = "AKIAQYLPMN5HFIQR7XYA";
    world.write("settings.txt", format!("region = \"eu\"\naws = \"{secret}\"\n"));
    let upstream = provider([ModelReply::from_text("")]);
    let turns = [
        calls(&[("read_file", json!({"path": "settings.txt"}))]),
        ModelReply::from_text(format!("The key is {secret}.")),
        ModelReply::from_text("I see."),
    ];
    upstream.set_script(ReplyScript::in_order(turns));
    let ran = run(&world, &upstream, "messages", "");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = go_on(&world, &["--continue", "which one?"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("secrets in this session were not stored"), "{}", ran.err);
    let bodies = bodies(&upstream);
    assert!(bodies[1].to_string().contains(secret) && !bodies[2].to_string().contains(secret));
    assert!(bodies[2].to_string().contains("The key is [secret removed: AWS access key]."));
    let stored = stored(&world);
    for word in [secret, KEY] {
        assert!(!stored.windows(word.len()).any(|part| part == word.as_bytes()), "{word}");
    }
}

/// What other commands tell of recorded sessions they tell of runs.
#[test]
fn runs_are_shown_and_replayed() {
    let world = World::new("sessions-shown");
    world.write("a.rs", "const A: u8 = 2;\n");
    let upstream = provider(changes_a_file());
    assert_eq!(run(&world, &upstream, "messages", "--yes").code, Some(0));
    let name = name(&world);
    let part = name.strip_prefix("run ").expect("a run");
    let shown = world.output(&format!("show {part}"));
    assert!(shown.starts_with(&format!("{name}, agent foveal, in ")), "{shown}");
    assert!(shown.contains(": 3 turns, 8 messages, billed $"), "{shown}");
    let turn = world.output(&format!("show {part} --turn 1"));
    assert!(turn.contains("[reasoning]\n  I look first.") && turn.contains("A: u8 = 2"), "{turn}");
    assert!(world.output(&format!("changelog {part}")).contains("three"));
    let file = world.run(&format!("file-at {part} a.rs"));
    assert_eq!((file.code, file.out.as_str()), (Some(0), "const A: u8 = 3;\n"), "{}", file.err);
    let replayed = world.run(&format!("replay {part} --json --per-session"));
    assert_eq!((replayed.code, replayed.err.as_str()), (Some(0), ""));
    let replayed: Value = serde_json::from_str(&replayed.out).expect("JSON");
    assert_eq!((&replayed["sessions"], &replayed["raw"]["requests"]), (&json!(1), &json!(3)));
    assert_eq!(replayed["per_session"][0]["session"], name);
    assert!(world.output(&format!("replay {part} --show 2")).contains("const A: u8 = 2;"));
    // Without a path it is among what agents keep.
    let all = world.run("replay --json");
    assert!(all.err.contains("foveal: 1 session in home/.local/share/foveal"), "{}", all.err);
    let listed = world.output("sessions");
    assert!(listed.contains("make it three"), "{listed}");
}

#[test]
fn nothing_of_a_run_is_kept_where_the_user_wants_that() {
    let world = World::new("sessions-unkept");
    world.write("home/.config/foveal/config.toml", "keep_contents = false\n");
    world.write("a.rs", "const A: u8 = 2;\n");
    let upstream = provider(changes_a_file());
    let ran = run(&world, &upstream, "chat", "--yes");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "It is three now.\n"), "{}", ran.err);
    assert!(!ran.err.contains("session "), "{}", ran.err);
    let ran = go_on(&world, &["--continue"]);
    assert!(ran.code == Some(2) && ran.err.contains("is stored for this folder"), "{}", ran.err);
    let stored = stored(&world);
    for word in ["make it three", "It is three now"] {
        assert!(!stored.windows(word.len()).any(|part| part == word.as_bytes()), "{word}");
    }
}

/// The system, or the terminal, ends a run as a person does: it can be gone on with.
#[test]
fn a_run_that_is_ended_goes_on() {
    for signal in ["TERM", "HUP", "INT"] {
        let world = World::new(&format!("sessions-signal-{signal}"));
        let upstream = provider([ModelReply::from_text("")]);
        let sleeps = calls(&[("bash", json!({"command": "echo done >> made; sleep 30"}))]);
        upstream.set_script(ReplyScript::in_order([sleeps, ModelReply::from_text("Ended.")]));
        let mut child =
            started(&world, &["--yes", "--model", &model(&upstream, "chat"), "make it three"]);
        wait_for(&|| world.folder.join("made").exists());
        let signal = match signal {
            "TERM" => rustix::process::Signal::TERM,
            "HUP" => rustix::process::Signal::HUP,
            _ => rustix::process::Signal::INT,
        };
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, signal).expect("it runs");
        assert_eq!(child.wait().expect("it ends").code(), Some(130));
        let ran = go_on(&world, &["--continue"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Ended.\n"), "{}", ran.err);
        assert_eq!(world.read("made"), "done\n");
        assert_eq!(bodies(&upstream).len(), 2);
    }
}

/// What the model saw in an earlier run it may write over in this one, as long as it is that.
#[test]
fn what_was_shown_before_may_be_written_over() {
    let world = World::new("sessions-seen");
    world.write("a.rs", "const A: u8 = 2;\n");
    let upstream = provider([ModelReply::from_text("")]);
    let looks = calls(&[("read_file", json!({"path": "a.rs"}))]);
    let writes = calls(&[("write_file", json!({"path": "a.rs", "content": "const A: u8 = 3;\n"}))]);
    let turns = [looks, ModelReply::from_text("Two."), writes, ModelReply::from_text("Three.")];
    upstream.set_script(ReplyScript::in_order(turns));
    assert_eq!(run(&world, &upstream, "chat", "").code, Some(0));
    let ran = go_on(&world, &["--continue", "--yes", "make it three"]);
    assert_eq!(ran.out, "Three.\n", "{}", ran.err);
    assert_eq!(world.read("a.rs"), "const A: u8 = 3;\n", "{}", ran.err);
}

const SECRET: &str = "ghp_Q7x2Vn9Wb4Tc6Rf8Lp3Hs5Jd1Gz0AyKm4E2d";

/// What was decided about results stands also behind words that held a secret, which come back
/// without it.
#[test]
fn what_was_decided_stands_behind_a_secret() {
    for dialect in DIALECTS {
        let world = World::new(&format!("sessions-said-{dialect}"));
        for at in 0..6 {
            let lines = (0..700).map(|line| format!("value {line} of part {at} is {}\n", line * 7));
            world.write(&format!("part_{at}.txt"), lines.collect::<String>());
        }
        let look = |at: usize| ("read_file", json!({"path": format!("part_{at}.txt")}));
        let says = format!("The token is {SECRET}.");
        let tells = json!({"command": format!("echo {SECRET} > token.txt")});
        let first = ModelReply { text: says, ..calls(&[look(0), ("bash", tells)]) };
        let others = (1..6)
            .map(|at| calls(&[look(at)]))
            .chain((0..4).map(|at| calls(&[("list", json!({"path": ".", "depth": at + 1}))])));
        let ends = [
            ModelReply::from_text("Done."),
            ModelReply::from_text("Yes."),
            ModelReply::from_text("Yes."),
        ];
        let turns: Vec<ModelReply> = std::iter::once(first).chain(others).chain(ends).collect();
        let count = turns.len();
        let upstream = provider([ModelReply::from_text("")]);
        upstream.set_script(ReplyScript::in_order(turns));
        world.write(
            "home/.config/foveal/config.toml",
            "[agent]\nprofile = \"balanced\"\nbudget = 30_000\nbudget_low = 15_000\n",
        );
        let ran = run(&world, &upstream, dialect, "--yes --json");
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.out.contains("the prompt was too long"), "{}", ran.out);
        for next in [count - 2, count - 1] {
            let ran = go_on(&world, &["--continue", "--json", "sure?"]);
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            assert!(!ran.out.contains("reduced"), "{dialect}: {}", ran.out);
            let bodies = bodies(&upstream);
            let before = Value::Array(messages(&bodies[next - 1])).to_string();
            let before: Vec<Value> =
                serde_json::from_str(&before.replace(SECRET, "[secret removed: GitHub token]"))
                    .expect("JSON");
            let after = messages(&bodies[next]);
            for (at, (one, other)) in before.iter().zip(&after).enumerate() {
                assert_eq!(one, other, "{dialect}: message {at}");
            }
            assert!(after.len() > before.len());
        }
        let stored = stored(&world);
        assert!(!stored.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()));
    }
}

/// What was decided about a result that has other bytes without its secret is decided anew, once.
#[test]
fn what_held_a_secret_is_decided_about_anew() {
    let world = World::new("sessions-result-secret");
    let script = "echo token=$(cat token.txt)\nfor i in $(seq 4000); do echo line $i; done\n";
    world.write("long.sh", script);
    world.write("token.txt", SECRET);
    let shows = || calls(&[("bash", json!({"command": "sh long.sh"}))]);
    let looks = calls(&[("list", json!({}))]);
    let ends = ["Long.", "Yes.", "Yes."].map(ModelReply::from_text);
    let turns = [shows(), looks].into_iter().chain(ends);
    let upstream = provider([ModelReply::from_text("")]);
    upstream.set_script(ReplyScript::in_order(turns));
    assert_eq!(run(&world, &upstream, "messages", "--yes").code, Some(0));
    for _ in 0..2 {
        let ran = go_on(&world, &["--continue", "was it long?"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    let bodies = bodies(&upstream);
    let [first, second, third] =
        [2, 3, 4].map(|at| Value::Array(messages(&bodies[at])).to_string());
    assert!(first.contains(SECRET) && !second.contains(SECRET), "{second}");
    assert!(second.contains("[secret removed: ") && second.contains("line 3999"), "{second}");
    assert!(!second.contains("line 2000") && third.starts_with(second.trim_end_matches(']')));
    let stored = stored(&world);
    assert!(!stored.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()));
}

/// Where the user goes on by other rules, what had gone may change: that is told with its reason, and
/// only then.
#[test]
fn other_rules_are_told_as_what_changes_the_prompt() {
    let world = World::new("sessions-rules");
    world.write("a.rs", "const A: u8 = 2;\n");
    let upstream = provider([ModelReply::from_text("")]);
    let looks = calls(&[("read_file", json!({"path": "a.rs"}))]);
    let ends = (0..6).map(|_| ModelReply::from_text("Two."));
    upstream.set_script(ReplyScript::in_order(std::iter::once(looks).chain(ends)));
    let ran = run(&world, &upstream, "chat", "--json --profile first-last-sampled");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let why = |options: &[&str]| {
        let ran = go_on(&world, options);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let sent = ran.out.lines().find(|line| line.contains("\"sent\"")).expect("it is told");
        serde_json::from_str::<Value>(sent).expect("JSON")["rewrite"].clone()
    };
    let told = "the session resumed with another profile, other limits or another API";
    assert_eq!(why(&["--continue", "--json", "sure?"]), Value::Null);
    let limits = |count| format!("[agent]\nmax_file_reads = {count}\n");
    world.write("home/.config/foveal/config.toml", limits(2));
    assert_eq!(why(&["--continue", "--json", "sure?"]), told);
    assert_eq!(why(&["--continue", "--json", "sure?"]), Value::Null);
    let other = ["--continue", "--json", "--profile", "balanced", "sure?"];
    assert_eq!(why(&other), told);
    // Limits of a profile that is not used change nothing.
    world.write("home/.config/foveal/config.toml", limits(3));
    assert_eq!(why(&["--continue", "--json", "sure?"]), Value::Null);
    let other = model(&upstream, "messages");
    assert_eq!(why(&["--continue", "--json", "--model", &other, "sure?"]), told);
}
