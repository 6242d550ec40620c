//! What every store does, whatever keeps it: one suite, run over each.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::grants::grant;
use crate::messages::{MESSAGES, PLAIN};
use foveal_store::{
    CALL_READERS_MAX, CachedPage, CallChanges, CallHistory, CallNumber, CollectionTotals,
    CurationKey, FileWrite, FolderKey, FolderScope, GRANT_BYTES_MAX, Grant, NoteTime,
    PAYLOAD_BYTES_MAX, PAYLOAD_DEPTH_MAX, PageKey, ReaderNoteKey, ReaderNotes, RecentCall,
    RecordNumber, RetentionLimits, RootsKey, SESSION_ID_BYTES_MAX, SessionId, SessionMetadata,
    SessionRecord, SqliteBackend, SqliteStore, Store, StoreError, StoredContent,
};
use foveal_transcript::{ContentHash, Handle, Timestamp};
use serde_json::{Value, json};

/// Makes stores with nothing in them.
pub(crate) type Fresh<'a> = &'a dyn Fn() -> Box<dyn Store>;

pub(crate) type Case = (&'static str, fn(&dyn Store));

pub(crate) const CASES: &[Case] = &[
    ("content is stored once", content_is_stored_once),
    ("content of all kinds comes back", content_of_all_kinds_comes_back),
    ("what is too large is refused", what_is_too_large_is_refused),
    ("what is too deep is refused", what_is_too_deep_is_refused),
    ("content is compressed", content_is_compressed),
    ("sessions are listed", sessions_are_listed),
    ("unknown sessions are refused", unknown_sessions_are_refused),
    ("records keep their order", records_keep_their_order),
    ("calls are changed one by one", calls_are_changed_one_by_one),
    ("curations are kept by key", curations_are_kept_by_key),
    ("pages are shared", pages_are_shared),
    ("writes are found by file", writes_are_found_by_file),
    ("grants are kept by roots", crate::grants::are_kept_by_roots),
    ("readers are noted by folder", readers_are_noted_by_folder),
    ("askers are noted by call", askers_are_noted_by_call),
    ("own edits are noted by reader", crate::own_edits::are_noted_by_reader),
    ("notes on readers are seen whole", notes_on_readers_are_seen_whole),
    ("turns lead to the longest beginning", crate::decisions::lead_to_the_longest_beginning),
    ("a turn is kept with its contents", crate::decisions::are_kept_with_their_contents),
    ("a turn opens its session", crate::decisions::open_their_session),
    ("a turn refers to what is stored", crate::decisions::refer_to_what_is_stored),
    ("deleting takes what nothing else needs", deleting_takes_what_nothing_else_needs),
    ("the old goes", the_old_goes),
    ("it is collected when it is due", it_is_collected_when_it_is_due),
    ("much is collected in parts", much_is_collected_in_parts),
    ("the oldest goes first", the_oldest_goes_first),
    ("pinned sessions stay", pinned_sessions_stay),
    ("sessions at work lose old content last", sessions_at_work_lose_old_content_last),
    ("threads share a store", threads_share_a_store),
];

/// The cases for stores that redact.
pub(crate) const SECRET_CASES: &[Case] = &[
    ("secrets are not stored", secrets_are_not_stored),
    ("turns take contents that are ready", crate::decisions::take_contents_that_are_ready),
    ("turns with secrets are refused", crate::decisions::with_secrets_are_refused),
    ("commands have no secrets", commands_have_no_secrets),
    ("names have no secrets", names_have_no_secrets),
    ("addresses have no secrets", addresses_have_no_secrets),
    ("calls, grants and readers have no secrets", calls_grants_and_readers_have_no_secrets),
];

pub(crate) fn run(name: &str, cases: &[&[Case]], fresh: Fresh<'_>) {
    for (case, check) in cases.iter().copied().flatten() {
        eprintln!("{name}: {case}");
        check(&*fresh());
    }
}

#[test]
fn sqlite_in_memory() {
    run("sqlite in memory", &[CASES, MESSAGES], &|| {
        Box::new(SqliteBackend::in_memory().expect("memory"))
    });
}

#[test]
fn sqlite_in_a_file_without_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
    let count = AtomicUsize::new(0);
    run("sqlite in a file without secrets", &[CASES, MESSAGES, SECRET_CASES, PLAIN], &|| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        let path = folder.path().join(format!("{number}.db"));
        Box::new(SqliteStore::open(&path).expect("the file can be made"))
    });
}

pub(crate) const HOUR: i64 = 3_600_000;

pub(crate) fn at(hours: i64) -> Timestamp {
    Timestamp(hours * HOUR)
}

pub(crate) fn open(store: &dyn Store, name: &str, now: Timestamp) -> SessionId {
    let id = SessionId(name.into());
    let facts =
        SessionMetadata { roots: vec!["/work".into()], transcript: Some("/t.jsonl".into()) };
    store.open_session(&id, &facts, now).expect("a session");
    id
}

