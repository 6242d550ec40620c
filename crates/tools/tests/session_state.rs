//! What the tools are held to where a call comes at an awkward moment.

use std::path::Path;
use std::sync::Arc;

use foveal_store::{ContentStore, RecordNumber, SessionId, SessionMetadata, SqliteStore};
use foveal_tools::settings::ToolSettings;
use foveal_tools::{CallControl, ToolRequest, ToolSession};
use serde_json::json;

use crate::world::{World, source, toolbox_over};

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
        foveal_tools::session::announce_reader(store, &folder, reader, now).expect("it is noted");
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

/// A note counts where its folder is the root, above it, below it, or where the client works;
/// nowhere else.
#[test]
fn notes_of_readers_reach_those_who_work_there() {
    let elsewhere = tempfile::tempdir().expect("a folder");
    let (client, other) = (elsewhere.path().join("client"), elsewhere.path().join("other"));
    let world = World::new();
    world.write("a.rs", source(10));
    let root = world.folder.path().canonicalize().expect("a folder");
    let store = &world.toolbox.store;
    let mut toolbox = toolbox_over(root.clone(), ToolSettings::default(), Arc::clone(store));
    toolbox.client_folder = Some(client.clone());
    let session = ToolSession::new(&Arc::new(toolbox), "of a client");
    let read = || {
        for tool in ["bash", "read_file"] {
            let arguments = match tool {
                "bash" => json!({"command": "true"}),
                _ => json!({"path": "a.rs"}),
            };
            let answer = session.call(&ToolRequest::new(tool, arguments), &CallControl::NONE);
            if tool == "read_file" {
                return answer.text.contains("1→pub fn step_0");
            }
        }
        false
    };
    let told = |folder: &Path, reader: Option<&str>| {
        let now = world.toolbox.clock.now();
        foveal_tools::session::announce_reader(&**store, folder, reader, now).expect("it is noted");
    };
    let parent = root.parent().expect("a folder");
    for (folder, reaches) in [
        (root.as_path(), true),
        (&root.join("sub/folder"), true),
        (parent, true),
        (Path::new("/"), true),
        (&client, true),
        (&client.join("sub"), true),
        (elsewhere.path(), true),
        (&other, false),
        (&parent.join("other"), false),
    ] {
        for (reader, reaches, told_of) in [
            (None, reaches, "a prompt was cut"),
            (Some("one"), reaches, "another asks"),
            (Some("one"), false, "the same asks"),
        ] {
            session.clear_visibility();
            assert!(read());
            told(folder, reader);
            assert_eq!(read(), reaches, "{told_of} in {}", folder.display());
        }
        told(&root, Some("main"));
        read();
    }
    // Readers that ask in turn from above and from below are told apart.
    for _ in 0..2 {
        for (folder, reader) in [(parent, "one"), (root.as_path(), "main")] {
            told(folder, Some(reader));
            assert!(read());
        }
    }
}

/// A session that was removed from the store meanwhile goes on shaped, and so does a later
/// process.
#[test]
fn a_session_that_was_removed_is_opened_again() {
    let world = World::new();
    world.write("a.rs", source(10));
    let store = &world.toolbox.store;
    let is_whole = |text: &str| text.contains("1→pub fn step_0");
    let read = |session: &ToolSession| {
        for (tool, arguments) in
            [("bash", json!({"command": "true"})), ("read_file", json!({"path": "a.rs"}))]
        {
            let answer = session.call(&ToolRequest::new(tool, arguments), &CallControl::NONE);
            assert!(!answer.is_error, "{}", answer.text);
            if tool == "read_file" {
                return answer.text;
            }
        }
        unreachable!("it was read")
    };
    for _ in 0..2 {
        world.session.clear_visibility();
        assert!(is_whole(&read(&world.session)));
        assert!(!is_whole(&read(&world.session)));
        assert!(store.delete_session(&SessionId("test".to_owned())).expect("it is there"));
        let run = world.call("bash", json!({"command": "seq 1 20000"}));
        assert!(run.len() < 20_000, "{} bytes", run.len());
        let handle = run.split("expand ").nth(1).and_then(|rest| rest.get(..12)).expect("a handle");
        let kept = store.content(handle.parse().expect("a handle")).expect("it can be read");
        assert!(kept.is_some_and(|kept| kept.bytes.ends_with(b"19999\n20000\n")));
        // What was shown before is shown anew, for a later process as well.
        assert!(is_whole(&read(&world.session)));
        assert!(!is_whole(&read(&world.session)));
        let later = world.session_named("test");
        assert!(!is_whole(&read(&later)));
        world.call("edit_file", json!({"path": "a.rs", "old_str": "* 3;", "new_str": "* 3 ;"}));
        world.write("a.rs", source(10));
    }
}

