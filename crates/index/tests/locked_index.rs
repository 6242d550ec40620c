//! An index whose file another process holds. Where a test would wait for it in vain, it waits for
//! ten minutes and is seen to hang; none looks at a clock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use foveal_index::{Index, IndexError, LockWait, UpdateSummary};
use foveal_transcript::CancelToken;
use rusqlite::Connection;

use crate::world::{World, dump, found, update};

const LONG: Duration = Duration::from_mins(10);

/// Long enough that who does not wait has failed meanwhile.
const A_MOMENT: Duration = Duration::from_millis(100);

/// The statement with which another process blocks all writers.
const WRITES: &str = "BEGIN IMMEDIATE";

/// The statement with which another process blocks all readers too.
const HOLDS: &str = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE";

/// A folder with an index that is up to date.
fn world(test: &str) -> World {
    let world = World::new(test);
    fill(&world);
    update(&mut world.open());
    world
}

fn fill(world: &World) {
    for n in 0..20 {
        let function = format!("/// Part {n}.\nfn third_part_{n}() -> u32 {{\n    {n}\n}}\n\n");
        world.write(&format!("f{n:02}.rs"), function);
    }
}

fn other(world: &World, sql: &str) -> Connection {
    let other = Connection::open(world.store()).expect("a store");
    other.execute_batch(sql).expect("nobody else has it");
    other
}

fn open(world: &World, wait: LockWait) -> Result<Index, IndexError> {
    Index::open_within(&world.root(), &world.store(), None, wait)
}

fn tried(index: &mut Index) -> Result<UpdateSummary, IndexError> {
    index.update(&mut |_| {}, &CancelToken::NEVER)
}

#[test]
fn one_that_others_write_is_opened_without_waiting() {
    let world = world("held_written");
    let whole = found(&mut world.open(), "value of the third part", 1_000);
    let _other = other(&world, WRITES);
    let mut index = open(&world, LockWait::NONE).expect("it can be read");
    assert_eq!(found(&mut index, "value of the third part", 1_000), whole);
}

#[test]
fn one_that_others_hold_is_opened_when_they_let_it_go() {
    let world = world("held_opened");
    let other = other(&world, HOLDS);
    let refused = open(&world, LockWait::NONE).map(drop);
    assert!(refused.expect_err("it is held").is_busy());
    thread::scope(|scope| {
        let waits =
            scope.spawn(|| open(&world, LockWait::EachTime(LONG)).map(|it| it.is_rebuilt()));
        thread::sleep(A_MOMENT);
        drop(other);
        assert!(!waits.join().expect("no panic").expect("it waited"));
    });
}

#[test]
fn one_that_others_write_is_asked_as_it_is_and_says_what_is_missing() {
    let world = world("held_asked");
    let mut index = open(&world, LockWait::NONE).expect("a store");
    let whole = found(&mut index, "value of the third part", 1_000);
    let other = other(&world, WRITES);
    world.write("f98.rs", "fn another_part() {}\n");
    world.remove("f03.rs");
    let error = tried(&mut index).expect_err("it is held");
    assert!(error.is_busy(), "{error}");
    assert_eq!(found(&mut index, "value of the third part", 1_000), whole);
    let changed = index.changed_files(&CancelToken::NEVER).expect("it can be read");
    assert!(changed.contains(&"f03.rs".to_owned()) && changed.contains(&"f98.rs".to_owned()));
    other.execute_batch("COMMIT").expect("it is its own");
    let UpdateSummary { indexed, removed, .. } = update(&mut index);
    assert_eq!((indexed, removed), (1, 1));
}

/// Rows that are not what was written would be taken out of the file before they are read again.
#[test]
fn damage_to_one_that_others_write_hides_no_answer() {
    let world = world("held_damaged");
    let damage = Connection::open(world.store()).expect("a store");
    damage
        .execute_batch(
            "UPDATE content SET terms = x'0102' WHERE file % 2 = 0; \
             UPDATE file SET class = 'vendored' WHERE path = 'f01.rs'",
        )
        .expect("a store");
    let _other = other(&world, WRITES);
    let mut index = open(&world, LockWait::NONE).expect("a store");
    assert!(tried(&mut index).is_err());
    assert!(found(&mut index, "third part", 1_000).lines().count() > 5);
    let changed = index.changed_files(&CancelToken::NEVER).expect("it can be read");
    assert!(changed.contains(&"f01.rs".to_owned()), "{changed:?}");
}