pub(crate) fn put(
    store: &dyn Store,
    session: Option<&SessionId>,
    content: &str,
    now: Timestamp,
) -> Handle {
    let stored = store.put_content(session, content.as_bytes(), now).expect("it is stored");
    assert_eq!(stored.secrets, 0);
    stored.handle
}

pub(crate) fn has(store: &dyn Store, handle: Handle) -> bool {
    store.content(handle).expect("it can be read").is_some()
}

/// Text that does not get smaller.
fn noise(bytes: usize, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b' ' + (state % 95) as u8)
    };
    (0..bytes).map(|_| next()).collect()
}

fn page(url: &str, checked: Timestamp, body: Handle) -> CachedPage {
    CachedPage {
        url: url.into(),
        final_url: url.into(),
        status: 200,
        content_type: Some("text/html".into()),
        etag: Some("\"1\"".into()),
        last_modified: None,
        expires: Some(Timestamp(checked.0 + HOUR)),
        checked,
        body,
    }
}

/// Bytes of all that is stored.
fn bytes(store: &dyn Store) -> u64 {
    collect(store, u64::MAX, i64::MAX / HOUR, at(0)).bytes_left
}

/// A call with this number, as changes have it.
fn call(number: u64, payload: Value) -> RecentCall {
    RecentCall { number: CallNumber(number), payload }
}

/// That these calls are new or changed, and these remain.
fn changes(state: Value, calls: &[(u64, Value)], remaining: &[u64]) -> CallChanges {
    CallChanges {
        state: Some(state),
        calls: calls.iter().map(|(number, payload)| call(*number, payload.clone())).collect(),
        remaining: remaining.iter().copied().map(CallNumber).collect(),
    }
}

pub(crate) fn collect(
    store: &dyn Store,
    bytes_max: u64,
    age_hours: i64,
    now: Timestamp,
) -> CollectionTotals {
    let limits = RetentionLimits { bytes_max, age_max_ms: age_hours * HOUR };
    store.collect_garbage(limits, now).expect("it collects")
}

fn content_is_stored_once(store: &dyn Store) {
    let session = open(store, "a", at(0));
    let handle = put(store, Some(&session), "fn main() {}\n", at(0));
    assert_eq!(handle, Handle::from_content(b"fn main() {}\n"));
    assert_eq!(put(store, None, "fn main() {}\n", at(1)), handle);
    assert_eq!(bytes(store), 13);
    assert_eq!(store.content(Handle::from_content(b"other")).expect("it can be read"), None);
}

fn content_of_all_kinds_comes_back(store: &dyn Store) {
    let contents: [Vec<u8>; 6] = [
        Vec::new(),
        b"\0\xff\xfe binary".to_vec(),
        "größer\r\n".as_bytes().to_vec(),
        b"the same line\n".repeat(10_000),
        noise(10_000, 7).into_bytes(),
        vec![0; 1 << 20],
    ];
    for bytes in contents {
        let stored = store.put_content(None, &bytes, at(0)).expect("it is stored");
        let content = store.content(stored.handle).expect("it can be read");
        assert_eq!(content, Some(StoredContent { bytes, secrets: 0 }));
    }
}

fn what_is_too_large_is_refused(store: &dyn Store) {
    let session = open(store, "a", at(0));
    let large = Value::String("x".repeat(PAYLOAD_BYTES_MAX));
    let refused = [
        store.append_record(&session, &large, at(0)).err(),
        store.update_calls(&session, &changes(large.clone(), &[], &[]), at(0)).err(),
        store.update_calls(&session, &changes(json!(1), &[(1, large.clone())], &[1]), at(0)).err(),
        store.put_curation(CurationKey::new(b"", "", ""), &large, at(0)).err(),
    ];
    for error in refused {
        assert_eq!(
            error.expect("it is refused").to_string(),
            "the content has 4194306 bytes, more than the limit of 4194304: store less of it"
        );
    }
    let long = SessionId("x".repeat(SESSION_ID_BYTES_MAX + 1));
    let error = store.open_session(&long, &SessionMetadata::default(), at(0)).err();
    assert!(matches!(error, Some(StoreError::TooLarge { bytes: 257, bytes_max: 256 })));
    let bytes = vec![0; foveal_store::CONTENT_BYTES_MAX + 1];
    assert!(matches!(store.put_content(None, &bytes, at(0)), Err(StoreError::TooLarge { .. })));
    assert!(!has(store, Handle::from_content(&bytes)));
    let grant = Grant { tool: "bash".into(), subject: "x".repeat(GRANT_BYTES_MAX) };
    let roots = RootsKey::from_roots([Path::new("/work")]);
    assert!(matches!(store.put_grant(roots, &grant, at(0)), Err(StoreError::TooLarge { .. })));
}

