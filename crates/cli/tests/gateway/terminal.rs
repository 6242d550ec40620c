//! What the gateway shows of requests at a terminal.

use std::io::Read as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use foveal_mock_provider::{MockProvider, Settings};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use serde_json::json;

use super::served::ask;
use crate::terminal_output::{HOSTILE, is_harmless};
use crate::world::World;

#[test]
fn nothing_of_a_request_does_anything_to_the_terminal() {
    let world = World::new("gateway_terminal");
    let upstream =
        MockProvider::start(Settings { refuses_violations: false, ..Settings::default() });
    let upstream = upstream.expect("loopback");
    let size = PtySize { rows: 50, cols: 200, ..PtySize::default() };
    let pair = native_pty_system().openpty(size).expect("a terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_foveal"));
    command.args(["serve", "--listen", "0", "--upstream", &upstream.url()]);
    command.cwd(&world.folder);
    command.env_clear();
    command.env("HOME", world.folder.join("home"));
    command.env("TERM", "xterm-256color");
    let mut child = pair.slave.spawn_command(command).expect("the program starts");
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    let shown = Arc::new(Mutex::new(Vec::new()));
    let written = Arc::clone(&shown);
    std::thread::spawn(move || {
        let mut part = [0; 4096];
        while let Ok(count @ 1..) = reader.read(&mut part) {
            written.lock().expect("a lock").extend_from_slice(&part[..count]);
        }
    });
    let text = || String::from_utf8_lossy(&shown.lock().expect("a lock")).into_owned();
    let until = |is_there: &dyn Fn(&str) -> bool| {
        let began = Instant::now();
        while !is_there(&text()) {
            assert!(began.elapsed() < Duration::from_secs(60), "{}", text());
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    until(&|text| text.contains("listening at http://") && text.ends_with('\n'));
    let line = text();
    let address = line.split("http://").nth(1).and_then(|rest| rest.split_whitespace().next());
    let address = address.and_then(|address| address.parse().ok()).expect("an address");
    let model = format!("m{HOSTILE}\n    7 forged line of a request");
    let edits = json!([{"type": format!("clear_tool_uses{HOSTILE}\n    8 forged")}]);
    let said = json!([{"role": "user", "content": HOSTILE}]);
    let bodies = [
        json!({"model": model, "max_tokens": 1, "messages": said}),
        json!({"model": model, "max_tokens": 1, "messages": said,
               "context_management": {"edits": edits}}),
    ];
    for (at, body) in bodies.iter().enumerate() {
        let body = body.to_string();
        let path = "/v1/messages";
        ask(address, path, &[], body.as_bytes(), Duration::ZERO).expect("an answer");
        until(&|text| text.matches(" ms ").count() > at && text.ends_with('\n'));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let text = text();
    is_harmless(&["serve"], &text);
    // By the numbers that `foveal show --request` takes.
    assert!(text.contains(" #1 ") && !text.contains(" #3 "), "{text:?}");
    // A line for each request, and none that a request made.
    assert_eq!(text.trim_end().lines().count(), 3, "{text}");
}
