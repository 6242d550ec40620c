//! What the tools are held to where a call comes at an awkward moment.

use serde_json::json;

use crate::world::{World, source};

#[test]
fn the_same_search_from_another_folder_is_another() {
    let world = World::new();
    world.write("a.rs", "fn found() {}\n");
    world.write("sub/b.rs", "fn other() {}\n");
    world.settle();
    world.call("bash", json!({"command": "cd sub"}));
    let below = world.call("grep", json!({"pattern": "found"}));
    assert!(!below.contains("a.rs"), "{below}");
    world.call("bash", json!({"command": "cd .."}));
    let above = world.ask("grep", json!({"pattern": "found"}));
    assert!(!above.cached && above.text.contains("a.rs"), "{above:?}");
    // Lines around a hit that were not shown are not answered from before.
    assert!(!world.ask("grep", json!({"pattern": "found", "context": 2})).cached);
}

#[test]
fn rules_above_a_folder_count_for_it() {
    let world = World::new();
    world.write(".git/HEAD", "");
    world.write("sub/b.rs", "fn other() {}\n");
    world.settle();
    let asked = json!({"pattern": "other", "path": "sub"});
    assert!(world.call("grep", asked.clone()).contains("fn other"));
    world.write(".gitignore", "b.rs\n");
    let after = world.ask("grep", asked);
    assert!(!after.cached && !after.text.contains("fn other"), "{after:?}");
}

#[test]
fn a_new_question_is_answered_after_a_part_was_seen() {
    let world = World::new();
    world.write("a.rs", source(60));
    world.call("read_lines", json!({"path": "a.rs", "start": 1, "end": 10}));
    let view =
        world.call("read_file", json!({"path": "a.rs", "question": "how does step_30 double?"}));
    assert!(view.contains("\n152→    let doubled = value * 30;\n"), "{view}");
    world.call("focus", json!({"paths": ["a.rs"]}));
    let whole = world.call("read_file", json!({"path": "a.rs"}));
    assert!(!whole.contains("left out"), "{whole}");
}

#[test]
fn whole_files_are_written_only_over_what_was_seen() {
    let world = World::new();
    world.write("a.rs", source(60));
    world.call("read_lines", json!({"path": "a.rs", "start": 1, "end": 10}));
    let refused = world.refused("write_file", json!({"path": "a.rs", "content": "fn a() {}\n"}));
    assert!(refused.starts_with("you have seen 10 of the 300 lines"), "{refused}");
    world.call("read_file", json!({"path": "a.rs", "mode": "full"}));
    world.call("write_file", json!({"path": "a.rs", "content": "fn a() {}\n"}));
    world.write("empty.rs", "");
    world.refused("write_file", json!({"path": "empty.rs", "content": "x\n"}));
    assert_eq!(
        world.call("read_file", json!({"path": "empty.rs"})),
        "File: empty.rs (empty file)\n"
    );
    world.call("write_file", json!({"path": "empty.rs", "content": "x\n"}));
    assert_eq!(world.on_disk("empty.rs"), "x\n");
}

#[test]
fn line_ends_stay_those_of_the_file() {
    let world = World::new();
    world.write("a.txt", "one\r\ntwo\r\n");
    world.call("read_file", json!({"path": "a.txt"}));
    world.call("write_file", json!({"path": "a.txt", "content": "one\r\n2\r\n"}));
    assert_eq!(world.on_disk("a.txt"), "one\r\n2\r\n");
}

#[test]
fn notebooks_stay_notebooks() {
    let world = World::new();
    let notebook = json!({
        "cells": [{"cell_type": "code", "source": ["x = 1"], "metadata": {}, "outputs": [], "execution_count": null}],
        "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
    });
    world.write("n.ipynb", notebook.to_string());
    world.call("read_file", json!({"path": "n.ipynb"}));
    let edit = |new: &str| json!({"path": "n.ipynb", "old_str": "x = 1", "new_str": new});
    let refused = world.refused("edit_file", edit("x = \"a\""));
    assert!(refused.contains("is a notebook"), "{refused}");
    world.refused("write_file", json!({"path": "n.ipynb", "content": "x = 2\n"}));
    assert_eq!(world.on_disk("n.ipynb"), notebook.to_string());
    world.call("edit_file", edit("x = 2"));
}