/// A value that could be written but not read back is refused at any depth.
fn what_is_too_deep_is_refused(store: &dyn Store) {
    let session = open(store, "a", at(0));
    let key = CurationKey::new(b"", "", "");
    let nested = |depth| {
        (0..depth).fold(json!(1), |inner, level| match level % 2 {
            0 => json!([inner]),
            _ => json!({ "inner": inner }),
        })
    };
    for depth in [PAYLOAD_DEPTH_MAX + 1, 127, 128, 1_000] {
        let deep = nested(depth);
        let refused = [
            store.append_record(&session, &deep, at(0)).err(),
            store.update_calls(&session, &changes(deep.clone(), &[], &[]), at(0)).err(),
            store.put_curation(key, &deep, at(0)).err(),
        ];
        for error in refused {
            let error = error.expect("it is refused").to_string();
            assert!(error.starts_with("the value is nested more than 120 levels deep"), "{error}");
        }
    }
    let deep = nested(PAYLOAD_DEPTH_MAX);
    store.append_record(&session, &deep, at(0)).expect("it is kept");
    store
        .update_calls(&session, &changes(deep.clone(), &[(1, deep.clone())], &[1]), at(0))
        .expect("kept");
    store.put_curation(key, &deep, at(0)).expect("it is kept");
    let record = store.records(&session, RecordNumber(1), 9).expect("one").remove(0);
    assert_eq!(record.payload, deep);
    let history = CallHistory { state: deep.clone(), calls: vec![call(1, deep.clone())] };
    assert_eq!(store.call_history(&session).expect("it can be read"), Some(history));
    assert_eq!(store.curation(key, at(0)).expect("it can be read"), Some(deep));
}

fn content_is_compressed(store: &dyn Store) {
    let left = |store: &dyn Store| collect(store, u64::MAX, 1_000, at(0)).bytes_left;
    let code: String =
        (0..2_000).map(|n| format!("    let value_{n} = compute_{n}(value)?;\n")).collect();
    put(store, None, &code, at(0));
    let compressed = left(store);
    assert!(compressed < code.len() as u64 / 4, "{compressed} bytes of {}", code.len());
    // What does not get smaller is not made larger.
    let mut noise = vec![0; 10_000];
    blake3::Hasher::new().finalize_xof().fill(&mut noise);
    store.put_content(None, &noise, at(0)).expect("it is stored");
    assert_eq!(left(store) - compressed, 10_000);
}

fn sessions_are_listed(store: &dyn Store) {
    let first = open(store, "first", at(1));
    let second = open(store, "second", at(2));
    let names = |store: &dyn Store| {
        let sessions = store.sessions().expect("sessions");
        sessions.into_iter().map(|session| (session.id.0, session.last_used)).collect::<Vec<_>>()
    };
    assert_eq!(names(store), [("second".into(), at(2)), ("first".into(), at(1))]);
    put(store, Some(&first), "content", at(3));
    assert_eq!(names(store), [("first".into(), at(3)), ("second".into(), at(2))]);

    let facts = SessionMetadata::default();
    assert!(store.open_session(&first, &facts, at(4)).expect("it opens"));
    store.append_record(&first, &json!([1]), at(2)).expect("a record");
    store.set_pinned(&first, true).expect("it is there");
    let listed = store.sessions().expect("sessions").remove(0);
    assert_eq!((listed.started, listed.last_used), (at(1), at(4)), "time does not run backwards");
    assert_eq!((&listed.metadata, listed.pinned, listed.record_bytes), (&facts, true, 3));
    assert_eq!((listed.event_count, listed.content_bytes), (1, 7));
    assert!(store.delete_session(&second).expect("it is there"));
    assert!(!store.delete_session(&second).expect("it is gone"));
    assert_eq!(names(store).len(), 1);
}

fn unknown_sessions_are_refused(store: &dyn Store) {
    let nobody = SessionId("nobody".into());
    put(store, None, "there", at(0));
    let write = FileWrite { path: "a".into(), before: None, after: None, time: at(0) };
    let refused = [
        store.put_content(Some(&nobody), b"content", at(0)).err(),
        store.append_record(&nobody, &json!(1), at(0)).err(),
        store.update_calls(&nobody, &changes(json!(1), &[], &[]), at(0)).err(),
        store.reference_content(Some(&nobody), ContentHash::from_content(b"there"), at(0)).err(),
        store.put_file_write(&nobody, &write).err(),
        store.set_pinned(&nobody, true).err(),
    ];
    for error in refused {
        let error = error.expect("it is refused").to_string();
        assert_eq!(error, "session `nobody` not found: open it first");
    }
    assert!(!has(store, Handle::from_content(b"content")), "nothing of it was done");
    assert_eq!(store.records(&nobody, RecordNumber(0), 9).expect("none"), []);
    assert_eq!(store.call_history(&nobody).expect("none"), None);
    assert_eq!(store.file_writes(&nobody, "a").expect("none"), []);
}

