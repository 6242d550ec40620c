//! The file of a store: rights, other versions, damage, several at once.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use foveal_store::{
    CALL_READERS_MAX, CacheStore, CallChanges, CallNumber, CallStore, ClientEdit, ClientEditStore,
    ContentStore, CurationKey, EditAuthor, FolderKey, FolderScope, GarbageCollection, NoteTime,
    ReaderNoteKey, ReaderNoteStore, RecentCall, RecordNumber, RetentionLimits, SessionId,
    SessionLogStore, SessionMetadata, SessionStore, SqliteStore, Store, Uptime,
};
use foveal_transcript::{ContentHash, Handle, Timestamp};
use serde_json::json;
use tempfile::TempDir;

const NOW: Timestamp = Timestamp(1);

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("data/store.db");
    (folder, path)
}

fn opened(path: &Path) -> SqliteStore {
    SqliteStore::open(path).expect("it opens")
}

fn session(store: &dyn Store) -> SessionId {
    let id = SessionId("a".into());
    store.open_session(&id, &SessionMetadata::default(), NOW).expect("a session");
    id
}

/// Returns the store's notices to the user, without the folder.
fn notices(store: &SqliteStore, folder: &TempDir) -> Vec<String> {
    let folder = format!("{}/", folder.path().display());
    store.take_notices().iter().map(|notice| notice.to_string().replace(&folder, "")).collect()
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    let (_folder, path) = place();
    let store = opened(&path);
    store.put_content(None, b"content", NOW).expect("it is stored");
    let folder = path.parent().expect("a folder");
    assert_eq!(mode(folder), 0o700);
    for entry in fs::read_dir(folder).expect("a folder") {
        let file = entry.expect("a file").path();
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    drop(store);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("it is ours");
    drop(opened(&path));
    assert_eq!(mode(&path), 0o600);
}

#[test]
fn what_was_stored_is_there_when_it_opens_again() {
    let (folder, path) = place();
    let handle = {
        let store = opened(&path);
        let session = session(&store);
        store.append_record(&session, &json!({"answer": 1}), NOW).expect("a record");
        store.put_content(Some(&session), b"content", NOW).expect("it is stored").handle
    };
    let store = opened(&path);
    assert_eq!(notices(&store, &folder), [""; 0]);
    assert_eq!(store.path(), Some(path));
    assert_eq!(
        store.content(handle).expect("it can be read").expect("it is there").bytes,
        b"content"
    );
    let id = SessionId("a".into());
    assert_eq!(store.records(&id, RecordNumber(1), 9).expect("records").len(), 1);
}

#[test]
fn what_is_no_store_is_set_aside() {
    let (folder, path) = place();
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    for number in 1..=2 {
        fs::write(&path, "this is no database, ".repeat(100)).expect("a file");
        let store = opened(&path);
        let expected = format!(
            "the store was damaged and has been recreated; the damaged file was moved to \
             `data/store.db.damaged-{number}`"
        );
        assert_eq!(notices(&store, &folder), [expected]);
        store.put_content(None, b"content", NOW).expect("it works");
        drop(store);
        let aside = folder.path().join(format!("data/store.db.damaged-{number}"));
        assert!(fs::read(aside).expect("it is kept").starts_with(b"this is no database"));
    }
    // Another program's.
    fs::remove_file(&path).expect("it is there");
    let other = rusqlite::Connection::open(&path).expect("a file");
    other.execute_batch("CREATE TABLE other(id INTEGER)").expect("a table");
    drop(other);
    let store = opened(&path);
    assert_eq!(store.take_notices().len(), 1);
    assert_eq!(store.sessions().expect("it works"), []);
}

#[test]
fn a_file_of_a_later_version_is_left_alone() {
    let (folder, path) = place();
    let handle = opened(&path).put_content(None, b"content", NOW).expect("it is stored").handle;
    let raw = rusqlite::Connection::open(&path).expect("a file");
    let ours: i64 = raw.query_row("PRAGMA user_version", [], |row| row.get(0)).expect("a version");
    let version = |version: i64| {
        raw.execute_batch(&format!("PRAGMA user_version = {version}")).expect("it can be set");
    };
    version(ours + 1);
    for _ in 0..2 {
        let store = opened(&path);
        assert_eq!(
            notices(&store, &folder),
            [format!(
                "the store `data/store.db` was written by a newer version of foveal: using \
                 `data/store.db.v{ours}` until you update"
            )]
        );
        assert_eq!(store.content(handle).expect("it can be read"), None);
        store.put_content(None, b"other", NOW).expect("it works");
    }
    version(ours);
    assert!(opened(&path).content(handle).expect("it can be read").is_some());
}

#[test]
fn a_place_that_cannot_be_written_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("file"), "").expect("a file");
    let error = SqliteStore::open(&folder.path().join("file/store.db")).expect_err("no folder");
    assert!(error.is_inaccessible(), "{error:?}");
    let shown = error.to_string().replace(&folder.path().display().to_string(), "");
    assert_eq!(shown, "the store `/file/store.db` cannot be written");
}

