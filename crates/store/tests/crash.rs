//! A store whose process is killed, or whose log is cut, holds what it acknowledged.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use foveal_store::{
    CallChanges, CallHistory, CallNumber, CallStore, ContentStore, FileWrite, FileWriteStore,
    GarbageCollection, RecentCall, RecordNumber, RetentionLimits, SessionId, SessionLogStore,
    SessionMetadata, SessionStore, SqliteStore, Store,
};
use foveal_transcript::Handle;
use foveal_transcript::Timestamp;
use serde_json::json;

/// Names the store to a process that is to be killed.
const PLACE: &str = "FOVEAL_STORE_OF_A_TEST";

const KILLS: u64 = 40;

const NOW: Timestamp = Timestamp(1_000_000);

/// Sessions that a collection at [`NOW`] removes, and when they were used.
const OLD_SESSIONS: u64 = 100;
const LONG_AGO: Timestamp = Timestamp(1);
const KEPT: RetentionLimits = RetentionLimits { bytes_max: u64::MAX, age_max_ms: 1_000 };

/// The statements that downgrade a file to its first version.
const FIRST_VERSION: &str = "BEGIN IMMEDIATE; DROP TABLE collection; DROP INDEX content_by_use; \
                             DROP TABLE granted; DROP TABLE reader; DROP TABLE asker; DROP TABLE own_edit; \
                             DROP TABLE call_state; DROP TABLE call; DROP TABLE calls; DROP TABLE curation; DROP TABLE fetch; \
                             DROP TABLE write; DROP TABLE turn; DROP TABLE planned; ALTER TABLE session DROP COLUMN boot; \
                             ALTER TABLE session DROP COLUMN uptime; PRAGMA user_version = 1; COMMIT";

fn session(store: &dyn Store) -> SessionId {
    let id = SessionId("a".into());
    store.open_session(&id, &SessionMetadata::default(), NOW).expect("a session");
    id
}

/// Numbers by chance, the same ones every time.
fn chance(seed: u64, below: u64) -> u64 {
    let hash = blake3::hash(&seed.to_le_bytes());
    let number = hash.as_bytes()[..8].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    number % below
}

/// Of many sizes, and hard to compress.
fn content(number: u64) -> Vec<u8> {
    let mut bytes = vec![0; chance(number, 60_000) as usize];
    blake3::Hasher::new().update(&number.to_le_bytes()).finalize_xof().fill(&mut bytes);
    bytes
}

/// That a session remembers one call alone.
fn only_call(number: u64) -> CallChanges {
    let call = RecentCall { number: CallNumber(number), payload: json!(number) };
    let remaining = vec![call.number];
    CallChanges { state: Some(json!({ "last": number })), calls: vec![call], remaining }
}

fn old_session(number: u64) -> SessionId {
    SessionId(format!("old {number}"))
}

fn old_content(number: u64) -> Vec<u8> {
    format!("what session {number} was shown long ago").into_bytes()
}

/// Sessions with a record and a content each, which no collection has removed yet.
fn fill_with_old(store: &dyn Store) {
    for number in 0..OLD_SESSIONS {
        let id = old_session(number);
        store.open_session(&id, &SessionMetadata::default(), LONG_AGO).expect("a session");
        store.append_record(&id, &json!(number), LONG_AGO).expect("a record");
        store.put_content(Some(&id), &old_content(number), LONG_AGO).expect("it is stored");
    }
}

/// How many of the old sessions are there, each with all that is its own. One may just have
/// been about to be made.
fn check_old(store: &dyn Store) -> u64 {
    let sessions = store.sessions().expect("sessions");
    let numbers: Vec<u64> =
        sessions.iter().filter_map(|one| one.id.0.strip_prefix("old ")?.parse().ok()).collect();
    let is_whole = |number: &&u64| {
        let records = store.records(&old_session(**number), RecordNumber(1), 9);
        let content =
            store.content(Handle::from_content(&old_content(**number))).expect("it can be read");
        !records.expect("they can be read").is_empty() && content.is_some()
    };
    let halves = numbers.iter().filter(|number| !is_whole(number)).count();
    assert!(halves <= 1, "of {halves} sessions half is gone");
    numbers.len() as u64
}

