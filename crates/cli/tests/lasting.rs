//! What commands start does not outlive `foveal mcp`, whatever ends it.

use std::fs;
use std::io::{BufReader, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::mcp::{exchange, initialize, start};
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

/// Runs `call` in a server, waits for the number that its command writes to `pid`, and ends the
/// server by `signal`.
fn outlives(test: &str, signal: &str, call: &Value) {
    let world = World::new(test);
    let stay = "trap '' HUP TERM; echo $$ >new; mv new pid; while :; do sleep 0.1; done\n";
    world.write("stay", stay);
    let mut served = start(&world, "mcp --root .");
    let mut input = served.0.stdin.take().expect("it is piped");
    let mut output = BufReader::new(served.0.stdout.take().expect("it is piped"));
    exchange(&mut input, &mut output, &initialize());
    let message = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call});
    writeln!(input, "{message}").expect("the server reads");
    let file = world.folder.join("pid");
    wait_until("the command starts", || file.exists());
    let pid = fs::read_to_string(&file).expect("it is there").trim().to_owned();
    assert!(is_running(&pid), "{call}");
    let kill = format!("kill -{signal} {}", served.0.id());
    assert!(std::process::Command::new("sh").args(["-c", &kill]).status().is_ok());
    served.0.wait().expect("it was ours");
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