fn records_keep_their_order(store: &dyn Store) {
    let (one, other) = (open(store, "one", at(0)), open(store, "other", at(0)));
    for number in 1..=5 {
        let event = json!({"call": number, "cached": false});
        let appended = store.append_record(&one, &event, at(number)).expect("a record");
        assert_eq!(appended, RecordNumber(number.unsigned_abs()));
    }
    // Each session counts for itself.
    let step = json!({"answer": 7});
    assert_eq!(store.append_record(&other, &step, at(9)).expect("one"), RecordNumber(1));

    let read = |from, most| {
        let records = store.records(&one, RecordNumber(from), most).expect("records");
        records.iter().map(|record| record.number.0).collect::<Vec<_>>()
    };
    assert_eq!(read(0, usize::MAX), [1, 2, 3, 4, 5]);
    assert_eq!(read(4, 9), [4, 5]);
    assert_eq!(read(2, 2), [2, 3]);
    assert_eq!(read(6, 9), [0_u64; 0]);
    let expected = SessionRecord { number: RecordNumber(1), time: at(9), payload: step };
    assert_eq!(store.records(&other, RecordNumber(1), 9).expect("one"), [expected]);
}

fn calls_are_changed_one_by_one(store: &dyn Store) {
    let (session, other) = (open(store, "a", at(0)), open(store, "b", at(0)));
    assert_eq!(store.call_history(&session).expect("none"), None);
    let change = |changes: CallChanges| {
        store.update_calls(&session, &changes, at(1)).expect("they are kept");
        store.call_history(&session).expect("they can be read")
    };
    let history = |state, calls: &[(u64, Value)]| {
        let calls = calls.iter().map(|(number, payload)| call(*number, payload.clone())).collect();
        Some(CallHistory { state, calls })
    };
    let [grep, glob, list] = ["grep", "glob", "list"].map(|tool| json!({ "tool": tool }));
    assert_eq!(change(changes(json!(1), &[], &[])), history(json!(1), &[]));
    let first = [(1, grep.clone()), (2, glob.clone())];
    assert_eq!(change(changes(json!(2), &first, &[1, 2])), history(json!(2), &first));
    // One is new, one is changed, one is kept as it is, one goes.
    let all = [(2, glob), (3, list.clone())];
    assert_eq!(change(changes(json!(3), &[(3, list.clone())], &[2, 3])), history(json!(3), &all));
    let changed = [(2, grep.clone()), (3, list)];
    assert_eq!(change(changes(json!(3), &[(2, grep)], &[2, 3])), history(json!(3), &changed));
    assert_eq!(store.call_history(&other).expect("none"), None);
    assert_eq!(change(CallChanges::default()), None);
}

fn curations_are_kept_by_key(store: &dyn Store) {
    let key = CurationKey::new(b"content", "question", "model 1");
    let others = [
        CurationKey::new(b"contentq", "uestion", "model 1"),
        CurationKey::new(b"content", "question", "model 2"),
        CurationKey::new(b"content", "another", "model 1"),
    ];
    store.put_curation(key, &json!({"lines": [[1, 9]]}), at(0)).expect("it is kept");
    assert_eq!(store.curation(key, at(1)).expect("one"), Some(json!({"lines": [[1, 9]]})));
    for other in others {
        assert_eq!(store.curation(other, at(1)).expect("none"), None);
    }
    store.put_curation(key, &json!(2), at(2)).expect("it is kept");
    assert_eq!(store.curation(key, at(2)).expect("one"), Some(json!(2)));
    // Asking counts as use.
    store.put_curation(others[0], &json!(3), at(0)).expect("it is kept");
    assert_eq!(collect(store, u64::MAX, 1, at(3)).cached, 1);
    assert_eq!(store.curation(key, at(3)).expect("one"), Some(json!(2)));
}

fn pages_are_shared(store: &dyn Store) {
    let body = put(store, None, "<h1>page</h1>", at(0));
    let first = page("https://example.org/a?b=c", at(0), body);
    store.put_page(PageKey::from_url(&first.url), &first).expect("it is kept");
    assert_eq!(store.page(PageKey::from_url(&first.url)).expect("one"), Some(first.clone()));
    assert_eq!(store.page(PageKey::from_url("https://example.org/a")).expect("none"), None);
    let later = CachedPage { status: 304, checked: at(2), expires: None, ..first };
    store.put_page(PageKey::from_url(&later.url), &later).expect("it is kept");
    assert_eq!(store.page(PageKey::from_url(&later.url)).expect("one"), Some(later));
}

fn writes_are_found_by_file(store: &dyn Store) {
    let (session, other) = (open(store, "a", at(0)), open(store, "b", at(3)));
    let [one, two, three] = ["one", "two", "three"].map(|content| put(store, None, content, at(0)));
    let write = |path: &str, before, after, hours| FileWrite {
        path: path.into(),
        before,
        after,
        time: at(hours),
    };
    let writes = [
        write("a.rs", None, Some(one), 1),
        write("a.rs", Some(one), Some(two), 2),
        write("b.rs", None, Some(three), 3),
        write("a.rs", Some(two), None, 3),
    ];
    for write in &writes {
        store.put_file_write(&session, write).expect("it is kept");
    }
    let found = |path| store.file_writes(&session, path).expect("writes");
    let newest_first: Vec<FileWrite> = writes.iter().rev().cloned().collect();
    let [first, second, third, fourth] = writes;
    assert_eq!(found("a.rs"), [fourth, second, first]);
    assert_eq!(found("b.rs"), [third]);
    assert_eq!(found("c.rs"), []);
    assert_eq!(store.file_writes(&other, "a.rs").expect("none"), []);
    assert_eq!(store.session_writes(&session).expect("writes"), newest_first);
    assert_eq!(store.session_writes(&other).expect("none"), []);
    // What can be undone is not collected.
    assert_eq!(collect(store, u64::MAX, 2, at(4)), CollectionTotals { bytes_left: 27, ..none() });
    assert!(has(store, one) && has(store, two) && has(store, three));
}

