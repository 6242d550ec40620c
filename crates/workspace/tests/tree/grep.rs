//! Each option of a search, and each invalid input.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use foveal_transcript::CancelToken;
use foveal_workspace::file_search::{
    CaseSensitivity, FileSearchError, GrepLayout, GrepMode, GrepQuery, SearchScope, grep,
};

use super::{hits_of, open_in, tree};

fn run(base: &Path, query: &GrepQuery, form: GrepLayout) -> String {
    match grep(base, &open_in(base), query, &CancelToken::NEVER) {
        Ok(answer) => hits_of(&answer, query.mode, form),
        Err(error) => format!("error: {error}\n"),
    }
}

#[track_caller]
fn check(base: &Path, query: &GrepQuery, expected: &str) {
    assert_eq!(run(base, query, GrepLayout::Headings), expected);
}

fn scope(path: &str) -> SearchScope {
    SearchScope { path: path.to_owned(), ..SearchScope::default() }
}

fn globs(globs: &[&str]) -> SearchScope {
    SearchScope {
        globs: globs.iter().map(|glob| (*glob).to_owned()).collect(),
        ..SearchScope::default()
    }
}

#[test]
fn lines_are_found_by_path_and_number() {
    let folder =
        tree(&[("b.txt", "one\ntwo\n"), ("a/c.txt", "two\n\ntwo three\n"), ("a.txt", "none\n")]);
    let query = GrepQuery::new("two");
    check(folder.path(), &query, "a/c.txt\n1:two\n3:two three\n\nb.txt\n2:two\n");
    assert_eq!(
        run(folder.path(), &query, GrepLayout::Lines),
        "a/c.txt:1:two\na/c.txt:3:two three\nb.txt:2:two\n"
    );
    check(folder.path(), &GrepQuery::new("four"), "[0 of 0 Hits from 0, in 0 of 3 files]\n");
}

#[test]
fn files_and_counts_can_be_asked_for() {
    let folder = tree(&[("b.txt", "x\nx\n"), ("a.txt", "x\n"), ("c.txt", "y\n")]);
    let query = |mode| GrepQuery { mode, ..GrepQuery::new("x") };
    check(folder.path(), &query(GrepMode::Files), "a.txt\nb.txt\n");
    check(folder.path(), &query(GrepMode::Count), "a.txt:1\nb.txt:2\n");
    let paged = GrepQuery { offset: 1, limit: 1, ..query(GrepMode::Count) };
    check(folder.path(), &paged, "b.txt:2\n[1 of 2 Files from 1, in 2 of 3 files]\n");
}

#[test]
fn lines_around_are_shown() {
    let folder = tree(&[("a", "1\n2\nx\n4\n5\n6\n7\nx\n9\n")]);
    let query = GrepQuery { before: 1, after: 2, ..GrepQuery::new("x") };
    check(folder.path(), &query, "a\n2-2\n3:x\n4-4\n5-5\n--\n7-7\n8:x\n9-9\n");
    assert_eq!(
        run(folder.path(), &GrepQuery { before: 1, ..GrepQuery::new("x") }, GrepLayout::Lines),
        "a-2-2\na:3:x\n--\na-7-7\na:8:x\n",
    );
}

#[test]
fn pages_follow_each_other() {
    let folder = tree(&[("a", "x1\nx2\nx3\n"), ("b", "x4\nx5\n")]);
    let page = |offset, limit| GrepQuery { offset, limit, ..GrepQuery::new("x") };
    check(
        folder.path(),
        &page(0, 2),
        "a\n1:x1\n2:x2\n[2 of 5 Hits from 0, in 2 of 2 files, next from 2]\n",
    );
    check(
        folder.path(),
        &page(2, 2),
        "a\n3:x3\n\nb\n1:x4\n[2 of 5 Hits from 2, in 2 of 2 files, next from 4]\n",
    );
    check(folder.path(), &page(4, 2), "b\n2:x5\n[1 of 5 Hits from 4, in 2 of 2 files]\n");
    check(folder.path(), &page(9, 2), "[0 of 5 Hits from 9, in 2 of 2 files]\n");
    check(folder.path(), &page(0, 0), "[0 of 5 Hits from 0, in 2 of 2 files]\n");
}

