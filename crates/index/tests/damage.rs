//! A store that is damaged, or another program's, is set aside and built anew.

use std::fs;

use proptest::prelude::*;
use proptest::sample::Index;

use crate::world::{World, dump, found, update};

fn world(test: &str) -> World {
    let world = World::new(test);
    for n in 0..20 {
        let function = format!("/// Part {n}.\nfn third_part_{n}() -> u32 {{\n    {n}\n}}\n\n");
        world.write(&format!("f{n:02}.rs"), function.repeat(20));
    }
    world
}

fn check(test: &str, damage: impl FnOnce(&World)) {
    check_store(test, damage, true);
}

/// The store is built anew after `damage`, and is set aside or not.
fn check_store(test: &str, damage: impl FnOnce(&World), is_set_aside: bool) {
    let world = world(test);
    let mut index = world.open();
    update(&mut index);
    let whole = dump(&mut index);
    drop(index);
    damage(&world);
    let mut index = world.open();
    let summary = update(&mut index);
    assert!(summary.rebuilt, "{summary:?}");
    assert_eq!(dump(&mut index), whole);
    assert_eq!(world.root().join("../index.db.set-aside").exists(), is_set_aside);
}

fn execute(world: &World, sql: &str) {
    let connection = rusqlite::Connection::open(world.store()).expect("a store");
    connection.execute_batch(sql).expect("a store");
}

#[test]
fn what_is_no_store_is_set_aside() {
    check("text", |world| fs::write(world.store(), "no database".repeat(500)).expect("a file"));
    check("header", |world| {
        let mut bytes = fs::read(world.store()).expect("a store");
        bytes[0] ^= 1;
        fs::write(world.store(), bytes).expect("a file");
    });
}

#[test]
fn another_version_is_replaced_and_another_program_set_aside() {
    for (pragma, is_set_aside) in [
        ("user_version = 99; CREATE VIEW more AS SELECT * FROM file", false),
        ("user_version = 0", false),
        ("application_id = 7", true),
    ] {
        let damage = |world: &World| execute(world, &format!("PRAGMA {pragma}"));
        check_store("version", damage, is_set_aside);
    }
}

#[test]
fn missing_tables_are_made_again() {
    check("tables", |world| execute(world, "DROP TABLE content; DROP TABLE file"));
}

