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

/// Asks bubblewrap itself whether commands can have namespaces here.
pub(crate) fn can_isolate() -> bool {
    let isolates = ["--unshare-pid", "--bind", "/", "/", "--proc", "/proc", "true"];
    let asked = std::process::Command::new("bwrap").args(isolates).output();
    let can = asked.as_ref().is_ok_and(|ran| ran.status.success());
    if !can {
        eprintln!("skipped: no bubblewrap, or it cannot make namespaces here: {asked:?}");
    }
    can
}

#[track_caller]
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Returns whether the script `stay` runs in `folder`, by whatever number.
fn stay_runs(folder: &Path) -> bool {
    let folder = folder.canonicalize().expect("it is there");
    let processes = fs::read_dir("/proc").expect("it is listed").flatten();
    processes.map(|process| process.path()).any(|process| {
        let words = fs::read(process.join("cmdline")).unwrap_or_default();
        fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == folder)
            && words.ends_with(b"stay\0")
    })
}

/// Runs `call` in a server, waits for the file that its command writes, and ends the server by
/// `signal`.
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
    assert!(stay_runs(&world.folder), "{call}");
    let kill = format!("kill -{signal} {}", served.0.id());
    assert!(std::process::Command::new("sh").args(["-c", &kill]).status().is_ok());
    served.0.wait().expect("it was ours");
    wait_until(&format!("it outlives {signal}: {call}"), || !stay_runs(&world.folder));
}

#[test]
fn nothing_outlives_the_server() {
    if !can_isolate() {
        return;
    }
    for (name, signal) in [("killed", "KILL"), ("told", "TERM")] {
        for (way, command) in [("plain", "sh stay"), ("setsid", "setsid -f sh stay; sleep 600")] {
            for tool in ["bash", "exec"] {
                let call = json!({"name": tool, "arguments": {"command": command}});
                outlives(&format!("lasting_{name}_{way}_{tool}"), signal, &call);
            }
        }
    }
}