/// A closed file with a session of many records and contents.
fn filled(path: &Path) -> Vec<Handle> {
    let store = opened(path);
    let session = session(&store);
    (0..60)
        .map(|number| {
            let text = format!("content {number} ").repeat(number);
            let handle =
                store.put_content(Some(&session), text.as_bytes(), NOW).expect("stored").handle;
            store.append_record(&session, &json!([number, handle]), NOW).expect("a record");
            handle
        })
        .collect()
}

/// Whatever stands in the file, a store opens and works; what it returns is what was put.
#[test]
fn damage_anywhere_is_never_fatal() {
    let (folder, path) = place();
    let handles = filled(&path);
    let whole = fs::read(&path).expect("a file");
    let damaged = folder.path().join("damaged.db");
    let mut set_aside = 0;
    for step in 0..64 {
        let mut bytes = whole.clone();
        let from = (bytes.len() - 64) * step / 63;
        // Zeros, a shift of all bits, or the rest gone.
        match step % 3 {
            0 => bytes[from..from + 64].fill(0),
            1 => bytes[from..from + 64].iter_mut().for_each(|byte| *byte = !*byte),
            _ => bytes.truncate(from),
        }
        fs::write(&damaged, &bytes).expect("a file");
        let store = opened(&damaged);
        for handle in &handles {
            if let Some(content) = store.content(*handle).expect("it can be asked") {
                assert_eq!(Handle::from_content(&content.bytes), *handle);
            }
        }
        store.sessions().expect("they can be asked for");
        let session = session(&store);
        store.records(&session, RecordNumber(0), 99).expect("they can be asked for");
        store.append_record(&session, &json!(1), NOW).expect("it works");
        set_aside += store.take_notices().len();
    }
    assert!(set_aside > 9, "{set_aside} of 64 were found");
}

/// One row that says nothing any more takes nothing else with it.
#[test]
fn a_row_that_cannot_be_read_is_no_reason_to_begin_anew() {
    let (folder, path) = place();
    let store = opened(&path);
    let session = session(&store);
    let key = CurationKey::new(b"", "", "");
    for number in 1..=3 {
        store.append_record(&session, &json!(number), NOW).expect("a record");
    }
    let call = RecentCall { number: CallNumber(1), payload: json!(1) };
    let changes =
        CallChanges { state: Some(json!(1)), calls: vec![call], remaining: vec![CallNumber(1)] };
    store.update_calls(&session, &changes, NOW).expect("they are kept");
    store.put_curation(key, &json!(1), NOW).expect("it is kept");
    let raw = rusqlite::Connection::open(&path).expect("a file");
    let too_deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for damage in ["'{'", "x'ff'", "17", "''", &format!("'{too_deep}'")] {
        for sql in [
            format!("UPDATE record SET payload = {damage} WHERE number = 2"),
            format!("UPDATE call SET payload = {damage}"),
            format!("UPDATE call_state SET payload = {damage}"),
            format!("UPDATE curation SET payload = {damage}"),
            format!("UPDATE session SET facts = {damage}"),
        ] {
            raw.execute(&sql, []).expect("a row");
        }
        let records = store.records(&session, RecordNumber(1), 9).expect("records");
        let said: Vec<_> = records.into_iter().map(|record| record.payload).collect();
        assert_eq!([&said[0], &said[2]], [&json!(1), &json!(3)], "{damage}");
        assert!(said[1].is_null() || damage == "17", "{damage}: {}", said[1]);
        store.call_history(&session).expect("they can be asked for");
        store.curation(key, NOW).expect("it can be asked for");
        assert_eq!(store.sessions().expect("one").len(), 1);
        assert_eq!(notices(&store, &folder), [""; 0], "{damage}");
    }
}

