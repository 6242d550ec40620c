//! What notes say is what they hold.

use foveal_engine::message_shape::ShapePiece;
use foveal_engine::note::{Counts, DataEncoding, LineNumberRange, MachineFileKind, Note, NoteKind};
use foveal_transcript::{EntryIndex, Handle};
use proptest::prelude::*;

/// The note of each kind with all that its kind tells, and its text.
#[allow(clippy::too_many_lines)] // A flat table.
fn each() -> Vec<(Note, &'static str)> {
    let handle = Handle::from_content(b"all of it");
    let of = Note::new;
    let with = |kind| Note { handle: Some(handle), ..of(kind) };
    let lines = |note: Note| Note { lines: vec![LineNumberRange(12, 34)], ..note };
    let counts = |counts, note: Note| Note { counts, ..note };
    let bytes = Counts { bytes: 900, ..Counts::default() };
    let count = Counts { lines: 7, ..Counts::default() };
    let both = Counts { lines: 7, bytes: 900, ..Counts::default() };
    let file = |note: Note| Note { file: Some("src/a.rs".into()), ..note };
    let named = |has_more| NoteKind::LeftOut { names: vec!["one".into(), "two".into()], has_more };
    let call = || "Read src/a.rs".into();
    let hits = [
        LineNumberRange(3, 3),
        LineNumberRange(4, 4),
        LineNumberRange(5, 7),
        LineNumberRange(9, 9),
    ];
    let hits = Note { lines: hits.to_vec(), ..of(NoteKind::HitsShown { context: vec![2, 3] }) };
    vec![
        (
            of(NoteKind::SameResult { call: call(), from_end: None }),
            "[same result as `Read src/a.rs` above]",
        ),
        (
            counts(count, of(NoteKind::SameLines { call: call(), is_own: false, from_end: None })),
            "[7 lines above in `Read src/a.rs`]",
        ),
        (
            counts(count, of(NoteKind::SameLines { call: call(), is_own: true, from_end: None })),
            "[7 lines above in your `Read src/a.rs`]",
        ),
        (
            of(NoteKind::SameReminder { name: "system-reminder".into() }),
            "[system reminder as above]",
        ),
        (lines(of(NoteKind::Unchanged)), "[12-34: as above]"),
        (lines(of(NoteKind::SameAs(LineNumberRange(2, 24)))), "[12-34: same as 2-24 above]"),
        (lines(of(NoteKind::Shown)), "[12-34: shown above]"),
        (file(lines(of(NoteKind::Shown))), "[12-34: above in src/a.rs]"),
        (file(counts(count, of(NoteKind::Shown))), "[7 lines above in src/a.rs]"),
        (
            lines(of(NoteKind::SameLines { call: call(), is_own: false, from_end: None })),
            "[12-34: above in `Read src/a.rs`]",
        ),
        (hits.clone(), "[3, 4, (5-7), (9): shown above]"),
        (file(hits), "[src/a.rs 3, 4, (5-7), (9): shown above]"),
        (lines(of(NoteKind::LEFT_OUT)), "[12-34 left out]"),
        (lines(with(named(false))), "[12-34 left out: one, two; expand HANDLE]"),
        (lines(of(named(true))), "[12-34 left out: one, two and more]"),
        (counts(both, with(NoteKind::LEFT_OUT)), "[7 lines, 900 bytes left out; expand HANDLE]"),
        (
            counts(Counts { failures: 2, ..both }, with(NoteKind::LEFT_OUT)),
            "[7 lines, 900 bytes, 2 of them about failures, left out; expand HANDLE]",
        ),
        (
            counts(Counts { hits: 5, files: 1, ..bytes }, with(NoteKind::LEFT_OUT)),
            "[5 hits in 1 file, 900 bytes left out; expand HANDLE]",
        ),
        (
            counts(Counts { hits: 5, files: 2, ..bytes }, with(NoteKind::LEFT_OUT)),
            "[5 hits in 2 files, 900 bytes left out; expand HANDLE]",
        ),
        (
            counts(bytes, with(NoteKind::Encoded(DataEncoding::Base64))),
            "[900 bytes of base64 left out; expand HANDLE]",
        ),
        (
            counts(count, with(NoteKind::DumpRows)),
            "[7 more rows of a hex dump left out; expand HANDLE]",
        ),
        (
            counts(bytes, with(NoteKind::LineCut)),
            "[… 900 bytes of this line left out; expand HANDLE]",
        ),
        (
            counts(both, with(NoteKind::Cleared)),
            "[7 lines, 900 bytes no longer shown; expand HANDLE]",
        ),
        (of(NoteKind::Repeated { period: 1, times: 5 }), "[last line repeated 5 more times]"),
        (of(NoteKind::Repeated { period: 3, times: 5 }), "[last 3 lines repeated 5 more times]"),
        (of(NoteKind::EveryNumbered(10)), "[every 10th line numbered]"),
        (file(of(NoteKind::Heading)), "src/a.rs"),
        (of(NoteKind::Remark("the way in".into())), "[the way in]"),
        (
            Note {
                counts: Counts { lines: 4813, bytes: 163_284, ..Counts::default() },
                ..of(NoteKind::EndsOf(MachineFileKind::Lock))
            },
            "[lock file of 4813 lines, 163284 bytes: its head and its end]",
        ),
        (with(NoteKind::Behind), "[expand HANDLE]"),
        (of(NoteKind::Quoted("[gone]".into())), "[gone]"),
    ]
}

