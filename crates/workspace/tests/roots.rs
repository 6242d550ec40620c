//! Path resolution.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use foveal_workspace::{NameEquivalence, WorkspaceRoots};
use proptest::prelude::*;
use tempfile::TempDir;

/// Two roots, `one` and `two`, beside a folder that is not a root.
fn workspace() -> (TempDir, WorkspaceRoots) {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    for path in ["one/src/deep", "two", "outside"] {
        fs::create_dir_all(at(path)).unwrap();
    }
    for path in ["one/src/main.rs", "one/src/deep/x.rs", "two/b.rs", "outside/secret"] {
        fs::write(at(path), path).unwrap();
    }
    let roots = WorkspaceRoots::open(&[at("one"), at("two")]).unwrap();
    (folder, roots)
}

/// The place that `path` resolves to, without the folder of the test.
fn said(folder: &TempDir, roots: &WorkspaceRoots, path: &str) -> String {
    let said = match roots.resolve(path) {
        Ok(located) => match located.metadata() {
            Ok(_) => located.display_path().to_owned(),
            Err(error) => error.to_string(),
        },
        Err(error) => error.to_string(),
    };
    said.replace(folder.path().to_str().unwrap(), "@")
}

#[test]
fn paths_lead_below_the_roots() {
    let (folder, roots) = workspace();
    let at = |path: &str| folder.path().join(path);
    symlink("src/deep", at("one/relative")).unwrap();
    symlink(at("one/src"), at("one/absolute")).unwrap();
    symlink("../two/b.rs", at("one/other")).unwrap();
    symlink("relative/x.rs", at("one/chain")).unwrap();
    symlink("src/new.rs", at("one/dangling")).unwrap();
    let absolute = at("one/src/../src/main.rs");
    for (path, expected) in [
        (".", "."),
        ("src/main.rs", "src/main.rs"),
        ("./src//deep/../main.rs", "src/main.rs"),
        ("../one/src/main.rs", "src/main.rs"),
        (absolute.to_str().unwrap(), "src/main.rs"),
        (at("two/b.rs").to_str().unwrap(), "@/two/b.rs"),
        ("../two", "@/two"),
        ("relative/x.rs", "src/deep/x.rs"),
        ("relative/../main.rs", "src/main.rs"),
        ("absolute/main.rs", "src/main.rs"),
        ("other", "@/two/b.rs"),
        ("chain", "src/deep/x.rs"),
        ("missing/../src/main.rs", "src/main.rs"),
        ("dangling", "no such file `src/new.rs`"),
        (r"src/$'ma\x69n.rs'", "src/main.rs"),
        ("$'..'/two/b.rs", "@/two/b.rs"),
        (r"$'\x2e.'/outside", r"`$'\x2e.'/outside` is outside the workspace (`@/one`, `@/two`)"),
        ("$'src/main.rs'", "no such file `$'$\\'src'/main.rs'`"),
        (
            r"$'..\x2foutside'",
            r"`$'..\x2foutside'` is not a valid file name: the escapes in `$'…'` are `\\`, `\'`, `\n`, `\r`, `\t` and `\xHH`, and a slash is not allowed",
        ),
        ("src/mian.rs", "no such file `src/mian.rs`; did you mean `src/main.rs`?"),
        ("scr/main.rs", "no such file `scr/main.rs`; did you mean `src/main.rs`?"),
        ("src/Deep/y", "no such file `src/Deep/y`; did you mean `src/deep`?"),
        (r"src\main.rs", r"no such file `src\main.rs`; did you mean `src/main.rs`?"),
        ("src/main.rs/x", "`src/main.rs` is not a folder, so there is no `src/main.rs/x`"),
        ("../outside", "`../outside` is outside the workspace (`@/one`, `@/two`)"),
        ("/etc/passwd", "`/etc/passwd` is outside the workspace (`@/one`, `@/two`)"),
    ] {
        assert_eq!(said(&folder, &roots, path), expected, "{path}");
    }
    assert_eq!(roots.resolve("chain").unwrap().followed_link(), Some("relative"));
    assert_eq!(roots.resolve("src").unwrap().followed_link(), None);
}

#[test]
fn equal_files_share_a_key() {
    let (folder, roots) = workspace();
    symlink("src", folder.path().join("one/link")).unwrap();
    let key = |path: &str| roots.resolve(path).unwrap().path_key();
    assert_eq!(key("src/main.rs"), key("link/./main.rs"));
    assert_ne!(key("src/main.rs"), key("src/deep/x.rs"));
    // One letter in two Unicode forms is two names.
    assert_ne!(key("caf\u{e9}"), key("cafe\u{301}"));
    // Unless the file system treats them as equal.
    let names = NameEquivalence { ignores_case: true, ignores_form: true };
    let roots =
        WorkspaceRoots::open_with_name_equivalence(&[folder.path().join("one")], names).unwrap();
    let key = |path: &str| roots.resolve(path).unwrap().path_key();
    assert_eq!(key("caf\u{e9}"), key("CAFE\u{301}"));
    assert_ne!(key("caf\u{e9}"), key("cafe"));
}

