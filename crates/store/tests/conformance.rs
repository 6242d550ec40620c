//! What every store does, whatever keeps it: one suite, run over each.

use std::sync::atomic::{AtomicUsize, Ordering};

use foveal_store::{
    Collected, Content, Contents, CurationKey, Fetch, Limits, Log, PAYLOAD_BYTES_MAX,
    PAYLOAD_DEPTH_MAX, Record, RecordNumber, SESSION_ID_BYTES_MAX, SessionFacts, SessionId,
    SqliteStore, Store, StoreError, Write,
};
use foveal_transcript::Timestamp;
use foveal_transcript::{ContentStore, Handle};
use serde_json::{Value, json};

/// Makes stores with nothing in them.
type Fresh<'a> = &'a dyn Fn() -> Box<dyn Store>;

type Case = (&'static str, fn(&dyn Store));

const CASES: &[Case] = &[
    ("content is stored once", content_is_stored_once),
    ("content of all kinds comes back", content_of_all_kinds_comes_back),
    ("what is too large is refused", what_is_too_large_is_refused),
    ("what is too deep is refused", what_is_too_deep_is_refused),
    ("content is compressed", content_is_compressed),
    ("sessions are listed", sessions_are_listed),
    ("unknown sessions are refused", unknown_sessions_are_refused),
    ("records keep their order", records_keep_their_order),
    ("calls are replaced", calls_are_replaced),
    ("curations are kept by key", curations_are_kept_by_key),
    ("pages are shared", pages_are_shared),
    ("writes are found by handle", writes_are_found_by_handle),
    ("deleting takes what nothing else needs", deleting_takes_what_nothing_else_needs),
    ("the old goes", the_old_goes),
    ("it is collected when it is due", it_is_collected_when_it_is_due),
    ("much is collected in parts", much_is_collected_in_parts),
    ("the oldest goes first", the_oldest_goes_first),
    ("pinned sessions stay", pinned_sessions_stay),
    ("sessions at work lose old content last", sessions_at_work_lose_old_content_last),
    ("secrets are not stored", secrets_are_not_stored),
    ("commands have no secrets", commands_have_no_secrets),
    ("names have no secrets", names_have_no_secrets),
    ("content can be borrowed", content_can_be_borrowed),
    ("threads share a store", threads_share_a_store),
];

fn run(name: &str, fresh: Fresh<'_>) {
    for (case, check) in CASES {
        eprintln!("{name}: {case}");
        check(&*fresh());
    }
}

#[test]
fn sqlite_in_memory() {
    run("sqlite in memory", &|| Box::new(SqliteStore::in_memory().expect("there is memory")));
}

#[test]
fn sqlite_in_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let count = AtomicUsize::new(0);
    run("sqlite in a file", &|| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        let path = folder.path().join(format!("{number}.db"));
        Box::new(SqliteStore::open(&path).expect("the file can be made"))
    });
}

const HOUR: i64 = 3_600_000;

fn at(hours: i64) -> Timestamp {
    Timestamp(hours * HOUR)
}

fn open(store: &dyn Store, name: &str, now: Timestamp) -> SessionId {
    let id = SessionId(name.into());
    let facts = SessionFacts { client: "test".into(), roots: vec!["/work".into()] };
    store.open_session(&id, &facts, now).expect("a session");
    id
}

fn put(store: &dyn Store, session: Option<&SessionId>, content: &str, now: Timestamp) -> Handle {
    let stored = store.put(session, content.as_bytes(), now).expect("it is stored");
    assert_eq!(stored.secrets, 0);
    stored.handle
}

fn text(store: &dyn Store, handle: Handle) -> Option<String> {
    let content = store.get(handle).expect("it can be read")?;
    Some(String::from_utf8(content.bytes).expect("text"))
}

