//! `foveal hook` with events and transcripts in the forms of Claude Code.

use std::cell::Cell;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use foveal_store::{
    ContentStore, GarbageCollection, ReaderNoteStore, RetentionLimits, SessionId, SessionLogStore,
    SessionMetadata, SessionStore, SqliteStore,
};
use foveal_transcript::Handle;
use foveal_transcript::Timestamp;
use serde_json::{Value, json};

use crate::world::World;

/// A session of Claude Code, line by line.
struct Session {
    world: World,
    path: &'static str,
    agent: Option<&'static str>,
    lines: Cell<u32>,
}

/// What the hook answered.
struct Shaped {
    output: Value,
    context: Option<String>,
}

impl Session {
    fn new(test: &str) -> Self {
        let world = World::new(&format!("hook_{test}"));
        Self { world, path: "t/s1.jsonl", agent: None, lines: Cell::new(0) }
    }

    fn line(&self, mut line: Value, parent: Option<u32>) -> u32 {
        let number = self.lines.get() + 1;
        self.lines.set(number);
        let parent = parent.or(Some(number - 1)).filter(|parent| *parent > 0);
        let agent = self.agent;
        line["uuid"] = format!("{}{number}", agent.unwrap_or("u")).into();
        line["parentUuid"] = parent.map(|at| format!("{}{at}", agent.unwrap_or("u"))).into();
        line["sessionId"] = "s1".into();
        line["cwd"] = "/r".into();
        line["timestamp"] = "2026-01-01T00:00:00.000Z".into();
        if let Some(agent) = agent {
            line["isSidechain"] = true.into();
            line["agentId"] = agent.into();
        }
        let path = self.world.folder.join(self.path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder");
        let mut file = fs::OpenOptions::new().append(true).create(true).open(path).expect("a file");
        writeln!(file, "{line}").expect("a file");
        number
    }

    fn user(&self, text: &str, parent: Option<u32>) -> u32 {
        self.line(json!({ "type": "user", "message": { "role": "user", "content": text } }), parent)
    }

    fn call(&self, id: &str, tool: &str, input: &Value) -> u32 {
        let call = json!({ "type": "tool_use", "id": id, "name": tool, "input": input });
        let message = json!({ "id": format!("m{id}"), "role": "assistant", "content": [call] });
        self.line(json!({ "type": "assistant", "message": message }), None)
    }

    fn result(&self, id: &str, text: &str) -> u32 {
        let result = json!({ "type": "tool_result", "tool_use_id": id, "content": text });
        let message = json!({ "role": "user", "content": [result] });
        self.line(json!({ "type": "user", "message": message }), None)
    }

    /// Runs the hook with an event, which must end well and in silence.
    fn event(&self, mut event: Value) -> Option<Shaped> {
        event["session_id"] = "s1".into();
        event["cwd"] = "/r".into();
        if event["transcript_path"].is_null() {
            let path = self.world.folder.join("t/s1.jsonl");
            event["transcript_path"] = path.to_string_lossy().into_owned().into();
        }
        if let Some(agent) = self.agent {
            event["agent_id"] = agent.into();
        }
        let out = given(&self.world, event.to_string().as_bytes());
        if out.is_empty() {
            return None;
        }
        let mut answer: Value = serde_json::from_str(&out).expect("JSON");
        let mut answer = answer["hookSpecificOutput"].take();
        assert_eq!(answer["hookEventName"], "PostToolUse");
        let context = answer["additionalContext"].as_str().map(str::to_owned);
        Some(Shaped { output: answer["updatedToolOutput"].take(), context })
    }

    fn answered(&self, id: &str, tool: &str, input: &Value, response: &Value) -> Option<Shaped> {
        self.event(json!({
            "hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": input,
            "tool_use_id": id, "tool_response": response
        }))
    }

    /// A read, which the model is sent as the hook says, or as it is.
    fn read(&self, id: &str, lines: &[String]) -> Option<Shaped> {
        let input = json!({ "file_path": "/r/a.rs" });
        self.call(id, "Read", &input);
        let shaped = self.answered(id, "Read", &input, &read_response(lines));
        let shown = shaped.as_ref().map_or_else(
            || numbered(lines, 1),
            |shaped| {
                let file = &shaped.output["file"];
                let first = file["startLine"].as_u64().expect("a number");
                let lines: Vec<_> = file["content"].as_str().expect("a text").split('\n').collect();
                numbered(&lines, first)
            },
        );
        self.result(id, &shown);
        shaped
    }

    fn run(&self, id: &str, command: &str, out: &str) -> Option<Shaped> {
        let input = json!({ "command": command });
        self.call(id, "Bash", &input);
        let response =
            json!({ "stdout": out, "stderr": "", "interrupted": false, "isImage": false });
        let shaped = self.answered(id, "Bash", &input, &response);
        let sent = shaped.as_ref().and_then(|shaped| shaped.output["stdout"].as_str());
        self.result(id, sent.unwrap_or(out));
        shaped
    }
}

/// What the hook prints for this on standard input.
fn given(world: &World, input: &[u8]) -> String {
    given_as(world, "hook", input)
}

/// The same for an agent that is named.
pub(crate) fn given_as(world: &World, command: &str, input: &[u8]) -> String {
    given_to(world.command(command), input)
}

/// The same for a command that is ready to run.
pub(crate) fn given_to(mut command: Command, input: &[u8]) -> String {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut pipe = child.stdin.take().expect("it is piped");
    // It may have had enough before it has read all.
    let _ = pipe.write_all(input);
    drop(pipe);
    let ran = child.wait_with_output().expect("it was started");
    let error = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!((ran.status.code(), error.as_str()), (Some(0), ""));
    String::from_utf8(ran.stdout).expect("text")
}

fn lines(count: usize) -> Vec<String> {
    (1..=count).map(|n| format!("    let value_{n} = compute({n});")).collect()
}

fn numbered(lines: &[impl AsRef<str>], first: u64) -> String {
    let lines = (first..).zip(lines).map(|(n, line)| format!("{n:>6}→{}", line.as_ref()));
    lines.collect::<Vec<_>>().join("\n")
}

fn read_response(lines: &[String]) -> Value {
    json!({ "type": "text", "file": {
        "filePath": "/r/a.rs", "content": lines.join("\n"), "numLines": lines.len(),
        "startLine": 1, "totalLines": lines.len()
    } })
}

pub(crate) fn tests(count: usize) -> String {
    let all: String = (0..count).map(|n| format!("test case_{n} ... ok\n")).collect();
    format!("{all}test result: ok. {count} passed; 0 failed\n")
}

#[test]
fn nothing_is_left_out_where_no_contents_are_kept() {
    let session = Session::new("keeps_no_contents");
    session.world.write("home/.config/foveal/config.toml", "keep_contents = false\n");
    session.user("run the tests", None);
    assert!(session.run("c1", "cargo test", &tests(900)).is_none());
    let own = session.world.folder.join("home/.local/share/foveal");
    for entry in fs::read_dir(own).expect("a folder").flatten() {
        let bytes = fs::read(entry.path()).unwrap_or_default();
        assert!(!bytes.windows(9).any(|part| part == b"test case"), "{:?}", entry.path());
    }
    session.world.write("home/.config/foveal/config.toml", "");
    assert!(session.run("c2", "cargo test", &tests(900)).is_some());
}

/// The lines that are shown, with the numbers Claude Code gives them, are those of the file.
#[track_caller]
fn shows(shaped: Option<Shaped>, file: &[String], first: usize, last: usize) -> String {
    let Shaped { output, context } = shaped.expect("it is shaped");
    let part = &output["file"];
    assert_eq!(part["content"].as_str(), Some(file[first - 1..last].join("\n").as_str()));
    let counts = [&part["startLine"], &part["numLines"], &part["totalLines"]];
    assert_eq!(counts, [&json!(first), &json!(last + 1 - first), &json!(file.len())]);
    assert_eq!((&output["type"], &part["filePath"]), (&json!("text"), &json!("/r/a.rs")));
    context.expect("what is left out is told")
}

#[test]
fn a_file_that_is_read_again_is_pointed_at_once() {
    let session = Session::new("again");
    let file = lines(100);
    session.user("look at a.rs", None);
    assert!(session.read("c1", &file).is_none());
    let told = shows(session.read("c2", &file), &file, 1, 1);
    assert!(
        told.contains("line 1 of /r/a.rs; the rest of 1-100") && told.contains("stands above"),
        "{told}"
    );
    // Who asks again at once wants it, and has it.
    assert!(session.read("c3", &file).is_none());
    shows(session.read("c4", &file), &file, 1, 1);
}

#[test]
fn nothing_is_pointed_at_where_duplicates_are_not_detected() {
    for (at, off) in ["detect_duplicates = false\n", "[duplicates.tools.Read]\ndetect = false\n"]
        .into_iter()
        .enumerate()
    {
        let session = Session::new(&format!("undetected_{at}"));
        session.world.write("home/.config/foveal/config.toml", off);
        let file = lines(100);
        session.user("look at a.rs", None);
        assert!(session.read("c1", &file).is_none());
        assert!(session.read("c2", &file).is_none(), "{off}");
    }
}

#[test]
fn of_a_changed_file_what_changed_is_shown() {
    let session = Session::new("changed");
    let mut file = lines(100);
    session.read("c1", &file);
    "    changed();".clone_into(&mut file[40]);
    "    changed_too();".clone_into(&mut file[44]);
    let told = shows(session.read("c2", &file), &file, 41, 45);
    assert!(
        told.contains("[1-40: ") && told.contains("[46-100: ") && !told.contains("42"),
        "{told}"
    );
    // Far apart, most of it would have to be shown.
    let (first, last) = (0, 99);
    "    first();".clone_into(&mut file[first]);
    "    last();".clone_into(&mut file[last]);
    assert!(session.read("c3", &file).is_none());
    let ranges = json!({ "file_path": "/r/a.rs", "offset": 5, "limit": 3 });
    session.call("c4", "Read", &ranges);
    assert!(session.answered("c4", "Read", &ranges, &read_response(&file[4..7])).is_none());
}

#[test]
fn what_left_the_prompt_is_shown_again() {
    for event in [
        json!({ "hook_event_name": "PreCompact", "trigger": "auto" }),
        json!({ "hook_event_name": "PostCompact", "trigger": "auto" }),
        json!({ "hook_event_name": "SessionStart", "source": "compact" }),
        json!({ "hook_event_name": "SessionStart", "source": "clear" }),
    ] {
        let session = Session::new("forgets");
        let file = lines(100);
        session.read("c1", &file);
        assert!(session.event(event).is_none());
        assert!(session.read("c2", &file).is_none());
        shows(session.read("c3", &file), &file, 1, 1);
    }
    let session = Session::new("resumes");
    let file = lines(100);
    session.read("c1", &file);
    assert!(
        session.event(json!({ "hook_event_name": "SessionStart", "source": "resume" })).is_none()
    );
    shows(session.read("c2", &file), &file, 1, 1);
}

/// The record itself says so too, for whoever has other hooks, or none of ours but one.
#[test]
fn the_record_tells_what_left_the_prompt() {
    let boundary =
        json!({ "type": "system", "subtype": "compact_boundary", "content": "Compacted" });
    let cleared = json!({ "type": "system", "subtype": "microcompact_boundary" });
    let other = json!({ "type": "content-replacement", "replacements": [{ "toolUseId": "c1" }] });
    for line in [boundary, cleared, other] {
        let session = Session::new("record");
        let file = lines(100);
        session.read("c1", &file);
        session.line(line, None);
        assert!(session.read("c2", &file).is_none());
        shows(session.read("c3", &file), &file, 1, 1);
    }
    let session = Session::new("rewind");
    let file = lines(100);
    let start = session.user("hello", None);
    session.user("look at a.rs", Some(start));
    session.read("c1", &file);
    session.user("no, something else", Some(start));
    assert!(session.read("c2", &file).is_none());
}

/// Results that came before the first event make the record count from there on only; the branch
/// that a rewind replaced may lie on both sides of that.
#[test]
fn a_branch_that_began_before_the_first_event_is_not_pointed_at() {
    let session = Session::new("rewind_to_the_start");
    let file = lines(100);
    session.user("look at a.rs", None);
    session.call("c1", "Glob", &json!({ "pattern": "*" }));
    session.result("c1", "a.rs");
    session.run("c2", "git log", "one commit");
    assert!(session.read("c3", &file).is_none());
    shows(session.read("c4", &file), &file, 1, 1);
    // To the first message, which is asked again.
    session.user("look at a.rs, please", Some(0));
    assert!(session.read("c5", &file).is_none());
    shows(session.read("c6", &file), &file, 1, 1);
}

/// The same call may be answered by a session of the server that knows what the prompt showed.
#[test]
fn after_a_rewind_the_server_is_asked_by_another_reader() {
    let session = Session::new("rewind_reader");
    let asks = |id: &str| {
        let tool = "mcp__foveal__read_file";
        session.call(id, tool, &json!({ "path": "a.rs" }));
        let event = json!({ "hook_event_name": "PreToolUse", "tool_name": tool,
            "tool_use_id": id, "tool_input": {} });
        assert!(session.event(event).is_none());
        session.result(id, "a file");
        let path = session.world.folder.join("home/.local/share/foveal/store.db");
        let store = SqliteStore::open(&path).expect("a store");
        store.call_reader(id).expect("a store").expect("a reader")
    };
    let start = session.user("hello", None);
    session.user("look at a.rs", Some(start));
    let first = asks("c1");
    assert_eq!(asks("c2"), first);
    session.user("no, something else", Some(start));
    let second = asks("c3");
    assert_ne!(second, first);
    assert_eq!(asks("c4"), second);
}

#[test]
fn output_that_is_kept_in_a_file_is_shaped_from_there() {
    let session = Session::new("persisted");
    let (out, path) = (tests(3000), session.world.folder.join("kept.txt"));
    fs::write(&path, &out).expect("a new file");
    let input = json!({ "command": "cargo test" });
    let response = |path: &str| {
        json!({ "stdout": out[..20_000], "stderr": "", "interrupted": false, "isImage": false,
            "persistedOutputPath": path, "persistedOutputSize": out.len() })
    };
    let shaped = session.answered("c1", "Bash", &input, &response(&path.to_string_lossy()));
    let output = shaped.expect("it is long").output;
    let shown = output["stdout"].as_str().expect("a text");
    assert!(shown.len() < 5_000 && shown.ends_with("3000 passed; 0 failed"), "{shown}");
    let names: Vec<&String> = output.as_object().expect("an object").keys().collect();
    assert_eq!(names, ["stdout", "stderr", "interrupted", "isImage"]);
    let handle = shown.split("expand ").nth(1).and_then(|rest| rest.get(..12)).expect("a handle");
    assert_eq!(session.world.output(&format!("expand {handle}")), out.trim_end());
    // What is not there, or no file, is left alone.
    let other = json!({ "command": "cargo test --all" });
    for path in ["/nowhere", "/dev/zero", ""] {
        assert!(session.answered("c2", "Bash", &other, &response(path)).is_none(), "{path}");
    }
}

#[test]
fn of_a_command_that_failed_it_is_told_what_was_cut() {
    let session = Session::new("failure");
    let event = |error: &str| {
        let event = json!({ "hook_event_name": "PostToolUseFailure", "session_id": "s1",
            "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "c1",
            "cwd": "/r", "error": error });
        given(&session.world, event.to_string().as_bytes())
    };
    let told = event("Exit code 2\nstart\n\n... [20012 characters truncated] ...\n\nend");
    let told: Value = serde_json::from_str(&told).expect("JSON");
    let told = &told["hookSpecificOutput"];
    assert_eq!(told["hookEventName"], "PostToolUseFailure");
    let told = told["additionalContext"].as_str().expect("a text");
    // The number is that of a second cut: how much is missing in all is not known.
    assert!(told.contains("possibly by much more") && !told.contains("20012"), "{told}");
    assert_eq!(event("Exit code 2\nno such target"), "");
}

/// Codex tells the hook no exit code, and shows none beside what the hook gives.
#[test]
fn of_codex_only_looks_are_shaped() {
    let world = World::new("hook_codex");
    let file: String = (1..=400).map(|n| format!("    let value_{n} = compute({n});\n")).collect();
    world.write("a.rs", &file);
    let folder = world.folder.to_string_lossy().into_owned();
    let record = world.folder.join("rollout.jsonl");
    let line = |kind: &str, payload: Value| {
        json!({"timestamp": "2026-01-01T00:00:00.000Z", "type": kind, "payload": payload})
            .to_string()
    };
    let call = |id: &str, command: &str| {
        let arguments = json!({ "cmd": command }).to_string();
        line(
            "response_item",
            json!({"type": "function_call", "name": "exec_command",
            "arguments": arguments, "call_id": id}),
        )
    };
    let event = |id: &str, command: &str, out: &str| {
        let event = json!({"session_id": "s1", "transcript_path": record, "cwd": folder,
            "hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_input": {"command": command}, "tool_response": out, "tool_use_id": id});
        given_as(&world, "hook codex", event.to_string().as_bytes())
    };
    let meta = line(
        "session_meta",
        json!({"id": "s1", "cwd": folder,
        "timestamp": "2026-01-01T00:00:00.000Z"}),
    );
    let mut lines = vec![meta, call("c1", "cat a.rs")];
    fs::write(&record, lines.join("\n") + "\n").expect("a new file");
    assert_eq!(event("c1", "cat a.rs", &file), "");
    let output = format!("Process exited with code 0\nOutput:\n{file}");
    lines.push(line(
        "response_item",
        json!({"type": "function_call_output", "call_id": "c1",
        "output": output}),
    ));
    lines.push(call("c2", "sed -n '100,180p' a.rs"));
    fs::write(&record, lines.join("\n") + "\n").expect("a file");
    let part: String = file.lines().skip(99).take(81).map(|line| format!("{line}\n")).collect();
    let answer: Value =
        serde_json::from_str(&event("c2", "sed -n '100,180p' a.rs", &part)).expect("JSON");
    assert_eq!(answer["decision"], "block");
    let reason = answer["reason"].as_str().expect("a text");
    assert!(reason.starts_with("[100-180: ") && reason.len() < 600, "{reason}");
    assert_eq!(event("c3", "cargo test", &tests(3000)), "");
}

/// Codex cuts what a hook gives at about 10,000 bytes: what it would cut stays as it is.
#[test]
fn codex_is_given_nothing_that_it_would_cut() {
    let world = World::new("hook_codex_cut");
    let file: String = (1..=500).map(|n| format!("    let value_{n} = compute({n});\n")).collect();
    let record = world.folder.join("rollout.jsonl");
    let line = |kind: &str, payload: Value| {
        let line = json!({"timestamp": "2026-01-01T00:00:00.000Z", "type": kind,
            "payload": payload});
        format!("{line}\n")
    };
    let call = |id: &str, command: &str| {
        let arguments = json!({ "cmd": command }).to_string();
        let call = json!({"type": "function_call", "name": "exec_command",
            "arguments": arguments, "call_id": id});
        line("response_item", call)
    };
    let shown = |count: usize| {
        let part: String = file.split_inclusive('\n').take(count).collect();
        let command = format!("sed -n '1,{count}p' a.rs");
        let output = json!({"type": "function_call_output", "call_id": "c1",
            "output": format!("Process exited with code 0\nOutput:\n{part}")});
        let meta = json!({"id": "s1", "cwd": "/r", "timestamp": "2026-01-01T00:00:00.000Z"});
        let all = [
            line("session_meta", meta),
            call("c1", &command),
            line("response_item", output),
            call("c2", "cat a.rs"),
        ];
        fs::write(&record, all.concat()).expect("a new file");
        let event = json!({"session_id": format!("s{count}"), "transcript_path": record,
            "cwd": "/r", "hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_input": {"command": "cat a.rs"}, "tool_response": file, "tool_use_id": "c2"});
        given_as(&world, "hook codex", event.to_string().as_bytes())
    };
    // Of 500 lines 350 are left, which are more than it takes; 150 are not.
    assert_eq!(shown(150), "");
    let answer: Value = serde_json::from_str(&shown(350)).expect("JSON");
    assert!(answer["reason"].as_str().is_some_and(|reason| reason.len() < 9_000), "{answer}");
}

/// Gemini CLI wraps what was printed, so nothing earlier is pointed at.
#[test]
fn of_gemini_one_output_is_shaped_by_itself() {
    let world = World::new("hook_gemini");
    let out = format!(
        "<untrusted_context>\nOutput: {}\nExit Code: 3\nProcess Group PGID: 7\n</untrusted_context>",
        tests(3000)
    );
    let event = |tool: &str| {
        let event = json!({"session_id": "s1", "transcript_path": "/nowhere", "cwd": "/r",
            "hook_event_name": "AfterTool", "timestamp": "2026-01-01T00:00:00.000Z",
            "tool_name": tool, "tool_input": {"command": "cargo test"},
            "tool_response": {"llmContent": out, "returnDisplay": ""}});
        given_as(&world, "hook gemini", event.to_string().as_bytes())
    };
    let answer: Value = serde_json::from_str(&event("run_shell_command")).expect("JSON");
    assert_eq!(answer["decision"], "deny");
    let reason = answer["reason"].as_str().expect("a text");
    assert!(reason.contains("Exit Code: 3") && reason.len() < 5_000, "{reason}");
    assert!(reason.contains(&format!("{} expand ", env!("CARGO_BIN_EXE_foveal"))), "{reason}");
    assert_eq!(event("read_file"), "");
}

#[test]
fn a_store_that_is_held_costs_little_time() {
    let session = Session::new("locked");
    assert!(session.read("c1", &lines(100)).is_none());
    let path = session.world.folder.join("home/.local/share/foveal/store.db");
    let holder = rusqlite::Connection::open(&path).expect("a store");
    holder.execute_batch("BEGIN EXCLUSIVE").expect("nobody else has it");
    let started = std::time::Instant::now();
    assert!(session.read("c2", &lines(100)).is_none());
    let asks = json!({ "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": "/r",
        "tool_name": "mcp__foveal__read_file", "tool_use_id": "c3", "tool_input": {} });
    assert_eq!(given(&session.world, asks.to_string().as_bytes()), "");
    // Two calls, each with the time that it takes to start a program.
    assert!(started.elapsed().as_millis() < 2_500, "{:?}", started.elapsed());
}

#[test]
fn a_hook_that_hangs_ends_before_its_agent_stops_waiting() {
    let world = World::new("hangs");
    let mut took = Vec::new();
    // Where much else runs, one may be late; agents wait three seconds.
    for _ in 0..4 {
        let mut hook = world.command("hook");
        hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = std::time::Instant::now();
        let mut hook = hook.spawn().expect("the program starts");
        // An event that never ends.
        let held = hook.stdin.take().expect("it is piped");
        let ended = hook.wait_with_output().expect("it ends");
        took.push(started.elapsed());
        drop(held);
        assert_eq!((ended.status.code(), ended.stdout.len()), (Some(0), 0));
        if took.last().is_some_and(|took| took.as_millis() < 3_000) {
            return;
        }
    }
    panic!("{took:?}");
}

#[test]
fn long_output_is_shortened_and_kept() {
    let session = Session::new("bash");
    let out = tests(3000);
    let Shaped { output, context } = session.run("c1", "cargo test", &out).expect("it is long");
    let shown = output["stdout"].as_str().expect("a text");
    assert!(shown.len() < 5_000 && shown.ends_with("3000 passed; 0 failed"), "{shown}");
    assert_eq!(output["stderr"], "");
    assert_eq!((&output["interrupted"], &output["isImage"]), (&json!(false), &json!(false)));
    let handle = shown.split("expand ").nth(1).and_then(|rest| rest.get(..12)).expect("a handle");
    // The model has a shell, where the program may not be found by its name.
    let command = format!("{} expand {handle}", env!("CARGO_BIN_EXE_foveal"));
    // What it prints is cut again where it is longer than what a command may print.
    assert!(context.is_some_and(|told| told.contains(&format!("`{command} > FILE` writes"))));
    assert_eq!(shown.matches(&command).count(), 1, "{shown}");
    assert_eq!(session.world.output(&format!("expand {handle}")), out.trim_end());
    // The same once more at once is given whole; later output without a word beside it.
    assert!(session.run("c2", "cargo test", &out).is_none());
    let other = session.run("c3", "cargo test --all", &out.replace("case", "other")).expect("long");
    assert_eq!(other.context, None);
    let parts =
        json!({ "stdout": out, "stderr": "warning: x", "interrupted": false, "isImage": false });
    let input = json!({ "command": "make" });
    let both = session.answered("c4", "Bash", &input, &parts).expect("it is long");
    assert!(both.output["stdout"].as_str().is_some_and(|text| text.ends_with("warning: x")));
}

#[test]
fn found_lines_are_pointed_at() {
    let session = Session::new("grep");
    let file = lines(60);
    session.read("c1", &file);
    let input = json!({ "pattern": "value", "output_mode": "content", "-n": true });
    let hits: Vec<String> =
        (1..).zip(&file).map(|(n, line)| format!("/r/a.rs:{n}:{line}")).collect();
    let response = json!({ "mode": "content", "numFiles": 0, "filenames": [], "content": hits.join("\n"),
        "numLines": 60 });
    session.call("c2", "Grep", &input);
    let Shaped { output, .. } =
        session.answered("c2", "Grep", &input, &response).expect("shown above");
    let content = output["content"].as_str().expect("a text");
    assert!(content.len() < hits.join("\n").len() / 2, "{content}");
    assert_eq!(output["numLines"], content.lines().count());
    let files =
        json!({ "mode": "files_with_matches", "filenames": vec!["/r/a.rs"; 100], "numFiles": 100 });
    assert!(session.answered("c3", "Grep", &input, &files).is_none());
}

#[test]
fn a_sub_agent_has_a_prompt_of_its_own() {
    let file = lines(100);
    for path in ["t/s1/subagents/agent-a7.jsonl", "t/agent-a7.jsonl", "t/s1.jsonl"] {
        let main = Session::new("agents");
        main.read("c1", &file);
        let agent = Session { world: main.world, path, agent: Some("a7"), lines: Cell::new(0) };
        agent.user("look at a.rs", None);
        assert!(agent.read("d1", &file).is_none(), "{path}");
        shows(agent.read("d2", &file), &file, 1, 1);
        assert!(
            agent.event(json!({ "hook_event_name": "PreCompact", "trigger": "auto" })).is_none()
        );
        let main =
            Session { world: agent.world, path: "t/s1.jsonl", agent: None, lines: Cell::new(2) };
        shows(main.read("c2", &file), &file, 1, 1);
    }
}

#[test]
fn what_is_not_understood_is_left_alone() {
    let session = Session::new("garbage");
    let long = tests(3000);
    session.user("hello", None);
    for input in [
        "",
        "{",
        "null",
        "[]",
        "\u{0}",
        "{\"hook_event_name\": 3}",
        "{\"hook_event_name\": \"Stop\"}",
        "{\"hook_event_name\": \"PostToolUse\"}",
        "{\"hook_event_name\": \"PostToolUse\", \"session_id\": \"s\", \"tool_name\": \"Bash\", \"tool_use_id\": \"c\"}",
    ] {
        assert_eq!(given(&session.world, input.as_bytes()), "", "{input}");
    }
    assert_eq!(given(&session.world, &[0xff; 1000]), "");
    let bash = json!({ "command": "ls" });
    for response in [
        json!(long),
        json!(null),
        json!({ "stdout": 3 }),
        json!({ "stdout": "short", "stderr": "" }),
        json!({ "stdout": long, "interrupted": true }),
        json!({ "stdout": long, "isImage": true }),
        json!({ "stdout": long, "persistedOutputPath": "/tmp/x" }),
    ] {
        assert!(session.answered("c1", "Bash", &bash, &response).is_none(), "{response}");
    }
    let read = json!({ "file_path": "/r/a.rs" });
    for response in [
        json!({ "type": "image", "file": { "base64": long } }),
        json!({ "type": "text", "file": { "content": long } }),
        json!({ "type": "text", "file": { "content": long, "startLine": 0 } }),
        json!({ "type": "text", "file": { "content": long, "startLine": u64::MAX } }),
        json!({ "type": "text", "file": long }),
    ] {
        assert!(session.answered("c2", "Read", &read, &response).is_none(), "{response}");
    }
    assert!(session.answered("c3", "Write", &read, &json!({ "content": long })).is_none());
    assert!(Session { agent: Some("../x"), ..session }.run("c4", "ls", "short").is_none());
}

/// Without a record nothing counts as shown; what is long by itself is shortened all the same.
#[test]
fn a_record_that_cannot_be_read_shows_nothing() {
    let session = Session::new("no_record");
    let file = lines(100);
    session.read("c1", &file);
    let pipe = session.world.folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("a tool of the system").success());
    let pipe = pipe.to_string_lossy();
    for path in ["/no/such/file", "/dev/null", "/dev/zero", ".", &*pipe] {
        let input = json!({ "file_path": "/r/a.rs" });
        let event = json!({
            "hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": input,
            "tool_use_id": "c2", "tool_response": read_response(&file), "transcript_path": path
        });
        assert!(session.event(event).is_none(), "{path}");
    }
    let shortened: Vec<bool> = (0..4)
        .map(|n| {
            let event = json!({
                "hook_event_name": "PostToolUse", "tool_name": "Bash",
                "tool_input": { "command": "cargo test" }, "tool_use_id": format!("b{n}"),
                "tool_response": { "stdout": tests(3000) }, "transcript_path": "/no/such/file"
            });
            session.event(event).is_some()
        })
        .collect();
    assert_eq!(shortened, [true, false, true, false]);
    session.world.write("t/s1.jsonl", "{\"type\": \"user\", \n\u{0}\u{0}not JSON\n");
    assert!(session.read("c3", &file).is_none());
    assert!(session.run("c4", "cargo test", &tests(3000)).is_some());
}