#[test]
fn relative_paths_start_at_the_working_directory() {
    let (folder, roots) = workspace();
    let deeper = roots.with_working_directory("src/deep").unwrap();
    assert_eq!(said(&folder, &deeper, "x.rs"), "x.rs");
    assert_eq!(said(&folder, &deeper, "../main.rs"), "@/one/src/main.rs");
    assert_eq!(
        said(&folder, &deeper, "y.rs"),
        "no such file `y.rs` in `src/deep/`; did you mean `x.rs`?"
    );
    assert_eq!(
        said(&folder, &deeper, "../mian.rs"),
        "no such file `@/one/src/mian.rs`; did you mean `@/one/src/main.rs`?"
    );
    assert_eq!(said(&folder, &deeper, "x.rs/y"), "`x.rs` is not a folder, so there is no `x.rs/y`");
    // Rules and records name a file by one path.
    assert_eq!(deeper.resolve("x.rs").unwrap().rule_path(), "src/deep/x.rs");
    assert_eq!(deeper.working_directory(), roots.resolve("src/deep").unwrap().absolute_path());
    for folder in ["src/main.rs", "missing", ".."] {
        assert!(roots.with_working_directory(folder).is_err(), "{folder}");
    }
}

#[test]
fn a_root_may_be_given_by_a_link() {
    let (folder, _) = workspace();
    let link = folder.path().join("link");
    symlink(folder.path().join("one"), &link).unwrap();
    let roots = WorkspaceRoots::open(&[&link]).unwrap();
    let path = link.join("src/main.rs");
    assert_eq!(said(&folder, &roots, path.to_str().unwrap()), "src/main.rs");
}

#[test]
fn roots_that_go_away_are_said() {
    let (folder, roots) = workspace();
    let two = folder.path().join("two");
    fs::rename(&two, folder.path().join("three")).unwrap();
    assert_eq!(
        said(&folder, &roots, "src/main.rs"),
        "the workspace folder `@/two` was removed or cannot be reached any more"
    );
    fs::create_dir(&two).unwrap();
    assert_eq!(
        said(&folder, &roots, "src/main.rs"),
        "the workspace folder `@/two` was replaced by another one; start a new session to use it"
    );
    assert_eq!(
        WorkspaceRoots::open(&[Path::new("/no/such")]).unwrap_err().to_string(),
        "no such file `/no/such`"
    );
}

/// File names, some of which look like something else.
fn names() -> impl Strategy<Value = OsString> {
    let plain = prop::sample::select(vec![
        "a", "b.rs", "~", "C:", "a b", "$'x'", "\\\\s", "\u{e9}", "-", "a\nb", "it's", "...", "x:",
    ]);
    prop_oneof![
        4 => plain.prop_map(OsString::from),
        1 => prop::collection::vec(prop::sample::select(vec![b'a', 0xff, b'\'', b'\\']), 1..4)
            .prop_map(OsString::from_vec),
    ]
}

fn paths() -> impl Strategy<Value = PathBuf> {
    prop::collection::vec(names(), 1..4).prop_map(|names| names.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_path_that_is_told_leads_back_to_its_file(
        files in prop::collection::vec((0..3usize, paths()), 1..8),
        from in any::<prop::sample::Index>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        // The third root is in the second.
        let roots = [folder.path().join("one"), folder.path().join("two"), folder.path().join("two/a")];
        roots.iter().for_each(|root| fs::create_dir_all(root).unwrap());
        let opened = WorkspaceRoots::open(&roots).unwrap();
        let mut all: Vec<PathBuf> = opened.all().map(|root| root.path().to_owned()).collect();
        for (root, path) in &files {
            let path = all[*root].join(path);
            // A file cannot contain other files.
            if fs::create_dir_all(path.parent().unwrap()).is_ok() && !path.is_dir() && fs::write(&path, "").is_ok() {
                all.extend(path.ancestors().take_while(|path| *path != folder.path()).map(Path::to_owned));
            }
        }
        all.retain(|path| opened.all().any(|root| path.starts_with(root.path())));
        let folders: Vec<&PathBuf> = all.iter().filter(|path| path.is_dir()).collect();
        let first = |path: &Path| {
            let root = opened.all().find(|root| path.starts_with(root.path())).unwrap();
            opened.path_below(root, path.strip_prefix(root.path()).unwrap())
        };
        let working = first(folders[from.index(folders.len())]);
        let moved = opened.with_working_directory(working.display_path()).unwrap();
        prop_assert_eq!(moved.working_directory(), working.absolute_path());
        for path in &all {
            let located = first(path);
            let told = moved.display_path_below(located.root(), located.relative_path());
            let back = moved.resolve(&told).unwrap();
            prop_assert_eq!(&back.absolute_path(), path, "{}", told);
            prop_assert_eq!(back.display_path(), &told);
            prop_assert_eq!(back.rule_path(), located.rule_path());
            prop_assert_eq!(told.starts_with('/'), !path.starts_with(working.absolute_path()));
            prop_assert!(!told.chars().any(char::is_control), "{}", told);
        }
    }
}
