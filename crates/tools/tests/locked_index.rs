//! An index that another process holds: answers come all the same, and say what is missing.

use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use foveal_index::{Index, LockWait};
use foveal_tools::code_index::CodeIndex;
use foveal_tools::settings::ToolSettings;
use foveal_tools::{CallControl, ToolRequest, ToolSession};
use serde_json::{Value, json};

use crate::world::toolbox;

struct Held {
    folder: tempfile::TempDir,
    store: tempfile::TempDir,
    session: ToolSession,
}

impl Held {
    /// A folder whose index knows `a.rs` and `b.rs`.
    fn new(settings: ToolSettings) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = tempfile::tempdir().expect("a folder");
        let (root, path) = (folder.path().to_owned(), store.path().join("index.db"));
        let mut toolbox = toolbox(root.clone(), settings);
        let open = move || Index::open_within(&root, &path, None, LockWait::ANSWER);
        toolbox.index = CodeIndex::new(Box::new(open));
        let held = Self { folder, store, session: ToolSession::new(&Arc::new(toolbox), "test") };
        held.write("a.rs", "fn third_part() {}\n");
        held.write("b.rs", "fn fourth_part() {}\n");
        held
    }

    /// Writes a file whose time says whether it has changed.
    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        std::fs::write(&path, text).expect("a file");
        let before = SystemTime::now() - Duration::from_mins(1);
        File::options().write(true).open(path).expect("a file").set_modified(before).expect("time");
    }

    fn other(&self, sql: &str) -> rusqlite::Connection {
        let path = self.store.path().join("index.db");
        let other = rusqlite::Connection::open(path).expect("an index");
        other.execute_batch(sql).expect("nobody else has it");
        other
    }

    #[track_caller]
    fn call(&self, tool: &str, arguments: Value, is_error: bool) -> String {
        let answer = self.session.call(&ToolRequest::new(tool, arguments), &CallControl::NONE);
        assert_eq!(answer.is_error, is_error, "{}", answer.text);
        answer.text
    }
}

const HOLDS: &str = "another process holds the index";

#[test]
fn what_changed_is_named_while_another_process_writes() {
    let held = Held::new(ToolSettings::default());
    let search = |query: &str| held.call("search_code", json!({ "query": query }), false);
    let graph = |symbol: &str, is_error| held.call("graph", json!({ "symbol": symbol }), is_error);
    assert!(search("third_part").contains("a.rs"));
    let other = held.other("BEGIN IMMEDIATE");
    // Nothing changed, and nobody is waited for.
    let found = search("fourth_part");
    assert!(found.contains("b.rs") && !found.contains(HOLDS), "{found}");
    held.write("c.rs", "fn fifth_part() { third_part() }\n");
    let found = search("third_part of all");
    assert!(found.contains("a.rs:1"), "{found}");
    assert!(found.contains(&format!("{HOLDS}, so changes")) && found.contains("c.rs]"), "{found}");
    let related = graph("third_part", false);
    assert!(related.contains(HOLDS) && related.contains("c.rs]"), "{related}");
    let map = held.call("map", json!({}), false);
    assert!(map.contains("third_part") && map.contains("c.rs]"), "{map}");
    // What is not known may be in what is not looked at.
    let unknown = graph("fifth_part", true);
    assert!(unknown.contains(HOLDS) && unknown.contains("c.rs]"), "{unknown}");
    other.execute_batch("COMMIT").expect("it is its own");
    // Answers that lacked something are not given again.
    let found = search("third_part of all");
    assert!(found.contains("c.rs:1") && !found.contains(HOLDS), "{found}");
    assert!(!graph("fifth_part", false).contains(HOLDS));
}

#[test]
fn an_index_that_lacks_most_is_done_without() {
    let held = Held::new(ToolSettings::default());
    let path = held.store.path().join("index.db");
    drop(Index::open(held.folder.path(), &path, None).expect("an index of nothing"));
    let _other = held.other("BEGIN IMMEDIATE");
    let found = held.call("search_code", json!({ "query": "third_part" }), false);
    assert!(found.contains("a.rs:1") && !found.contains(HOLDS), "{found}");
}
