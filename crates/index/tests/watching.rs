//! Changes are seen as they happen.

use std::time::{Duration, Instant};

use foveal_index::{FolderChanges, FolderWatcher};
use foveal_transcript::CancelToken;

use crate::world::{World, files, update};

/// Systems tell changes soon, but promise no time.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn a_file_that_is_written_is_indexed() {
    let world = World::new("watched");
    world.write("a.rs", "fn a() {}\n");
    let mut index = world.open();
    update(&mut index);
    let Ok(watcher) = FolderWatcher::start(index.root()) else {
        eprintln!("skipped: this system does not watch files");
        return;
    };
    world.write("b.rs", "fn b() {}\n");
    world.write(".hidden.rs", "fn hidden() {}\n");
    let end = Instant::now() + PATIENCE;
    while files(&mut index).len() < 2 {
        let changes = watcher.wait_for_changes(Some(end), &CancelToken::NEVER);
        match changes.expect("the folder is watched") {
            FolderChanges::Files(changed) if changed.is_empty() => {
                panic!("nothing is seen in time")
            }
            FolderChanges::Files(changed) => {
                assert_eq!(changed, [index.root().join("b.rs")]);
                index.prioritize_file(&changed[0]);
                index.update_queued(&CancelToken::NEVER).expect("a store of this test");
            }
            FolderChanges::Everything => drop(update(&mut index)),
        }
    }
    assert_eq!(files(&mut index), ["a.rs", "b.rs"]);
    world.write(".gitignore", "b.rs\n");
    assert_eq!(
        watcher.wait_for_changes(Some(end), &CancelToken::NEVER),
        Some(FolderChanges::Everything)
    );
}

/// While vectors are made nobody looks at what happens.
#[test]
fn of_too_many_events_the_watch_keeps_a_bounded_number() {
    let world = World::new("watched_much");
    let root = world.root().canonicalize().expect("a folder of this test");
    let Ok(watcher) = FolderWatcher::start(&root) else {
        eprintln!("skipped: this system does not watch files");
        return;
    };
    // Two files in turn, since a system may tell events that are the same once; it tells at
    // least one for each write, and more than twice as many as can wait.
    for n in 0..10_000 {
        world.write(["a.rs", "b.rs"][n % 2], "fn a() {}\n");
    }
    let end = Instant::now() + PATIENCE;
    let changes = watcher.wait_for_changes(Some(end), &CancelToken::NEVER);
    assert_eq!(changes, Some(FolderChanges::Everything));
}
