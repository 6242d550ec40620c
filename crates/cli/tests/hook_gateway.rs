//! `foveal hook` where a gateway stands between the agent and its provider.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::hook::{given_as, given_to, tests};
use crate::world::World;

/// Answers each request as a gateway of foveal answers that for its health, or as another server.
fn server(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let _ = stream.read(&mut [0; 1_000]);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    address
}

#[test]
fn results_are_left_to_a_gateway() {
    let world = World::new("hook_gateway");
    let event = |more: Value| {
        let mut event = json!({
            "hook_event_name": "PostToolUse", "session_id": "s1", "cwd": "/r",
            "tool_name": "Bash", "tool_use_id": "c1", "tool_input": {"command": "make"},
            "tool_response": {"stdout": tests(3000), "stderr": "", "interrupted": false}
        });
        event.as_object_mut().expect("an object").extend(more.as_object().expect("one").clone());
        event.to_string()
    };
    let gateway = server("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nok\n");
    let other = server("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
    let given_at = |address: &str| {
        let mut command = world.command("hook");
        command.env("ANTHROPIC_BASE_URL", address);
        given_to(command, event(json!({})).as_bytes())
    };
    assert_eq!(given_at(&format!("{gateway}/work")), "");
    assert!(given_at(&other).contains("updatedToolOutput"));
    // A plugin tells it with the event.
    let out = tests(3000);
    let told = |address: &str| {
        let more = json!({"tool_name": "bash", "tool_response": out, "provider_url": address});
        given_as(&world, "hook opencode", event(more).as_bytes())
    };
    assert_eq!(told(&gateway), "");
    assert!(told(&other).contains("output"));
}