fn below(folder: &str) -> ReaderNoteKey {
    ReaderNoteKey { folder: FolderKey::from_path(Path::new(folder)), scope: FolderScope::Subtree }
}

fn readers_are_noted_by_folder(store: &dyn Store) {
    let within = ReaderNoteKey { scope: FolderScope::FolderOnly, ..below("/work") };
    let note = |places: &[ReaderNoteKey], reader, ms| {
        store.note_reader(places, reader, Timestamp(ms)).expect("it is noted");
        store.last_reader_note().expect("a moment").0
    };
    let readers = |places: &[ReaderNoteKey]| store.reader_notes(places).expect("readers");
    let known = |last, reader: Option<&str>, cut| ReaderNotes {
        last: NoteTime(last),
        reader: reader.map(str::to_owned),
        prompt_cut: NoteTime(cut),
    };
    assert_eq!(readers(&[below("/work")]), ReaderNotes::default());
    assert_eq!(note(&[below("/work"), below("/")], Some("one"), 50), 50);
    assert_eq!(readers(&[below("/work")]), known(50, Some("one"), 0));
    assert_eq!(readers(&[within, below("/other")]), known(50, None, 0));
    // The same reader again is no news; another is, and the clock does not have to go on.
    assert_eq!(note(&[below("/work"), below("/")], Some("one"), 60), 50);
    assert_eq!(note(&[within], Some("two"), 40), 51);
    assert_eq!(readers(&[below("/work"), within]), known(51, Some("two"), 0));
    assert_eq!(note(&[below("/work")], Some("one"), 40), 52);
    assert_eq!(readers(&[within, below("/work")]), known(52, Some("one"), 0));
    // A cut prompt is news each time, and leaves who asked.
    assert_eq!(note(&[below("/work"), below("/")], None, 70), 70);
    assert_eq!(note(&[below("/work")], None, 70), 71);
    assert_eq!(readers(&[below("/")]), known(71, Some("one"), 70));
    assert_eq!(readers(&[below("/work"), within]), known(71, Some("one"), 71));
    // They are no sessions, and go when they are old.
    assert_eq!(store.sessions().expect("none"), []);
    collect(store, u64::MAX, 1, Timestamp(71 + HOUR));
    assert_eq!(readers(&[below("/work")]).last, NoteTime(71));
    collect(store, u64::MAX, 1, Timestamp(72 + HOUR));
    assert_eq!(readers(&[below("/work"), within]), ReaderNotes::default());
}

fn askers_are_noted_by_call(store: &dyn Store) {
    let note = |call: &str, reader: &str, ms| {
        store.note_call_reader(call, reader, Timestamp(ms)).expect("it is noted");
    };
    let asker = |call: &str| store.call_reader(call).expect("an asker");
    assert_eq!(asker("a"), None);
    note("a", "one", 50);
    note("b", "two", 51);
    assert_eq!((asker("a").as_deref(), asker("b").as_deref()), (Some("one"), Some("two")));
    note("a", "two", 52);
    assert_eq!(asker("a").as_deref(), Some("two"));
    // They are no sessions, and go when they are old or too many.
    assert_eq!(store.sessions().expect("none"), []);
    collect(store, u64::MAX, 1, Timestamp(HOUR + 52));
    assert_eq!((asker("a").as_deref(), asker("b")), (Some("two"), None));
    for number in 0..i64::from(CALL_READERS_MAX) {
        note(&format!("call {number}"), "one", 60 + number);
    }
    assert_eq!((asker("a"), asker("call 0").as_deref()), (None, Some("one")));
}

/// A process that sees the time of a new note finds the note under every place.
fn notes_on_readers_are_seen_whole(store: &dyn Store) {
    const NOTES: i64 = 200;
    let places: Vec<ReaderNoteKey> = (0..20).map(|number| below(&format!("/{number}"))).collect();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for note in 1..=NOTES {
                let reader = note.to_string();
                store.note_reader(&places, Some(&reader), Timestamp(note)).expect("it is noted");
            }
        });
        let mut last = NoteTime::default();
        while last < NoteTime(NOTES) {
            let seen = store.last_reader_note().expect("a moment");
            assert!(seen >= last, "{seen:?} after {last:?}");
            last = seen;
            for place in &places {
                let readers = store.reader_notes(&[*place]).expect("readers");
                let noted: i64 = readers.reader.map_or(0, |reader| reader.parse().expect("one"));
                assert!(noted >= seen.0 && noted <= readers.last.0, "{noted} after {seen:?}");
            }
        }
    });
}

