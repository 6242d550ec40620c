//! `foveal mcp` as agents start it, and a course of work through the official Python SDK.

mod bounded;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
#[cfg(unix)]
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::python;
use crate::world::World;

/// The server, ended with the test.
pub(crate) struct Served(pub(crate) Child);

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(crate) fn start(world: &World, arguments: &str) -> Served {
    let mut command = world.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    Served(command.spawn().expect("the program starts"))
}

/// What a server on standard input says to one call of a tool. `wait` is over when it has begun.
pub(crate) fn called(
    server: Command,
    tool: &str,
    arguments: &Value,
    wait: impl FnOnce(),
) -> String {
    called_by(server, &json!({"name": tool, "arguments": arguments}), wait)
}

/// The same for a call with all that a client says of it.
pub(crate) fn called_by(mut server: Command, params: &Value, wait: impl FnOnce()) -> String {
    server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = server.spawn().expect("the program starts");
    let mut input = server.stdin.take().expect("it is piped");
    for message in [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": params}),
    ] {
        writeln!(input, "{message}").expect("it reads");
    }
    wait();
    // It ends with its input, once it has answered.
    std::thread::sleep(std::time::Duration::from_secs(2));
    drop(input);
    let output = server.wait_with_output().expect("it ends");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Where a server over HTTP listens, as it says.
pub(crate) fn address(served: &mut Served) -> String {
    let mut said = BufReader::new(served.0.stderr.take().expect("it is piped"));
    let mut line = String::new();
    said.read_line(&mut line).expect("it says where it listens");
    let address = line.trim().strip_prefix("listening at ").map(str::to_owned);
    address.unwrap_or_else(|| panic!("it listens nowhere: {line}"))
}

/// Runs the course of work.
fn course(world: &World, mode: &str, transport: &str, target: &[&str]) {
    client("mcp/python_client.py", world, (mode, transport), target);
}

/// Runs a client in Python; says so where it cannot be run.
pub(crate) fn client(
    script: &str,
    world: &World,
    (mode, transport): (&str, &str),
    target: &[&str],
) {
    let ran = python::run(script, |command| {
        command.args([mode, transport]).arg(world.folder.join("work")).args(target);
        let home = world.folder.join("home");
        command.env("HOME", &home).env("XDG_CONFIG_HOME", home.join(".config"));
    });
    let Some(ran) = ran else { return };
    let said = String::from_utf8_lossy(&ran.stdout);
    let complained = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.ends_with("all is well\n"), "{said}\n{complained}");
}

#[test]
fn an_agent_in_python_works_over_standard_input_and_output() {
    for mode in ["legacy", "auto"] {
        let world = World::new(&format!("mcp_stdio_{mode}"));
        world.write("work/README", "");
        course(&world, mode, "stdio", &[env!("CARGO_BIN_EXE_foveal"), "mcp"]);
    }
}

#[test]
fn an_agent_in_python_works_over_http() {
    for mode in ["legacy", "auto"] {
        let world = World::new(&format!("mcp_http_{mode}"));
        world.write("work/README", "");
        let mut served = start(&world, "mcp --http 0");
        let address = address(&mut served);
        course(&world, mode, "http", &[&address]);
    }
}

/// Writes a message and reads the next.
pub(crate) fn exchange(
    input: &mut ChildStdin,
    output: &mut impl BufRead,
    message: &Value,
) -> Value {
    writeln!(input, "{message}").expect("the server reads");
    let mut line = String::new();
    output.read_line(&mut line).expect("the server answers");
    serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line}"))
}

pub(crate) fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}}})
}

#[test]
fn the_server_ends_with_its_client_and_says_nothing_but_the_protocol() {
    let world = World::new("mcp_ends");
    world.write("a.txt", "one\n");
    let mut served = start(&world, "mcp --profile lean --root .");
    let mut input = served.0.stdin.take().expect("it is piped");
    let mut output = BufReader::new(served.0.stdout.take().expect("it is piped"));
    let begun = exchange(&mut input, &mut output, &initialize());
    assert_eq!(begun["result"]["serverInfo"]["name"], "foveal");
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let listed = exchange(&mut input, &mut output, &list);
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(6));
    let read = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call",
        "params": {"name": "read_file", "arguments": {"path": "a.txt"}}});
    let answer = exchange(&mut input, &mut output, &read);
    let text = answer["result"]["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("File: a.txt (full)"), "{text}");
    drop(input);
    assert_eq!(served.0.wait().expect("it ends").code(), Some(0));
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("it is closed");
    assert_eq!(rest, "");
}

/// Returns the answer to a search in a new server, for the conversation of this name.
fn search_in_new_server(world: &World, conversation: &str) -> Value {
    let mut served = start(world, "mcp --root work");
    let mut input = served.0.stdin.take().expect("it is piped");
    let mut output = BufReader::new(served.0.stdout.take().expect("it is piped"));
    exchange(&mut input, &mut output, &initialize());
    let search = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "grep", "arguments": {"pattern": "one"},
        "_meta": {"foveal/session": conversation}}});
    let answer = exchange(&mut input, &mut output, &search);
    drop(input);
    assert_eq!(served.0.wait().expect("it ends").code(), Some(0));
    answer["result"].clone()
}

