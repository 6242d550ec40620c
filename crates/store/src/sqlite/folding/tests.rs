use std::fs;
use std::time::{Duration, Instant};

use super::*;

const ROWS: usize = 3_000;

fn open(path: &Path) -> Connection {
    let connection = Connection::open(path).expect("it is opened");
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).expect("it is set");
    connection.execute_batch("CREATE TABLE IF NOT EXISTS t(x)").expect("it is made");
    connection
}

/// Commits so many rows of about a page each.
fn write(connection: &Connection, rows: usize) {
    for _ in 0..rows {
        connection.execute("INSERT INTO t VALUES (randomblob(4000))", []).expect("it is written");
    }
}

/// Bytes of the file itself: what is in the log alone is not in it.
fn bytes(path: &Path) -> u64 {
    fs::metadata(path).expect("it is there").len()
}

#[test]
fn a_long_log_is_folded_apart_from_who_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.db");
    let mut connection = open(&path);
    let folding = Folding::of(&mut connection).expect("it takes over");
    write(&connection, 10);
    folding.fold(&path);
    assert!(!folding.is_under_way.load(Ordering::Relaxed), "a short log is left alone");
    write(&connection, ROWS);
    let before = bytes(&path);
    assert!(before < 100 * 4096, "the commits have folded it: {before} bytes");
    folding.fold(&path);
    let began = Instant::now();
    while folding.is_under_way.load(Ordering::Relaxed) {
        assert!(began.elapsed() < Duration::from_secs(60), "it does not end");
        thread::sleep(Duration::from_millis(5));
    }
    assert!(bytes(&path) > ROWS as u64 * 4096);
    // The next commits begin the log anew.
    write(&connection, 5);
    assert!(folding.pages.load(Ordering::Relaxed) < PAGES_MIN);
}

#[test]
fn a_log_that_nobody_folds_is_folded_by_a_commit() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.db");
    let mut connection = open(&path);
    let _folding = Folding::of(&mut connection).expect("it takes over");
    let transaction = connection.transaction().expect("it begins");
    write(&transaction, PAGES_MAX);
    transaction.commit().expect("it is committed");
    assert!(bytes(&path) > PAGES_MAX as u64 * 4096);
}
