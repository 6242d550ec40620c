//! Calls that take long: what is told meanwhile, and that they stop when told to.

use std::net::TcpListener;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use foveal_tools::call_control::CallProgress;
use foveal_tools::settings::ToolSettings;
use foveal_tools::{CallControl, ToolCallAnswer, ToolRequest};
use foveal_transcript::CancelToken;
use serde_json::{Value, json};

use crate::world::World;

/// A workspace with files to walk over, in which every call takes long at once, beside a server
/// that answers nothing.
struct Slow {
    world: World,
    server: TcpListener,
}

impl Slow {
    fn new() -> Self {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let private_hosts = vec![server.local_addr().unwrap().to_string()];
        let settings = ToolSettings { progress_ms: 0, private_hosts, ..ToolSettings::default() };
        let world = World::with(settings);
        for n in 0..100 {
            world.write(&format!("d{}/f{n}.txt", n % 10), "one line\n");
        }
        Self { world, server }
    }

    /// Calls that go on until they are stopped, or to their end.
    fn calls(&self) -> Vec<(&'static str, Value)> {
        let url = format!("http://{}/", self.server.local_addr().unwrap());
        vec![
            ("grep", json!({"pattern": "nowhere"})),
            ("glob", json!({"pattern": "**/*.txt"})),
            ("list", json!({"depth": 3})),
            ("web_fetch", json!({"url": url})),
            ("bash", json!({"command": "sleep 600"})),
            ("exec", json!({"command": "sleep 600", "wait_ms": 300_000})),
            ("write_stdin", json!({"id": 1, "wait_ms": 300_000})),
        ]
    }

    /// Makes a call that is stopped when it asks for the time `most`.
    fn call(
        &self,
        tool: &str,
        arguments: &Value,
        most: usize,
    ) -> (ToolCallAnswer, Vec<CallProgress>) {
        let told = Mutex::new(Vec::new());
        let asked = AtomicUsize::new(0);
        let is_over = || asked.fetch_add(1, Ordering::Relaxed) >= most;
        let control = CallControl {
            cancel: &CancelToken::from_fn(&is_over),
            progress: &|progress| told.lock().unwrap().push(progress),
            ..CallControl::NONE
        };
        let answer = self.world.session.call(&ToolRequest::new(tool, arguments.clone()), &control);
        (answer, told.into_inner().unwrap())
    }
}

#[test]
fn a_call_that_takes_long_says_that_it_goes_on() {
    let slow = Slow::new();
    slow.world.call("exec", json!({"command": "cat", "wait_ms": 0}));
    for (tool, arguments) in slow.calls() {
        let (_, mut told) = slow.call(tool, &arguments, 20);
        assert!(told.len() > 5, "{tool}: {told:?}");
        // Several threads may tell at once.
        told.sort_by_key(|progress| progress.done);
        let rises = told.windows(2).all(|pair| pair[0].done < pair[1].done);
        assert!(rises && told.iter().all(|progress| progress.total.is_none()), "{tool}: {told:?}");
        let expected = match tool {
            "grep" | "glob" => "searching, 0 s",
            "list" => "listing, 0 s",
            "web_fetch" => "fetching, 0 s",
            // Output stands there.
            _ => "",
        };
        assert_eq!(told[0].message, expected, "{tool}");
    }
}

#[test]
fn calls_that_take_no_time_say_nothing() {
    let settings = ToolSettings { progress_ms: 3_600_000, ..ToolSettings::default() };
    let world = World::with(settings);
    world.write("a.txt", "one line\n");
    let told = AtomicUsize::new(0);
    let count = |_| {
        told.fetch_add(1, Ordering::Relaxed);
    };
    let control = CallControl { progress: &count, ..CallControl::NONE };
    for (tool, arguments) in [
        ("grep", json!({"pattern": "line"})),
        ("glob", json!({"pattern": "*"})),
        ("list", json!({})),
        ("bash", json!({"command": "true"})),
    ] {
        world.session.call(&ToolRequest::new(tool, arguments), &control);
        assert_eq!(told.load(Ordering::Relaxed), 0, "{tool}");
    }
}

#[test]
fn a_call_stops_when_told_to() {
    let slow = Slow::new();
    slow.world.call("exec", json!({"command": "cat", "wait_ms": 0}));
    for (tool, arguments) in slow.calls() {
        for most in [0, 3, 10] {
            let (answer, _) = slow.call(tool, &arguments, most);
            let text = answer.text;
            // A terminal that was there before goes on.
            let is_error = tool != "write_stdin" || most == 0;
            assert_eq!(answer.is_error, is_error, "{tool} after {most}: {text}");
            let says = ["stop", "cancel", "[terminal 1: running]"];
            assert!(says.iter().any(|word| text.contains(word)), "{tool} after {most}: {text}");
        }
    }
    // Terminals whose ids nobody was told are gone.
    assert_eq!(slow.world.call("terminals", json!({})), "1 running: cat\n");
}

#[test]
fn output_of_terminals_is_told_while_it_comes() {
    let world = World::new();
    let go = world.folder.path().join("go");
    let streamed = Mutex::new(String::new());
    // The program writes on only when what it wrote before was told.
    let tell = |progress: CallProgress| {
        streamed.lock().unwrap().push_str(&progress.message);
        if progress.message.contains("first") {
            std::fs::write(&go, "").unwrap();
        }
    };
    let control = CallControl { progress: &tell, ..CallControl::NONE };
    let script = "read line; echo first $line; while [ ! -e go ]; do sleep 0.01; done; echo second";
    let wait_ms = 60_000;
    for (tool, arguments) in [
        ("exec", json!({"command": format!("echo a | ({script})"), "wait_ms": wait_ms})),
        ("exec", json!({"command": format!("stty -echo; {script}"), "wait_ms": 0})),
        ("write_stdin", json!({"id": 2, "text": "b\n", "wait_ms": wait_ms})),
    ] {
        let answer = world.session.call(&ToolRequest::new(tool, arguments.clone()), &control);
        assert!(!answer.is_error, "{tool}: {}", answer.text);
        if arguments["wait_ms"] == 0 {
            continue;
        }
        // A pause in between ends the wait, the program goes on.
        let id = answer.structured.unwrap()["id"].clone();
        while !streamed.lock().unwrap().contains("second") {
            let more = json!({"id": id, "wait_ms": wait_ms});
            world.session.call(&ToolRequest::new("write_stdin", more), &control);
        }
        let seen = std::mem::take(&mut *streamed.lock().unwrap());
        assert!(seen.contains("first") && seen.ends_with("second\r\n"), "{tool}: {seen:?}");
        std::fs::remove_file(&go).unwrap();
    }
}