/// The store of the user in this world.
pub(crate) fn store(world: &World) -> SqliteStore {
    SqliteStore::open(&world.folder.join("home/.local/share/foveal/store.db")).expect("a store")
}

/// What is too deep to be read again is not kept, and what is kept stays.
#[test]
fn no_event_costs_the_store() {
    let session = Session::new("deep");
    let shaped = session.run("c1", "cargo test", &tests(3000)).expect("it is long");
    let handle = shaped.output["stdout"].as_str().and_then(|text| text.split("expand ").nth(1));
    let handle = handle.and_then(|rest| rest.get(..12)).expect("a handle").to_owned();
    for depth in [118, 119, 120, 121, 122, 123, 124, 125] {
        let deep = (0..depth).fold(json!(1), |inner, _| json!([inner]));
        let input = json!({ "command": "b", "x": deep });
        let response = json!({ "stdout": tests(2000) });
        session.answered(&format!("d{depth}"), "Bash", &input, &response);
        assert_eq!(session.world.output(&format!("expand {handle}")).lines().count(), 3001);
    }
    assert_eq!(store(&session.world).take_notices(), []);
    let kept = fs::read_dir(session.world.folder.join("home/.local/share/foveal"));
    let kept = kept.expect("a folder").map(|entry| entry.expect("a file").file_name());
    let set_aside = kept.filter(|name| name.to_string_lossy().contains("damaged")).count();
    assert_eq!(set_aside, 0);
    assert!(session.run("c2", "cargo test --all", &tests(2500)).is_some());
}

