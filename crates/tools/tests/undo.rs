//! The way back from a write, and when there is none.

use foveal_tools::permission::{PermissionPolicy, PermissionRule, Verdict};
use foveal_tools::settings::ToolSettings;
use foveal_tools::{CallControl, RewindState, RewindableFile, ToolRequest, ToolSession};
use foveal_transcript::{CancelToken, Timestamp};
use serde_json::{Value, json};

use crate::world::{World, toolbox_over};

fn handle(said: &str) -> String {
    let rest = said.split("[before: ").nth(1).expect("a way back");
    rest[..12].to_owned()
}

fn back(handle: &str) -> Value {
    json!({"path": "a.txt", "handle": handle})
}

fn edit(old: &str, new: &str) -> Value {
    json!({"path": "a.txt", "old_str": old, "new_str": new})
}

#[test]
fn what_others_wrote_is_not_undone() {
    let world = World::new();
    world.write("a.txt", "one\ntwo\nthree\nfour\n");
    world.call("read_file", json!({"path": "a.txt"}));
    let first = handle(&world.call("edit_file", edit("two", "2")));
    let others = "one\n2\nthree\nFOUR\n";
    world.write("a.txt", others);
    let delta = " 4 - four\n    4 + FOUR\n";
    let refused = world.refused("write_file", back(&first));
    assert!(refused.contains("changed by others") && refused.contains(delta), "{refused}");
    // Nor after it was seen, and after a write of ours that follows it.
    world.call("read_file", json!({"path": "a.txt", "mode": "full"}));
    assert!(world.refused("write_file", back(&first)).contains(delta));
    let second = handle(&world.call("edit_file", edit("one", "1")));
    assert!(world.refused("write_file", back(&first)).contains(delta));
    assert_eq!(world.on_disk("a.txt"), "1\n2\nthree\nFOUR\n");
    // The later write can be taken back, and that too.
    let third = handle(&world.call("write_file", back(&second)));
    assert_eq!(world.on_disk("a.txt"), others);
    world.call("write_file", back(&third));
    assert_eq!(world.on_disk("a.txt"), "1\n2\nthree\nFOUR\n");
}

#[test]
fn several_writes_are_undone_at_once_and_by_a_later_process() {
    let world = World::new();
    world.write("a.txt", "one\ntwo\n");
    world.call("read_file", json!({"path": "a.txt"}));
    let first = handle(&world.call("edit_file", edit("two", "2")));
    world.call("edit_file", edit("one", "1"));
    world.call("write_file", json!({"path": "a.txt", "content": "all\n"}));
    let later = world.session_named("test");
    let answer = later.call(&ToolRequest::new("write_file", back(&first)), &CallControl::NONE);
    assert!(!answer.is_error, "{answer:?}");
    assert_eq!(world.on_disk("a.txt"), "one\ntwo\n");
    // Which that has not seen; whoever wrote over it has.
    let whole = || json!({"path": "a.txt", "content": "more\n"});
    assert!(later.call(&ToolRequest::new("write_file", whole()), &CallControl::NONE).is_error);
    world.call("read_file", json!({"path": "a.txt", "mode": "full"}));
    let last = handle(&world.call("edit_file", edit("two", "2")));
    world.call("write_file", back(&last));
    world.call("write_file", whole());
}

#[test]
fn a_new_file_is_removed_and_made_again() {
    let world = World::new();
    let made = world.call("write_file", json!({"path": "a.txt", "content": "one\n"}));
    assert!(made.starts_with("Wrote a.txt (new) [before: "), "{made}");
    world.write("a.txt", "one\ntwo\n");
    let refused = world.refused("write_file", back(&handle(&made)));
    assert!(refused.ends_with(" 2 + two\n"), "{refused}");
    assert_eq!(world.on_disk("a.txt"), "one\ntwo\n");
    world.write("a.txt", "one\n");
    world.call("edit_file", edit("one", "1"));
    let removed = world.call("write_file", back(&handle(&made)));
    assert!(removed.starts_with("Removed a.txt, which was new [before: "), "{removed}");
    assert!(!world.folder.path().join("a.txt").exists());
    // Somebody else's file in its place is not ours to replace.
    world.write("a.txt", "theirs\n");
    assert!(world.refused("write_file", back(&handle(&removed))).contains(" 1 + theirs\n"));
    std::fs::remove_file(world.folder.path().join("a.txt")).expect("it is there");
    world.call("write_file", back(&handle(&removed)));
    assert_eq!(world.on_disk("a.txt"), "1\n");
    let other = world.refused("write_file", json!({"path": "b.txt", "handle": handle(&made)}));
    assert!(other.contains("is nothing that `b.txt` held before"), "{other}");
}