pub(crate) fn none() -> CollectionTotals {
    CollectionTotals::default()
}

fn deleting_takes_what_nothing_else_needs(store: &dyn Store) {
    let (one, other) = (open(store, "one", at(0)), open(store, "other", at(0)));
    let own = put(store, Some(&one), "own", at(0));
    let both = put(store, Some(&one), "both", at(0));
    let refer = |content| {
        store
            .reference_content(Some(&other), ContentHash::from_content(content), at(0))
            .expect("asked")
    };
    assert_eq!(refer(b"both").map(|stored| stored.handle), Some(both));
    assert_eq!(refer(b"gone"), None);
    let key = PageKey::from_url("https://example.org");
    let body = put(store, Some(&one), "body", at(0));
    store.put_page(key, &page("https://example.org", at(0), body)).expect("it is kept");
    store.append_record(&one, &json!({}), at(0)).expect("a record");
    store.update_calls(&one, &changes(json!(1), &[(1, json!(1))], &[1]), at(0)).expect("kept");

    store.set_pinned(&one, true).expect("it is there");
    assert!(store.delete_session(&one).expect("it is there"), "who deletes means it");
    assert_eq!([own, both, body].map(|handle| has(store, handle)), [false, true, true]);
    open(store, "one", at(1));
    assert_eq!(store.records(&one, RecordNumber(0), 9).expect("none"), []);
    assert_eq!(store.call_history(&one).expect("none"), None);
}

fn the_old_goes(store: &dyn Store) {
    let (old, new) = (open(store, "old", at(0)), open(store, "new", at(0)));
    let gone = put(store, Some(&old), "told long ago", at(0));
    let kept = put(store, Some(&new), "told long ago, in a session still used", at(0));
    let nobodys = put(store, None, "for nobody", at(0));
    let young = put(store, None, "for nobody, just now", at(9));
    let again = [0, 9].map(|hour| put(store, None, "for nobody, once more", at(hour)))[0];
    let key = PageKey::from_url("https://example.org");
    let body = put(store, None, "a page", at(0));
    store.put_page(key, &page("https://example.org", at(0), body)).expect("it is kept");
    store.append_record(&new, &json!({}), at(9)).expect("a record");

    let collected = collect(store, u64::MAX, 5, at(10));
    assert_eq!((collected.sessions, collected.contents, collected.cached), (1, 3, 1));
    let handles = [gone, nobodys, body, kept, young, again];
    assert_eq!(handles.map(|it| has(store, it)), [false, false, false, true, true, true]);
    assert_eq!(store.page(key).expect("none"), None);
    assert_eq!(
        collect(store, u64::MAX, 5, at(10)),
        CollectionTotals { bytes_left: collected.bytes_left, ..none() }
    );
}

fn it_is_collected_when_it_is_due(store: &dyn Store) {
    let limits = RetentionLimits { bytes_max: u64::MAX, age_max_ms: 5 * HOUR };
    let collected = |now| {
        let collected = store.collect_garbage_if_due(limits, HOUR, now).expect("it collects");
        collected.map(|collected| collected.contents)
    };
    put(store, None, "content", at(0));
    assert_eq!(store.last_collection().expect("a time"), None);
    assert_eq!(collected(at(10)), Some(1));
    assert_eq!(store.last_collection().expect("a time"), Some(at(10)));
    put(store, None, "content", at(0));
    assert_eq!(collected(Timestamp(at(11).0 - 1)), None);
    assert_eq!(collected(at(11)), Some(1));
    // A clock that was ahead does not put it off.
    assert_eq!(collected(at(999)), Some(0));
    put(store, None, "content", at(0));
    assert_eq!(collected(at(12)), Some(1));
}

/// More than one transaction removes.
fn much_is_collected_in_parts(store: &dyn Store) {
    let fill = || {
        for number in 0..150 {
            let name = format!("session {number}");
            let session = open(store, &name, at(number));
            put(store, Some(&session), &noise(200, number.unsigned_abs()), at(number));
            put(store, None, &noise(200, 1_000 + number.unsigned_abs()), at(number));
        }
    };
    fill();
    let collected = collect(store, u64::MAX, 10, at(155));
    assert_eq!((collected.sessions, collected.contents), (145, 290));
    assert!((1..=3_000).contains(&collected.bytes_left), "{collected:?}");
    fill();
    let collected = collect(store, 3_000, 1_000, at(155));
    assert!((142..148).contains(&collected.sessions), "{collected:?}");
    assert!(collected.bytes_left <= 3_000 && collected.bytes_left > 2_000, "{collected:?}");
}

