//! Finding files by path, listing folders, and detection of changes.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use foveal_transcript::CancelToken;
use foveal_workspace::file_search::{
    FileSearchError, GlobOrder, GlobQuery, ListQuery, SearchScope, glob, is_tree_unchanged,
    list_folder,
};
use proptest::prelude::*;

use super::{entries_of, paths_of, tree};

fn find(base: &Path, globs: &[&str]) -> GlobQuery {
    assert!(base.is_dir());
    let globs = globs.iter().map(|glob| (*glob).to_owned()).collect();
    let scope = SearchScope { globs, ..SearchScope::default() };
    GlobQuery { scope, order: GlobOrder::Path, offset: 0, limit: 100 }
}

#[track_caller]
fn check_glob(base: &Path, query: &GlobQuery, expected: &str) {
    let told = match glob(base, query, &CancelToken::NEVER) {
        Ok(answer) => paths_of(&answer),
        Err(error) => format!("error: {error}\n"),
    };
    assert_eq!(told, expected);
}

#[test]
fn files_are_found_by_the_form_of_their_path() {
    let folder = tree(&[
        ("src/a.rs", ""),
        ("src/deep/b.rs", ""),
        ("a.rs", ""),
        (".hidden.rs", ""),
        ("c.md", ""),
    ]);
    let base = folder.path();
    check_glob(base, &find(base, &["*.rs"]), "a.rs\nsrc/a.rs\nsrc/deep/b.rs\n");
    check_glob(base, &find(base, &["**/*.rs"]), "a.rs\nsrc/a.rs\nsrc/deep/b.rs\n");
    check_glob(base, &find(base, &["src/*.rs"]), "src/a.rs\n");
    check_glob(base, &find(base, &["src/**/*.rs"]), "src/a.rs\nsrc/deep/b.rs\n");
    check_glob(base, &find(base, &["*.{rs,md}", "!src/**"]), "a.rs\nc.md\n");
    check_glob(base, &find(base, &["*.c"]), "[0 of 0 from 0]\n");
    // In a folder, globs apply to paths relative to it.
    let mut query = find(base, &["deep/*.rs"]);
    query.scope.path = "src".to_owned();
    check_glob(base, &query, "src/deep/b.rs\n");
    check_glob(
        base,
        &find(base, &["{a"]),
        "error: the glob `{a` is not valid: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)\n",
    );
}

#[test]
fn names_that_are_no_text_are_spelled_and_counted() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tree(&[("a", ""), ("b\nc/d", "")]);
    let base = folder.path();
    fs::write(base.join(std::ffi::OsStr::from_bytes(b"caf\xe9")), "").expect("a file");
    check_glob(base, &find(base, &["*"]), "$'b\\nc'/d\n$'caf\\xe9'\na\n");
    let page = GlobQuery { limit: 2, offset: 2, ..find(base, &["*"]) };
    check_glob(base, &page, "a\n[1 of 3 from 2]\n");
    assert_eq!(
        show(base, "", 2, 9),
        "./ (3 files)\n  $'b\\nc'/ (1 file)\n    d 0 B\n  $'caf\\xe9' 0 B\n  a 0 B\n"
    );
    assert_eq!(show(base, "$'b\\nc'", 2, 9), "$'b\\nc'/ (1 file)\n  d 0 B\n");
}

#[test]
fn rules_count_without_git_too() {
    let folder = tree(&[
        (".gitignore", "skip\n"),
        ("skip/a", ""),
        ("b", ""),
        ("c/skip", ""),
        ("c/.gitignore", "!skip\n"),
        ("d/e", ""),
        ("d/.rgignore", "e\n"),
    ]);
    check_glob(folder.path(), &find(folder.path(), &["*"]), "b\nc/skip\n");
    let mut below = find(folder.path(), &["*"]);
    below.scope.path = "c".to_owned();
    check_glob(folder.path(), &below, "c/skip\n");
}

#[test]
fn folders_are_left_out() {
    let folder = tree(&[("a/b/c", ""), ("a/d", ""), ("b/e", "")]);
    let mut query = find(folder.path(), &["*"]);
    query.scope.excluded_folders = vec!["a/b".into()];
    check_glob(folder.path(), &query, "a/d\nb/e\n");
}

