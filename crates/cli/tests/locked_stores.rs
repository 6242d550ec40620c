//! A store and an index that another process holds: sessions work, and keep what they can later.

use std::io::{BufReader, Read};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::mcp::{exchange, initialize, start};
use crate::world::World;

/// Nobody else can read or write the files until these are dropped.
fn hold(files: &[PathBuf]) -> Vec<rusqlite::Connection> {
    let hold = |file: &PathBuf| {
        let held = rusqlite::Connection::open(file).expect("a file");
        let sql = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE";
        held.execute_batch(sql).expect("nobody else has it");
        held
    };
    files.iter().map(hold).collect()
}

/// The file of the one index that there is.
fn index_of(world: &World) -> PathBuf {
    let folder = world.folder.join("home/.local/share/foveal/index");
    let indexes = std::fs::read_dir(folder).expect("there is an index");
    let mut files: Vec<PathBuf> = indexes.map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "db"));
    let [file] = &files[..] else { panic!("{files:?}") };
    file.clone()
}

#[test]
fn commands_answer_beside_who_holds_the_index() {
    let world = World::new("held_commands");
    world.write("a.rs", "pub fn third_part() -> u32 {\n    3\n}\n");
    world.write("b.rs", "pub fn fourth_part() -> u32 {\n    third_part()\n}\n");
    // What is younger than two seconds may have changed within its time stamp.
    for file in ["a.rs", "b.rs"] {
        let file = std::fs::File::options().write(true).open(world.folder.join(file));
        let before = std::time::SystemTime::now() - Duration::from_mins(1);
        file.expect("a file").set_modified(before).expect("a time");
    }
    world.output("search third_part");
    let held = hold(&[index_of(&world)]);
    for command in ["search third_part", "graph third_part", "map"] {
        let ran = world.run(command);
        assert!(ran.out.contains("a.rs") && ran.out.contains("third_part"), "{ran:?}");
        assert!(ran.err.contains("reading all files for this run"), "{ran:?}");
    }
    drop(held);
    let writes = rusqlite::Connection::open(index_of(&world)).expect("a file");
    writes.execute_batch("BEGIN IMMEDIATE").expect("nobody else writes");
    world.write("c.rs", "pub fn fifth_part() -> u32 {\n    third_part()\n}\n");
    for command in ["search third_part", "graph third_part", "map"] {
        let ran = world.run(command);
        assert!(ran.out.contains("a.rs") && ran.out.contains("third_part"), "{ran:?}");
        assert!(ran.err.contains("missing here"), "{ran:?}");
    }
    drop(writes);
    assert!(world.output("search fifth_part").contains("c.rs:1"));
}

#[test]
fn a_server_works_beside_who_holds_its_store_and_index() {
    let world = World::new("held");
    let function = |name: &str| format!("pub fn {name}() -> u32 {{\n    3\n}}\n");
    world.write("a.rs", function("third_part"));
    world.write("b.rs", function("fourth_part"));
    // Both are there by now.
    world.output("search third_part");
    world.output("read a.rs");
    let files = [index_of(&world), world.folder.join("home/.local/share/foveal/store.db")];
    let held = hold(&files);

    let mut served = start(&world, "mcp --root .");
    let mut input = served.0.stdin.take().expect("it is piped");
    let mut output = BufReader::new(served.0.stdout.take().expect("it is piped"));
    exchange(&mut input, &mut output, &initialize());
    let mut id = 1;
    let mut call = |tool: &str, arguments: Value, within: Duration| {
        id += 1;
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}});
        let begun = Instant::now();
        let answer = exchange(&mut input, &mut output, &call);
        assert!(begun.elapsed() < within, "{tool} {:?}", begun.elapsed());
        answer["result"]["content"][0]["text"].as_str().expect("a text").to_owned()
    };
    // A guard against hanging alone.
    let begins = Duration::from_mins(1);
    let reads = |path: &str| json!({"path": path});
    assert!(call("read_file", reads("a.rs"), begins).contains("third_part"));
    let found = call("search_code", json!({"query": "fourth_part"}), begins);
    assert!(found.contains("b.rs"), "{found}");
    drop(held);
    assert!(call("read_file", reads("b.rs"), begins).contains("fourth_part"));
    let long = call("bash", json!({"command": "seq 1 9000"}), begins);
    let (_, handle) = long.split_once("; expand ").expect("what it is too long for is kept");
    let handle = handle[..12].to_owned();
    drop(input);
    assert_eq!(served.0.wait().expect("it ends").code(), Some(0));
    let mut said = String::new();
    served.0.stderr.take().expect("it is piped").read_to_string(&mut said).expect("it is text");
    assert_eq!(said.matches("cannot save data").count(), 1, "{said}");
    assert_eq!(said.matches("another process has locked the index").count(), 1, "{said}");
    // What came after is kept.
    assert!(world.output(&format!("expand {handle}")).ends_with("\n9000\n"));
}