fn the_oldest_goes_first(store: &dyn Store) {
    let handles: Vec<Handle> = (0..5)
        .map(|number| {
            let session = open(store, &format!("session {number}"), at(number));
            put(store, Some(&session), &noise(1000, number.unsigned_abs()), at(number))
        })
        .collect();
    let key = PageKey::from_url("https://example.org");
    let page_body = put(store, None, &noise(1000, 77), at(1));
    store.put_page(key, &page("https://example.org", at(1), page_body)).expect("it is kept");
    assert!(collect(store, 10_000, 1_000, at(10)).bytes_left > 4_500);

    let collected = collect(store, 2_700, 1_000, at(10));
    assert_eq!((collected.sessions, collected.contents, collected.cached), (2, 3, 1));
    assert!(collected.bytes_left <= 2_700);
    let left: Vec<bool> = handles.iter().map(|handle| has(store, *handle)).collect();
    assert_eq!(left, [false, false, true, true, true]);
    assert!(!has(store, page_body));
}

fn pinned_sessions_stay(store: &dyn Store) {
    let (pinned, free) = (open(store, "pinned", at(0)), open(store, "free", at(0)));
    store.set_pinned(&pinned, true).expect("it is there");
    let kept = put(store, Some(&pinned), &noise(1000, 1), at(0));
    let gone = put(store, Some(&free), &noise(1000, 2), at(0));
    // Both old and too much.
    let collected = collect(store, 0, 1, at(100));
    assert_eq!((has(store, kept), has(store, gone)), (true, false));
    assert!(collected.bytes_left > 500, "{collected:?}");
    store.set_pinned(&pinned, false).expect("it is there");
    let collected = collect(store, 0, 1, at(100));
    assert_eq!((collected.sessions, collected.contents, collected.bytes_left), (1, 1, 0));
}

fn sessions_at_work_lose_old_content_last(store: &dyn Store) {
    let (idle, busy) = (open(store, "idle", at(0)), open(store, "busy", at(0)));
    let old = put(store, Some(&busy), &noise(1000, 1), at(0));
    let idles = put(store, Some(&idle), &noise(1000, 2), at(5));
    let new = put(store, Some(&busy), &noise(1000, 3), at(10));
    collect(store, 2_000, 1_000, at(10));
    assert_eq!([old, idles, new].map(|handle| has(store, handle)), [true, false, true]);
    collect(store, 1_000, 1_000, at(10));
    assert_eq!([old, new].map(|handle| has(store, handle)), [false, true]);
    assert_eq!(store.sessions().expect("sessions").len(), 1);
}

fn secrets_are_not_stored(store: &dyn Store) {
    let session = open(store, "a", at(0));
    let original = "key = \"AKIAQYLPMN5HFIQR7XYA\"\n";
    let stored =
        store.put_content(Some(&session), original.as_bytes(), at(0)).expect("it is stored");
    assert_eq!((stored.handle, stored.secrets), (Handle::from_content(original.as_bytes()), 1));
    let content = store.content(stored.handle).expect("it can be read").expect("it is there");
    assert_eq!(content.bytes, b"key = \"[secret removed: AWS access key]\"\n");
    assert_eq!(content.secrets, 1);
    // The same again is the same content, not a collision; what is stored is another.
    assert_eq!(store.put_content(None, original.as_bytes(), at(0)).expect("it is known"), stored);
    assert_ne!(
        store.put_content(None, &content.bytes, at(0)).expect("it is new").handle,
        stored.handle
    );

    let event = json!({"args": {"api_key": "q8Zx61LmP0vTr7Ws", "line": "AKIAQYLPMN5HFIQR7XYA"}});
    store.append_record(&session, &event, at(0)).expect("a record");
    let record = store.records(&session, RecordNumber(1), 1).expect("one").remove(0);
    assert_eq!(
        record.payload.to_string(),
        r#"{"args":{"api_key":"[secret removed: password]","line":"[secret removed: AWS access key]"}}"#
    );
}

fn commands_have_no_secrets(store: &dyn Store) {
    let session = open(store, "a", at(0));
    for (command, kept) in [
        (
            "PGPASSWORD=q8Zx61LmP0vTr7Ws psql -h x",
            "PGPASSWORD=[secret removed: password] psql -h x",
        ),
        ("curl -u 'me:correct-horse' x", "curl -u 'me:[secret removed: password of a user]' x"),
    ] {
        let event = json!({"answered": {"arguments": {"command": command}}});
        let number = store.append_record(&session, &event, at(0)).expect("a record");
        let record = store.records(&session, number, 1).expect("one").remove(0);
        assert_eq!(record.payload["answered"]["arguments"]["command"], kept);
    }
}