/// Says something to the process that listens.
fn say(text: &str) {
    let mut said = std::io::stdout();
    said.write_all(format!("\nstored {text}\n").as_bytes()).expect("somebody listens");
    said.flush().expect("somebody listens");
}

/// Not a test of its own: what the process does that is killed.
#[test]
fn collector() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    let store = SqliteStore::open(Path::new(&place)).expect("it opens");
    for number in 1_u64.. {
        fill_with_old(&store);
        say(&format!("collecting {number}"));
        store.collect_garbage(KEPT, NOW).expect("it collects");
        say(&format!("collected {number}"));
    }
}

/// Not a test of its own: what the process does that is killed.
#[test]
fn migrator() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    let place = Path::new(&place);
    for number in 1_u64.. {
        // One that is of the first version already has nothing to drop.
        let raw = rusqlite::Connection::open(place).expect("a file");
        drop(raw.execute_batch(FIRST_VERSION));
        drop(raw);
        say(&format!("migrating {number}"));
        drop(SqliteStore::open(place).expect("it opens"));
        say(&format!("migrated {number}"));
    }
}

/// Not a test of its own: what the process does that is killed.
#[test]
fn writer() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    let store = SqliteStore::open(Path::new(&place)).expect("it opens");
    let session = session(&store);
    let done = store.records(&session, RecordNumber(0), usize::MAX).expect("records");
    let acknowledge = |text: String| say(&text);
    for number in done.len() as u64 + 1.. {
        let handle =
            store.put_content(Some(&session), &content(number), NOW).expect("stored").handle;
        acknowledge(format!("content {number}"));
        store.append_record(&session, &json!([number, handle]), NOW).expect("a record");
        acknowledge(format!("event {number}"));
        store.update_calls(&session, &only_call(number), NOW).expect("calls");
        acknowledge(format!("calls {number}"));
        let path = number.to_string();
        let write = FileWrite { path, before: None, after: Some(handle), time: NOW };
        store.put_file_write(&session, &write).expect("a write");
        acknowledge(format!("write {number}"));
        if number % 16 == 0 {
            store.collect_garbage(KEPT, NOW).expect("it collects");
        }
    }
}

fn spawn(work: &str, place: &Path) -> (Child, BufReader<ChildStdout>) {
    let program = std::env::current_exe().expect("this is a program");
    let mut child = Command::new(program)
        .args(["--exact", work, "--nocapture", "--test-threads=1"])
        .env(PLACE, place)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let said = BufReader::new(child.stdout.take().expect("it is piped"));
    (child, said)
}

#[test]
fn what_was_acknowledged_survives_a_kill_at_any_point() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    // The last number of each kind that was acknowledged.
    let mut acknowledged: HashMap<String, u64> = HashMap::new();
    for kill in 0..KILLS {
        let stop = chance(kill, 60);
        let wait = Duration::from_micros(chance(kill + 1_000, 3_000));
        let heard = killed("crash::writer", &path, wait, |_, heard| heard == stop);
        acknowledged.extend(heard);
        check(&path, &acknowledged);
    }
    assert!(acknowledged["event"] > KILLS, "{acknowledged:?}");
}

/// Starts `work` and kills it `wait` after what it said, and how often it spoke, is as `stop`
/// wants it; tells the last number of each kind that it said.
fn killed(
    work: &str,
    path: &Path,
    wait: Duration,
    stop: impl Fn(&str, u64) -> bool,
) -> HashMap<String, u64> {
    let (mut child, mut said) = spawn(work, path);
    let (mut told, mut heard, mut is_killed) = (HashMap::new(), 0, false);
    let mut line = String::new();
    loop {
        let words = line.strip_prefix("stored ").and_then(|rest| rest.trim_end().split_once(' '));
        let kind = words.map_or("", |(kind, number)| {
            told.insert(kind.to_owned(), number.parse().expect("a number"));
            heard += 1;
            kind
        });
        if !is_killed && stop(kind, heard) {
            std::thread::sleep(wait);
            child.kill().expect("it runs");
            is_killed = true;
        }
        line.clear();
        if said.read_line(&mut line).expect("it speaks") == 0 {
            break;
        }
    }
    let status = child.wait().expect("it ran");
    assert!(!status.success(), "it ended by itself after {heard}");
    told
}