fn has(store: &dyn Store, handle: Handle) -> bool {
    store.get(handle).expect("it can be read").is_some()
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

fn page(url: &str, checked: Timestamp, body: Handle) -> Fetch {
    Fetch {
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

fn collect(store: &dyn Store, bytes_max: u64, age_hours: i64, now: Timestamp) -> Collected {
    let limits = Limits { bytes_max, age_max_ms: age_hours * HOUR };
    store.collect(limits, now).expect("it collects")
}

fn content_is_stored_once(store: &dyn Store) {
    let session = open(store, "a", at(0));
    let handle = put(store, Some(&session), "fn main() {}\n", at(0));
    assert_eq!(handle, Handle::of(b"fn main() {}\n"));
    assert_eq!(put(store, None, "fn main() {}\n", at(1)), handle);
    assert_eq!(store.handles().expect("handles"), [handle]);
    assert_eq!(store.get(Handle::of(b"other")).expect("it can be read"), None);
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
        let stored = store.put(None, &bytes, at(0)).expect("it is stored");
        let content = store.get(stored.handle).expect("it can be read");
        assert_eq!(content, Some(Content { bytes, secrets: 0 }));
    }
}

fn what_is_too_large_is_refused(store: &dyn Store) {
    let session = open(store, "a", at(0));
    let large = Value::String("x".repeat(PAYLOAD_BYTES_MAX));
    let refused = [
        store.append(&session, Log::Events, &large, at(0)).err(),
        store.set_calls(&session, &large, at(0)).err(),
        store.put_curation(CurationKey::of(b"", "", ""), &large, at(0)).err(),
    ];
    for error in refused {
        assert_eq!(
            error.expect("it is refused").to_string(),
            "4194306 bytes are more than the 4194304 that are stored as one: store less of it"
        );
    }
    let long = SessionId("x".repeat(SESSION_ID_BYTES_MAX + 1));
    let error = store.open_session(&long, &SessionFacts::default(), at(0)).err();
    assert!(matches!(error, Some(StoreError::TooLarge { bytes: 257, bytes_max: 256 })));
    let bytes = vec![0; foveal_store::CONTENT_BYTES_MAX + 1];
    assert!(matches!(store.put(None, &bytes, at(0)), Err(StoreError::TooLarge { .. })));
    assert_eq!(store.handles().expect("handles"), []);
}

/// What could be written but not read again is not taken, however deep it is.
fn what_is_too_deep_is_refused(store: &dyn Store) {
    let session = open(store, "a", at(0));
    let key = CurationKey::of(b"", "", "");
    let nested = |depth| {
        (0..depth).fold(json!(1), |inner, level| match level % 2 {
            0 => json!([inner]),
            _ => json!({ "inner": inner }),
        })
    };
    for depth in [PAYLOAD_DEPTH_MAX + 1, 127, 128, 1_000] {
        let deep = nested(depth);
        let refused = [
            store.append(&session, Log::Events, &deep, at(0)).err(),
            store.set_calls(&session, &deep, at(0)).err(),
            store.put_curation(key, &deep, at(0)).err(),
        ];
        for error in refused {
            let error = error.expect("it is refused").to_string();
            assert!(error.starts_with("values in more than 120 lists and objects"), "{error}");
        }
    }
    let deep = nested(PAYLOAD_DEPTH_MAX);
    store.append(&session, Log::Events, &deep, at(0)).expect("it is kept");
    store.set_calls(&session, &deep, at(0)).expect("it is kept");
    store.put_curation(key, &deep, at(0)).expect("it is kept");
    let record = store.records(&session, Log::Events, RecordNumber(1), 9).expect("one").remove(0);
    assert_eq!(record.payload, deep);
    assert_eq!(store.calls(&session).expect("it can be read").as_ref(), Some(&deep));
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
    store.put(None, &noise, at(0)).expect("it is stored");
    assert_eq!(left(store) - compressed, 10_000);
}

fn sessions_are_listed(store: &dyn Store) {
    let first = open(store, "first", at(1));
    let second = open(store, "second", at(2));
    let names = |store: &dyn Store| {
        let sessions = store.sessions().expect("sessions");
        sessions.into_iter().map(|session| (session.id.0, session.used)).collect::<Vec<_>>()
    };
    assert_eq!(names(store), [("second".into(), at(2)), ("first".into(), at(1))]);
    put(store, Some(&first), "content", at(3));
    assert_eq!(names(store), [("first".into(), at(3)), ("second".into(), at(2))]);

    let facts = SessionFacts { client: "other".into(), roots: vec![] };
    assert!(store.open_session(&first, &facts, at(4)).expect("it opens"));
    store.append(&first, Log::Events, &json!([1]), at(2)).expect("a record");
    store.set_pinned(&first, true).expect("it is there");
    let listed = store.sessions().expect("sessions").remove(0);
    assert_eq!((listed.started, listed.used), (at(1), at(4)), "time does not run backwards");
    assert_eq!((&listed.facts, listed.pinned, listed.record_bytes), (&facts, true, 3));
    assert_eq!((listed.events, listed.content_bytes), (1, 7));
    assert!(store.delete_session(&second).expect("it is there"));
    assert!(!store.delete_session(&second).expect("it is gone"));
    assert_eq!(names(store).len(), 1);
}

fn unknown_sessions_are_refused(store: &dyn Store) {
    let nobody = SessionId("nobody".into());
    let write = Write { path: "a".into(), before: None, after: Handle::of(b""), time: at(0) };
    let refused = [
        store.put(Some(&nobody), b"content", at(0)).err(),
        store.append(&nobody, Log::Steps, &json!(1), at(0)).err(),
        store.set_calls(&nobody, &json!(1), at(0)).err(),
        store.refer(&nobody, Handle::of(b""), at(0)).err(),
        store.put_write(&nobody, &write).err(),
        store.set_pinned(&nobody, true).err(),
    ];
    for error in refused {
        let error = error.expect("it is refused").to_string();
        assert_eq!(error, "there is no session `nobody`: open it first");
    }
    assert_eq!(store.handles().expect("handles"), [], "nothing of it was done");
    assert_eq!(store.records(&nobody, Log::Steps, RecordNumber(0), 9).expect("none"), []);
    assert_eq!(store.calls(&nobody).expect("none"), None);
    assert_eq!(store.writes(&nobody, None).expect("none"), []);
}

fn records_keep_their_order(store: &dyn Store) {
    let (one, other) = (open(store, "one", at(0)), open(store, "other", at(0)));
    for number in 1..=5 {
        let event = json!({"call": number, "cached": false});
        let appended = store.append(&one, Log::Events, &event, at(number)).expect("a record");
        assert_eq!(appended, RecordNumber(number.unsigned_abs()));
    }
    // Each session and each log counts for itself.
    let step = json!({"answer": 7});
    assert_eq!(store.append(&one, Log::Steps, &step, at(9)).expect("one"), RecordNumber(1));
    assert_eq!(store.append(&other, Log::Events, &step, at(9)).expect("one"), RecordNumber(1));

    let read = |from, most| {
        let records = store.records(&one, Log::Events, RecordNumber(from), most).expect("records");
        records.iter().map(|record| record.number.0).collect::<Vec<_>>()
    };
    assert_eq!(read(0, usize::MAX), [1, 2, 3, 4, 5]);
    assert_eq!(read(4, 9), [4, 5]);
    assert_eq!(read(2, 2), [2, 3]);
    assert_eq!(read(6, 9), [0_u64; 0]);
    let expected = Record { number: RecordNumber(1), time: at(9), payload: step };
    assert_eq!(store.records(&one, Log::Steps, RecordNumber(1), 9).expect("one"), [expected]);
}

fn calls_are_replaced(store: &dyn Store) {
    let session = open(store, "a", at(0));
    assert_eq!(store.calls(&session).expect("none"), None);
    for calls in [json!([{"tool": "grep"}]), json!([])] {
        store.set_calls(&session, &calls, at(1)).expect("they are kept");
        assert_eq!(store.calls(&session).expect("they are there"), Some(calls));
    }
}

fn curations_are_kept_by_key(store: &dyn Store) {
    let key = CurationKey::of(b"content", "question", "model 1");
    let others = [
        CurationKey::of(b"contentq", "uestion", "model 1"),
        CurationKey::of(b"content", "question", "model 2"),
        CurationKey::of(b"content", "another", "model 1"),
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
    store.put_fetch(&first).expect("it is kept");
    assert_eq!(store.fetch("https://example.org/a?b=c").expect("one"), Some(first.clone()));
    assert_eq!(store.fetch("https://example.org/a").expect("none"), None);
    let later = Fetch { status: 304, checked: at(2), expires: None, ..first };
    store.put_fetch(&later).expect("it is kept");
    assert_eq!(store.fetch(&later.url).expect("one"), Some(later));

    // Who may fetch with one password may not be given what another fetched.
    let one = page("https://me:correct-horse-9@example.org/", at(0), body);
    store.put_fetch(&one).expect("it is kept");
    let found = store.fetch(&one.url).expect("one").expect("one");
    assert_eq!(found.url, "https://me:[secret removed: password in an address]@example.org/");
    assert_eq!(store.fetch("https://me:wrong-horse-8@example.org/").expect("none"), None);
}

fn writes_are_found_by_handle(store: &dyn Store) {
    let session = open(store, "a", at(0));
    let [one, two, three] = ["one", "two", "three"].map(|content| put(store, None, content, at(0)));
    let write = |path: &str, before, after, hours| Write {
        path: path.into(),
        before,
        after,
        time: at(hours),
    };
    let writes = [
        write("a.rs", None, one, 1),
        write("a.rs", Some(one), two, 2),
        write("b.rs", None, three, 3),
    ];
    for write in &writes {
        store.put_write(&session, write).expect("it is kept");
    }
    let found = |handle| store.writes(&session, handle).expect("writes");
    let [first, second, third] = writes;
    assert_eq!(found(None), [third.clone(), second.clone(), first.clone()]);
    assert_eq!(found(Some(one)), [second, first]);
    assert_eq!(found(Some(three)), [third]);
    // What can be undone is not collected.
    assert_eq!(collect(store, u64::MAX, 2, at(4)), Collected { bytes_left: 23, ..none() });
    assert!(has(store, one) && has(store, two) && has(store, three));
}

fn none() -> Collected {
    Collected::default()
}

fn deleting_takes_what_nothing_else_needs(store: &dyn Store) {
    let (one, other) = (open(store, "one", at(0)), open(store, "other", at(0)));
    let own = put(store, Some(&one), "own", at(0));
    let both = put(store, Some(&one), "both", at(0));
    assert!(store.refer(&other, both, at(0)).expect("it is there"));
    assert!(!store.refer(&other, Handle::of(b"gone"), at(0)).expect("it is not"));
    let body = put(store, Some(&one), "body", at(0));
    store.put_fetch(&page("https://example.org", at(0), body)).expect("it is kept");
    store.append(&one, Log::Events, &json!({}), at(0)).expect("a record");
    store.set_calls(&one, &json!([]), at(0)).expect("they are kept");

    store.set_pinned(&one, true).expect("it is there");
    assert!(store.delete_session(&one).expect("it is there"), "who deletes means it");
    assert_eq!([own, both, body].map(|handle| has(store, handle)), [false, true, true]);
    open(store, "one", at(1));
    assert_eq!(store.records(&one, Log::Events, RecordNumber(0), 9).expect("none"), []);
    assert_eq!(store.calls(&one).expect("none"), None);
}

fn the_old_goes(store: &dyn Store) {
    let (old, new) = (open(store, "old", at(0)), open(store, "new", at(0)));
    let gone = put(store, Some(&old), "told long ago", at(0));
    let kept = put(store, Some(&new), "told long ago, in a session still used", at(0));
    let nobodys = put(store, None, "for nobody", at(0));
    let young = put(store, None, "for nobody, just now", at(9));
    let body = put(store, None, "a page", at(0));
    store.put_fetch(&page("https://example.org", at(0), body)).expect("it is kept");
    store.append(&new, Log::Events, &json!({}), at(9)).expect("a record");

    let collected = collect(store, u64::MAX, 5, at(10));
    assert_eq!((collected.sessions, collected.contents, collected.cached), (1, 3, 1));
    let handles = [gone, nobodys, body, kept, young];
    assert_eq!(handles.map(|handle| has(store, handle)), [false, false, false, true, true]);
    assert_eq!(store.fetch("https://example.org").expect("none"), None);
    assert_eq!(
        collect(store, u64::MAX, 5, at(10)),
        Collected { bytes_left: collected.bytes_left, ..none() }
    );
}

fn it_is_collected_when_it_is_due(store: &dyn Store) {
    let limits = Limits { bytes_max: u64::MAX, age_max_ms: 5 * HOUR };
    let collected = |now| {
        let collected = store.collect_if_due(limits, HOUR, now).expect("it collects");
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
    let page_body = put(store, None, &noise(1000, 77), at(1));
    store.put_fetch(&page("https://example.org", at(1), page_body)).expect("it is kept");
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
    let stored = store.put(Some(&session), original.as_bytes(), at(0)).expect("it is stored");
    assert_eq!((stored.handle, stored.secrets), (Handle::of(original.as_bytes()), 1));
    let content = store.get(stored.handle).expect("it can be read").expect("it is there");
    assert_eq!(content.bytes, b"key = \"[secret removed: AWS access key]\"\n");
    assert_eq!(content.secrets, 1);
    // The same again is the same content, not a collision; what is stored is another.
    assert_eq!(store.put(None, original.as_bytes(), at(0)).expect("it is known"), stored);
    assert_ne!(store.put(None, &content.bytes, at(0)).expect("it is new").handle, stored.handle);

    let event = json!({"args": {"api_key": "q8Zx61LmP0vTr7Ws", "line": "AKIAQYLPMN5HFIQR7XYA"}});
    store.append(&session, Log::Events, &event, at(0)).expect("a record");
    let record = store.records(&session, Log::Events, RecordNumber(1), 1).expect("one").remove(0);
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
        let number = store.append(&session, Log::Events, &event, at(0)).expect("a record");
        let record = store.records(&session, Log::Events, number, 1).expect("one").remove(0);
        assert_eq!(record.payload["answered"]["arguments"]["command"], kept);
    }
}

fn names_have_no_secrets(store: &dyn Store) {
    let [one, other] = ["QYLPMN5HFIQR7XYA", "QYLPMN5HFIQR7XYB"].map(|rest| format!("AKIA{rest}"));
    let note = "[secret removed: AWS access key]";
    let session = open(store, &format!("of {one}"), at(0));
    let second = open(store, &format!("of {other}"), at(1));
    store.append(&session, Log::Events, &json!(1), at(2)).expect("a record");
    store.set_calls(&session, &json!([1]), at(2)).expect("they are kept");
    let content = put(store, Some(&session), "content", at(2));
    let path = format!("keys/{one}.txt");
    let write = Write { path, before: None, after: content, time: at(2) };
    store.put_write(&session, &write).expect("it is kept");
    assert_eq!(store.writes(&session, None).expect("one")[0].path, format!("keys/{note}.txt"));
    assert_eq!(store.records(&session, Log::Events, RecordNumber(1), 9).expect("one").len(), 1);
    assert_eq!(store.calls(&session).expect("they are there"), Some(json!([1])));
    assert_eq!(store.calls(&second).expect("none"), None, "another secret, another session");
    let listed: Vec<SessionId> =
        store.sessions().expect("two").into_iter().map(|session| session.id).collect();
    assert!(listed.iter().all(|id| id.0.starts_with(&format!("of {note} "))), "{listed:?}");
    store.set_pinned(&listed[0], true).expect("as it is listed");
    assert!(store.delete_session(&listed[0]).expect("as it is listed"));
    assert!(!store.delete_session(&session).expect("it is gone"));

    let mut fetch = page("https://example.org/", at(0), content);
    fetch.etag = Some(format!("\"{one}\""));
    fetch.last_modified = Some(one);
    store.put_fetch(&fetch).expect("it is kept");
    let found = store.fetch(&fetch.url).expect("one").expect("one");
    assert_eq!((found.etag, found.last_modified), (None, None));
    assert_eq!(found.content_type.as_deref(), Some("text/html"));
}

fn content_can_be_borrowed(store: &dyn Store) {
    let session = open(store, "a", at(0));
    let before = put(store, None, "before", at(0));
    let mut contents = Contents::of(store, Some(session), at(0)).expect("it opens");
    let secret = "token ghp_abcdefghij0123456789ABCDEFGHIJ012345";
    let handle = contents.put(secret).expect("it is stored");
    assert_eq!(contents.resolve(before), Some("before"));
    assert_eq!(contents.resolve(handle), Some(secret), "the original, as long as it is held");
    assert_eq!(contents.resolve(Handle::of(b"other")), None);
    assert_eq!(text(store, handle).as_deref(), Some("token [secret removed: GitHub token]"));
    assert!(contents.take_failures().is_empty());

    let nobody = Some(SessionId("nobody".into()));
    let mut contents = Contents::of(store, nobody, at(0)).expect("it opens");
    let handle = contents.put("held").expect("it is held");
    assert_eq!(contents.resolve(handle), Some("held"));
    assert_eq!(contents.take_failures().len(), 1);
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
                    store.append(session, Log::Events, &event, at(0)).expect("a record");
                }
            });
        }
    });
    let records = store.records(&session, Log::Events, RecordNumber(1), 1000).expect("records");
    let numbers: Vec<u64> = records.iter().map(|record| record.number.0).collect();
    assert_eq!(numbers, (1..=100).collect::<Vec<_>>());
    assert_eq!(store.handles().expect("handles").len(), 25);
}