/// What a later process cannot read of an earlier one it does not take for shown.
#[test]
fn what_is_not_kept_of_a_session_does_not_count_as_shown() {
    let world = World::new();
    world.write("a.rs", source(10));
    world.write("b.rs", source(12).replace("value", "number").replace("doubled", "times"));
    let read = |session: &ToolSession, path: &str| {
        let request = ToolRequest::new("read_file", json!({"path": path}));
        session.call(&request, &CallControl::NONE).text.contains("1→pub fn step_0")
    };
    let first = world.session_named("test");
    assert!(read(&first, "a.rs"));
    assert!(!read(&world.session_named("test"), "a.rs"));
    let id = SessionId("test".to_owned());
    let now = world.toolbox.clock.now();
    world.toolbox.store.append_record(&id, &json!(null), now).expect("a record");
    // What came after it was decided on what is not known any more.
    assert!(read(&first, "b.rs"));
    let later = world.session_named("test");
    assert!(read(&later, "a.rs") && read(&later, "b.rs"));
    // The same where an answer is missing, or is there twice.
    let records = world.toolbox.store.records(&id, RecordNumber(1), 99);
    let mut said = records.expect("records").into_iter().rev().map(|record| record.payload);
    let last = said.find(|said| said.get("answered").is_some()).expect("an answer");
    world.toolbox.store.append_record(&id, &last, now).expect("a record");
    assert!(!read(&later, "b.rs"));
    let last = world.session_named("test");
    assert!(read(&last, "a.rs") && read(&last, "b.rs"));
    let last = world.session_named("test");
    assert!(!read(&last, "a.rs") && !read(&last, "b.rs"));
}

/// A server that goes on for weeks removes what is too old while it works.
#[test]
fn a_long_running_server_collects() {
    const DAY: i64 = 24 * 3_600_000;
    let world = World::new();
    let store = &world.toolbox.store;
    let held = || store.sessions().expect("sessions").into_iter().map(|session| session.id.0);
    for round in 0..3 {
        let name = format!("old {round}");
        let now = world.toolbox.clock.now();
        store
            .open_session(&SessionId(name.clone()), &SessionMetadata::default(), now)
            .expect("one");
        world.pass(31 * DAY);
        assert!(held().any(|one| one == name));
        world.call("bash", json!({"command": "true"}));
        // It is done beside the work.
        let mut waits = 0..1_000;
        while held().any(|one| one == name) && waits.next().is_some() {
            world.settle();
        }
        assert!(!held().any(|one| one == name), "it is removed");
        // Once an hour is enough.
        let last = store.last_collection().expect("a time");
        world.pass(DAY / 48);
        world.call("bash", json!({"command": "true"}));
        world.settle();
        assert_eq!(store.last_collection().expect("a time"), last);
    }
}

#[test]
fn reads_are_counted_by_file() {
    let world = World::new();
    world.write("a.rs", "fn a() {}\n");
    world.write("A.rs", "fn other() {}\n");
    world.call("read_file", json!({"path": "a.rs"}));
    world.call("read_file", json!({"path": "./a.rs"}));
    assert_eq!((world.session.read_count("a.rs"), world.session.read_count("A.rs")), (2, 0));
    world.call("edit_file", json!({"path": "a.rs", "old_str": "a()", "new_str": "b()"}));
    assert!(world.session.read_count("a.rs") == 0);
}

#[test]
fn very_long_files_come_by_the_piece() {
    let world = World::new();
    let line = "x".repeat(99);
    world.write("long.txt", format!("{line}\n").repeat(10_000));
    let first = world.call("read_file", json!({"path": "long.txt", "mode": "full"}));
    assert!(first.len() < 500_000, "{}", first.len());
    let head = "File: long.txt (beginning)\nTotal lines: 10000 | Preserved: 3";
    assert!(first.starts_with(head), "{}", &first[..100]);
    let note = first.lines().last().expect("a line");
    assert!(
        note.contains("-10000 left out; find lines with grep, go on with read_lines"),
        "{note}"
    );
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

/// A session over a store in a file, which another process holds until the connection is dropped.
fn over_a_held_store(world: &World) -> (ToolSession, Arc<SqliteStore>, rusqlite::Connection) {
    let file = world.folder.path().join("kept/store.db");
    let open = || Arc::new(SqliteStore::open(&file).expect("a store"));
    let (store, later) = (open(), open());
    let folder = world.folder.path().to_owned();
    let toolbox = toolbox_over(folder, ToolSettings::default(), store);
    let session = ToolSession::new(&Arc::new(toolbox), "held");
    let other = rusqlite::Connection::open(&file).expect("a file");
    other.execute_batch("BEGIN IMMEDIATE").expect("nobody else writes");
    (session, later, other)
}

/// What is left out of an answer for which there is no room stays, though the store did not take
/// it then and the session has forgotten what it showed.
#[test]
fn what_could_not_be_kept_is_kept_later() {
    for goes_on in [true, false] {
        let world = World::new();
        let (session, store, other) = over_a_held_store(&world);
        let ask = |tool: &str, arguments: serde_json::Value| {
            session.call(&ToolRequest::new(tool, arguments), &CallControl::NONE).text
        };
        let short = ask("bash", json!({"command": "seq 1 9000"}));
        assert!(!short.contains("; expand ") && short.contains("\n4500\n"), "{short}");
        let long = ask("bash", json!({"command": "seq 1 100000"}));
        let (_, handle) = long.split_once("; expand ").expect("there is no room for all of it");
        let handle = handle.get(..12).expect("a handle");
        session.clear_visibility();
        let asked = json!({"handle": handle, "start": 49_999, "end": 50_000});
        let part = ask("expand", asked);
        assert!(part.contains("49999\n50000\n"), "{part}");
        drop(other);
        match goes_on {
            true => drop(ask("bash", json!({"command": "true"}))),
            false => drop(session),
        }
        let kept = store.content(handle.parse().expect("a handle")).expect("nobody holds it");
        assert!(kept.is_some_and(|kept| kept.bytes.ends_with(b"\n100000\n")), "{goes_on}");
    }
}