#[test]
fn only_what_a_file_held_before_can_be_put_back() {
    let world = World::new();
    world.write("a.rs", source(60));
    let asked = json!({"path": "a.rs", "question": "how does step_30 double?"});
    let view = world.call("read_file", asked);
    let handle = view.split("expand ").nth(1).and_then(|rest| rest.get(..12)).expect("a handle");
    world.call("read_file", json!({"path": "a.rs", "mode": "full"}));
    let refused = world.refused("write_file", json!({"path": "a.rs", "handle": handle}));
    assert!(refused.contains("is nothing that `a.rs` held before"), "{refused}");
    assert_eq!(world.on_disk("a.rs"), source(60));
}

#[test]
fn another_reader_is_shown_everything() {
    let world = World::new();
    world.write("a.rs", source(10));
    let store = &*world.toolbox.store;
    let now = world.toolbox.clock.now();
    let told = |reader: Option<&str>| {
        let folder = world.folder.path().join("sub");
        foveal_tools::session::note_reader(store, &folder, reader, now).expect("it is noted");
    };
    let read = || {
        world.call("bash", json!({"command": "true"}));
        world.call("read_file", json!({"path": "a.rs"}))
    };
    let is_whole = |text: &str| text.contains("50→") || text.contains("1→pub fn step_0");
    assert!(is_whole(&read()));
    assert!(!is_whole(&read()));
    for (reader, whole) in
        [(Some("main"), true), (Some("main"), false), (Some("helper"), true), (None, true)]
    {
        told(reader);
        assert_eq!(is_whole(&read()), whole, "{reader:?}");
    }
    assert!(!is_whole(&read()));
}

#[test]
fn reads_are_counted_by_file() {
    let world = World::new();
    world.write("a.rs", "fn a() {}\n");
    world.write("A.rs", "fn other() {}\n");
    world.call("read_file", json!({"path": "a.rs"}));
    world.call("read_file", json!({"path": "./a.rs"}));
    assert_eq!((world.session.read_count("a.rs"), world.session.has_been_read("A.rs")), (2, false));
    world.call("edit_file", json!({"path": "a.rs", "old_str": "a()", "new_str": "b()"}));
    assert!(!world.session.has_been_read("a.rs"));
}

#[test]
fn very_long_files_come_by_the_piece() {
    let world = World::new();
    let line = "x".repeat(99);
    world.write("long.txt", format!("{line}\n").repeat(10_000));
    let first = world.call("read_file", json!({"path": "long.txt", "mode": "full"}));
    assert!(first.len() < 500_000, "{}", first.len());
    assert!(first.ends_with("; 10000 lines in all]\n"), "{}", &first[first.len() - 100..]);
    let rest = world.call("read_lines", json!({"path": "long.txt", "start": 9_000, "end": 20_000}));
    assert!(rest.ends_with("[the file has 10000 lines]\n"));
}

#[test]
fn after_more_than_a_prompt_can_hold_all_is_shown_anew() {
    let world = World::new();
    world.write("a.rs", source(10));
    world.call("read_file", json!({"path": "a.rs"}));
    for n in 0..30 {
        let text: String =
            (0..3_500).map(|line| format!("{n} {line} {}\n", "y".repeat(90))).collect();
        world.write("big.txt", text);
        world.call("read_file", json!({"path": "big.txt", "mode": "full"}));
    }
    let again = world.call("read_file", json!({"path": "a.rs"}));
    assert!(again.contains("1→pub fn step_0"), "{again}");
}
