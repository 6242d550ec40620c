//! Files ignored by `.gitignore` and the like, and hostile files in place of the rules.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use foveal_transcript::CancelToken;
use foveal_workspace::file_search::{GlobOrder, GlobQuery, SearchScope, glob, visible_files};
use ignore::WalkBuilder;
use proptest::prelude::*;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::tree;

/// Far longer than any walk here takes; a walk that blocks on a pipe never ends.
const PATIENCE: Duration = Duration::from_secs(60);

/// The files of `base` that a search examines, and those that it reports as skipped.
fn found(base: &Path, scope: SearchScope) -> (BTreeSet<String>, Vec<(String, String)>) {
    let (sender, receiver) = mpsc::channel();
    let base = base.to_owned();
    thread::spawn(move || {
        let scope = SearchScope { globs: vec!["**/*".to_owned()], ..scope };
        let query = GlobQuery { scope, order: GlobOrder::Path, offset: 0, limit: 1_000 };
        let answer = glob(&base, &query, &CancelToken::NEVER).expect("an answer");
        let passed = answer.skipped.reasons;
        let _gone = sender.send((answer.paths.into_iter().collect(), passed));
    });
    receiver.recv_timeout(PATIENCE).expect("the walk ends")
}

fn named(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn only_regular_files_are_rules() {
    let rules = tree(&[("rules", "*.rs\n")]);
    for name in [".gitignore", ".ignore", ".rgignore"] {
        for hostile in ["a pipe", "a device", "a folder", "a link"] {
            let folder = tree(&[("in/a.rs", "x"), ("b.rs", "x"), ("in/.gitignore", "c*\n")]);
            let base = folder.path();
            let place = base.join(name);
            match hostile {
                "a pipe" => mknodat(CWD, &place, FileType::Fifo, Mode::RWXU, 0).expect("a pipe"),
                // Reading it ends at once, so that a failure does not fill the memory.
                "a device" => symlink("/dev/null", &place).expect("a link"),
                "a folder" => fs::create_dir(&place).expect("a folder"),
                _ => symlink(rules.path().join("rules"), &place).expect("a link"),
            }
            let (paths, passed) = found(base, SearchScope::default());
            assert_eq!(paths, named(&["b.rs", "in/a.rs"]), "{name} as {hostile}");
            let [(path, why)] = &passed[..] else { panic!("{name} as {hostile}: {passed:?}") };
            assert_eq!(path, name);
            assert!(why.contains("its rules are ignored"), "{why}");
            assert_eq!(visible_files(base, None, 9).count(), 2, "{name} as {hostile}");
        }
    }
}

#[test]
fn a_clone_is_no_way_around() {
    let folder = tree(&[(".git/info/x", ""), ("a.rs", "x")]);
    mknodat(CWD, folder.path().join(".git/info/exclude"), FileType::Fifo, Mode::RWXU, 0)
        .expect("a pipe");
    assert_eq!(found(folder.path(), SearchScope::default()).0, named(&["a.rs"]));

    // The `.git` of an additional worktree is a file with the path of the clone.
    let clone = tree(&[("info/exclude", "b.rs\n"), ("worktrees/w/commondir", "../..\n")]);
    let named_place = format!("gitdir: {}/worktrees/w\n", clone.path().display());
    let folder = tree(&[(".git", &*named_place), ("a.rs", "x"), ("b.rs", "x")]);
    assert_eq!(found(folder.path(), SearchScope::default()).0, named(&["a.rs"]));
    let common = clone.path().join("worktrees/w/commondir");
    fs::remove_file(&common).expect("it was there");
    mknodat(CWD, &common, FileType::Fifo, Mode::RWXU, 0).expect("a pipe");
    assert_eq!(found(folder.path(), SearchScope::default()).0, named(&["a.rs", "b.rs"]));
}

#[test]
fn rules_have_a_limit() {
    let long = "*.rs\n".repeat(60_000);
    let many = "*.rs\n".repeat(50_001);
    let longest = "# 2345678\n*.rs\n".repeat(17_000);
    for (text, is_read) in [(&long, false), (&many, false), (&longest, true)] {
        let folder = tree(&[(".gitignore", text.as_str()), ("a.rs", "x")]);
        let (paths, passed) = found(folder.path(), SearchScope::default());
        assert_eq!((paths.is_empty(), passed.is_empty()), (is_read, is_read), "{}", text.len());
    }
}

/// Dotfiles in a home folder whose repository ignores everything, with projects below.
#[test]
fn rules_of_a_repository_end_at_a_repository_inside() {
    let folder = tree(&[
        (".gitignore", "*\n"),
        (".git/info/exclude", "*.py\n"),
        ("notes.txt", "x"),
        ("code/proj/.git/HEAD", "ref: refs/heads/main\n"),
        ("code/proj/b.py", "x"),
        ("code/proj/bin/a.py", "x"),
        ("code/proj/bin/.gitignore", "own\n"),
        ("code/proj/bin/own", "x"),
        ("code/sub/.git", "gitdir: ../../.git/modules/sub\n"),
        ("code/sub/c.py", "x"),
    ]);
    let base = folder.path();
    for (below, names) in
        [("code/proj", vec!["b.py", "bin/a.py"]), ("code/sub", vec!["c.py"]), ("", vec![])]
    {
        let below = base.join(below);
        assert_eq!(found(&below, SearchScope::default()).0, named(&names), "{}", below.display());
        let visible: BTreeSet<PathBuf> = visible_files(&below, None, 9).collect();
        let expected: BTreeSet<PathBuf> = names.iter().map(|name| below.join(name)).collect();
        assert_eq!(visible, expected);
    }
    // The ignore rules of the outer repository do not apply in a submodule that is not ignored
    // itself.
    fs::write(base.join(".gitignore"), "c.py\nb.py\nnotes.txt\n").expect("a file");
    fs::write(base.join(".git/info/exclude"), "bin\n").expect("a file");
    let all = ["code/proj/b.py", "code/proj/bin/a.py", "code/sub/c.py"];
    assert_eq!(found(base, SearchScope::default()).0, named(&all));
    // `.ignore` does not belong to git, and applies as far as in ripgrep.
    fs::write(base.join(".ignore"), "b.py\n").expect("a file");
    assert_eq!(found(base, SearchScope::default()).0, named(&all[1..]));
}

/// Rules that have an effect in the trees below.
fn rule() -> impl Strategy<Value = String> {
    let pattern = prop::sample::select(vec![
        "a", "b", "*.c", "a/", "/a", "a/b", "**/b", "b/**", ".h", "*", ".*", "d*", "", "# a", "[",
    ]);
    (any::<bool>(), pattern).prop_map(|(not, text)| format!("{}{text}", if not { "!" } else { "" }))
}

fn paths() -> impl Strategy<Value = Vec<String>> {
    let part = prop::sample::select(vec!["a", "b", "x.c", ".h", "dd", "y.rs"]);
    let path = prop::collection::vec(part, 1..4).prop_map(|parts| parts.join("/"));
    prop::collection::vec(path, 1..12)
}

type RuleFile = (usize, usize, Vec<String>);

fn rule_files() -> impl Strategy<Value = Vec<RuleFile>> {
    let rules = prop::collection::vec(rule(), 0..5);
    prop::collection::vec((0..12_usize, 0..4_usize, rules), 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Without hostile files, exactly the files that ripgrep's own walk ignores are ignored.
    #[test]
    fn rules_mean_what_they_mean_to_ripgrep(
        paths in paths(),
        rules in rule_files(),
        hidden: bool,
        with_types: bool,
        below: bool,
        git: bool,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path();
        if git {
            fs::create_dir(base.join(".git")).expect("a folder");
        }
        for path in &paths {
            let full = base.join(path);
            // A file may be in the place of a folder; such paths are skipped.
            if fs::create_dir_all(full.parent().expect("in the folder")).is_ok() {
                let _folder = fs::write(full, "x");
            }
        }
        // Without a repository around them, ripgrep's walk recognizes no repositories at all.
        for (at, kind, lines) in rules.iter().filter(|(_, kind, _)| git || *kind < 3) {
            let mut place = base.to_owned();
            place.extend(paths.get(*at).and_then(|path| Path::new(path).parent()));
            let name = [".rgignore", ".ignore", ".gitignore", ".git/info/exclude"][*kind];
            let full = place.join(name);
            if fs::create_dir_all(full.parent().expect("in the folder")).is_ok() {
                let _folder = fs::write(full, lines.join("\n"));
            }
        }
        let top = if below && base.join("a").is_dir() { "a" } else { "" };
        let types = if with_types { vec!["rust".to_owned()] } else { Vec::new() };
        let scope = SearchScope { include_hidden: hidden, types, path: top.to_owned(), ..SearchScope::default() };
        let expected = by_ripgrep(base, &scope, git);
        prop_assert_eq!(found(base, scope).0, expected);
    }
}

fn by_ripgrep(base: &Path, scope: &SearchScope, git: bool) -> BTreeSet<String> {
    let mut builder = WalkBuilder::new(base.join(&scope.path));
    builder.hidden(!scope.include_hidden).require_git(git).add_custom_ignore_filename(".rgignore");
    if !scope.types.is_empty() {
        let mut types = ignore::types::TypesBuilder::new();
        types.add_defaults().select("rust");
        builder.types(types.build().expect("known types"));
    }
    builder.filter_entry(|entry| entry.file_name() != ".git");
    let entries = builder.build().map(|entry| entry.expect("it can be read"));
    let files = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let relative = |path: PathBuf| path.strip_prefix(base).expect("below").display().to_string();
    files.map(|entry| relative(entry.into_path())).collect()
}
