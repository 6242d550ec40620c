//! What notes say is what they hold.

use foveal_engine::message_shape::{MessageShape, ShapeKind, ShapePiece};
use foveal_engine::note::{
    AnswerNote, Counts, DataEncoding, EditSummary, FileChangeKind, FileChangeNote, FileDisplayMode,
    LineNumberRange, MachineFileKind, Note, NoteKind, RunNote, SearchNote, SearchResultKind,
    UndoPoint, UndoStorage, UndoUnavailable,
};
use foveal_transcript::{EntryIndex, Handle, LineSpan};
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
    let edits = |count, turns, changes, more| {
        file(with(NoteKind::Edits(Box::new(EditSummary { count, turns, changes, more }))))
    };
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
        (counts(count, of(NoteKind::EditText)), "[7 lines]"),
        (
            counts(count, with(NoteKind::ReplacedText)),
            "[7 lines that this edit replaced; expand HANDLE]",
        ),
        (file(with(NoteKind::ToldAbove)), "[told above in the edits to src/a.rs; expand HANDLE]"),
        (
            edits(1, (4, 4), Vec::new(), 0),
            "[Edits to src/a.rs: 1 change in turn 4]\n[this message in full: expand HANDLE]",
        ),
        (
            edits(6, (4, 9), vec![("+2 lines".into(), 1), ("adds f".into(), 3)], 2),
            "[Edits to src/a.rs: 6 changes between turns 4-9]\n- +2 lines\n- adds f 3x\n\
             - and 2 more\n[this message in full: expand HANDLE]",
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

/// The same for notes on what tools did and found.
#[allow(clippy::too_many_lines)] // A flat table.
fn each_of_tools() -> Vec<(Note, &'static str)> {
    let handle = Handle::from_content(b"all of it");
    let file = |note: Note| note.with_file("src/a.rs");
    let search = |note: SearchNote| Note::from(note);
    let back = |kind| Ok(UndoPoint { handle, kind });
    let done = |kind, back| file(FileChangeNote::Done(kind, back).into());
    let showing = |showing| file(AnswerNote::File(showing).into());
    let time = |hour, minute, second| Note::from(AnswerNote::Cached { hour, minute, second });
    let span = |first: usize, end| LineSpan::from_indices(first, end);
    let (hits, files) = (SearchResultKind::Hits { files: 2 }, SearchResultKind::Files);
    let page = |of, shown, total, next| search(SearchNote::Page { of, shown, total, next });
    vec![
        (
            search(SearchNote::NoFile { binary: 0 }),
            "[no file was searched: none is there, or none fits path, glob and type, or all are \
             ignored]",
        ),
        (search(SearchNote::Nothing { files: 3, binary: 0 }), "[nothing found in 3 files]"),
        (
            search(SearchNote::Nothing { files: 1, binary: 1 }),
            "[nothing found in 1 files; 1 binary file was passed over]",
        ),
        (
            search(SearchNote::PastEnd { of: hits, total: 5, offset: 9, binary: 2 }),
            "[there are 5 lines, none from offset 9; 2 binary files were passed over]",
        ),
        (
            search(SearchNote::PastEnd {
                of: SearchResultKind::Paths,
                total: 3,
                offset: 5,
                binary: 0,
            }),
            "[there are 3 files, none from offset 5]",
        ),
        (
            search(SearchNote::Counted { of: hits, total: 5, files: 2, binary: 0 }),
            "[5 lines found in 2 files]",
        ),
        (
            page(hits, (1, 2), 5, Some(2)),
            "[lines 1-2 of 5 found in 2 files; the next from offset 2]",
        ),
        (page(files, (2, 2), 2, None), "[files 2-2 of 2 found]"),
        (
            page(SearchResultKind::Paths, (1, 2), 3, Some(2)),
            "[files 1-2 of 3; the next from offset 2]",
        ),
        (search(SearchNote::NoPath), "[no file fits; hidden and ignored files are not looked at]"),
        (search(SearchNote::MoreEntries(2)), "[2 more entries here]"),
        (
            search(SearchNote::AsBytes { files: vec!["a".into(), "b".into()], more: 0 }),
            "[no UTF-8 and not decoded, so letters beyond ASCII may be missed: a, b]",
        ),
        (
            search(SearchNote::NotRead { files: vec![("a".into(), "not here".into())], more: 4 }),
            "[not read: a (not here) and 4 more]",
        ),
        (
            search(SearchNote::NotInIndex { query: "who".into() }),
            "[nothing found for `who`; try grep]",
        ),
        (
            search(SearchNote::Behind { files: vec!["a".into(), "b".into()], more: 4 }),
            "[another process holds the index, so changes of these files are not in this answer; \
             grep them: a, b and 4 more]",
        ),
        (file(SearchNote::NoIndex.into()), "[`src/a.rs` has no index: search it with grep]"),
        (
            done(FileChangeKind::New, back(UndoStorage::NoFile)),
            "Wrote src/a.rs (new) [before: HANDLE, no file]",
        ),
        (
            done(FileChangeKind::Written, back(UndoStorage::Stored)),
            "Wrote src/a.rs [before: HANDLE]",
        ),
        (
            done(FileChangeKind::Removed, back(UndoStorage::InMemory)),
            "Removed src/a.rs, which was new [before: HANDLE, with secrets: kept in memory only, \
             until foveal ends]",
        ),
        (
            done(FileChangeKind::New, Err(UndoUnavailable::Store)),
            "Wrote src/a.rs [no way back: the store cannot be written]",
        ),
        (
            done(FileChangeKind::Written, Err(UndoUnavailable::Secrets)),
            "Wrote src/a.rs [no way back: what it held has secrets, which are not kept]",
        ),
        (
            FileChangeNote::OtherNames(2).into(),
            "[the file has 2 other names (hard links), which keep the old content]",
        ),
        (FileChangeNote::OwnerNotKept.into(), "[the owner of the file could not be kept]"),
        (
            FileChangeNote::ThroughLink("a".into()).into(),
            "[`a` is a symbolic link; the file it leads to was written]",
        ),
        (FileChangeNote::Place(span(4, 5), span(4, 7)).into(), "line 5 → lines 5-7"),
        (FileChangeNote::MorePlaces(3).into(), "and 3 more places"),
        (
            FileChangeNote::WhiteSpace("tabs".into()).into(),
            "[old_str differed from the file in tabs; new_str was given the file's]",
        ),
        (RunNote::Ended("exit code 1".into()).into(), "[exit code 1]"),
        (
            RunNote::Undecoded(3).into(),
            "[3 bytes of the output are no UTF-8 and shown as \u{fffd}]",
        ),
        (
            RunNote::BackgroundEnded.into(),
            "[processes left in the background were ended; exec keeps them]",
        ),
        (
            RunNote::Daemons("java".into()).into(),
            "[still running, in sessions of their own: java; they end with foveal]",
        ),
        (
            RunNote::Outside { why: "no".into(), stays: "/a".into() }.into(),
            "[no; the working directory stays /a]",
        ),
        (RunNote::Unconfined("writes are not confined".into()).into(), "[writes are not confined]"),
        (
            RunNote::Forbidden { files: "`a.lock`".into(), more: 1 }.into(),
            "[changed meanwhile: `a.lock` and 1 more; a permission rule forbids writing there: \
             tell the user]",
        ),
        (RunNote::NoOutput.into(), "[no output]"),
        (
            RunNote::OutputCut { lines: 7, bytes: 900 }.into(),
            "[7 lines (900 bytes) of output left out here]",
        ),
        (RunNote::Terminal { id: 2, ended: None }.into(), "[terminal 2: running]"),
        (
            RunNote::Terminal { id: 2, ended: Some("exit code 0".into()) }.into(),
            "[terminal 2: exit code 0]",
        ),
        (
            RunNote::Forbidden { files: "`.git/hooks/a`".into(), more: 0 }.into(),
            "[changed meanwhile: `.git/hooks/a`; a permission rule forbids writing there: tell \
             the user]",
        ),
        (
            RunNote::Forbidden { files: "`a`, `b`".into(), more: 2 }.into(),
            "[changed meanwhile: `a`, `b` and 2 more; a permission rule forbids writing there: \
             tell the user]",
        ),
        (RunNote::Stopped(2).into(), "[stopped on request; terminal 2 was ended]"),
        (RunNote::NoTerminals.into(), "[no terminals]"),
        (time(10, 23, 45), "[Cached result from 10:23:45 AM]"),
        (time(0, 0, 0), "[Cached result from 12:00:00 AM]"),
        (time(9, 5, 3), "[Cached result from 09:05:03 AM]"),
        (time(11, 59, 59), "[Cached result from 11:59:59 AM]"),
        (time(12, 0, 1), "[Cached result from 12:00:01 PM]"),
        (time(23, 7, 8), "[Cached result from 11:07:08 PM]"),
        (time(255, 255, 255), "[Cached result from 03:15:15 PM]"),
        (AnswerNote::NothingWritten.into(), "[nothing was written: the files hold this already]"),
        (
            AnswerNote::CutOffTakenBack { files: "`a`, `b`".into() }.into(),
            "[a process ended in the middle of changing `a`, `b`; they hold again what they held \
             before]",
        ),
        (
            AnswerNote::CutOffLeft { files: "`a`, `b`".into(), kept: "`/k`".into() }.into(),
            "[a process ended in the middle of changing `a`, `b`, and somebody changed them \
             since: some are as before and some as after; texts that none of them holds are in \
             `/k`]",
        ),
        (
            AnswerNote::FolderGone { gone: "/a/b".into(), now: "/a".into() }.into(),
            "[the folder `/a/b` is gone; commands and paths now start in `/a`]",
        ),
        (AnswerNote::Forgotten.into(), "forgotten: everything is shown anew when you ask for it"),
        (AnswerNote::InFocus.into(), "In focus:"),
        (AnswerNote::NoFocus.into(), "[no files are in focus]"),
        (AnswerNote::PageCut.into(), "[the page is longer; this is its beginning]"),
        (
            AnswerNote::PagePlain.into(),
            "[the page could not be turned into Markdown; this is its text without markup]",
        ),
        (showing(FileDisplayMode::Full), "File: src/a.rs (full)"),
        (showing(FileDisplayMode::NotAbove), "File: src/a.rs (what is not shown above)"),
        (showing(FileDisplayMode::LongLinesCut), "File: src/a.rs (long lines cut)"),
        (showing(FileDisplayMode::NoRoom), "File: src/a.rs (not read: the answer is long already)"),
        (showing(FileDisplayMode::NoText("empty file".into())), "File: src/a.rs (empty file)"),
        (
            AnswerNote::LinesShown { all: 8, shown: 2 }.into(),
            "Total lines: 8 | Preserved: 2 (25 %)",
        ),
        (
            AnswerNote::LinesShown { all: 0, shown: 0 }.into(),
            "Total lines: 0 | Preserved: 0 (100 %)",
        ),
        (
            AnswerNote::BytesShown { bytes: 900, shown: 2 }.into(),
            "Total bytes: 900 | Preserved: 2 lines",
        ),
        (AnswerNote::Unusual("CRLF".into()).into(), "CRLF"),
        (Note::from(AnswerNote::FileNamed).with_file("src/a.rs"), "File: src/a.rs"),
        (AnswerNote::LinesThere { all: 8 }.into(), "Total lines: 8"),
        (AnswerNote::BytesThere { bytes: 900 }.into(), "Total bytes: 900"),
    ]
}

#[test]
fn each_kind_is_spelled_so() {
    let handle = Handle::from_content(b"all of it").to_string();
    for (note, text) in each().into_iter().chain(each_of_tools()) {
        let shown = note.to_string();
        assert_eq!(shown.replace(&handle, "HANDLE"), text);
        assert_eq!(note.text_len(), shown.len());
    }
}

#[test]
fn notes_are_kept_as_they_are() {
    let mut bytes = 0;
    for (note, _) in each_of_tools() {
        let kept = serde_json::to_string(&note).expect("it is plain data");
        assert_eq!(serde_json::from_str::<Note>(&kept).expect("it was kept so"), note);
    }
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

#[test]
fn notes_in_strings_of_json_are_spelled_as_json() {
    let note = Note::new(NoteKind::Quoted("[a \"b\"\n]".into()));
    let shape = |kind| MessageShape {
        kind,
        rule: String::new(),
        pieces: vec![ShapePiece::Note(3, note.clone().into())],
        handle: Handle::from_content(b"abc"),
    };
    assert_eq!(shape(ShapeKind::Folded).render("abc"), "[a \\\"b\\\"\\n]");
    assert_eq!(shape(ShapeKind::Note).render("abc"), "[a \"b\"\n]");
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