/// A store with an open file switches to the file that another process put in its place.
#[test]
fn a_file_that_was_put_away_is_not_written_to_any_more() {
    let (folder, path) = place();
    let store = opened(&path);
    store.put_content(None, b"before", NOW).expect("it is stored");
    let away = |path: &Path, to: &str| {
        for ending in ["-wal", "-shm", ""] {
            let name = format!("{}{ending}", path.display());
            drop(fs::rename(&name, folder.path().join(format!("{to}{ending}"))));
        }
    };
    away(&path, "first");
    // Nothing is there yet.
    let first = store.put_content(None, b"first", NOW).expect("it is stored").handle;
    let other = opened(&path);
    assert!(other.content(first).expect("it can be read").is_some());
    away(&path, "second");
    // The other process makes the file anew.
    let second = other.put_content(None, b"second", NOW).expect("it is stored").handle;
    assert!(store.content(second).expect("it can be read").is_some());
    let third = store.put_content(None, b"third", NOW).expect("it is stored").handle;
    assert!(other.content(third).expect("it can be read").is_some());
    assert!(opened(&path).content(third).expect("it can be read").is_some());
    assert_eq!([&store, &other].map(|store| store.take_notices()), [[], []]);
    drop((store, other));
    assert!(
        opened(&path).content(third).expect("it can be read").is_some(),
        "closing loses nothing"
    );
    let put_away = opened(&folder.path().join("first"));
    assert!(put_away.content(Handle::from_content(b"before")).expect("it can be read").is_some());
}

#[test]
fn several_open_one_file_at_once() {
    let (folder, path) = place();
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let path = &path;
            scope.spawn(move || {
                // A connection each, as processes have.
                let store = opened(path);
                let session = session(&store);
                for number in 0..20 {
                    let content = format!("{thread} {number}");
                    store
                        .put_content(Some(&session), content.as_bytes(), NOW)
                        .expect("it is stored");
                    store.append_record(&session, &json!(content), NOW).expect("a record");
                }
            });
        }
    });
    let store = opened(&path);
    assert_eq!(notices(&store, &folder), [""; 0]);
    for (thread, number) in (0..6).flat_map(|thread| (0..20).map(move |number| (thread, number))) {
        let handle = Handle::from_content(format!("{thread} {number}").as_bytes());
        assert!(store.content(handle).expect("it can be read").is_some());
    }
    let records = store.records(&SessionId("a".into()), RecordNumber(1), 999);
    let numbers =
        records.expect("records").iter().map(|record| record.number.0).collect::<Vec<_>>();
    assert_eq!(numbers, (1..=120).collect::<Vec<_>>());
    assert_eq!(store.check_integrity().expect("it can be read"), [""; 0]);
}

/// A process that sees the time of a new note on readers finds the note under every place.
#[test]
fn notes_on_readers_reach_other_processes_whole() {
    const NOTES: i64 = 100;
    let (_folder, path) = place();
    let (hook, server) = (opened(&path), opened(&path));
    let at = |number: u8| ReaderNoteKey {
        folder: FolderKey::from_path(Path::new(&number.to_string())),
        scope: FolderScope::Subtree,
    };
    let places: Vec<ReaderNoteKey> = (0..20).map(at).collect();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for note in 1..=NOTES {
                let reader = note.to_string();
                hook.note_reader(&places, Some(&reader), Timestamp(note)).expect("it is noted");
            }
        });
        let mut last = NoteTime::default();
        while last < NoteTime(NOTES) {
            last = server.last_reader_note().expect("a moment");
            for place in &places {
                let readers = server.reader_notes(&[*place]).expect("readers");
                let noted: i64 = readers.reader.map_or(0, |reader| reader.parse().expect("one"));
                assert!((last.0..=readers.last.0).contains(&noted), "{noted} after {last:?}");
            }
        }
    });
}

