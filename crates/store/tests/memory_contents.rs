//! Contents that are kept in memory alone.

use std::path::Path;

use foveal_store::{
    CallChanges, CallNumber, CallStore, EphemeralContentStore, Grant, GrantStore, RecentCall,
    RootsKey, SessionLogStore, SessionStore, SqliteStore, Store,
};
use serde_json::json;

use crate::conformance::{CASES, SECRET_CASES, at, has, open as session, put, run};

#[test]
fn sqlite_in_memory_without_secrets() {
    let fresh = || -> Box<dyn Store> { Box::new(SqliteStore::in_memory().expect("memory")) };
    run("sqlite in memory without secrets", &[CASES, SECRET_CASES], &fresh);
}

#[test]
fn contents_that_pass() {
    let memory = || SqliteStore::in_memory().expect("memory");
    let fresh = || -> Box<dyn Store> { Box::new(EphemeralContentStore::new(memory(), memory())) };
    run("contents that pass", &[CASES, SECRET_CASES], &fresh);
}

/// All that a store may be given that files, pages and outputs hold.
#[test]
fn what_passes_is_not_on_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let open = || {
        let kept = SqliteStore::open(&path).expect("the file can be made");
        EphemeralContentStore::new(kept, SqliteStore::in_memory().expect("memory"))
    };
    let store = open();
    let text = "marked-content ".repeat(40);
    let session = session(&store, "a", at(0));
    let handle = put(&store, Some(&session), &text, at(0));
    let told = json!({ "text": text });
    store.append_record(&session, &told, at(0)).expect("a record");
    let changes = CallChanges {
        state: Some(told.clone()),
        calls: vec![RecentCall { number: CallNumber(1), payload: told }],
        remaining: vec![CallNumber(1)],
    };
    store.update_calls(&session, &changes, at(0)).expect("a call");
    let grant = Grant { tool: "bash".into(), subject: "make".into() };
    let roots = RootsKey::from_roots([Path::new("/work")]);
    store.put_grant(roots, &grant, at(0)).expect("a grant");
    assert!(has(&store, handle));
    for entry in std::fs::read_dir(folder.path()).expect("a folder").flatten() {
        let bytes = std::fs::read(entry.path()).expect("a file");
        assert!(!bytes.windows(14).any(|part| part == b"marked-content"), "{:?}", entry.path());
    }
    drop(store);
    // What a person decided stays; handles end with the process.
    let later = open();
    assert_eq!(later.grants(roots).expect("grants"), [grant]);
    assert!(!has(&later, handle) && later.sessions().expect("none").is_empty());
}
