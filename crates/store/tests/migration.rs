//! A store that an earlier version left.

use std::path::Path;

use foveal_store::{
    CallStore, FileWriteStore, FolderKey, FolderScope, Grant, NoteTime, ReaderNoteKey,
    ReaderNoteStore, RecordNumber, RootsKey, SessionId, SessionLogStore, SessionStore, SqliteStore,
    Store,
};
use foveal_transcript::Handle;
use serde_json::json;
use tempfile::TempDir;

/// Grants, notes on readers and recent calls were JSON texts, the first two under sessions of
/// nobody.
const VERSION_3: &str = include_str!("migration/version_3.sql");

const FOLDER: &str = "/tmp/fx/work";

/// The store that `sql` makes, `change`d by hand, opened by this version.
fn migrated(change: &str) -> (TempDir, SqliteStore) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let raw = rusqlite::Connection::open(&path).expect("a file");
    raw.execute_batch(VERSION_3).expect("it is as its program left it");
    raw.execute_batch(change).expect("the tables are there");
    drop(raw);
    let store = SqliteStore::open(&path).expect("it opens");
    assert_eq!(store.take_notices(), []);
    assert_eq!(store.check_integrity().expect("it can be read"), [""; 0]);
    (folder, store)
}

fn names(store: &dyn Store) -> Vec<String> {
    store.sessions().expect("sessions").into_iter().map(|session| session.id.0).collect()
}

fn grants(store: &dyn Store) -> Vec<Grant> {
    store.grants(RootsKey::from_roots([Path::new(FOLDER)])).expect("grants")
}

const SESSIONS: [&str; 2] = ["mcp-baedbd47f60a4bb78b6db436994132b9", "claude-code s1"];

#[test]
fn grants_stay_and_sessions_of_nobody_go() {
    let (_folder, store) = migrated("");
    let grant = Grant { tool: "read_file".to_owned(), subject: ".env".to_owned() };
    assert_eq!(grants(&store), [grant]);
    assert_eq!(names(&store), SESSIONS);
    let roots = store.sessions().expect("sessions").remove(0).metadata.roots;
    assert_eq!(roots, [FOLDER]);
    let id = SessionId(SESSIONS[1].to_owned());
    let records = store.records(&id, RecordNumber(1), 9).expect("records");
    assert_eq!(records[0].payload, json!({ "forgot": { "bytes": 0 } }));
    // Notes on readers begin anew.
    let place = ReaderNoteKey {
        folder: FolderKey::from_path(Path::new(FOLDER)),
        scope: FolderScope::Subtree,
    };
    assert_eq!(store.reader_notes(&[place]).expect("readers").last, NoteTime::default());
}

#[test]
fn recent_calls_and_writes_stay() {
    let (_folder, store) = migrated("");
    let id = SessionId(SESSIONS[0].to_owned());
    let history = store.call_history(&id).expect("they can be read").expect("they are there");
    assert_eq!(history.state["detect"], json!(null));
    assert!(history.state["calls"].is_number() && history.state["records"].is_null());
    let calls: Vec<_> =
        history.calls.iter().map(|call| (call.number.0, &call.payload["tool"])).collect();
    assert_eq!(calls[..2], [(0, &json!("grep")), (1, &json!("glob"))]);
    assert_eq!(history.calls[0].payload["arguments"]["pattern"], "step_30");

    let [b, c] =
        ["fn b() {}\n", "fn c() {}\n"].map(|text| Some(Handle::from_content(text.as_bytes())));
    let changes = |path: &str| -> Vec<_> {
        let writes = store.file_writes(&id, &format!("{FOLDER}/{path}")).expect("writes");
        writes.into_iter().map(|write| (write.before, write.after)).collect()
    };
    // A file that was not there was a content of its own.
    assert_eq!(changes("b.rs"), [(b, c), (None, b)]);
    assert_eq!(changes("c.rs"), [(c, None), (None, c)]);
}

/// Texts that say nothing any more cost no more than themselves.
#[test]
fn what_cannot_be_read_is_left_out() {
    for damage in ["'{'", "x'ff'", "17", "''", "'[1, [2], [\"bash\"], null, {}]'", "'{\"a\": 1}'"] {
        let (_folder, store) = migrated(&format!("UPDATE calls SET payload = {damage}"));
        assert_eq!(grants(&store), [], "{damage}");
        assert_eq!(names(&store), SESSIONS, "{damage}");
        let history =
            store.call_history(&SessionId(SESSIONS[0].to_owned())).expect("they can be asked");
        assert!(history.is_none_or(|history| history.calls.is_empty()), "{damage}");
    }
}

/// A session that a client named like a note, and used, is one.
#[test]
fn sessions_with_records_are_nobodys_notes() {
    let (_folder, store) = migrated("INSERT INTO record VALUES(7, 1, 1, 1, '1')");
    let mut names = names(&store);
    names.sort();
    assert_eq!(names, [SESSIONS[1], SESSIONS[0], "readers"]);
}