#[test]
fn a_collection_that_is_killed_leaves_no_halves() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let store = SqliteStore::open(&path).expect("it opens");
    let session = session(&store);
    store.set_pinned(&session, true).expect("it is there");
    let kept = store.put_content(Some(&session), b"kept", LONG_AGO).expect("it is stored").handle;
    drop(store);
    let mut inside = 0;
    for kill in 0..KILLS {
        let wait = Duration::from_micros(chance(kill + 2_000, 2_000));
        let told = killed("crash::collector", &path, wait, |kind, _| kind == "collecting");
        inside += u64::from(told.get("collecting") > told.get("collected"));
        let store = SqliteStore::open(&path).expect("it opens");
        assert_eq!(store.take_notices(), []);
        assert_eq!(store.check_integrity().expect("it can be read"), [""; 0]);
        check_old(&store);
        assert!(store.content(kept).expect("it can be read").is_some());
    }
    assert!(inside > 0, "no kill fell into a collection");
}

#[test]
fn a_migration_that_is_killed_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let store = SqliteStore::open(&path).expect("it opens");
    fill_with_old(&store);
    drop(store);
    for kill in 0..KILLS {
        let wait = Duration::from_micros(chance(kill + 3_000, 2_000));
        let at = 1 + chance(kill + 4_000, 4);
        killed("crash::migrator", &path, wait, |kind, heard| kind == "migrating" && heard > at);
        let store = SqliteStore::open(&path).expect("it opens");
        assert_eq!(store.take_notices(), []);
        assert_eq!(store.check_integrity().expect("it can be read"), [""; 0]);
        assert_eq!(check_old(&store), OLD_SESSIONS);
        let session = session(&store);
        store.update_calls(&session, &only_call(kill), NOW).expect("calls");
        assert_eq!(store.last_collection().expect("a time"), None);
    }
}

/// As if the process had been killed at any write of a migration and of a collection.
#[test]
fn every_beginning_of_a_migration_and_a_collection_is_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    fill_with_old(&SqliteStore::open(&path).expect("it opens"));
    let raw = rusqlite::Connection::open(&path).expect("a file");
    raw.execute_batch(FIRST_VERSION).expect("it is of this version");
    drop(raw);
    let file = fs::read(&path).expect("a file");
    let store = SqliteStore::open(&path).expect("it opens");
    store.collect_garbage(KEPT, NOW).expect("it collects");
    let log = fs::read(path.with_extension("db-wal")).expect("a log");
    assert_eq!(fs::read(&path).expect("a file"), file, "all of it is in the log");

    let copy = folder.path().join("copy.db");
    let steps = 60;
    let left: Vec<u64> = (0..=steps)
        .map(|step| {
            fs::write(&copy, &file).expect("a file");
            fs::write(copy.with_extension("db-wal"), &log[..log.len() * step / steps])
                .expect("a log");
            drop(fs::remove_file(copy.with_extension("db-shm")));
            let store = SqliteStore::open(&copy).expect("it opens");
            assert_eq!(store.take_notices(), []);
            assert_eq!(store.check_integrity().expect("it can be read"), [""; 0]);
            let left = check_old(&store);
            store.collect_garbage(KEPT, NOW).expect("it works");
            assert_eq!(check_old(&store), 0);
            let is_there =
                |number| store.content(Handle::from_content(&old_content(number))).expect("read");
            assert!((0..OLD_SESSIONS).all(|number| is_there(number).is_none()));
            left
        })
        .collect();
    assert!(left.is_sorted_by(|before, after| before >= after), "{left:?}");
    assert_eq!((left[0], left[steps]), (OLD_SESSIONS, 0));
    assert!(left.iter().any(|left| (1..OLD_SESSIONS).contains(left)), "{left:?}");
}