/// Where it is not known any more what was sent of earlier results, none is pointed at.
#[test]
fn what_was_sent_before_a_session_was_removed_is_not_pointed_at() {
    for removes in [true, false] {
        let session = Session::new(&format!("removed_{removes}"));
        let file = lines(100);
        session.read("c1", &file);
        let store = store(&session.world);
        let id = SessionId("claude-code s1".to_owned());
        if removes {
            assert!(store.delete_session(&id).expect("it can be removed"));
        } else {
            store.append_record(&id, &json!("no record of ours"), Timestamp(1)).expect("one");
        }
        assert!(session.read("c2", &file).is_none());
        assert!(session.read("c3", &file).is_none());
        shows(session.read("c4", &file), &file, 1, 1);
    }
}

#[test]
fn what_is_too_old_is_removed_beside_the_work() {
    let session = Session::new("old");
    let old = Timestamp(1);
    for command in ["hook", "read", "grep"] {
        let store = store(&session.world);
        let id = SessionId("old".to_owned());
        store.open_session(&id, &SessionMetadata::default(), old).expect("a session");
        store.put_content(Some(&id), b"told long ago", old).expect("it is stored");
        // As if the last time was long ago.
        store
            .collect_garbage(RetentionLimits { bytes_max: u64::MAX, age_max_ms: i64::MAX }, old)
            .expect("nothing");
        session.world.write("a.rs", "fn main() {}\n");
        let ran = match command {
            "read" => session.world.output("read a.rs"),
            "grep" => session.world.output("grep main a.rs"),
            _ => given(&session.world, session_start().to_string().as_bytes()),
        };
        assert_eq!(ran.is_empty(), command == "hook");
        let ids = store.sessions().expect("sessions").into_iter().map(|session| session.id);
        assert!(!ids.into_iter().any(|one| one == id), "{command}");
        assert_eq!(
            store.content(Handle::from_content(b"told long ago")).expect("it can be read"),
            None
        );
    }
}

fn session_start() -> Value {
    json!({ "hook_event_name": "SessionStart", "source": "clear", "session_id": "s1", "cwd": "/r" })
}

#[test]
fn of_a_large_record_the_end_is_read() {
    let session = Session::new("large");
    let file = lines(100);
    session.read("c1", &file);
    for n in 0..9 {
        session.result(&format!("x{n}"), &"y".repeat(1 << 20));
    }
    assert!(session.read("c2", &file).is_none());
    shows(session.read("c3", &file), &file, 1, 1);
    let huge = "all is well\n".repeat(1 << 16);
    // On a machine that is very busy the hook may end before it answers, as it should.
    let mut tries = (0..4).map(|n| session.run(&format!("c{}", 4 + n), "yes", &huge));
    let shaped = tries.find_map(|shaped| shaped).expect("it is long");
    assert!(shaped.output["stdout"].as_str().is_some_and(|text| text.len() < 10_000));
}