#[test]
fn secrets_are_held_in_memory_alone() {
    let world = World::new();
    let content = "TOKEN = \"ghp_a8Kd93jfLs02MxQe7TbVz5WnYc1RgUh4Pi6o\"\nx = 1\n";
    world.write("a.txt", content);
    let done = world.call("edit_file", edit("x = 1", "x = 2"));
    assert!(done.contains(", with secrets: kept in memory only, until foveal ends]"), "{done}");
    let later = world.session_named("test");
    let gone =
        later.call(&ToolRequest::new("write_file", back(&handle(&done))), &CallControl::NONE);
    assert!(gone.is_error && gone.text.contains("held in memory alone and are gone"), "{gone:?}");
    let stored = world.toolbox.store.content(handle(&done).parse().expect("a handle"));
    let stored = stored.expect("a store").expect("it is kept").bytes;
    assert!(!String::from_utf8_lossy(&stored).contains("ghp_"));
    world.call("write_file", back(&handle(&done)));
    assert_eq!(world.on_disk("a.txt"), content);
}

/// All files that a session wrote, as they stand.
fn written(session: &ToolSession) -> Vec<RewindableFile> {
    session.files_written_since(Timestamp(0), &CancelToken::NEVER).expect("known")
}

fn put_back(session: &ToolSession, files: &[RewindableFile]) -> Result<(), String> {
    let files: Vec<&RewindableFile> = files.iter().collect();
    session.rewind_files(&files, &CancelToken::NEVER).map_err(|error| error.to_string())
}

#[test]
fn files_that_change_after_they_were_looked_at_do_not_go_back() {
    let world = World::new();
    let b = || world.folder.path().join("b.txt");
    let wrote = || {
        world.write("a.txt", "one\n");
        let _ = std::fs::remove_file(b());
        world.call("read_file", json!({"path": "a.txt"}));
        world.call("edit_file", edit("one", "1"));
        world.call("write_file", json!({"path": "b.txt", "content": "b\n"}));
        written(&world.session)
    };
    let unchanged = |files: &[RewindableFile], path: &str| {
        let error = put_back(&world.session, files).expect_err("it changed");
        let words = format!("`{path}` was changed meanwhile: nothing was put back");
        assert!(error.contains(&words), "{error}");
    };
    let files = wrote();
    assert_eq!(files.len(), 2);
    world.write("a.txt", "theirs\n");
    unchanged(&files, "a.txt");
    assert_eq!((world.on_disk("a.txt"), world.on_disk("b.txt")), ("theirs\n".into(), "b\n".into()));
    let files = wrote();
    world.write("b.txt", "theirs\n");
    unchanged(&files, "b.txt");
    assert_eq!((world.on_disk("a.txt"), world.on_disk("b.txt")), ("1\n".into(), "theirs\n".into()));
    // One that is gone changed too.
    let files = wrote();
    std::fs::remove_file(b()).expect("there");
    unchanged(&files, "b.txt");
    let files = wrote();
    put_back(&world.session, &files).expect("put back");
    assert_eq!(world.on_disk("a.txt"), "one\n");
    assert!(!b().exists());
}

#[test]
fn what_a_rule_forbids_to_write_does_not_go_back() {
    let world = World::new();
    world.write("a.txt", "one\n");
    world.call("read_file", json!({"path": "a.txt"}));
    world.call("edit_file", edit("one", "1"));
    world.call("write_file", json!({"path": "b.txt", "content": "b\n"}));
    let files = written(&world.session);
    // Each of the tools that write, and way back from one of them.
    for tool in ["write_file", "edit_file", "multi_edit", "*"] {
        let folder = world.folder.path().to_owned();
        let store = std::sync::Arc::clone(&world.toolbox.store);
        let mut toolbox = toolbox_over(folder, ToolSettings::default(), store);
        let (tool, subject) = (tool.to_owned(), "a.*".to_owned());
        toolbox.policy = PermissionPolicy {
            rules: vec![PermissionRule { tool, subject, verdict: Verdict::Deny }],
        };
        let session = ToolSession::new(&std::sync::Arc::new(toolbox), "test");
        let stands: Vec<(String, bool)> = written(&session)
            .into_iter()
            .map(|file| match &file.state {
                RewindState::NotRestorable(why) => {
                    (file.path.clone(), why.contains("a permission rule forbids"))
                }
                _ => (file.path.clone(), false),
            })
            .collect();
        assert_eq!(stands, [("a.txt".to_owned(), true), ("b.txt".to_owned(), false)]);
        let error = put_back(&session, &files).expect_err("forbidden");
        assert!(error.contains("a permission rule forbids it (no. 1:"), "{error}");
        assert_eq!((world.on_disk("a.txt"), world.on_disk("b.txt")), ("1\n".into(), "b\n".into()));
    }
}
