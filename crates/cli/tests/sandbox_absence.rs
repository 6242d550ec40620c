//! What the person and the model are told where the kernel cannot confine commands, and that
//! nothing runs then if it must.

use std::io::Write as _;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::world::World;

#[path = "../../sandbox/tests/missing_features/kernel.rs"]
pub(crate) mod kernel;

/// What a server says to a command and a terminal, and to the person.
fn said(world: &World, arguments: &str) -> (String, String) {
    let mut server = world.command(arguments);
    server.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = server.spawn().expect("the program starts");
    let mut input = server.stdin.take().expect("it is piped");
    let call = |id: u32, tool: &str| -> Value {
        let arguments = json!({"command": format!("echo x > new-{tool}; echo done")});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}})
    };
    let begin = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}});
    let began = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    for message in [begin, began, call(1, "bash"), call(2, "exec")] {
        writeln!(input, "{message}").expect("it reads");
    }
    // It ends with its input, once it has answered.
    std::thread::sleep(Duration::from_secs(2));
    drop(input);
    let output = server.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn it_is_told_and_nothing_runs_that_must_be_confined() {
    kernel::without_confinement(|| {
        let world = World::new("unconfined");
        world.write("work/old", "old");
        let is_new = |tool: &str| world.folder.join("work").join(format!("new-{tool}")).exists();
        let confines = "mcp --root work --require-sandbox";
        for arguments in [confines, "mcp --root work --no-network"] {
            let (answers, person) = said(&world, arguments);
            assert!(person.contains("writes are not confined"), "{arguments}: {person}");
            assert_eq!(answers.matches("\"isError\":true").count(), 2, "{arguments}: {answers}");
            assert!(!is_new("bash") && !is_new("exec"), "{arguments}: {answers}");
        }
        let (answers, person) = said(&world, "mcp --root work");
        assert!(person.contains("writes are not confined"), "{person}");
        // Once, by whichever came first.
        assert_eq!(answers.matches("writes are not confined").count(), 1, "{answers}");
        assert!(is_new("bash") && is_new("exec"), "{answers}");
    });
}
