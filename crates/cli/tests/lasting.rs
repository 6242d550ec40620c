//! What commands start does not outlive `foveal mcp`, whatever ends it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::world::World;

/// Long enough for anything that should happen.
const PATIENCE: Duration = Duration::from_secs(60);

fn has_linux_proc() -> bool {
    let has = Path::new("/proc/self/stat").exists();
    if !has {
        eprintln!("skipped: processes are not listed in /proc");
    }
    has
}

#[track_caller]
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn is_running(pid: &str) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    !stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with(['Z', 'X']))
}

fn message(input: &mut impl Write, id: u32, method: &str, parameters: &Value) {
    let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters});
    writeln!(input, "{message}").expect("the server reads");
}

/// Runs `call` in a server, waits for the number that its command writes to `pid`, and ends the
/// server by `signal`.
fn outlives(test: &str, signal: &str, call: &Value) {
    let world = World::new(test);
    let stay = "trap '' HUP TERM; echo $$ >new; mv new pid; while :; do sleep 0.1; done\n";
    world.write("stay", stay);
    let mut command = world.command("mcp --root .");
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut served = piped.spawn().expect("the program starts");
    let mut input = served.stdin.take().expect("it is piped");
    let mut output = BufReader::new(served.stdout.take().expect("it is piped"));
    let client = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}});
    message(&mut input, 1, "initialize", &client);
    output.read_line(&mut String::new()).expect("the server answers");
    message(&mut input, 2, "tools/call", call);
    let file = world.folder.join("pid");
    wait_until("the command starts", || file.exists());
    let pid = fs::read_to_string(&file).expect("it is there").trim().to_owned();
    assert!(is_running(&pid), "{call}");
    let kill = format!("kill -{signal} {}", served.id());
    assert!(std::process::Command::new("sh").args(["-c", &kill]).status().is_ok());
    served.wait().expect("it was ours");
    wait_until(&format!("{pid} outlives {signal}: {call}"), || !is_running(&pid));
}

#[test]
fn nothing_outlives_the_server() {
    if !has_linux_proc() {
        return;
    }
    for (name, signal) in [("killed", "KILL"), ("told", "TERM")] {
        for (way, command) in [
            ("plain", "sh stay"),
            ("setsid", "setsid -f sh stay; sleep 600"),
            ("daemon", "setsid -f sh stay; sleep 1"),
        ] {
            for tool in ["bash", "exec"] {
                let call = json!({"name": tool, "arguments": {"command": command}});
                outlives(&format!("lasting_{name}_{way}_{tool}"), signal, &call);
            }
        }
    }
}