#[test]
fn a_page_ends_with_the_lines_around_its_last() {
    let folder = tree(&[("a", "x1\n2\n3\n4\n5\nx6\n7\nx8\n")]);
    let page =
        |offset, limit| GrepQuery { offset, limit, before: 1, after: 1, ..GrepQuery::new("x") };
    check(
        folder.path(),
        &page(0, 1),
        "a\n1:x1\n2-2\n[1 of 3 Hits from 0, in 1 of 1 files, next from 1]\n",
    );
    check(
        folder.path(),
        &page(1, 1),
        "a\n5-5\n6:x6\n7-7\n[1 of 3 Hits from 1, in 1 of 1 files, next from 2]\n",
    );
    check(folder.path(), &page(2, 1), "a\n7-7\n8:x8\n[1 of 3 Hits from 2, in 1 of 1 files]\n");
}

#[test]
fn case_can_be_ignored() {
    let folder = tree(&[("a", "abc\nABC\nÄ\nä\n")]);
    let query = |pattern, case| GrepQuery { case, ..GrepQuery::new(pattern) };
    check(folder.path(), &query("abc", CaseSensitivity::Sensitive), "a\n1:abc\n");
    check(folder.path(), &query("abc", CaseSensitivity::Insensitive), "a\n1:abc\n2:ABC\n");
    check(folder.path(), &query("ä", CaseSensitivity::Insensitive), "a\n3:Ä\n4:ä\n");
}

#[test]
fn a_text_is_no_expression() {
    let folder = tree(&[("a", "f(x)\nfx\n")]);
    check(folder.path(), &GrepQuery { fixed: true, ..GrepQuery::new("f(x)") }, "a\n1:f(x)\n");
    check(folder.path(), &GrepQuery::new("f(x)"), "a\n2:fx\n");
    check(folder.path(), &GrepQuery { fixed: true, ..GrepQuery::new("f(") }, "a\n1:f(x)\n");
}

#[test]
fn what_is_found_may_go_over_lines() {
    let folder = tree(&[("a", "fn a(\n  b,\n) {\nfn c() {\n")]);
    let query = GrepQuery { multiline: true, ..GrepQuery::new(r"a\(.*?\)") };
    check(folder.path(), &query, "a\n1:fn a(\n2:  b,\n3:) {\n");
    check(
        folder.path(),
        &GrepQuery { multiline: true, ..GrepQuery::new(r"b,\n\)") },
        "a\n2:  b,\n3:) {\n",
    );
    check(
        folder.path(),
        &GrepQuery { multiline: true, ..GrepQuery::new(r"^fn c") },
        "a\n4:fn c() {\n",
    );
}

#[test]
fn either_line_ending_is_a_line_break_over_lines() {
    let long = format!("{}class A\r\n{{\r\n}}\r\n", "// x\r\n".repeat(400_000));
    let wide = "\u{feff}class A\r\n{\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let folder = tree(&[
        ("a.cs", b"class A\r\n{\r\n".to_vec()),
        ("b.cs", b"class A\n{\n".to_vec()),
        ("c.cs", long.into_bytes()),
        ("d.cs", wide),
    ]);
    check(
        folder.path(),
        &GrepQuery { multiline: true, ..GrepQuery::new(r"class \w+\n\{") },
        "a.cs\n1:class A\n2:{\n\nb.cs\n1:class A\n2:{\n\nc.cs\n400001:class A\n400002:{\n\n\
         d.cs\n1:class A\n2:{\n",
    );
    check(
        folder.path(),
        &GrepQuery { multiline: true, mode: GrepMode::Files, ..GrepQuery::new("A\\r\n") },
        "a.cs\nc.cs\nd.cs\n",
    );
}

