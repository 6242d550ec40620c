//! A folder for data that cannot be written: everything that only reads goes on.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use foveal_store::SqliteStore;
use serde_json::json;

use crate::world::{Ran, World};

/// Blocks of 512 bytes that a file may have: none, as on a full disk; enough for the store and
/// an index, and not for what is put into them; a little more.
pub(crate) const BLOCKS: [u32; 4] = [0, 64, 300, 600];

fn repository(test: &str) -> World {
    let world = World::new(test);
    let functions = (0..400).fold(String::new(), |mut text, n| {
        // Nothing that gets much smaller when it is packed.
        let noise = n * 2_654_435_761_u64 % 4_294_967_291;
        let _ = write!(text, "/// {noise:x}\npub fn step_{n}() -> u64 {{\n    {noise}\n}}\n\n");
        text
    });
    world.write("src/long.rs", functions);
    world.write("src/short.rs", "pub fn short() {\n    step_1();\n}\n");
    world
}

/// Runs the program where no file may have more than so many blocks.
pub(crate) fn limited(world: &World, arguments: &str, blocks: u32) -> Command {
    let whole = world.command(arguments);
    let mut command = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    command.args(["-c", &script]).arg(whole.get_program()).args(whole.get_args());
    command.current_dir(&world.folder).env_clear().env("HOME", world.folder.join("home"));
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

#[test]
fn reading_and_searching_go_on() {
    for blocks in BLOCKS {
        let world = repository(&format!("full_disk_{blocks}"));
        for (arguments, told) in [
            ("read src/short.rs", "step_1"),
            ("read src/long.rs --for step_70", "pub fn step_70()"),
            ("grep step_399 src", "pub fn step_399"),
            ("search step_7 --limit 3", "step_7"),
            ("map", "src/long.rs"),
            ("outline src/long.rs", "pub fn step_399"),
            ("graph step_1", "function step_1"),
        ] {
            let Ran { code, out, err } = world.ran(&mut limited(&world, arguments, blocks));
            assert_eq!(code, Some(0), "{blocks} {arguments}: {err}");
            assert!(out.contains(told), "{blocks} {arguments}: {out}");
            assert!(err.lines().count() <= 1, "{blocks} {arguments}: {err}");
            // A handle that is named can be followed, and one that cannot is not named.
            if let Some(handle) = out.split("; expand ").nth(1) {
                let handle = &handle[..12];
                let kept = world.run(&format!("expand {handle}"));
                assert_eq!(kept.code, Some(0), "{blocks} {arguments}: {}", kept.err);
            }
        }
        // The disk has room again: nothing is broken, and all is kept.
        let store = world.folder.join("home/.local/share/foveal/store.db");
        let opened = SqliteStore::open(&store).expect("a store");
        assert_eq!(opened.take_notices(), []);
        assert_eq!(opened.check_integrity().expect("it is read"), [] as [String; 0]);
        drop(opened);
        let healed = world.output("read src/long.rs --for step_70");
        assert!(healed.contains("; expand "), "{healed}");
        let indexed = world.run("index");
        assert_eq!((indexed.code, indexed.err.as_str()), (Some(0), ""), "{blocks}");
    }
}

/// Who is not told where the rest is gets all of it.
#[test]
fn what_cannot_be_kept_is_not_left_out() {
    let world = repository("full_disk_whole");
    let Ran { out, err, .. } = world.ran(&mut limited(&world, "read src/long.rs --for step_70", 0));
    assert!(!out.contains("; expand "), "{out}");
    assert_eq!(out.matches("pub fn step_").count(), 400);
    assert!(err.contains("nothing is saved after this run"), "{err}");
    let failed = world.ran(&mut limited(&world, "index", 0));
    assert_eq!((failed.code, failed.out.as_str()), (Some(2), ""));
}

#[test]
fn a_server_answers_all_the_same() {
    for blocks in BLOCKS {
        let world = repository(&format!("full_disk_mcp_{blocks}"));
        let mut command = limited(&world, "mcp", blocks);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut server = command.spawn().expect("the program starts");
        let mut input = server.stdin.take().expect("it is piped");
        let call = |id: u32, name: &str, arguments: serde_json::Value| {
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": {"name": name, "arguments": arguments}})
        };
        for message in [
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"}}}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            call(1, "read_file", json!({"path": "src/short.rs"})),
            call(2, "read_file", json!({"path": "src/long.rs", "question": "step_70"})),
            call(3, "grep", json!({"pattern": "step_399", "path": "src"})),
            call(4, "search_code", json!({"query": "step_7"})),
        ] {
            writeln!(input, "{message}").expect("it reads");
        }
        // It ends with its input, once it has answered.
        std::thread::sleep(std::time::Duration::from_secs(3));
        drop(input);
        let output = server.wait_with_output().expect("it ends");
        let (out, err) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        for (id, told) in [(1, "step_1"), (2, "step_70"), (3, "step_399"), (4, "step_7")] {
            let answers = out.lines().filter_map(|line| serde_json::from_str(line).ok());
            let answer: Option<serde_json::Value> =
                answers.into_iter().find(|answer: &serde_json::Value| answer["id"] == id);
            let answer = answer.unwrap_or_else(|| panic!("{blocks} {id}: {out} {err}"));
            assert!(!answer["result"]["isError"].as_bool().unwrap_or(false), "{answer}");
            assert!(answer.to_string().contains(told), "{blocks}: {answer}");
        }
    }
}