/// After an upgrade several processes may find the old version at the same time.
#[test]
fn of_several_one_replaces_another_version() {
    let world = world("several");
    let mut index = world.open();
    index.select_embedder("far", "built-in").expect("a store of this test");
    update(&mut index);
    let whole = dump(&mut index);
    drop(index);
    execute(&world, "PRAGMA user_version = 1");
    let rebuilt: usize = std::thread::scope(|scope| {
        let open = || scope.spawn(|| usize::from(update(&mut world.open()).rebuilt));
        let threads: Vec<_> = (0..8).map(|_| open()).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    assert_eq!(rebuilt, 1);
    assert!(!world.root().join("../index.db.set-aside").exists());
    let mut index = world.open();
    assert_eq!(dump(&mut index), whole);
    assert_eq!(index.embedder_selection().expect("a store").embedder.as_deref(), Some("far"));
}

#[test]
fn what_another_process_has_built_anew_is_left_alone() {
    let world = world("others");
    let (mut first, mut second) = (world.open(), world.open());
    update(&mut first);
    let whole = dump(&mut second);
    execute(&world, "DROP TABLE content; DROP TABLE file");
    assert_eq!(update(&mut first).indexed, 20);
    let summary = update(&mut second);
    assert_eq!((summary.indexed, summary.unchanged), (0, 20));
    assert_eq!((dump(&mut first), dump(&mut second)), (whole.clone(), whole));
}

/// The log of a store that was set aside before is not that of the one set aside now.
#[test]
fn what_was_chosen_last_is_taken_over() {
    for damage in [
        "DROP TABLE content; DROP TABLE file",
        "PRAGMA application_id = 7",
        "PRAGMA user_version = 99",
    ] {
        let world = world("chosen_last");
        let mut index = world.open();
        index.select_embedder("far", "built-in").expect("a store of this test");
        for ending in ["-wal", "-shm"] {
            let place = |name: &str| world.root().join(format!("../{name}{ending}"));
            fs::copy(place("index.db"), place("index.db.set-aside")).expect("a log");
        }
        index.select_embedder("built-in", "far").expect("a store of this test");
        drop(index);
        execute(&world, damage);
        let mut index = world.open();
        update(&mut index);
        let chosen = index.embedder_selection().expect("a store of this test");
        assert_eq!(chosen.embedder.as_deref(), Some("built-in"), "{damage}");
    }
}

#[test]
fn rows_that_were_changed_are_not_trusted() {
    let world = world("rows");
    let mut index = world.open();
    update(&mut index);
    let whole = dump(&mut index);
    drop(index);
    let connection = rusqlite::Connection::open(world.store()).expect("a store");
    connection
        .execute_batch("UPDATE content SET terms = x'0102' WHERE file % 2 = 0")
        .expect("a store");
    drop(connection);
    let mut index = world.open();
    // They are read again before anything is answered.
    let hits = found(&mut index, "value of the third part", 1_000);
    assert!(whole.ends_with(&hits) && !hits.is_empty(), "{hits}");
    assert_eq!(update(&mut index).indexed, 0);
    assert_eq!(dump(&mut index), whole);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    /// Bytes anywhere are changed, or the end is cut off.
    #[test]
    fn no_damage_is_fatal(at in any::<Index>(), length in 1_usize..3_000, cut in any::<bool>(), is_updated in any::<bool>()) {
        let world = world("anywhere");
        let mut index = world.open();
        update(&mut index);
        let whole = dump(&mut index);
        drop(index);
        let mut bytes = fs::read(world.store()).expect("a store");
        let start = at.index(bytes.len());
        if cut {
            bytes.truncate(start);
        } else {
            let end = (start + length).min(bytes.len());
            bytes[start..end].iter_mut().for_each(|byte| *byte = byte.wrapping_mul(31).wrapping_add(7));
        }
        fs::write(world.store(), bytes).expect("a file");
        let mut index = world.open();
        if is_updated {
            update(&mut index);
        }
        // What the update does not look at, the search does, and mends it before it answers.
        let first = found(&mut index, "value of the third part", 1_000);
        let lost = whole.lines().filter(|line| !first.contains(line)).count();
        let is_whole = whole.ends_with(&first) && !first.is_empty();
        let hits = first.lines().count();
        // A file without a byte is a store that was just made.
        let is_empty = first.is_empty() && (index.is_rebuilt() || (cut && start == 0));
        prop_assert!(is_whole || is_empty, "{hits} hits, {lost} less");
        for _ in 0..2 {
            update(&mut index);
        }
        prop_assert_eq!(dump(&mut index), whole);
    }
}

#[test]
fn rows_of_files_that_were_changed_are_not_trusted() {
    for change in [
        "path = 'f99.rs' WHERE path = 'f03.rs'",
        "path = '../../outside' WHERE path = 'f03.rs'",
        "chunks = chunks + 1 WHERE path < 'f05'",
        "class = 'vendored' WHERE path > 'f15'",
        "hash = zeroblob(32)",
    ] {
        let world = world("files");
        let mut index = world.open();
        update(&mut index);
        let whole = dump(&mut index);
        drop(index);
        execute(&world, &format!("UPDATE file SET {change}"));
        let mut index = world.open();
        let hits = found(&mut index, "value of the third part", 1_000);
        assert!(whole.ends_with(&hits) && !hits.is_empty(), "{change}: {hits}");
        assert_eq!(dump(&mut index), whole, "{change}");
    }
}

/// A folder that was listed may be another one when its files are read.
#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_folder() {
    let world = world("links");
    let outside = world.root().join("../outside");
    fs::create_dir_all(&outside).expect("a folder");
    world.write("inner/a.rs", "fn inside() {}\n");
    fs::write(outside.join("a.rs"), "fn outside() {}\n").expect("a file");
    let mut index = world.open();
    update(&mut index);
    let place = |name: &str| world.root().join(name);
    fs::rename(place("inner"), place("moved")).expect("a folder");
    std::os::unix::fs::symlink(&outside, place("inner")).expect("a link");
    index.prioritize_file(&place("inner/a.rs"));
    index.update_queued(&foveal_transcript::CancelToken::NEVER).expect("a folder of this test");
    update(&mut index);
    assert!(!dump(&mut index).contains("outside"));
    // Nor is the folder itself another one.
    fs::rename(world.root(), world.root().join("../elsewhere")).expect("a folder");
    std::os::unix::fs::symlink(&outside, world.root()).expect("a link");
    let refused = index.update(&mut |_| {}, &foveal_transcript::CancelToken::NEVER);
    let refused = refused.expect_err("a link").to_string();
    assert!(refused.contains("links/root"), "{refused}");
    assert!(!dump(&mut index).contains("outside"));
}