#[test]
fn brackets_of_a_glob_are_also_those_of_a_path() {
    let pages =
        ["app/[slug]/page.tsx", "app/[...all]/page.tsx", "app/s/page.tsx", "app/x/page.tsx"];
    let folder = tree(&pages.map(|path| (path, "const x\n")));
    let files = |glob: &str| {
        let scope = SearchScope { globs: vec![glob.to_owned()], ..SearchScope::default() };
        GrepQuery { scope, mode: GrepMode::Files, ..GrepQuery::new("const") }
    };
    check(folder.path(), &files("app/[...all]/**"), "app/[...all]/page.tsx\n");
    check(folder.path(), &files("**/[slug]/*.{ts,tsx}"), "app/[slug]/page.tsx\napp/s/page.tsx\n");
    check(folder.path(), &files("app/[x-z]/*"), "app/x/page.tsx\n");
    check(folder.path(), &files("!app/[slug]/**"), "app/[...all]/page.tsx\napp/x/page.tsx\n");
}

#[test]
fn line_endings_are_no_part_of_lines() {
    let folder = tree(&[("a", "one\r\ntwo\r\n")]);
    check(folder.path(), &GrepQuery::new("one$"), "a\n1:one\n");
    check(folder.path(), &GrepQuery::new(r"\r$"), "a\n1:one\n2:two\n");
    check(
        folder.path(),
        &GrepQuery { multiline: true, ..GrepQuery::new(r"one\s+two") },
        "a\n1:one\n2:two\n",
    );
}

#[test]
fn globs_and_types_choose_files() {
    let folder = tree(&[("src/a.rs", "x"), ("src/b.py", "x"), ("docs/a.md", "x"), ("a.rs", "x")]);
    let query = |scope| GrepQuery { mode: GrepMode::Files, scope, ..GrepQuery::new("x") };
    let base = folder.path();
    check(base, &query(globs(&["*.rs"])), "a.rs\nsrc/a.rs\n");
    check(base, &query(globs(&["/*.rs"])), "a.rs\n");
    check(base, &query(globs(&["./*.rs"])), "a.rs\n");
    check(base, &query(globs(&["src/**"])), "src/a.rs\nsrc/b.py\n");
    check(base, &query(globs(&["*.{py,md}"])), "docs/a.md\nsrc/b.py\n");
    check(base, &query(globs(&["!*.rs"])), "docs/a.md\nsrc/b.py\n");
    check(base, &query(globs(&["!src/"])), "a.rs\ndocs/a.md\n");
    check(base, &query(globs(&["*.rs", "!src/**"])), "a.rs\n");
    check(base, &query(globs(&["*.c"])), "[0 of 0 Files from 0, in 0 of 0 files]\n");
    let types = |names: &[&str]| SearchScope {
        types: names.iter().map(|name| (*name).to_owned()).collect(),
        ..SearchScope::default()
    };
    check(base, &query(types(&["py"])), "src/b.py\n");
    check(base, &query(types(&["py", "rust"])), "a.rs\nsrc/a.rs\nsrc/b.py\n");
    check(base, &query(scope("src")), "src/a.rs\nsrc/b.py\n");
    check(base, &query(scope("./src/")), "src/a.rs\nsrc/b.py\n");
    check(base, &query(scope("src/b.py")), "src/b.py\n");
    check(
        base,
        &query(SearchScope { path: "src".to_owned(), ..globs(&["src/*.rs"]) }),
        "src/a.rs\n",
    );
}

#[test]
fn ignored_and_hidden_files_are_passed_over() {
    let folder = tree(&[
        (".git/config", "x"),
        (".gitignore", "target/\n*.log\n"),
        (".ignore", "skip.txt\n"),
        ("target/a", "x"),
        ("a.log", "x"),
        ("skip.txt", "x"),
        (".env", "x"),
        ("kept", "x"),
    ]);
    let query = |hidden, ignored| GrepQuery {
        mode: GrepMode::Files,
        scope: SearchScope {
            include_hidden: hidden,
            include_ignored: ignored,
            ..SearchScope::default()
        },
        ..GrepQuery::new("x")
    };
    let base = folder.path();
    check(base, &query(false, false), "kept\n");
    check(base, &query(true, false), ".env\n.ignore\nkept\n");
    check(base, &query(false, true), "a.log\nkept\nskip.txt\ntarget/a\n");
    // A glob does not include ignored files.
    let named = GrepQuery { scope: globs(&["*.log", ".env", "kept"]), ..query(false, false) };
    check(base, &named, "kept\n");
}

