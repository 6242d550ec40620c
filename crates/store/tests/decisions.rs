//! What is decided about requests of live conversations.

use foveal_store::{
    NewContent, OmittedContents, PAYLOAD_BYTES_MAX, SESSION_ID_BYTES_MAX, SessionId, Store,
    StoreError, TurnRecord,
};
use foveal_transcript::{ContentHash, Handle};

use crate::conformance::{at, has, open};

fn hash(text: &str) -> ContentHash {
    ContentHash::from_content(text.as_bytes())
}

fn turn(before: &str, end: &str) -> TurnRecord {
    TurnRecord {
        end_hash: hash(end),
        previous_hash: hash(before),
        decision: format!("[\"{before} to {end}\"]"),
    }
}

fn content(text: &str) -> NewContent<'_> {
    NewContent { hash: hash(text), bytes: text.as_bytes().into(), secrets: 0 }
}

/// New contents.
fn new<'c>(texts: &[&'c str]) -> OmittedContents<'c> {
    OmittedContents { new: texts.iter().map(|text| content(text)).collect(), known: Vec::new() }
}

pub(crate) fn lead_to_the_longest_beginning(store: &dyn Store) {
    let session = open(store, "s", at(0));
    for (before, end) in [("", "a"), ("a", "abc"), ("abc", "abcd"), ("a", "ax"), ("", "other")] {
        store
            .put_turn(&session, &turn(before, end), OmittedContents::default(), at(1))
            .expect("kept");
    }
    let found = |ends: &[&str]| {
        let ends: Vec<ContentHash> = ends.iter().map(|end| hash(end)).collect();
        store.turns(&ends).expect("read")
    };
    let whole = [turn("", "a"), turn("a", "abc"), turn("abc", "abcd")];
    assert_eq!(found(&["a", "ab", "abc", "abcd", "abcde"]), whole);
    assert_eq!(found(&["a", "ab", "abc"]), whole[..2]);
    assert_eq!(found(&["a", "ax", "axy"]), [turn("", "a"), turn("a", "ax")]);
    assert_eq!(found(&["b"]), []);
    assert_eq!(found(&[]), []);
    // The same again takes the place of what was there.
    let again = TurnRecord { decision: "[]".to_owned(), ..turn("a", "ax") };
    store.put_turn(&session, &again, OmittedContents::default(), at(2)).expect("kept");
    assert_eq!(found(&["a", "ax"])[1], again);
    let all = [turn("", "a"), turn("a", "abc"), turn("abc", "abcd"), turn("", "other"), again];
    assert_eq!(store.session_turns(&session).expect("read"), all);
    let unknown = SessionId("unknown".to_owned());
    assert_eq!(store.session_turns(&unknown).expect("read"), []);
    store.delete_session(&session).expect("deleted");
    assert_eq!(found(&["a", "ab", "abc"]), []);
}

pub(crate) fn are_kept_with_their_contents(store: &dyn Store) {
    let session = open(store, "s", at(0));
    store.put_turn(&session, &turn("", "a"), new(&["one\n", "two\n"]), at(1)).expect("kept");
    assert!(
        has(store, Handle::from_content(b"one\n")) && has(store, Handle::from_content(b"two\n"))
    );
    let knows = |ends: &[&str]| {
        let ends: Vec<_> = ends.iter().map(|end| hash(end)).collect();
        store.has_turn(&ends).expect("read")
    };
    assert!(knows(&["b", "a"]) && !knows(&["b"]) && !knows(&[]));
    let others = ["b", "c", "d", "e", "f", "g", "h"];
    for at in 0..others.len() {
        let mut asked = others;
        asked[at] = "a";
        assert!(!knows(&others[..=at]) && knows(&asked), "{asked:?}");
    }
    let long = TurnRecord { decision: " ".repeat(PAYLOAD_BYTES_MAX + 1), ..turn("", "c") };
    let refused = store.put_turn(&session, &long, new(&["four\n"]), at(1));
    assert!(matches!(refused, Err(StoreError::TooLarge { .. })), "{refused:?}");
    assert!(!has(store, Handle::from_content(b"four\n")));
    let long = SessionId("s".repeat(SESSION_ID_BYTES_MAX + 1));
    let refused = store.put_turn(&long, &turn("", "d"), new(&["five\n"]), at(1));
    assert!(matches!(refused, Err(StoreError::TooLarge { .. })), "{refused:?}");
    assert!(!has(store, Handle::from_content(b"five\n")) && !knows(&["d"]));
}