#[test]
fn where_there_is_nothing_to_write_nobody_is_waited_for() {
    let world = World::embedded("held_unchanged");
    fill(&world);
    // What is younger than two seconds may change within its time stamp.
    for n in 0..20 {
        let path = world.root().join(format!("f{n:02}.rs"));
        let file = std::fs::File::options().write(true).open(path).expect("a file");
        let before = std::time::SystemTime::now() - LONG;
        file.set_modified(before).expect("a file of this test");
    }
    update(&mut world.open());
    let _other = other(&world, WRITES);
    let mut index = world.open();
    index.set_lock_wait(LockWait::EachTime(LONG)).expect("memory");
    assert_eq!(tried(&mut index).expect("nobody is waited for").unchanged, 20);
}

#[test]
fn others_are_waited_for_in_vain_once_where_somebody_waits_for_the_answer() {
    let world = world("held_once");
    let mut index = open(&world, LockWait::NONE).expect("a store");
    let first = other(&world, WRITES);
    world.write("f98.rs", "fn another_part() {}\n");
    assert!(tried(&mut index).is_err());
    index.set_lock_wait(LockWait::Once(LONG)).expect("memory");
    for _ in 0..3 {
        assert!(tried(&mut index).is_err());
    }
    drop(first);
    assert_eq!(update(&mut index).indexed, 1);
    // After its turn it waits once more.
    let second = other(&world, WRITES);
    world.write("f99.rs", "fn a_part_more() {}\n");
    thread::scope(|scope| {
        let waits = scope.spawn(|| tried(&mut index).map(|summary| summary.indexed));
        thread::sleep(A_MOMENT);
        second.execute_batch("COMMIT").expect("it is its own");
        assert_eq!(waits.join().expect("no panic").expect("it waited"), 1);
    });
}

#[test]
fn who_indexes_waits_each_time() {
    let world = world("held_each_time");
    let mut index = open(&world, LockWait::EachTime(Duration::ZERO)).expect("a store");
    let other = other(&world, WRITES);
    world.write("f98.rs", "fn another_part() {}\n");
    assert!(tried(&mut index).is_err());
    index.set_lock_wait(LockWait::EachTime(LONG)).expect("memory");
    thread::scope(|scope| {
        let waits = scope.spawn(|| tried(&mut index).map(|summary| summary.indexed));
        thread::sleep(A_MOMENT);
        other.execute_batch("COMMIT").expect("it is its own");
        assert_eq!(waits.join().expect("no panic").expect("it waited"), 1);
    });
}

#[test]
fn several_that_index_the_same_folder_take_turns() {
    let world = World::new("held_several");
    for n in 0..300 {
        world.write(&format!("f{n:03}.rs"), format!("fn part_{n}() -> u32 {{\n    {n}\n}}\n"));
    }
    thread::scope(|scope| {
        let index = || {
            let mut index = open(&world, LockWait::EachTime(LONG)).expect("it waits");
            tried(&mut index).expect("it waits");
        };
        (0..4).for_each(|_| drop(scope.spawn(index)));
    });
    let mut alone = Index::in_memory(&world.root(), None).expect("a folder");
    update(&mut alone);
    assert_eq!(dump(&mut world.open()), dump(&mut alone));
}

#[test]
fn a_stop_ends_the_wait() {
    let world = world("held_stopped");
    let mut index = open(&world, LockWait::EachTime(LONG)).expect("a store");
    let _other = other(&world, WRITES);
    world.write("f98.rs", "fn another_part() {}\n");
    let stopped = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(A_MOMENT);
            stopped.store(true, Ordering::Relaxed);
        });
        let is_stopped = || stopped.load(Ordering::Relaxed);
        let summary = index.update(&mut |_| {}, &CancelToken::from_fn(&is_stopped));
        assert!(summary.expect("it was stopped").cancelled);
    });
}

/// Where a file has no log, who writes it keeps others from reading it.
#[test]
fn one_that_cannot_be_read_is_stood_in_for() {
    let world = world("held_unread");
    drop(other(&world, "PRAGMA journal_mode = DELETE"));
    // Who reads it keeps it from getting a log.
    let reads = other(&world, "BEGIN; SELECT count(*) FROM file");
    let mut index = open(&world, LockWait::NONE).expect("it can be read");
    let whole = found(&mut index, "value of the third part", 1_000);
    drop(reads);
    let _other = other(&world, "BEGIN EXCLUSIVE");
    let error = tried(&mut index).expect_err("it is held");
    assert!(error.is_busy(), "{error}");
    index.become_substitute().expect("memory");
    assert!(index.is_substitute());
    update(&mut index);
    assert_eq!(found(&mut index, "value of the third part", 1_000), whole);
}
