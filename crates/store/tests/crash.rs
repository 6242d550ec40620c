//! A store whose process is killed, or whose log is cut, holds what it acknowledged.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use foveal_context::handle::Handle;
use foveal_context::transcript::Timestamp;
use foveal_store::{Limits, Log, RecordNumber, SessionFacts, SessionId, SqliteStore, Store, Write};
use serde_json::json;

/// Names the store to a process that is to be killed.
const PLACE: &str = "FOVEAL_STORE_OF_A_TEST";

const KILLS: u64 = 40;

const NOW: Timestamp = Timestamp(1);

fn session(store: &dyn Store) -> SessionId {
    let id = SessionId("a".into());
    store.open_session(&id, &SessionFacts::default(), NOW).expect("a session");
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

/// Not a test of its own: what the process does that is killed.
#[test]
fn writer() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    let store = SqliteStore::open(Path::new(&place)).expect("it opens");
    let session = session(&store);
    let done = store.records(&session, Log::Events, RecordNumber(0), usize::MAX).expect("records");
    let mut said = std::io::stdout();
    let mut acknowledge = |text: String| {
        said.write_all(format!("\nstored {text}\n").as_bytes()).expect("somebody listens");
        said.flush().expect("somebody listens");
    };
    for number in done.len() as u64 + 1.. {
        let handle = store.put(Some(&session), &content(number), NOW).expect("stored").handle;
        acknowledge(format!("content {number}"));
        store.append(&session, Log::Events, &json!([number, handle]), NOW).expect("a record");
        acknowledge(format!("event {number}"));
        store.set_calls(&session, &json!(number), NOW).expect("calls");
        acknowledge(format!("calls {number}"));
        let write = Write { path: number.to_string(), before: None, after: handle, time: NOW };
        store.put_write(&session, &write).expect("a write");
        acknowledge(format!("write {number}"));
        if number % 16 == 0 {
            let limits = Limits { bytes_max: u64::MAX, age_max_ms: 0 };
            store.collect(limits, NOW).expect("it collects");
        }
    }
}

fn spawn(place: &Path) -> (Child, BufReader<ChildStdout>) {
    let program = std::env::current_exe().expect("this is a program");
    let mut child = Command::new(program)
        .args(["--exact", "crash::writer", "--nocapture", "--test-threads=1"])
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
        let (mut child, mut said) = spawn(&path);
        let stop = chance(kill, 60);
        let mut heard = 0;
        let mut line = String::new();
        while said.read_line(&mut line).expect("it speaks") > 0 {
            if let Some((kind, number)) =
                line.strip_prefix("stored ").and_then(|rest| rest.trim_end().split_once(' '))
            {
                let number = number.parse().expect("a number");
                acknowledged.insert(kind.to_owned(), number);
                heard += 1;
            }
            line.clear();
            if heard == stop {
                std::thread::sleep(Duration::from_micros(chance(kill + 1_000, 3_000)));
                child.kill().expect("it runs");
            }
        }
        let status = child.wait().expect("it ran");
        assert!(!status.success(), "it ended by itself after {heard}");
        check(&path, &acknowledged);
    }
    assert!(acknowledged["event"] > KILLS, "{acknowledged:?}");
}

/// All that was acknowledged is there, and at most one more of each kind.
fn check(path: &Path, acknowledged: &HashMap<String, u64>) {
    let store = SqliteStore::open(path).expect("it opens");
    assert_eq!(store.take_notices(), []);
    assert_eq!(store.check().expect("it can be read"), [""; 0]);
    let session = session(&store);
    let last = |kind: &str| acknowledged.get(kind).copied().unwrap_or(0);
    let in_doubt = |kind: &str, found: u64| {
        assert!((last(kind)..=last(kind) + 1).contains(&found), "{kind} {found}: {acknowledged:?}");
    };
    let records = store.records(&session, Log::Events, RecordNumber(1), 99_999).expect("records");
    in_doubt("event", records.len() as u64);
    let calls = store.calls(&session).expect("calls").and_then(|calls| calls.as_u64());
    in_doubt("calls", calls.unwrap_or(0));
    let writes = store.writes(&session, None).expect("writes");
    let named = writes.first().map_or(0, |write| write.path.parse().expect("a number"));
    in_doubt("write", named);
    for number in 1..=last("content") {
        let expected = content(number);
        let found = store.get(Handle::of(&expected)).expect("it can be read").expect("it is there");
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
        store.append(&session, Log::Events, &json!(number), NOW).expect("a record");
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
        assert_eq!(store.check().expect("it can be read"), [""; 0]);
        let id = SessionId("a".into());
        let records = store.records(&id, Log::Events, RecordNumber(0), 99).expect("records");
        for (at, record) in records.iter().enumerate() {
            assert_eq!(record.payload, json!(at + 1));
        }
        store.open_session(&id, &SessionFacts::default(), NOW).expect("it works");
        let next = store.append(&id, Log::Events, &json!("next"), NOW).expect("it works");
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
