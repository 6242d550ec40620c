//! The text of each note.

use foveal_transcript::{Handle, LineSpan};

use super::*;

/// Each note on what tools did and found, and its text.
#[allow(clippy::too_many_lines)] // A flat table.
fn each_note() -> Vec<(String, &'static str)> {
    let handle = Handle::from_content(b"all of it");
    let file = || "src/a.rs".into();
    let search = |note: SearchNote| note.to_string();
    let back = |kind| Ok(UndoPoint { handle, kind });
    let done = |kind, undo| FileChangeNote::Done { file: file(), kind, undo }.to_string();
    let showing = |mode| AnswerNote::File { file: file(), mode }.to_string();
    let time = |hour, minute, second| AnswerNote::Cached { hour, minute, second }.to_string();
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
            "[nothing found in 1 file; 1 binary file was passed over]",
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
        (SearchNote::NoIndex(file()).to_string(), "[`src/a.rs` has no index: search it with grep]"),
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
            FileChangeNote::Destination("/w/sub/a.rs".into()).to_string(),
            "[relative to the working directory: `/w/sub/a.rs`]",
        ),
        (
            FileChangeNote::OtherNames(2).to_string(),
            "[the old content stays under 2 other names of the file (hard links)]",
        ),
        (FileChangeNote::OwnerNotKept.to_string(), "[the owner of the file could not be kept]"),
        (
            FileChangeNote::ThroughLink("a".into()).to_string(),
            "[`a` is a symbolic link; the file it leads to was written]",
        ),
        (FileChangeNote::Place(span(4, 5), span(4, 7)).to_string(), "line 5 → lines 5-7"),
        (FileChangeNote::MorePlaces(3).to_string(), "and 3 more places"),
        (
            FileChangeNote::WhiteSpace("tabs".into()).to_string(),
            "[old_str differed from the file in tabs; new_str was adapted to the file]",
        ),
        (RunNote::Ended("exit code 1".into()).to_string(), "[exit code 1]"),
        (
            RunNote::Undecoded(3).to_string(),
            "[3 bytes of the output are no UTF-8 and shown as \u{fffd}]",
        ),
        (
            RunNote::BackgroundEnded.to_string(),
            "[processes left in the background were ended; exec keeps them]",
        ),
        (
            RunNote::Outside { why: "no".into(), stays: "/a".into() }.to_string(),
            "[no; the working directory stays /a]",
        ),
        (
            RunNote::Unconfined("writes are not confined".into()).to_string(),
            "[writes are not confined]",
        ),
        (
            RunNote::Forbidden { files: "`a.lock`".into(), more: 1 }.to_string(),
            "[changed meanwhile: `a.lock` and 1 more; a permission rule forbids writing there: \
             tell the user]",
        ),
        (RunNote::NoOutput.to_string(), "[no output]"),
        (
            RunNote::OutputCut { lines: 7, bytes: 900 }.to_string(),
            "[7 lines (900 bytes) of output left out here]",
        ),
        (RunNote::Terminal { id: 2, ended: None }.to_string(), "[terminal 2: running]"),
        (
            RunNote::Terminal { id: 2, ended: Some("exit code 0".into()) }.to_string(),
            "[terminal 2: exit code 0]",
        ),
        (
            RunNote::Forbidden { files: "`.git/hooks/a`".into(), more: 0 }.to_string(),
            "[changed meanwhile: `.git/hooks/a`; a permission rule forbids writing there: tell \
             the user]",
        ),
        (
            RunNote::Forbidden { files: "`a`, `b`".into(), more: 2 }.to_string(),
            "[changed meanwhile: `a`, `b` and 2 more; a permission rule forbids writing there: \
             tell the user]",
        ),
        (RunNote::Stopped(2).to_string(), "[stopped on request; terminal 2 was ended]"),
        (RunNote::NoTerminals.to_string(), "[no terminals]"),
        (time(10, 23, 45), "[Cached result from 10:23:45 AM]"),
        (time(0, 0, 0), "[Cached result from 12:00:00 AM]"),
        (time(9, 5, 3), "[Cached result from 09:05:03 AM]"),
        (time(11, 59, 59), "[Cached result from 11:59:59 AM]"),
        (time(12, 0, 1), "[Cached result from 12:00:01 PM]"),
        (time(23, 7, 8), "[Cached result from 11:07:08 PM]"),
        (time(255, 255, 255), "[Cached result from 03:15:15 PM]"),
        (
            AnswerNote::NothingWritten.to_string(),
            "[nothing was written: the files already have this content. The earlier answer was:]",
        ),
        (
            AnswerNote::CutOffTakenBack { files: "`a`, `b`".into() }.to_string(),
            "[a process ended in the middle of changing `a`, `b`; they hold again what they held \
             before]",
        ),
        (
            AnswerNote::CutOffLeft { files: "`a`, `b`".into(), kept: "`/k`".into() }.to_string(),
            "[a process ended in the middle of changing `a`, `b`, and somebody changed them \
             since: some are as before and some as after; texts that none of them holds are in \
             `/k`]",
        ),
        (
            AnswerNote::FolderGone { gone: "/a/b".into(), now: "/a".into() }.to_string(),
            "[the folder `/a/b` is gone; commands and paths now start in `/a`]",
        ),
        (
            AnswerNote::Forgotten.to_string(),
            "done: what you read from now on is shown in full again",
        ),
        (AnswerNote::InFocus.to_string(), "In focus:"),
        (AnswerNote::NoFocus.to_string(), "[no files are in focus]"),
        (AnswerNote::PageCut.to_string(), "[the page is longer; this is its beginning]"),
        (
            AnswerNote::PagePlain.to_string(),
            "[the page could not be turned into Markdown; this is its text without markup]",
        ),
        (showing(FileDisplayMode::Full), "File: src/a.rs (full)"),
        (showing(FileDisplayMode::NotAbove), "File: src/a.rs (what is not shown above)"),
        (showing(FileDisplayMode::LongLinesCut), "File: src/a.rs (long lines cut)"),
        (showing(FileDisplayMode::NoRoom), "File: src/a.rs (not read: the answer is long already)"),
        (showing(FileDisplayMode::NoText("empty file".into())), "File: src/a.rs (empty file)"),
        (
            AnswerNote::LinesShown { all: 8, shown: 2 }.to_string(),
            "Total lines: 8 | Preserved: 2 (25.0 %)",
        ),
        (
            AnswerNote::LinesShown { all: 0, shown: 0 }.to_string(),
            "Total lines: 0 | Preserved: 0 (100 %)",
        ),
        (
            AnswerNote::BytesShown { bytes: 900, shown: 2 }.to_string(),
            "Total bytes: 900 | Preserved: 2 lines",
        ),
        (AnswerNote::Unusual("CRLF".into()).to_string(), "CRLF"),
        (AnswerNote::FileNamed(file()).to_string(), "File: src/a.rs"),
        (AnswerNote::LinesThere { all: 8 }.to_string(), "Total lines: 8"),
        (AnswerNote::BytesThere { bytes: 900 }.to_string(), "Total bytes: 900"),
    ]
}

#[test]
fn each_kind_is_spelled_so() {
    let handle = Handle::from_content(b"all of it").to_string();
    for (note, text) in each_note() {
        assert_eq!(note.replace(&handle, "HANDLE"), text);
    }
}