#[test]
fn binary_files_are_passed_over() {
    let long = [b"x\n".repeat(2 << 20), vec![0]].concat();
    let folder =
        tree(&[("a.bin", b"x\n\0".to_vec()), ("long.bin", long), ("a.txt", b"x\n".to_vec())]);
    let base = folder.path();
    for mode in [GrepMode::Content, GrepMode::Count] {
        let query = GrepQuery { mode, ..GrepQuery::new("x") };
        let answer = grep(base, &open_in(base), &query, &CancelToken::NEVER).expect("an answer");
        assert_eq!(
            (answer.files.len(), answer.skipped.binary, answer.total),
            (1, 2, 1),
            "{mode:?}"
        );
    }
}

#[test]
fn binary_files_are_told_where_nothing_was_found() {
    let folder = tree(&[("a.bin", b"x\0\x01".to_vec()), ("a.txt", b"y\n".to_vec())]);
    let told = "[0 of 0 Hits from 0, in 0 of 1 files]\n[1 binary]\n";
    check(folder.path(), &GrepQuery::new("x"), told);
}

#[test]
fn long_files_are_read_in_parts() {
    let mut long = "some text on a line\n".repeat(400_000);
    long.push_str("the needle\n");
    let folder = tree(&[("a", long)]);
    check(folder.path(), &GrepQuery::new("needle"), "a\n400001:the needle\n");
}

