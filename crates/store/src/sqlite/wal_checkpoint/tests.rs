use std::fs;
use std::time::Duration;

use super::*;

const ROWS: usize = 3_000;

fn open(path: &Path) -> Connection {
    let connection = Connection::open(path).expect("it is opened");
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).expect("it is set");
    connection.execute_batch("CREATE TABLE IF NOT EXISTS t(x)").expect("it is made");
    connection
}

/// A file in a folder of its own, with who writes it and what folds its log.
struct Written {
    path: PathBuf,
    connection: Connection,
    folding: WalCheckpointer,
    _folder: tempfile::TempDir,
}

fn written() -> Written {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.db");
    let mut connection = open(&path);
    let folding = WalCheckpointer::new(&mut connection).expect("it takes over");
    Written { path, connection, folding, _folder: folder }
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
    let Written { path, connection, folding, _folder } = written();
    write(&connection, 10);
    folding.start_if_due(&path);
    assert!(!folding.is_running(), "a short log is left alone");
    write(&connection, ROWS);
    let before = bytes(&path);
    assert!(before < 100 * 4096, "the commits have folded it: {before} bytes");
    folding.start_if_due(&path);
    folding.wait_until_idle();
    assert!(bytes(&path) > ROWS as u64 * 4096);
    // The next commits begin the log anew.
    write(&connection, 5);
    assert!(folding.pages.load(Ordering::Relaxed) < CHECKPOINT_PAGES_MIN);
}

#[test]
fn a_log_that_nobody_folds_is_folded_by_a_commit() {
    let Written { path, connection, .. } = &mut written();
    let transaction = connection.transaction().expect("it begins");
    write(&transaction, INLINE_CHECKPOINT_PAGES);
    transaction.commit().expect("it is committed");
    assert!(bytes(path) > INLINE_CHECKPOINT_PAGES as u64 * 4096);
}

#[test]
fn a_commit_is_done_whoever_folds_the_log() {
    let Written { path, connection, .. } = &mut written();
    let transaction = connection.transaction().expect("it begins");
    write(&transaction, INLINE_CHECKPOINT_PAGES);
    // Another one folds, and waits for the writer: until then nobody else can.
    let other = open(path);
    other.busy_timeout(Duration::from_secs(30)).expect("it is set");
    let waits = thread::spawn(move || {
        other.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(())).expect("it is folded");
    });
    thread::sleep(Duration::from_millis(300));
    transaction.commit().expect("it is committed");
    waits.join().expect("it ends");
}
