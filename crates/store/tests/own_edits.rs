//! What a model made of files with other tools.

use foveal_store::{ClientEdit, EditAuthor, NoteTime, Store};
use foveal_transcript::{ContentHash, Timestamp};

use crate::conformance::{HOUR, at, collect};

pub(crate) fn are_noted_by_reader(store: &dyn Store) {
    let edit = |text: &str| ClientEdit {
        before: vec![ContentHash::from_content(b"before")],
        after: ContentHash::from_content(text.as_bytes()),
        lines: vec![(1, 2), (7, 7)],
        is_whole: false,
    };
    let note = |session: &str, reader: &str, path: &str, text: &str| {
        let author = EditAuthor { session, reader };
        store.note_client_edit(author, path, &edit(text), at(5)).expect("it is noted");
    };
    let since = |reader: &str, since: i64| {
        let noted = store.client_edits(reader, NoteTime(since)).expect("edits");
        noted.into_iter().map(|noted| (noted.path, noted.edit, noted.noted)).collect::<Vec<_>>()
    };
    note("s", "s/", "/a", "one");
    note("s", "s/", "/b", "two");
    note("s", "s/x", "/a", "three");
    // A later one of the same file is in the place of the earlier one.
    note("s", "s/", "/a", "four");
    let all = since("s/", 0);
    let start = all[0].2.0;
    let expected = [("/b", "two", start), ("/a", "four", start + 2)]
        .map(|(path, text, moment)| (path.to_owned(), edit(text), NoteTime(moment)));
    assert_eq!(all, expected);
    assert_eq!(since("s/", start), expected[1..]);
    assert_eq!(since("s/x", 0).len(), 1);
    // They are no sessions, and go with those of their client, or when they are old.
    assert_eq!(store.sessions().expect("none"), []);
    note("t", "t/", "/a", "one");
    store.forget_client_edits("s").expect("they are forgotten");
    assert_eq!((since("s/", 0), since("s/x", 0), since("t/", 0).len()), (vec![], vec![], 1));
    collect(store, u64::MAX, 1, Timestamp(at(5).0 + 1_000 * HOUR));
    assert_eq!(since("t/", 0), []);
}