#[test]
fn files_are_given_by_the_page() {
    let folder = tree(&[("a", ""), ("b", ""), ("c", "")]);
    let base = folder.path();
    let page = |offset, limit| GlobQuery { offset, limit, ..find(base, &["*"]) };
    check_glob(base, &page(0, 2), "a\nb\n[2 of 3 from 0, next from 2]\n");
    check_glob(base, &page(2, 2), "c\n[1 of 3 from 2]\n");
    check_glob(base, &page(5, 2), "[0 of 3 from 5]\n");
    let far = page(usize::MAX, 1);
    assert!(matches!(glob(base, &far, &CancelToken::NEVER), Err(FileSearchError::TooFar { .. })));
    assert!(matches!(
        glob(base, &page(0, 1), &CancelToken::from_fn(&|| true)),
        Err(FileSearchError::Cancelled)
    ));
}

fn set_time(path: &Path, seconds: u64) {
    let file = File::options().write(true).open(path).expect("a file");
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).expect("a time");
}

#[test]
fn the_last_changed_come_first_where_that_is_asked() {
    let folder = tree(&[("a", ""), ("b", ""), ("c", "")]);
    let base = folder.path();
    for (path, seconds) in [("a", 2000), ("b", 3000), ("c", 2000)] {
        set_time(&base.join(path), seconds);
    }
    let query = GlobQuery { order: GlobOrder::Newest, limit: 2, ..find(base, &["*"]) };
    check_glob(base, &query, "b\na\n[2 of 3 from 0, next from 2]\n");
}

fn show(base: &Path, path: &str, depth: usize, limit: usize) -> String {
    let scope = SearchScope { path: path.to_owned(), ..SearchScope::default() };
    match list_folder(base, &ListQuery { scope, depth, limit }, &CancelToken::NEVER) {
        Ok(answer) => entries_of(&answer),
        Err(error) => format!("error: {error}\n"),
    }
}

#[test]
fn a_folder_is_shown_as_a_tree() {
    let folder = tree(&[
        ("b.txt", "x".repeat(1500)),
        ("a/one", "12".to_owned()),
        ("a/deep/two", "3".repeat(23_400_000)),
        ("a/deep/three", String::new()),
        ("empty/", String::new()),
        (".git/config", String::new()),
        (".gitignore", "skip\n".to_owned()),
        ("skip/b", String::new()),
    ]);
    let base = folder.path();
    assert_eq!(
        show(base, "", 3, 100),
        "./ (4 files)\n  a/ (3 files)\n    deep/ (2 files)\n      three 0 B\n      two 23 MB\n    one 2 B\n  empty/ (0 files)\n  b.txt 1.5 kB\n",
    );
    assert_eq!(
        show(base, "", 1, 100),
        "./ (4 files)\n  a/ (3 files)\n  empty/ (0 files)\n  b.txt 1.5 kB\n"
    );
    assert_eq!(show(base, "a", 1, 100), "a/ (3 files)\n  deep/ (2 files)\n  one 2 B\n");
    // Omitted entries are counted, lower levels first.
    assert_eq!(
        show(base, "", 3, 4),
        "./ (4 files)\n  a/ (3 files, 1 more entry here)\n    deep/ (2 files)\n  empty/ (0 files)\n  b.txt 1.5 kB\n"
    );
    assert_eq!(show(base, "", 3, 1), "./ (4 files)\n  a/ (3 files)\n[2 more]\n");
    assert_eq!(show(base, "b.txt", 1, 9), "error: `b.txt` is a file, not a folder\n");
    assert_eq!(
        show(base, "../", 1, 9),
        "error: `../` is outside of the folder: give a path in it, without `..`\n"
    );
}

#[test]
fn a_list_can_be_stopped() {
    let folder = tree(&[("a", ""), ("b", "")]);
    let query = ListQuery { scope: SearchScope::default(), depth: 1, limit: 9 };
    assert!(matches!(
        list_folder(folder.path(), &query, &CancelToken::from_fn(&|| true)),
        Err(FileSearchError::Cancelled)
    ));
}

/// Returns whether nothing changed in `base` since `since`.
fn same(base: &Path, since: SystemTime) -> bool {
    is_tree_unchanged(base, &SearchScope::default(), since, &CancelToken::NEVER)
        .expect("the scope is there")
}

/// Returns a time after which changes get later timestamps.
fn settled() -> SystemTime {
    std::thread::sleep(Duration::from_millis(60));
    let now = SystemTime::now();
    std::thread::sleep(Duration::from_millis(30));
    now
}