pub(crate) fn open_their_session(store: &dyn Store) {
    let session = SessionId("new".to_owned());
    store.put_turn(&session, &turn("", "a"), new(&["one\n"]), at(1)).expect("kept");
    let sessions = store.sessions().expect("read");
    assert_eq!(sessions.iter().map(|session| &session.id).collect::<Vec<_>>(), [&session]);
    assert!(store.delete_session(&session).expect("deleted"));
    assert!(!has(store, Handle::from_content(b"one\n")));
}

pub(crate) fn refer_to_what_is_stored(store: &dyn Store) {
    let (first, second) = (open(store, "first", at(0)), open(store, "second", at(0)));
    store.put_turn(&first, &turn("", "a"), new(&["one\n", "two\n"]), at(1)).expect("kept");
    let all = [hash("one\n"), hash("three\n")];
    let stored = store.known_contents(&all).expect("read");
    assert_eq!(stored.iter().collect::<Vec<_>>(), [&hash("one\n")]);
    let known = |text| OmittedContents { known: vec![hash(text)], ..new(&["three\n"]) };
    store.put_turn(&second, &turn("", "b"), known("one\n"), at(2)).expect("kept");
    store.delete_session(&first).expect("deleted");
    assert!(
        has(store, Handle::from_content(b"one\n")) && !has(store, Handle::from_content(b"two\n"))
    );
    let stored = store.known_contents(&all).expect("read");
    assert_eq!(stored.len(), 2);
    // Nothing of a turn is kept that leaves out what is gone.
    let gone = OmittedContents { known: vec![hash("two\n")], ..new(&["four\n"]) };
    let refused = store.put_turn(&second, &turn("", "c"), gone, at(3));
    let handle = Handle::from_content(b"two\n");
    assert!(matches!(refused, Err(StoreError::Gone { handle: gone }) if gone == handle));
    assert!(!has(store, Handle::from_content(b"four\n")));
    assert_eq!(store.turns(&[hash("c")]).expect("read"), []);
}

pub(crate) fn take_contents_that_are_ready(store: &dyn Store) {
    let session = open(store, "s", at(0));
    let secret = format!("token = \"ghp_{}\"\n", "A1b2".repeat(9));
    let texts = ["one\n", &secret, "two\n"];
    store.prepare_contents(texts[..2].iter().map(|text| content(text)).collect());
    // Nothing is stored by it.
    assert!(texts.iter().all(|text| !has(store, Handle::from_content(text.as_bytes()))));
    let known = store.known_contents(&texts.map(hash)).expect("read");
    assert!(!known.contains(&hash("two\n")), "{known:?}");
    let (ready, others): (Vec<&str>, Vec<&str>) =
        texts.iter().partition(|text| known.contains(&hash(text)));
    let left_out =
        OmittedContents { known: ready.iter().map(|text| hash(text)).collect(), ..new(&others) };
    store.put_turn(&session, &turn("", "a"), left_out, at(1)).expect("kept");
    let kept = |text: &str| {
        store.content(Handle::from_content(text.as_bytes())).expect("read").expect("there")
    };
    assert_eq!(kept("one\n").bytes, b"one\n");
    assert_eq!(kept("two\n").bytes, b"two\n");
    assert!(!String::from_utf8_lossy(&kept(&secret).bytes).contains("A1b2A1b2"));
    // They are the session's like all others, and ready no longer.
    assert!(store.delete_session(&session).expect("deleted"));
    assert!(texts.iter().all(|text| !has(store, Handle::from_content(text.as_bytes()))));
    assert!(store.known_contents(&texts.map(hash)).expect("read").is_empty());
}

pub(crate) fn with_secrets_are_refused(store: &dyn Store) {
    let session = open(store, "s", at(0));
    let secret = format!("{{\"note\":\"ghp_{}\"}}", "A1b2".repeat(9));
    let refused = store.put_turn(
        &session,
        &TurnRecord { decision: secret, ..turn("", "a") },
        OmittedContents::default(),
        at(1),
    );
    assert!(matches!(refused, Err(StoreError::ContainsSecret)), "{refused:?}");
    let text = format!("token = \"ghp_{}\"\n", "A1b2".repeat(9));
    store.put_turn(&session, &turn("", "a"), new(&[&text]), at(1)).expect("kept");
    let kept = store.content(Handle::from_content(text.as_bytes())).expect("read").expect("there");
    assert_eq!(kept.secrets, 1);
    assert!(!String::from_utf8_lossy(&kept.bytes).contains("A1b2A1b2"));
}
