//! What is decided about requests of live conversations.

use foveal_store::{NewContent, PAYLOAD_BYTES_MAX, SessionId, Store, StoreError, Turn};
use foveal_transcript::{ContentHash, Handle};

use crate::conformance::{at, has, open};

fn hash(text: &str) -> ContentHash {
    ContentHash::of(text.as_bytes())
}

fn turn(before: &str, end: &str) -> Turn {
    Turn { end: hash(end), before: hash(before), decided: format!("[\"{before} to {end}\"]") }
}

fn content(text: &str) -> NewContent<'_> {
    NewContent { hash: hash(text), bytes: text.as_bytes().into(), secrets: 0 }
}

pub(crate) fn lead_to_the_longest_beginning(store: &dyn Store) {
    let session = open(store, "s", at(0));
    for (before, end) in [("", "a"), ("a", "abc"), ("abc", "abcd"), ("a", "ax"), ("", "other")] {
        store.put_turn(&session, &turn(before, end), Vec::new(), at(1)).expect("kept");
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
    let again = Turn { decided: "[]".to_owned(), ..turn("a", "ax") };
    store.put_turn(&session, &again, Vec::new(), at(2)).expect("kept");
    assert_eq!(found(&["a", "ax"])[1], again);
    store.delete_session(&session).expect("deleted");
    assert_eq!(found(&["a", "ab", "abc"]), []);
}

pub(crate) fn are_kept_with_their_contents(store: &dyn Store) {
    let session = open(store, "s", at(0));
    let left_out = vec![content("one\n"), content("two\n")];
    store.put_turn(&session, &turn("", "a"), left_out, at(1)).expect("kept");
    assert!(has(store, Handle::of(b"one\n")) && has(store, Handle::of(b"two\n")));
    let nobody = SessionId("nobody".to_owned());
    let refused = store.put_turn(&nobody, &turn("", "b"), vec![content("three\n")], at(1));
    assert!(matches!(refused, Err(StoreError::UnknownSession { .. })), "{refused:?}");
    assert!(!has(store, Handle::of(b"three\n")));
    assert_eq!(store.turns(&[hash("b")]).expect("read"), []);
    let knows = |ends: &[&str]| {
        let ends: Vec<_> = ends.iter().map(|end| hash(end)).collect();
        store.knows_turn(&ends).expect("read")
    };
    assert!(knows(&["b", "a"]) && !knows(&["b"]) && !knows(&[]));
    let long = Turn { decided: " ".repeat(PAYLOAD_BYTES_MAX + 1), ..turn("", "c") };
    let refused = store.put_turn(&session, &long, vec![content("four\n")], at(1));
    assert!(matches!(refused, Err(StoreError::TooLarge { .. })), "{refused:?}");
    assert!(!has(store, Handle::of(b"four\n")));
}

pub(crate) fn with_secrets_are_refused(store: &dyn Store) {
    let session = open(store, "s", at(0));
    let secret = format!("{{\"note\":\"ghp_{}\"}}", "A1b2".repeat(9));
    let refused =
        store.put_turn(&session, &Turn { decided: secret, ..turn("", "a") }, vec![], at(1));
    assert!(matches!(refused, Err(StoreError::Secret)), "{refused:?}");
    let text = format!("token = \"ghp_{}\"\n", "A1b2".repeat(9));
    store.put_turn(&session, &turn("", "a"), vec![content(&text)], at(1)).expect("kept");
    let kept = store.get(Handle::of(text.as_bytes())).expect("read").expect("there");
    assert_eq!(kept.secrets, 1);
    assert!(!String::from_utf8_lossy(&kept.bytes).contains("A1b2A1b2"));
}
