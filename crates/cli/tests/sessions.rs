//! `foveal sessions`.

use std::path::Path;

use foveal_store::{
    ContentStore, GarbageCollection, Grant, GrantStore, RetentionLimits, RootsKey, SessionId,
    SessionLogStore, SessionMetadata, SessionStore, SqliteStore,
};
use foveal_tools::session::announce_reader;
use foveal_transcript::Timestamp;
use serde_json::{Value, json};

use crate::world::{World, session};

#[test]
fn sessions_are_listed_pinned_and_removed() {
    let world = World::new("kept_sessions");
    assert_eq!(world.output("sessions"), "no sessions are stored\n");
    assert_eq!(world.output("sessions --json"), "[]\n");
    world.write("a.rs", "fn main() {}\n");
    world.output("read a.rs");
    world.output("read a.rs");
    let list = || -> Vec<Value> {
        serde_json::from_str(&world.output("sessions --all --json")).expect("a list")
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
    assert_eq!(run(&["pin", &id]).out, format!("pinned `{id}`\n"));
    assert!(run(&["pin", "no such"]).err.contains("there is no session `no such`"));
    assert!(run(&["pin", ""]).err.contains("there is no session ``"));
    assert_eq!(run(&["pin", "shell"]).code, Some(2));
    assert!(run(&["pin", "shell"]).err.contains("2 sessions have `shell` in their names"));
    let table = world.output("sessions --all");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(
        lines[0].split_whitespace().collect::<Vec<_>>(),
        ["used", "events", "KiB", "session", "folder", "about"]
    );
    assert!(
        lines[2].contains(&format!("pinned  {id}  ")) && !lines[1].contains("pinned"),
        "{table}"
    );
    assert!(lines[1].ends_with("  read_file a.rs"), "{table}");
    // A person rarely looks for one call.
    assert_eq!(
        world.output("sessions"),
        "2 single calls from a shell: see `foveal sessions --all`\n"
    );
    assert_eq!(world.output("sessions --json"), "[]\n");

    // What is pinned stays, whatever is collected.
    let path = world.folder.join("home/.local/share/foveal/store.db");
    let store = SqliteStore::open(&path).expect("a store");
    let limits = RetentionLimits { bytes_max: 0, age_max_ms: 0 };
    store.collect_garbage(limits, Timestamp(i64::MAX)).expect("it collects");
    assert_eq!(
        list().into_iter().map(|one| one["session"].clone()).collect::<Vec<_>>(),
        [json!(id)]
    );

    let part = id.strip_prefix("shell ").expect("it begins so");
    assert_eq!(run(&["unpin", part]).out, format!("unpinned `{id}`\n"));
    assert!(run(&["delete", part]).err.contains("give the full name to delete a session"));
    assert_eq!(run(&["delete", &id]).out, format!("deleted `{id}`\n"));
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
    store.put_grant(RootsKey::from_roots([folder]), &grant, Timestamp(1)).expect("it is kept");
    announce_reader(&store, folder, Some("one"), Timestamp(1)).expect("it is noted");
    assert_eq!(world.output("sessions"), "no sessions are stored\n");
    let facts = foveal_store::SessionMetadata::default();
    let id = SessionId("readers of a".to_owned());
    store.open_session(&id, &facts, Timestamp(1)).expect("a session");
    let table = world.output("sessions");
    assert!(table.ends_with(" readers of a\n") && table.lines().count() == 2, "{table}");
    assert!(world.output("sessions --json").contains("readers of a"));
    assert_eq!(world.run("sessions delete readers").code, Some(2));
}

/// A session of the tools with these calls.
fn kept(world: &World, name: &str, calls: &[(&str, Value, &str)]) {
    let path = world.folder.join("home/.local/share/foveal/store.db");
    let store = SqliteStore::open(&path).expect("a store");
    let id = SessionId(name.to_owned());
    let facts =
        SessionMetadata { roots: vec!["/work/app".to_owned()], ..SessionMetadata::default() };
    store.open_session(&id, &facts, Timestamp(1)).expect("a session");
    for (place, (tool, arguments, text)) in calls.iter().enumerate() {
        let handle =
            store.put_content(Some(&id), text.as_bytes(), Timestamp(1)).expect("it is kept");
        let event = json!({"answered": {
            "tool": tool, "arguments": arguments, "question": null, "handle": handle.handle,
            "text": null, "is_error": false, "cached": false, "bytes": [1, 1],
            "place": 2 * place + 1,
        }});
        store.append_record(&id, &event, Timestamp(1)).expect("it is appended");
    }
}

#[test]
fn kept_sessions_are_shown_by_the_beginning_of_their_names() {
    let world = World::new("kept_shown");
    let edit = json!({"path": "a.rs", "old_str": "two", "new_str": "TWO", "intent": "shout"});
    let calls = [
        ("read_file", json!({"path": "a.rs"}), "1→one\n2→two\n"),
        ("edit_file", edit, "a.rs: 1 edit\n"),
    ];
    kept(&world, "mcp-1111aaaa", &calls);
    kept(&world, "mcp-1111bbbb", &calls[..1]);
    kept(&world, "claude-code 22223333", &calls[..1]);
    kept(&world, "claude-code 22223333/helper", &calls[..1]);
    let shown = world.output("show mcp-1111a");
    assert!(shown.starts_with("mcp-1111aaaa, in /work/app: 2 turns, 4 messages\n"), "{shown}");
    assert!(shown.contains("02 tool_result read: read_file a.rs"), "{shown}");
    assert!(world.output("changelog mcp-1111a").contains("2  "), "{shown}");
    let file = world.run("file-at mcp-1111a a.rs");
    assert_eq!((file.code, file.out.as_str()), (Some(0), "one\nTWO\n"), "{}", file.err);
    // The kind before a name may be left out, and a session comes before its helpers.
    assert!(world.output("show 2222").starts_with("claude-code 22223333, in"));
    assert!(world.output("show 2222/h").starts_with("claude-code 22223333/helper, in"));
    let several = world.run("show mcp-1111");
    assert_eq!(several.code, Some(2));
    assert_eq!(
        several.err,
        "error: 2 sessions begin with `mcp-1111`: give more of the name\n  mcp-1111bbbb\n  \
         mcp-1111aaaa\n"
    );
    for unknown in ["show mcp-9", "changelog mcp-9", "file-at mcp-9 a.rs"] {
        let ran = world.run(unknown);
        assert_eq!(ran.code, Some(2));
        assert_eq!(
            ran.err,
            "error: `mcp-9` is neither a file nor a stored session: check the path, or see `foveal \
             sessions --all`\n"
        );
    }
}

/// What its agent recorded tells more than what a hook kept of it.
#[test]
fn a_session_of_a_hook_is_shown_as_its_agent_recorded_it() {
    let world = World::new("kept_recorded");
    world.write("one.json", session("one"));
    let path = world.folder.join("home/.local/share/foveal/store.db");
    let store = SqliteStore::open(&path).expect("a store");
    let facts = SessionMetadata {
        roots: vec!["/r".to_owned()],
        transcript: Some(world.folder.join("one.json").display().to_string()),
    };
    store
        .open_session(&SessionId("claude-code abcd".to_owned()), &facts, Timestamp(1))
        .expect("a session");
    assert_eq!(world.output("show abcd"), world.output("show one.json"));
    std::fs::remove_file(world.folder.join("one.json")).expect("it was there");
    let gone = world.run("show abcd");
    assert_eq!(gone.code, Some(2));
    assert!(gone.err.contains("was recorded in `one.json`, which no longer exists"));
}

/// Looking makes nothing.
#[test]
fn an_empty_home_stays_empty() {
    let world = World::new("kept_nothing");
    for arguments in ["sessions", "sessions --json", "show x", "expand 0123456789ab"] {
        world.run(arguments);
    }
    world.run("sessions pin x");
    let home = std::fs::read_dir(world.folder.join("home")).expect("a folder");
    assert_eq!(home.count(), 0);
}
