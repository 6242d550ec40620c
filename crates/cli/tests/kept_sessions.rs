//! `foveal sessions`.

use std::path::Path;

use foveal_store::{Grant, Limits, RootsKey, SessionId, SqliteStore, Store};
use foveal_tools::session::note_reader;
use foveal_transcript::Timestamp;
use serde_json::{Value, json};

use crate::world::World;

#[test]
fn sessions_are_listed_pinned_and_removed() {
    let world = World::new("kept_sessions");
    assert_eq!(world.output("sessions"), "no sessions are kept\n");
    assert_eq!(world.output("sessions --json"), "[]\n");
    world.write("a.rs", "fn main() {}\n");
    world.output("read a.rs");
    world.output("read a.rs");
    let list = || -> Vec<Value> {
        serde_json::from_str(&world.output("sessions --json")).expect("a list")
    };
    let (first, other) = (list().remove(1), list().remove(0));
    assert!(first["events"].as_u64() > Some(0), "{first}");
    assert_eq!(first["pinned"], false);
    assert!(first["bytes"].as_u64() > Some(100), "{first}");
    let [id, other] = [first, other].map(|one| one["session"].as_str().expect("a name").to_owned());
    assert!(id.starts_with("shell ") && id != other);

    let run = |words: &[&str]| {
        let mut command = world.command("sessions");
        world.ran(command.args(words))
    };
    assert_eq!(run(&["pin", &id]).out, format!("`{id}` is kept from now on\n"));
    assert!(run(&["pin", "no such"]).err.contains("there is no session `no such`"));
    assert!(run(&["pin", ""]).err.contains("there is no session ``"));
    assert_eq!(run(&["pin", "shell"]).code, Some(2));
    assert!(run(&["pin", "shell"]).err.contains("2 sessions have `shell` in their names"));
    let table = world.output("sessions");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(
        lines[0].split_whitespace().collect::<Vec<_>>(),
        ["used", "events", "KiB", "session"]
    );
    assert!(
        lines[2].ends_with(&format!("pinned  {id}")) && !lines[1].contains("pinned"),
        "{table}"
    );

    // What is pinned stays, whatever is collected.
    let path = world.folder.join("home/.local/share/foveal/store.db");
    let store = SqliteStore::open(&path).expect("a store");
    let limits = Limits { bytes_max: 0, age_max_ms: 0 };
    store.collect(limits, Timestamp(i64::MAX)).expect("it collects");
    assert_eq!(
        list().into_iter().map(|one| one["session"].clone()).collect::<Vec<_>>(),
        [json!(id)]
    );

    let part = id.strip_prefix("shell ").expect("it begins so");
    assert_eq!(run(&["unpin", part]).out, format!("`{id}` is kept as long as others\n"));
    assert!(run(&["delete", part]).err.contains("give the whole name to remove one"));
    assert_eq!(run(&["delete", &id]).out, format!("`{id}` is removed\n"));
    assert_eq!(list(), [] as [Value; 0]);
}

/// What is noted for the program itself is no session of anybody.
#[test]
fn notes_are_not_listed() {
    let world = World::new("kept_notes");
    let path = world.folder.join("home/.local/share/foveal/store.db");
    let store = SqliteStore::open(&path).expect("a store");
    let folder = Path::new("/work");
    let grant = Grant { tool: "bash".to_owned(), subject: "ls".to_owned() };
    store.put_grant(RootsKey::of([folder]), &grant, Timestamp(1)).expect("it is kept");
    note_reader(&store, folder, Some("one"), Timestamp(1)).expect("it is noted");
    assert_eq!(world.output("sessions"), "no sessions are kept\n");
    let facts = foveal_store::SessionFacts::default();
    let id = SessionId("readers of a".to_owned());
    store.open_session(&id, &facts, Timestamp(1)).expect("a session");
    let table = world.output("sessions");
    assert!(table.ends_with(" readers of a\n") && table.lines().count() == 2, "{table}");
    assert_eq!(world.run("sessions delete readers").code, Some(2));
}