#[test]
fn every_change_of_a_tree_is_noticed() {
    let folder = tree(&[
        ("a", "1"),
        ("b/c", "2"),
        ("d", "3"),
        (".gitignore", "skip\n"),
        (".git/", ""),
        ("skip", ""),
    ]);
    let base = folder.path();
    assert!(!same(base, SystemTime::now()), "just made");
    let since = settled();
    assert!(same(base, since));
    // Ignored files are not part of an answer.
    fs::write(base.join("skip"), "changed").expect("a file");
    assert!(same(base, since));
    let steps: [&dyn Fn(); 8] = [
        &|| fs::write(base.join("a"), "12").expect("a file"),
        &|| fs::write(base.join("e"), "").expect("a file"),
        &|| fs::rename(base.join("e"), base.join("f")).expect("a file"),
        &|| set_time(&base.join("d"), 1000),
        &|| fs::create_dir(base.join("g")).expect("a folder"),
        &|| fs::remove_file(base.join("b/c")).expect("a file"),
        &|| fs::write(base.join(".gitignore"), "").expect("a file"),
        &|| fs::rename(base.join("f"), base.join("a")).expect("a file"),
    ];
    for (at, step) in steps.iter().enumerate() {
        let since = settled();
        assert!(same(base, since), "before step {at}");
        step();
        assert!(!same(base, since), "step {at}");
    }
}

#[test]
fn one_file_is_a_scope_too() {
    let folder = tree(&[("a", "1"), ("b", "2")]);
    let scope = SearchScope { path: "a".to_owned(), ..SearchScope::default() };
    let since = settled();
    let same =
        || is_tree_unchanged(folder.path(), &scope, since, &CancelToken::NEVER).expect("a file");
    fs::write(folder.path().join("b"), "3").expect("a file");
    assert!(same());
    fs::write(folder.path().join("a"), "3").expect("a file");
    assert!(!same());
    fs::remove_file(folder.path().join("a")).expect("a file");
    assert!(is_tree_unchanged(folder.path(), &scope, since, &CancelToken::NEVER).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn pages_of_names_make_up_the_whole(
        names in prop::collection::btree_set("[ab]{1,2}(/[a.]b?){0,3}", 0..20),
        size in 1..7usize,
    ) {
        let folder = tree::<&str>(&[]);
        for name in &names {
            let path = folder.path().join(name);
            // A name that is a folder already, or is below a file, is skipped.
            if path.components().all(|part| part.as_os_str() != ".") && fs::create_dir_all(path.parent().expect("a folder")).is_ok() {
                let _ = fs::write(path, "");
            }
        }
        let whole = glob(folder.path(), &find(folder.path(), &["**"]), &CancelToken::NEVER).expect("an answer");
        prop_assert!(whole.paths.windows(2).all(|pair| Path::new(&pair[0]) < Path::new(&pair[1])));
        let mut paged = Vec::new();
        let mut offset = Some(0);
        while let Some(at) = offset {
            let query = GlobQuery { offset: at, limit: size, ..find(folder.path(), &["**"]) };
            let page = glob(folder.path(), &query, &CancelToken::NEVER).expect("an answer");
            offset = page.next_offset();
            paged.extend(page.paths);
        }
        prop_assert_eq!(&paged, &whole.paths);
        // A list without a limit contains every entry.
        let query = ListQuery { scope: SearchScope::default(), depth: 64, limit: 1000 };
        let listed = list_folder(folder.path(), &query, &CancelToken::NEVER).expect("an answer");
        prop_assert_eq!(listed.files, whole.total);
        prop_assert_eq!(listed.left_out, 0);
        prop_assert_eq!(listed.entries.len() as u64, listed.files + listed.folders);
        // With a limit, shown and omitted entries add up.
        let query = ListQuery { limit: size, ..query };
        let listed = list_folder(folder.path(), &query, &CancelToken::NEVER).expect("an answer");
        prop_assert!(listed.entries.len() <= size);
        let top = listed.entries.iter().filter(|entry| entry.level == 1).count() as u64;
        let full = fs::read_dir(folder.path()).expect("a folder").count() as u64;
        let hidden = fs::read_dir(folder.path()).expect("a folder").flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with('.')).count() as u64;
        prop_assert_eq!(top + listed.left_out, full - hidden);
    }
}