/// All that was acknowledged is there, and at most one more of each kind.
fn check(path: &Path, acknowledged: &HashMap<String, u64>) {
    let store = SqliteStore::open(path).expect("it opens");
    assert_eq!(store.take_notices(), []);
    assert_eq!(store.check_integrity().expect("it can be read"), [""; 0]);
    let session = session(&store);
    let last = |kind: &str| acknowledged.get(kind).copied().unwrap_or(0);
    let in_doubt = |kind: &str, found: u64| {
        assert!((last(kind)..=last(kind) + 1).contains(&found), "{kind} {found}: {acknowledged:?}");
    };
    let records = store.records(&session, RecordNumber(1), 99_999).expect("records");
    in_doubt("event", records.len() as u64);
    let history = store.call_history(&session).expect("calls");
    let calls = history.as_ref().map_or(0, |history| history.calls[0].number.0);
    in_doubt("calls", calls);
    // State and calls are of one change.
    let expected = only_call(calls);
    let CallChanges { state, calls, .. } = expected;
    let expected = state.map(|state| CallHistory { state, calls });
    assert_eq!(history, expected.filter(|_| history.is_some()));
    let is_written = |number: &u64| {
        !store.file_writes(&session, &number.to_string()).expect("writes").is_empty()
    };
    let written = (0..=last("write") + 2).rev().find(is_written);
    in_doubt("write", written.unwrap_or(0));
    for number in 1..=last("content") {
        let expected = content(number);
        let found = store
            .content(Handle::from_content(&expected))
            .expect("it can be read")
            .expect("it is there");
        assert!(found.bytes == expected, "content {number}");
    }
}

#[test]
fn a_damaged_log_leaves_a_prefix() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let store = SqliteStore::open(&path).expect("it opens");
    let session = session(&store);
    for number in 1..=60 {
        store.append_record(&session, &json!(number), NOW).expect("a record");
    }
    let log = |path: &Path| path.with_extension("db-wal");
    let (file, whole) = (fs::read(&path).expect("a file"), fs::read(log(&path)).expect("a log"));
    assert!(whole.len() > 100_000, "nothing was moved to the file");

    let copy = folder.path().join("copy.db");
    let left = |bytes: &[u8]| {
        fs::write(&copy, &file).expect("a file");
        fs::write(log(&copy), bytes).expect("a log");
        drop(fs::remove_file(copy.with_extension("db-shm")));
        let store = SqliteStore::open(&copy).expect("it opens");
        assert_eq!(store.take_notices(), []);
        assert_eq!(store.check_integrity().expect("it can be read"), [""; 0]);
        let id = SessionId("a".into());
        let records = store.records(&id, RecordNumber(0), 99).expect("records");
        for (at, record) in records.iter().enumerate() {
            assert_eq!(record.payload, json!(at + 1));
        }
        store.open_session(&id, &SessionMetadata::default(), NOW).expect("it works");
        let next = store.append_record(&id, &json!("next"), NOW).expect("it works");
        assert_eq!(next.0, records.len() as u64 + 1);
        records.len()
    };
    assert_eq!(left(&whole), 60);
    let mut before = 0;
    for step in 0..50 {
        let at = whole.len() * step / 50 + step % 7;
        let cut = left(&whole[..at]);
        assert!(cut >= before, "{cut} records of a longer log, {before} of a shorter one");
        before = cut;
        let mut damaged = whole.clone();
        damaged[at] ^= 0x40;
        // What stands before the damage is there; what stands behind it is not made up.
        assert!(left(&damaged) >= cut.saturating_sub(1), "damage at {at}");
    }
    assert!(before > 50, "{before} records of nearly all of the log");
}