#[test]
fn a_collection_makes_the_file_smaller() {
    let (_folder, path) = place();
    let size = || fs::metadata(&path).expect("it is there").len();
    let store = opened(&path);
    for number in 0..40_u32 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&number.to_le_bytes());
        let mut noise = vec![0; 50_000];
        hasher.finalize_xof().fill(&mut noise);
        store.put_content(None, &noise, NOW).expect("it is stored");
    }
    drop(store);
    let before = size();
    assert!(before > 2_000_000);
    let store = opened(&path);
    let limits = RetentionLimits { bytes_max: 0, age_max_ms: 1_000 };
    assert_eq!(store.collect_garbage(limits, NOW).expect("it collects").contents, 40);
    drop(store);
    assert!(size() < before / 10, "{} bytes of {before}", size());
}

#[test]
fn other_content_with_the_same_handle_is_refused() {
    let (_folder, path) = place();
    let store = opened(&path);
    let handle = store.put_content(None, b"content", NOW).expect("it is stored").handle;
    // As if what is stored had been another text.
    let raw = rusqlite::Connection::open(&path).expect("a file");
    raw.execute("UPDATE content SET hash = zeroblob(32)", []).expect("one row");
    let error = store.put_content(None, b"content", NOW).expect_err("it is refused");
    assert_eq!(error.to_string(), format!("handle {handle} already refers to other content"));
}

/// Thirty years, in milliseconds.
const YEARS: i64 = 30 * 365 * 86_400_000;

/// The time that a test says the machine runs.
fn uptime(boot: &str, ms: i64) -> impl Fn() -> Option<Uptime> + Send + Sync + use<> {
    let boot = boot.to_owned();
    move || Some(Uptime { boot: boot.clone(), ms })
}

#[test]
fn a_clock_that_jumps_takes_nothing_from_a_session_in_use() {
    let kept = |boot: &str, ms: i64, limits: RetentionLimits| {
        let (_folder, path) = place();
        let store = opened(&path).with_uptime_clock(uptime("first", 1_000));
        let session = session(&store);
        let handle =
            store.put_content(Some(&session), b"content", NOW).expect("it is stored").handle;
        drop(store);
        let store = opened(&path).with_uptime_clock(uptime(boot, ms));
        store.collect_garbage(limits, Timestamp(NOW.0 + YEARS)).expect("it collects");
        let has_content = store.content(handle).expect("a store").is_some();
        assert_eq!(has_content, !store.sessions().expect("a store").is_empty());
        has_content
    };
    let day = 86_400_000;
    let old = RetentionLimits { bytes_max: u64::MAX, age_max_ms: 30 * day };
    assert!(kept("first", 2_000, old), "the clock jumped");
    assert!(kept("first", 29 * day, old), "it jumped, and the session is still young");
    assert!(!kept("first", 31 * day, old), "the machine did run that long");
    assert!(!kept("second", 2_000, old), "no session outlives a start of the machine");
    // What is too much goes too, but not with a session at work.
    let much = RetentionLimits { bytes_max: 0, age_max_ms: i64::MAX };
    assert!(!kept("first", day, much));
}

#[test]
fn a_locked_store_is_waited_for_once() {
    let (_folder, path) = place();
    let store = opened(&path);
    let id = session(&store);
    let other = rusqlite::Connection::open(&path).expect("a file");
    other.execute_batch("BEGIN IMMEDIATE").expect("nobody else writes");
    let begun = Instant::now();
    for _ in 0..40 {
        let error =
            store.put_content(Some(&id), b"content", NOW).expect_err("another process writes");
        assert!(error.is_busy(), "{error}");
        assert!(store.call_history(&id).is_ok(), "what is there is read all the same");
    }
    // Forty waits would take twenty seconds.
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    other.execute_batch("COMMIT").expect("it is its own");
    store.put_content(Some(&id), b"content", NOW).expect("it is stored again");
}

#[test]
fn a_store_that_another_process_writes_is_opened_at_once() {
    let (_folder, path) = place();
    let handle = opened(&path).put_content(None, b"content", NOW).expect("it is stored").handle;
    let other = rusqlite::Connection::open(&path).expect("a file");
    other.execute_batch("BEGIN IMMEDIATE").expect("nobody else writes");
    let begun = Instant::now();
    let store = SqliteStore::open_within(&path, Duration::from_millis(500)).expect("it opens");
    assert!(begun.elapsed() < Duration::from_millis(400), "{:?}", begun.elapsed());
    assert!(store.content(handle).expect("what is there is read").is_some());
}

