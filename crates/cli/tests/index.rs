//! `foveal index` and `foveal search`.

use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::world::{Ran, World};

const CODE: &str =
    "/// Adds two numbers.\npub fn add(left: u32, right: u32) -> u32 {\n    left + right\n}\n";

const NOTES: &str = "# Cooking\n\nBoil the water first.\n";

fn world(test: &str) -> World {
    let world = World::new(test);
    world.write("r/src/add.rs", CODE);
    world.write("r/notes.md", NOTES);
    world.write("r/.env", "KEY=1\n");
    world
}

/// What a run printed to standard output, without times.
fn timeless(ran: &Ran) -> String {
    let line = ran.out.trim_end();
    line.rsplit_once(" in ").map_or(line, |(line, _)| line).to_owned()
}

#[test]
fn a_folder_is_indexed_and_searched() {
    let world = world("index_search");
    let first = world.run("index r");
    assert_eq!((first.code, first.err.as_str()), (Some(0), ""));
    assert_eq!(timeless(&first), "2 files indexed, 0 unchanged, 0 removed; 2 parts of 2 files");
    world.write("r/src/add.rs", CODE.replace("u32", "u64"));
    let second = world.run("index r");
    assert_eq!(timeless(&second), "1 file indexed, 1 unchanged, 0 removed; 2 parts of 2 files");
    let index = world.folder.join("home/.local/share/foveal/index");
    assert_eq!(std::fs::read_dir(index).expect("the place of the index").count(), 1);
    let text = world.output("search add numbers --path r --limit 1");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "src/add.rs:1-4  function add");
    assert_eq!(lines[1], "    pub fn add(left: u64, right: u64) -> u64");
    assert_eq!(lines[2], "    found by words add, numbers; meaning");
    assert_eq!(lines.len(), 3);
}

#[test]
fn a_search_makes_the_index_and_prints_json() {
    let world = world("search_json");
    let text = world.output("search boiling --path r --kind section,function --json");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let hit = &value["hits"][0];
    assert_eq!(hit["path"], "notes.md");
    assert_eq!((&hit["first_line"], &hit["last_line"]), (&1.into(), &3.into()));
    assert_eq!((&hit["kind"], &hit["words"][0]), (&"section".into(), &"boiling".into()));
    let plain = world.output("search boiling --path r --json --no-embeddings");
    let value: Value = serde_json::from_str(&plain).expect("JSON");
    assert_eq!(value["hits"].as_array().map(Vec::len), Some(1));
    assert_eq!(value["hits"][0]["cosine"], Value::Null);
    let nothing = world.run("search zebra --path r --no-embeddings");
    assert_eq!((nothing.code, nothing.out.as_str()), (Some(1), ""));
    assert_eq!(nothing.err, "nothing was found in r\n");
}

#[test]
fn the_working_copy_around_the_current_folder_is_meant() {
    let world = world("working_copy");
    world.write("r/.git/HEAD", "ref: refs/heads/main\n");
    let mut command = world.command("search add --limit 1");
    let output = command.current_dir(world.folder.join("r/src")).output().expect("it starts");
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("src/add.rs:1-4  function add\n"));
}

#[test]
fn input_that_cannot_be_used() {
    let world = world("index_bad");
    for (arguments, error) in [
        ("index gone", "error: `gone` does not exist: check the path\n"),
        ("index r/notes.md", "error: `r/notes.md` is a file: name a folder\n"),
        ("search x --path gone", "error: `gone` does not exist: check the path\n"),
        (
            "search x --kind word",
            "error: invalid value 'word' for '--kind <KIND>': unknown kind `word`: expected one of \
             module, ",
        ),
        ("search x --limit 0", "error: invalid value '0' for '--limit <N>'"),
        ("search", "error: the following required arguments were not provided:\n  <QUERY>"),
    ] {
        let Ran { code, out, err } = world.run(arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments}");
        assert!(err.starts_with(error), "{arguments}: {err}");
    }
    let mut command = world.command("search --path r");
    let output = command.arg(" ").output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(output.stderr, b"error: the query is empty: give names or words to search for\n");
    let mut command = world.command("index r");
    let output = command.env_remove("HOME").output().expect("the program starts");
    assert_eq!(output.stderr, b"error: no folder for the index: set HOME or XDG_DATA_HOME\n");
}

#[test]
fn where_no_index_can_be_kept_one_is_made_in_memory() {
    let world = world("index_in_memory");
    let data = world.folder.join("r/notes.md");
    for (arguments, found) in [
        ("search add numbers --path r --limit 1", "src/add.rs:1-4  function add\n"),
        ("graph add r", "src/add.rs:2  function add\n"),
        ("map r", "src/add.rs (4 lines)\n"),
    ] {
        let mut command = world.command(arguments);
        let ran = world.ran(command.env("XDG_DATA_HOME", &data));
        assert_eq!(ran.code, Some(0), "{arguments}: {ran:?}");
        assert!(ran.out.starts_with(found), "{arguments}: {}", ran.out);
        assert!(ran.err.starts_with("the index `r/notes.md/foveal/index/r-"), "{}", ran.err);
        let end =
            "cannot be written: Not a directory (os error 20); reading all files for this run\n";
        assert!(ran.err.ends_with(end), "{}", ran.err);
        let homeless = world.ran(world.command(arguments).env_remove("HOME"));
        assert_eq!(homeless.out, ran.out, "{arguments}");
        assert!(homeless.err.starts_with("no folder for the index"), "{}", homeless.err);
    }
    let mut command = world.command("index r");
    let ran = world.ran(command.env("XDG_DATA_HOME", &data));
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
}

#[test]
fn an_empty_folder_has_nothing() {
    let world = World::new("index_empty");
    world.write("r/.gitignore", "");
    let ran = world.run("index r");
    assert_eq!(timeless(&ran), "0 files indexed, 0 unchanged, 0 removed; 0 parts of 0 files");
    assert_eq!(world.run("search add --path r").code, Some(1));
}

/// Killed at once at any time, the program leaves an index that the next run goes on with.
#[test]
fn a_killed_run_does_no_harm() {
    let world = World::new("index_killed");
    const FILES: u64 = 300;
    for n in 0..FILES {
        let function = format!("/// Part {n}.\npub fn part_{n}() -> u32 {{\n    {n}\n}}\n\n");
        world.write(&format!("r/f{n}.rs"), function.repeat(30));
    }
    for wait in [5, 40, 80, 160] {
        let mut command = world.command("index r");
        let mut child = command.stdout(Stdio::null()).spawn().expect("the program starts");
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().expect("a child of this test");
        child.wait().expect("a child of this test");
    }
    let value: Value = serde_json::from_str(&world.output("index r --json")).expect("JSON");
    let sum = value["indexed"].as_u64().zip(value["unchanged"].as_u64()).map(|(a, b)| a + b);
    assert_eq!((sum, &value["rebuilt"]), (Some(FILES), &false.into()), "{value}");
    let text = world.output("search part_299 --path r --limit 1");
    assert!(text.starts_with("f299.rs:"), "{text}");
    let graph = world.output("graph f299.rs r");
    assert!(graph.starts_with("f299.rs  file\n\ncontains (30)\n"), "{graph}");
}