#[test]
fn a_session_of_the_same_name_remembers_its_calls_after_a_restart() {
    let world = World::new("mcp_restart");
    world.write("work/a.txt", "one\n");
    // Earlier answers do not hold for files that were changed just now.
    std::thread::sleep(Duration::from_millis(200));
    let first = search_in_new_server(&world, "mine");
    assert!(first["_meta"].get("foveal/cached").is_none(), "{first}");
    let again = search_in_new_server(&world, "mine");
    assert_eq!(again["_meta"]["foveal/cached"], true, "{again}");
    let text = again["content"][0]["text"].as_str().expect("a text");
    assert!(text.contains("[Cached result from ") && text.contains("one"), "{text}");
    let other = search_in_new_server(&world, "another");
    assert!(other["_meta"].get("foveal/cached").is_none(), "{other}");
}

/// Claude Code names the folder it works in as its user does, and may be above it or elsewhere.
#[cfg(unix)]
#[test]
fn a_compaction_is_noticed_however_the_folder_is_named() {
    let world = World::new("mcp_compaction");
    let lines: String = (1..=40).map(|n| format!("let value_{n} = compute({n});\n")).collect();
    world.write("work/a.rs", &lines);
    world.write("elsewhere/a.rs", &lines);
    std::os::unix::fs::symlink(world.folder.join("work"), world.folder.join("link"))
        .expect("a link");
    for (root, directory, forgets) in [
        ("work", "work", true),
        ("work", "link", true),
        ("work", ".", true),
        ("elsewhere", ".", true),
        ("work", "/usr", false),
    ] {
        let mut served = start(&world, &format!("mcp --root {root}"));
        let mut input = served.0.stdin.take().expect("it is piped");
        let mut output = BufReader::new(served.0.stdout.take().expect("it is piped"));
        exchange(&mut input, &mut output, &initialize());
        let mut read = || {
            let read = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call",
                "params": {"name": "read_file", "arguments": {"path": "a.rs"}}});
            let answer = exchange(&mut input, &mut output, &read);
            let text = answer["result"]["content"][0]["text"].as_str().expect("a text");
            text.contains("let value_1 =")
        };
        assert!(read(), "{root}");
        let event = json!({ "hook_event_name": "PreCompact", "session_id": "s1",
            "cwd": world.folder.join(directory) });
        let mut hook = world.command("hook");
        let mut hook = hook.stdin(Stdio::piped()).spawn().expect("the program starts");
        let mut pipe = hook.stdin.take().expect("it is piped");
        write!(pipe, "{event}").expect("it reads");
        drop(pipe);
        assert!(hook.wait().expect("it ends").success());
        assert_eq!(read(), forgets, "root {root}, Claude Code in {directory}");
    }
}

/// How long a server takes to end by a signal, which ends it in order.
#[cfg(unix)]
fn time_to_end(signal: &str, arguments: &str) -> Duration {
    let world = World::new(&format!("mcp_{signal}_{}", arguments.len()));
    let mut served = start(&world, arguments);
    if arguments.contains("http") {
        address(&mut served);
    } else {
        let input = served.0.stdin.as_mut().expect("it is piped");
        let output = served.0.stdout.as_mut().expect("it is piped");
        exchange(input, &mut BufReader::new(output), &initialize());
    }
    let kill = format!("kill -{signal} {}", served.0.id());
    let started = Instant::now();
    let told = Command::new("sh").args(["-c", &kill]).status().expect("a shell");
    assert!(told.success());
    assert_eq!(served.0.wait().expect("it ends").code(), Some(0), "{signal} {arguments}");
    started.elapsed()
}

#[cfg(unix)]
#[test]
fn the_server_ends_at_once_when_it_is_told_to() {
    for signal in ["TERM", "INT"] {
        for arguments in ["mcp", "mcp --http 0"] {
            // Where much else runs, one may be late; a server that waits is late each time.
            let ends_at_once = |_| time_to_end(signal, arguments) < Duration::from_millis(1_500);
            assert!((0..4).any(ends_at_once), "{signal} {arguments}");
        }
    }
}

#[test]
fn doors_are_not_opened_by_accident() {
    const GOOD: &str = "0123456789abcdef0123456789abcdef";
    let world = World::new("mcp_doors");
    world.write("a.txt", "");
    for (arguments, token, expected) in [
        ("mcp --http 0.0.0.0:0", "", "other machines can reach 0.0.0.0:0; listen on 127.0.0.1"),
        (
            "mcp --http 0.0.0.0:0 --public",
            "",
            "set FOVEAL_MCP_TOKEN to a token that clients must send",
        ),
        ("mcp --http 0.0.0.0:0 --public", "short", "FOVEAL_MCP_TOKEN is not a valid token"),
        ("mcp --http 0", "short", "FOVEAL_MCP_TOKEN is not a valid token"),
        (
            "mcp --http 8799 --public",
            "",
            "use an address that they can reach, such as 0.0.0.0:8799",
        ),
        ("mcp --http 8799 --public", GOOD, "other machines cannot reach 127.0.0.1:8799"),
        ("mcp --root no/such/folder", "", "`no/such/folder` cannot be used"),
        ("mcp --root a.txt", "", "`a.txt` is not a folder"),
        ("mcp --writable no/such/folder", "", "`no/such/folder` cannot be used"),
        ("mcp --writable a.txt", "", "`a.txt` is not a folder"),
    ] {
        let path = std::env::var("PATH").unwrap_or_default();
        let variables = [("FOVEAL_MCP_TOKEN", token), ("PATH", &*path)];
        let ran = world.run_with(arguments, &variables);
        assert_eq!((ran.code, &*ran.out), (Some(2), ""), "{arguments}");
        assert!(ran.err.contains(expected), "{arguments}: {}", ran.err);
    }
}
