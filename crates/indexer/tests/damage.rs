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
    let world = world(test);
    let mut indexer = world.open();
    update(&mut indexer);
    let whole = dump(&mut indexer);
    drop(indexer);
    damage(&world);
    let mut indexer = world.open();
    let summary = update(&mut indexer);
    assert!(summary.rebuilt, "{summary:?}");
    assert_eq!(dump(&mut indexer), whole);
    assert!(world.root().join("../index.db.set-aside").exists());
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
fn another_version_is_set_aside() {
    for pragma in ["user_version = 99", "application_id = 7", "user_version = 0"] {
        check("version", |world| {
            let connection = rusqlite::Connection::open(world.store()).expect("a store");
            connection.execute_batch(&format!("PRAGMA {pragma}")).expect("a store");
        });
    }
}

#[test]
fn missing_tables_are_made_again() {
    check("tables", |world| {
        let connection = rusqlite::Connection::open(world.store()).expect("a store");
        connection.execute_batch("DROP TABLE content; DROP TABLE file").expect("a store");
    });
}

#[test]
fn rows_that_were_changed_are_not_trusted() {
    let world = world("rows");
    let mut indexer = world.open();
    update(&mut indexer);
    let whole = dump(&mut indexer);
    drop(indexer);
    let connection = rusqlite::Connection::open(world.store()).expect("a store");
    connection
        .execute_batch("UPDATE content SET terms = x'0102' WHERE file % 2 = 0")
        .expect("a store");
    drop(connection);
    let mut indexer = world.open();
    let half = found(&mut indexer, "third part", 1_000);
    assert!(half.lines().count() < 20 * 20 && !half.is_empty(), "{half}");
    assert_eq!(update(&mut indexer).indexed, 10);
    assert_eq!(dump(&mut indexer), whole);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    /// Bytes anywhere are changed, or the end is cut off.
    #[test]
    fn no_damage_is_fatal(at in any::<Index>(), length in 1_usize..3_000, cut in any::<bool>()) {
        let world = world("anywhere");
        let mut indexer = world.open();
        update(&mut indexer);
        let whole = dump(&mut indexer);
        drop(indexer);
        let mut bytes = fs::read(world.store()).expect("a store");
        let start = at.index(bytes.len());
        if cut {
            bytes.truncate(start);
        } else {
            let end = (start + length).min(bytes.len());
            bytes[start..end].iter_mut().for_each(|byte| *byte = byte.wrapping_mul(31).wrapping_add(7));
        }
        fs::write(world.store(), bytes).expect("a file");
        let mut indexer = world.open();
        // What is found where the update does not look is mended by the second one.
        for _ in 0..2 {
            update(&mut indexer);
            found(&mut indexer, "third part", 1_000);
        }
        update(&mut indexer);
        let hits = found(&mut indexer, "value of the third part", 1_000);
        let lost = whole.lines().filter(|line| !hits.contains(line)).count();
        prop_assert!(whole.ends_with(&hits), "{} hits, {lost} lines less", hits.lines().count());
    }
}
