//! What the user allowed, by the folders that it was allowed in.

use std::path::Path;

use foveal_store::{Grant, RootsKey, Store};

use crate::conformance::{at, collect, none};

/// Creates a grant.
pub(crate) fn grant(tool: &str, subject: &str) -> Grant {
    Grant { tool: tool.into(), subject: subject.into() }
}

pub(crate) fn are_kept_by_roots(store: &dyn Store) {
    let key = |roots: &[&str]| RootsKey::from_roots(roots.iter().map(Path::new));
    let (here, both) = (key(&["/work"]), key(&["/work", "/other"]));
    let all = [grant("bash", "ls"), grant("read_file", ".env"), grant("read_file", "a/.env")];
    for one in all.iter().chain(&all) {
        store.put_grant(here, one, at(0)).expect("it is kept");
    }
    store.put_grant(both, &all[0], at(0)).expect("it is kept");
    // Neither age nor size takes them, and they are no sessions.
    assert_eq!(collect(store, 0, 0, at(99_999)), none());
    let mut found = store.grants(here).expect("grants");
    found.sort();
    assert_eq!(found, all);
    assert_eq!(store.grants(both).expect("grants"), all[..1]);
    assert_eq!(store.grants(key(&["/other"])).expect("none"), []);
    assert_eq!(store.grants(key(&["/other", "/work"])).expect("none"), []);
    assert_eq!(store.sessions().expect("none"), []);
    // One is taken back, in these folders alone.
    let removed = |of| store.remove_grant(of, &all[0]).expect("it is removed");
    assert_eq!([removed(here), removed(here)], [true, false]);
    let mut found = store.grants(here).expect("grants");
    found.sort();
    assert_eq!(found, all[1..]);
    assert_eq!(store.grants(both).expect("grants"), all[..1]);
}