#[test]
fn each_kind_is_spelled_so() {
    let handle = Handle::from_content(b"all of it").to_string();
    for (note, text) in each() {
        let shown = note.to_string();
        assert_eq!(shown.replace(&handle, "HANDLE"), text);
        assert_eq!(note.text_len(), shown.len());
    }
}

#[test]
fn notes_are_kept_as_they_are() {
    let mut bytes = 0;
    for (note, _) in each() {
        let note = Note { refers_to: vec![EntryIndex(3)], ..note };
        let kept = serde_json::to_string(&note).expect("it is plain data");
        bytes += kept.len();
        assert_eq!(serde_json::from_str::<Note>(&kept).expect("it was kept so"), note);
    }
    let average = bytes / each().len();
    assert!(average < 120, "{average} bytes a note");
}

#[test]
fn a_piece_is_small() {
    assert_eq!(size_of::<ShapePiece>(), 16);
}

proptest! {
    #[test]
    fn what_a_note_holds_is_in_its_text(
        (kind, range, counts) in (0..each().len(), (1u32..9_000, 0u32..900), 1u32..70_000),
        (file, whole) in ("[a-z]{1,5}/[a-z]{1,5}\\.rs", any::<u64>()),
    ) {
        let (note, _) = each().swap_remove(kind);
        let told = |count: u32| if count == 0 { 0 } else { counts + count };
        let changed = Note {
            file: note.file.is_some().then(|| file.as_str().into()),
            lines: match note.lines.as_slice() {
                [_] => vec![LineNumberRange(range.0, range.0 + range.1)],
                many => many.iter().map(|at| LineNumberRange(at.0 + range.0, at.1 + range.0)).collect(),
            },
            counts: Counts {
                lines: told(note.counts.lines),
                bytes: told(note.counts.bytes),
                hits: told(note.counts.hits),
                files: told(note.counts.files),
                failures: told(note.counts.failures),
            },
            handle: note.handle.map(|_| Handle::from_content(&whole.to_le_bytes())),
            ..note
        };
        let text = changed.to_string();
        let numbers: Vec<u32> = text
            .replace(&changed.handle.map(|h| h.to_string()).unwrap_or_default(), "")
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|word| word.parse().ok())
            .collect();
        let Counts { lines, bytes, hits, files, failures } = changed.counts;
        let said = changed.lines.iter().flat_map(|lines| [lines.0, lines.1]);
        for number in said.chain([lines, bytes, hits, files, failures]).filter(|n| *n > 0) {
            prop_assert!(numbers.contains(&number), "{number} is not in {text}");
        }
        if let Some(file) = &changed.file {
            prop_assert!(text.contains(&**file), "{text}");
        }
        if let Some(handle) = changed.handle {
            let named = format!("expand {handle}");
            prop_assert!(text.contains(&named), "{text}");
        }
    }
}