/// Opens the store while `other` holds it, and asks it before and after `other` lets it go.
fn check_held(path: &Path, other: rusqlite::Connection) {
    let begun = Instant::now();
    let store = opened(path);
    assert!(begun.elapsed() < Duration::from_millis(900), "{:?}", begun.elapsed());
    let begun = Instant::now();
    for _ in 0..20 {
        let error = store.put_content(None, b"content", NOW).expect_err("another process holds it");
        assert!(error.is_busy(), "{error}");
        assert!(store.sessions().expect_err("nothing can be read either").is_busy());
    }
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    assert_eq!(store.path().as_deref(), Some(path));
    drop(other);
    let handle = store.put_content(None, b"content", NOW).expect("it is open by now").handle;
    assert_eq!(store.sessions().expect("it is open").len(), 1);
    drop(store);
    assert!(opened(path).content(handle).expect("it is kept").is_some());
}

#[test]
fn a_store_that_another_process_holds_is_opened_later() {
    let (_folder, path) = place();
    session(&opened(&path));
    let other = rusqlite::Connection::open(&path).expect("a file");
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").expect("it is alone");
    check_held(&path, other);
    // So is one that is to be brought up to date.
    let (_folder, path) = place();
    session(&opened(&path));
    let other = rusqlite::Connection::open(&path).expect("a file");
    let columns = ["reader", "asker", "own_edit"].map(|table| {
        format!("ALTER TABLE {table} DROP COLUMN boot; ALTER TABLE {table} DROP COLUMN uptime;")
    });
    let tables = "DROP TABLE turn; DROP TABLE planned;";
    let older = format!("{} {tables} PRAGMA user_version = 7; BEGIN IMMEDIATE", columns.concat());
    other.execute_batch(&older).expect("nobody else writes");
    check_held(&path, other);
}

#[test]
fn a_clock_that_jumps_takes_no_notes_of_hooks() {
    let place_of = |path: &Path| ReaderNoteKey {
        folder: FolderKey::from_path(path),
        scope: FolderScope::Subtree,
    };
    let day = 86_400_000;
    let kept = |boot: &str, ms: i64| {
        let (_folder, path) = place();
        let store = opened(&path).with_uptime_clock(uptime("first", 1_000));
        store.note_reader(&[place_of(&path)], Some("reader"), NOW).expect("it is noted");
        store.note_call_reader("call", "reader", NOW).expect("it is noted");
        let edit = ClientEdit {
            before: Vec::new(),
            after: ContentHash::from_content(b"after"),
            lines: Vec::new(),
            is_whole: true,
        };
        let author = EditAuthor { session: "session", reader: "reader" };
        store.note_client_edit(author, "a.rs", &edit, NOW).expect("it is noted");
        drop(store);
        let store = opened(&path).with_uptime_clock(uptime(boot, ms));
        let limits = RetentionLimits { bytes_max: u64::MAX, age_max_ms: 30 * day };
        store.collect_garbage(limits, Timestamp(NOW.0 + YEARS)).expect("it collects");
        let reader = store.reader_notes(&[place_of(&path)]).expect("a store").reader;
        [
            reader.is_some(),
            store.call_reader("call").expect("a store").is_some(),
            !store.client_edits("reader", NoteTime::default()).expect("a store").is_empty(),
        ]
    };
    assert_eq!(kept("first", 2_000), [true; 3], "the clock jumped");
    assert_eq!(kept("first", 29 * day), [true; 3], "it jumped, and they are still young");
    assert_eq!(kept("first", 31 * day), [false; 3], "the machine did run that long");
    assert_eq!(kept("second", 2_000), [false; 3], "none is of this start of the machine");
}

#[test]
fn a_clock_that_is_set_back_keeps_the_newest_askers() {
    let (_folder, path) = place();
    let store = opened(&path);
    for call in 0..CALL_READERS_MAX {
        store
            .note_call_reader(&format!("early {call}"), "one", Timestamp(NOW.0 + YEARS))
            .expect("one");
    }
    store.note_call_reader("late", "two", NOW).expect("it is noted");
    assert_eq!(store.call_reader("late").expect("a store").as_deref(), Some("two"));
}