#[test]
fn encodings_are_told_by_their_mark() {
    let wide: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain("aé\nx\n".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let big: Vec<u8> =
        [0xFE, 0xFF].into_iter().chain("é\n".encode_utf16().flat_map(u16::to_be_bytes)).collect();
    let folder = tree(&[
        ("wide", wide),
        ("big", big),
        ("marked", "\u{FEFF}é\n".as_bytes().to_vec()),
        ("latin", b"a\xE9\n".to_vec()),
    ]);
    let found = "big\n1:é\n\nlatin\n1:aé\n\nmarked\n1:é\n\nwide\n1:aé\n";
    check(folder.path(), &GrepQuery::new("é"), found);
    check(folder.path(), &GrepQuery::new("^a"), "latin\n1:aé\n\nwide\n1:aé\n");
}

/// Searches find the text that reading a file shows.
#[test]
fn files_are_searched_as_they_are_read() {
    let old =
        |charset: &'static encoding_rs::Encoding, text: &str| charset.encode(text).0.into_owned();
    let latin = |text: &str| old(encoding_rs::WINDOWS_1252, text);
    let files = [
        ("latin", latin("un r\u{e9}sum\u{e9}\r\nd\u{e9}j\u{e0} vu\r\n")),
        ("japanese", old(encoding_rs::SHIFT_JIS, "これは日本語の文章です。\n二行目\n")),
        (
            "wide",
            "plain words\nund \u{fc}ber\n".encode_utf16().flat_map(u16::to_le_bytes).collect(),
        ),
        ("patched", b"na\xC3\xAFve \xFF x\ncaf\xC3\xA9\n".to_vec()),
        ("binary", b"r\xC3\xA9sum\xC3\xA9\0\x01".to_vec()),
        ("long", latin(&format!("{}r\u{e9}sum\u{e9}\n", "a l\u{ed}ne\n".repeat(400_000)))),
    ];
    let folder = tree(&files);
    let base = folder.path();
    let query = GrepQuery::new("r\u{e9}sum\u{e9}");
    check(base, &query, "latin\n1:un r\u{e9}sum\u{e9}\n\nlong\n400001:r\u{e9}sum\u{e9}\n");
    check(base, &GrepQuery::new("vu$"), "latin\n2:d\u{e9}j\u{e0} vu\n");
    check(base, &GrepQuery::new("^.行目"), "japanese\n2:二行目\n");
    check(base, &GrepQuery::new("\u{fc}b"), "wide\n2:und \u{fc}ber\n");
    check(
        base,
        &GrepQuery::new("words.und"),
        "[0 of 0 Hits from 0, in 0 of 5 files]\n[1 binary]\n",
    );
    let lines = GrepQuery { multiline: true, ..GrepQuery::new("words.und") };
    check(base, &lines, "wide\n1:plain words\n2:und \u{fc}ber\n");
    check(
        base,
        &GrepQuery::new("\u{ef}ve|f\u{e9}"),
        "patched\n1:na\u{ef}ve \u{fffd} x\n2:caf\u{e9}\n",
    );
    let mut all = GrepQuery::new("");
    (all.pattern, all.limit) = ("^".to_owned(), 100);
    for (name, bytes) in &files[..4] {
        let text = foveal_workspace::TextFile::decode(bytes).expect("text");
        let shown: String =
            text.text().lines().zip(1..).map(|(line, at)| format!("{at}:{line}\n")).collect();
        check(base, &GrepQuery { scope: scope(name), ..all.clone() }, &format!("{name}\n{shown}"));
    }
}

#[test]
fn what_is_not_decoded_is_said() {
    let said = |name: &str| format!("[1 as bytes: {name}]\n");
    let long = b"plain text on a line\n".repeat(500_000);
    let folder = tree(&[
        ("start", [b"caf\xE9\n", &*long, b"needle\n"].concat()),
        ("end", [&*long, b"needle caf\xE9\n"].concat()),
        ("letters", [&*long, "\u{e9}\u{20ac}".repeat(100_000).as_bytes()].concat()),
        ("odd", b"needle \xFF\x01\x02\x03\n".to_vec()),
    ]);
    let query = GrepQuery::new("needle");
    let check = |name: &str, found: &str| {
        let query = GrepQuery { scope: scope(name), ..query.clone() };
        check(folder.path(), &query, &format!("{name}\n{found}\n{}", said(name)));
    };
    check("start", "500002:needle");
    check("end", "500001:needle caf\u{fffd}");
    check("odd", "1:needle \u{fffd}\u{1}\u{2}\u{3}");
    let letters = GrepQuery { scope: scope("letters"), ..query.clone() };
    self::check(folder.path(), &letters, "[0 of 0 Hits from 0, in 0 of 1 files]\n");
}

#[test]
fn long_lines_are_cut_around_what_was_found() {
    let folder = tree(&[("a", format!("{}needle{}\n", "ab".repeat(1000), "é".repeat(1000)))]);
    let told = run(folder.path(), &GrepQuery::new("needle"), GrepLayout::Headings);
    assert!(told.starts_with("a\n1:[1880]abab"), "{told}");
    assert!(told.contains("abneedleéé") && told.ends_with("é[1626]\n"), "{told}");
}

#[test]
fn bad_input_is_told() {
    let folder = tree(&[("a/b", "x")]);
    let base = folder.path();
    check(
        base,
        &GrepQuery::new("f("),
        "error: the pattern is not a valid regular expression: regex parse error:\n    f(\n     ^\nerror: unclosed group\n\
         set literal to search for the exact text, or put `\\` before the special character\n",
    );
    check(
        base,
        &GrepQuery::new(""),
        "error: the pattern is empty: give a text or an expression to look for\n",
    );
    let told = run(base, &GrepQuery::new("a\\nb"), GrepLayout::Headings);
    assert!(told.ends_with("set multiline to match across lines\n"), "{told}");
    let told = run(base, &GrepQuery::new("((a{1000}){1000}){1000}"), GrepLayout::Headings);
    assert!(told.starts_with("error: the pattern is not a valid regular expression: "), "{told}");
    let query = |scope| GrepQuery { scope, ..GrepQuery::new("x") };
    for path in ["..", "a/../..", "/etc", "a/../b"] {
        check(
            base,
            &query(scope(path)),
            &format!("error: `{path}` is outside of the folder: give a path in it, without `..`\n"),
        );
    }
    check(
        base,
        &query(scope("none")),
        "error: `none` cannot be accessed: No such file or directory (os error 2)\n",
    );
    check(
        base,
        &query(globs(&["a["])),
        "error: the glob `a[` is not valid: unclosed character class; missing ']'\n",
    );
    check(
        base,
        &query(globs(&["../*"])),
        "error: the glob `../*` is not valid: it leads out of the folder with `..`\n",
    );
    check(base, &query(globs(&[" "])), "error: the glob ` ` is not valid: it is empty\n");
    let types = SearchScope { types: vec!["rus".to_owned()], ..SearchScope::default() };
    check(
        base,
        &query(types),
        "error: there is no file type `rus`: use a glob such as `*.rus`, or one of rust\n",
    );
    let far = GrepQuery { offset: usize::MAX, limit: 2, ..GrepQuery::new("x") };
    assert!(matches!(
        grep(base, &open_in(base), &far, &CancelToken::NEVER),
        Err(FileSearchError::TooFar { .. })
    ));
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let outside = tree(&[("secret", "x")]);
    let folder = tree(&[("a", "x")]);
    let base = folder.path();
    std::os::unix::fs::symlink(outside.path(), base.join("folder")).expect("a link");
    std::os::unix::fs::symlink(outside.path().join("secret"), base.join("file")).expect("a link");
    check(base, &GrepQuery { mode: GrepMode::Files, ..GrepQuery::new("x") }, "a\n");
    for path in ["folder", "folder/secret", "file"] {
        let query = GrepQuery { scope: scope(path), ..GrepQuery::new("x") };
        check(
            base,
            &query,
            &format!("error: `{path}` is outside of the folder: give a path in it, without `..`\n"),
        );
    }
}

#[test]
fn what_cannot_be_read_is_told() {
    let folder = tree(&[("a", "x"), ("b", "x")]);
    let refuse = |path: &Path| {
        if path == Path::new("a") {
            return Err(std::io::Error::other("not allowed here"));
        }
        std::fs::File::open(folder.path().join(path))
    };
    let query = GrepQuery::new("x");
    let answer = grep(folder.path(), &refuse, &query, &CancelToken::NEVER).expect("an answer");
    assert_eq!(
        hits_of(&answer, query.mode, GrepLayout::Headings),
        "b\n1:x\n[1 not read: a (not allowed here)]\n"
    );
}

#[test]
fn a_search_can_be_stopped() {
    let files: Vec<(String, &str)> = (0..200).map(|at| (format!("{at}"), "x")).collect();
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let folder = tree(&files);
    let asked = AtomicUsize::new(0);
    let is_over = || asked.fetch_add(1, Ordering::Relaxed) >= 50;
    let cancel = CancelToken::from_fn(&is_over);
    let result = grep(folder.path(), &open_in(folder.path()), &GrepQuery::new("x"), &cancel);
    assert!(matches!(result, Err(FileSearchError::Cancelled)));
    // Also within one long file.
    let folder = tree(&[("long", "some text\n".repeat(1 << 20))]);
    let asked = AtomicUsize::new(0);
    let is_over = || asked.fetch_add(1, Ordering::Relaxed) >= 10;
    let cancel = CancelToken::from_fn(&is_over);
    let result = grep(folder.path(), &open_in(folder.path()), &GrepQuery::new("x y"), &cancel);
    assert!(matches!(result, Err(FileSearchError::Cancelled)));
    assert!(asked.into_inner() < 20);
    // And in a multiline search.
    let folder = tree(&[("short", "a".repeat(10_000))]);
    let asked = AtomicUsize::new(0);
    let is_over = || asked.fetch_add(1, Ordering::Relaxed) >= 10;
    let query = GrepQuery { multiline: true, ..GrepQuery::new("a.*b|a") };
    let result =
        grep(folder.path(), &open_in(folder.path()), &query, &CancelToken::from_fn(&is_over));
    assert!(matches!(result, Err(FileSearchError::Cancelled)));
}