fn names_have_no_secrets(store: &dyn Store) {
    let [one, other] = ["QYLPMN5HFIQR7XYA", "QYLPMN5HFIQR7XYB"].map(|rest| format!("AKIA{rest}"));
    let note = "[secret removed: AWS access key]";
    let session = open(store, &format!("of {one}"), at(0));
    let second = open(store, &format!("of {other}"), at(1));
    store.append_record(&session, &json!(1), at(2)).expect("a record");
    store.update_calls(&session, &changes(json!(1), &[], &[]), at(2)).expect("they are kept");
    let content = put(store, Some(&session), "content", at(2));
    let path = format!("keys/{one}.txt");
    let write = FileWrite { path, before: None, after: Some(content), time: at(2) };
    store.put_file_write(&session, &write).expect("it is kept");
    assert_eq!(
        store.file_writes(&session, &write.path).expect("one")[0].path,
        format!("keys/{note}.txt")
    );
    assert_eq!(store.records(&session, RecordNumber(1), 9).expect("one").len(), 1);
    assert!(store.call_history(&session).expect("they can be read").is_some());
    assert_eq!(store.call_history(&second).expect("none"), None, "another secret, another session");
    let listed: Vec<SessionId> =
        store.sessions().expect("two").into_iter().map(|session| session.id).collect();
    assert!(listed.iter().all(|id| id.0.starts_with(&format!("of {note} "))), "{listed:?}");
    store.set_pinned(&listed[0], true).expect("as it is listed");
    assert!(store.delete_session(&listed[0]).expect("as it is listed"));
    assert!(!store.delete_session(&session).expect("it is gone"));

    let mut fetch = page("https://example.org/", at(0), content);
    fetch.etag = Some(format!("\"{one}\""));
    fetch.last_modified = Some(one);
    let key = PageKey::from_url(&fetch.url);
    store.put_page(key, &fetch).expect("it is kept");
    let found = store.page(key).expect("one").expect("one");
    assert_eq!((found.etag, found.last_modified), (None, None));
    assert_eq!(found.content_type.as_deref(), Some("text/html"));
}

/// A page fetched with one password is not returned for another one.
fn addresses_have_no_secrets(store: &dyn Store) {
    let body = put(store, None, "<h1>page</h1>", at(0));
    let one = page("https://me:correct-horse-9@example.org/", at(0), body);
    let key = PageKey::from_url(&one.url);
    store.put_page(key, &one).expect("it is kept");
    let found = store.page(key).expect("one").expect("one");
    assert_eq!(found.url, "https://me:[secret removed: password in an address]@example.org/");
    let other = PageKey::from_url("https://me:wrong-horse-8@example.org/");
    assert_eq!(store.page(other).expect("none"), None);
}

fn calls_grants_and_readers_have_no_secrets(store: &dyn Store) {
    let [one, other] = ["QYLPMN5HFIQR7XYA", "QYLPMN5HFIQR7XYB"].map(|rest| format!("AKIA{rest}"));
    let note = "[secret removed: AWS access key]";
    let session = open(store, "a", at(0));
    let asked = json!({ "arguments": { "url": one, "api_key": "q8Zx61LmP0vTr7Ws" } });
    let changes = changes(json!({ "answered": [one] }), &[(1, asked)], &[1]);
    store.update_calls(&session, &changes, at(0)).expect("they are kept");
    let kept = store.call_history(&session).expect("they can be read").expect("they are there");
    assert_eq!(kept.state, json!({ "answered": [note] }));
    let asked = json!({ "url": note, "api_key": "[secret removed: password]" });
    assert_eq!(kept.calls, [call(1, json!({ "arguments": asked }))]);

    let roots = RootsKey::from_roots([Path::new("/work")]);
    store.put_grant(roots, &grant("bash", &format!("use {one}")), at(0)).expect("it is kept");
    let kept = store.grants(roots).expect("grants");
    assert_eq!(kept, [grant("bash", &format!("use {note}"))]);

    // Readers that differ in a secret are two.
    let place = below("/work");
    let noted = |reader: &str| {
        store.note_reader(&[place], Some(reader), at(1)).expect("it is noted");
        store.reader_notes(&[place]).expect("readers")
    };
    let (first, again, second) = (noted(&one), noted(&one), noted(&other));
    assert_eq!(first, again);
    assert!(first.reader != second.reader && first.last < second.last, "{first:?} {second:?}");
    assert!(first.reader.is_some_and(|reader| reader.starts_with(note)));
    for (call, reader) in [(&one, &other), (&other, &one)] {
        store.note_call_reader(call, reader, at(1)).expect("it is noted");
    }
    let (first, second) =
        (store.call_reader(&one).expect("one"), store.call_reader(&other).expect("another"));
    assert!(first != second && first.is_some_and(|reader| reader.starts_with(note)));
}

fn threads_share_a_store(store: &dyn Store) {
    let session = open(store, "a", at(0));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let session = &session;
            scope.spawn(move || {
                for number in 0..25 {
                    let content = format!("content {number}");
                    put(store, Some(session), &content, at(0));
                    let event = json!([thread, number]);
                    store.append_record(session, &event, at(0)).expect("a record");
                }
            });
        }
    });
    let records = store.records(&session, RecordNumber(1), 1000).expect("records");
    let numbers: Vec<u64> = records.iter().map(|record| record.number.0).collect();
    assert_eq!(numbers, (1..=100).collect::<Vec<_>>());
    let kept: usize = (0..25).map(|number| format!("content {number}").len()).sum();
    let records: usize = records.iter().map(|record| record.payload.to_string().len()).sum();
    assert_eq!(bytes(store), (kept + records) as u64, "each content is there once");
}
