//! Which files count as read, and how often.

use std::sync::Arc;

use foveal_tools::ToolSession;
use foveal_tools::settings::ToolSettings;
use serde_json::json;

use crate::world::{World, source, toolbox_over};

/// The counts of `a.rs` and `b.rs`, and all files read.
fn check(session: &ToolSession, a: u32, b: u32, all: &[&str]) {
    assert_eq!((session.read_count("a.rs"), session.read_count("b.rs")), (a, b));
    assert_eq!(session.reads.read_paths(&session.roots()), all);
    assert_eq!(session.read_count("./a.rs") > 0, a > 0);
}

fn two_files() -> World {
    let world = World::new();
    world.write("a.rs", "fn a() {}\n");
    world.write("b.rs", "fn b() {}\n");
    world
}

#[test]
fn reads_of_lines_and_of_files_are_counted() {
    let world = two_files();
    check(&world.session, 0, 0, &[]);
    world.call("read_file", json!({"path": "a.rs"}));
    world.call("read_file", json!({"path": "a.rs"}));
    world.call("read_lines", json!({"path": "b.rs", "start": 1, "end": 1}));
    check(&world.session, 2, 1, &["a.rs", "b.rs"]);
    world.refused("read_lines", json!({"path": "b.rs", "start": 7, "end": 8}));
    check(&world.session, 2, 1, &["a.rs", "b.rs"]);
}

#[test]
fn what_was_changed_is_not_read_any_more() {
    let world = two_files();
    let read = || {
        world.call("read_files", json!({"paths": ["a.rs", "b.rs"]}));
        check(&world.session, 1, 1, &["a.rs", "b.rs"]);
    };
    read();
    world.call("edit_file", json!({"path": "a.rs", "old_str": "fn a", "new_str": "fn aa"}));
    world.call("bash", json!({"command": "echo '// more' >> b.rs"}));
    check(&world.session, 0, 0, &[]);
    read();
    world.write("a.rs", "fn c() {}\n");
    std::fs::remove_file(world.folder.path().join("b.rs")).unwrap();
    check(&world.session, 0, 0, &[]);
    // Touched, and the same as it was.
    world.write("b.rs", "fn b() {}\n");
    read();
    world.write("a.rs", "fn c() {}\n");
    check(&world.session, 1, 1, &["a.rs", "b.rs"]);
    // Read anew before anybody asked whether it had changed.
    world.write("a.rs", "fn d() {}\n");
    world.call("read_file", json!({"path": "a.rs"}));
    check(&world.session, 1, 1, &["a.rs", "b.rs"]);
}

#[test]
fn what_is_invalidated_is_read_whole_again() {
    let world = World::new();
    world.write("a.rs", source(60));
    let read = || world.call("read_file", json!({"path": "a.rs"}));
    read();
    assert!(read().contains("unchanged"));
    world.session.mark_unread("./a.rs");
    check(&world.session, 0, 0, &[]);
    let whole = read();
    assert!(whole.starts_with("File: a.rs (full)\nTotal lines: 300 | Preserved: 300 "), "{whole}");
    assert!(!whole.contains("left out") && !whole.contains("shown above"), "{whole}");
    check(&world.session, 1, 0, &["a.rs"]);
    assert!(read().contains("unchanged"));
    // Of what was never read there is nothing to invalidate.
    let world = World::new();
    world.write("b.rs", source(60));
    world.session.mark_unread("b.rs");
    let asked = json!({"path": "b.rs", "question": "how does step_30 double its value?"});
    let view = world.call("read_file", asked);
    assert!(view.contains("left out"), "{view}");
}

#[test]
fn counts_outlast_a_restart() {
    let world = two_files();
    let again = || {
        let folder = world.folder.path().to_owned();
        let again = toolbox_over(folder, ToolSettings::default(), world.toolbox.store.clone());
        ToolSession::new(&Arc::new(again), "test")
    };
    world.call("read_file", json!({"path": "a.rs"}));
    world.call("read_file", json!({"path": "a.rs"}));
    world.call("read_lines", json!({"path": "b.rs", "start": 1, "end": 1}));
    check(&again(), 2, 1, &["a.rs", "b.rs"]);
    world.call("edit_file", json!({"path": "b.rs", "old_str": "fn b", "new_str": "fn bb"}));
    check(&again(), 2, 0, &["a.rs"]);
    // Somebody changes a file while nobody looks.
    world.write("a.rs", "fn c() {}\n");
    check(&again(), 0, 0, &[]);
}
