use super::*;

fn hits(shown: usize, total: u64, offset: usize, (hit, searched): (u64, u64)) -> GrepAnswer {
    GrepAnswer {
        files: Vec::new(),
        unit: PageUnit::Hits,
        offset,
        shown,
        total,
        files_with_hits: hit,
        files_searched: searched,
        skipped: SkippedFiles::default(),
    }
}

fn text(answer: GrepAnswer) -> String {
    let hits =
        GrepHits { answer, keys: Vec::new(), mode: GrepMode::Content, gap_notes: Vec::new() };
    hits.render().as_str().to_owned()
}

#[test]
fn what_is_not_on_a_page_of_hits_is_told() {
    for (answer, expected) in [
        (hits(0, 0, 0, (0, 3)), "[nothing found in 3 files]\n"),
        (hits(0, 5, 9, (2, 2)), "[there are 5 lines, none from offset 9]\n"),
        (hits(0, 5, 0, (2, 2)), "[5 lines found in 2 files]\n"),
        (hits(2, 5, 0, (2, 2)), "[lines 1-2 of 5 found in 2 files; the next from offset 2]\n"),
        (hits(1, 5, 4, (2, 2)), "[lines 5-5 of 5 found in 2 files]\n"),
        (hits(5, 5, 0, (2, 2)), ""),
        (GrepAnswer { unit: PageUnit::Files, ..hits(1, 2, 1, (2, 3)) }, "[files 2-2 of 2 found]\n"),
        (
            hits(0, 0, 0, (0, 0)),
            "[no file was searched: none is there, or none fits path, glob and type, or all are \
             ignored]\n",
        ),
    ] {
        assert_eq!(text(answer), expected);
    }
}

#[test]
fn what_was_passed_over_is_told() {
    let passed = SkippedFiles {
        protected: 7,
        protected_first: vec!["id_rsa".to_owned(), "s/.env".to_owned()],
        binary: 1,
        unreadable: 3,
        reasons: vec![("a".to_owned(), "not allowed here".to_owned())],
        as_bytes: 1,
        as_bytes_first: vec!["b".to_owned()],
    };
    assert_eq!(
        text(GrepAnswer { skipped: passed, ..hits(0, 0, 0, (0, 1)) }),
        "[nothing found in 1 file; 1 binary file was passed over]\n\
         [no UTF-8 and not decoded, so letters beyond ASCII may be missed: b]\n\
         [may hold secrets, searched only if named as path: id_rsa, s/.env and 5 more]\n\
         [not read: a (not allowed here) and 2 more]\n"
    );
}

#[test]
fn what_is_not_on_a_page_of_paths_is_told() {
    for (shown, total, offset, expected) in [
        (0, 0, 0, "[no file fits; hidden and ignored files are not looked at]\n"),
        (0, 3, 5, "[there are 3 files, none from offset 5]\n"),
        (2, 3, 0, "[files 1-2 of 3; the next from offset 2]\n"),
        (1, 3, 2, "[files 3-3 of 3]\n"),
        (3, 3, 0, ""),
    ] {
        let (paths, changed, passed) = (Vec::new(), Vec::new(), SkippedFiles::default());
        let answer = GlobAnswer { paths, changed, shown, offset, total, skipped: passed };
        let paths = GlobPaths { answer, gap_notes: Vec::new() };
        assert_eq!(paths.render().as_str(), expected);
    }
}
