//! Replacement of files without loss.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileExt as _, MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use foveal_transcript::{CancelToken, ContentHash};
use foveal_workspace::{
    FileFreshness, FileWriter, ResolvedPath, WorkspaceRoots, WriteError, WriteNotice, WriteOutcome,
};
use rustix::fs::XattrFlags;
use tempfile::TempDir;

use crate::child_process::{begin, output};

fn replace_if(
    located: &ResolvedPath,
    expected: &ContentHash,
    bytes: &[u8],
    cancel: &CancelToken<'_>,
) -> Result<WriteOutcome, WriteError> {
    FileWriter::default().compare_and_replace(located, expected, bytes, cancel)
}

fn create(
    located: &ResolvedPath,
    bytes: &[u8],
    cancel: &CancelToken<'_>,
) -> Result<WriteOutcome, WriteError> {
    FileWriter::default().create_file(located, bytes, cancel)
}

fn workspace(files: &[(&str, &str)]) -> (TempDir, WorkspaceRoots) {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let roots = WorkspaceRoots::open(&[folder.path()]).unwrap();
    (folder, roots)
}

/// Every file below `folder` with its content; the names of folders end with `/`.
fn tree(folder: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_symlink() {
            all.insert(name, format!("-> {}", fs::read_link(&path).unwrap().display()));
        } else if path.is_dir() {
            let below = tree(&path).into_iter();
            all.extend(below.map(|(below, content)| (format!("{name}/{below}"), content)));
            all.insert(format!("{name}/"), String::new());
        } else {
            all.insert(name, String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned());
        }
    }
    all
}

fn check_tree(folder: &TempDir, expected: &[(&str, &str)]) {
    let expected = expected.iter().map(|(path, content)| ((*path).into(), (*content).into()));
    assert_eq!(tree(folder.path()), expected.collect());
}

#[test]
fn a_file_is_replaced_only_while_it_holds_what_is_expected() {
    let (folder, roots) = workspace(&[("a", "old")]);
    let a = roots.resolve("a").unwrap();
    let written =
        replace_if(&a, &ContentHash::from_content(b"old"), b"new", &CancelToken::NEVER).unwrap();
    assert_eq!(written.before.as_deref(), Some(&b"old"[..]));
    assert_eq!(written.notes, []);
    assert!(matches!(
        written.version.check_freshness(&a, &CancelToken::NEVER).unwrap(),
        FileFreshness::Same(_)
    ));
    let error = replace_if(&a, &ContentHash::from_content(b"old"), b"newer", &CancelToken::NEVER)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`a` was changed since it was read; read it again before changing it"
    );
    // Of the same length, and written so soon that the times may be equal.
    fs::write(folder.path().join("a"), "nex").unwrap();
    assert_eq!(
        written.version.check_freshness(&a, &CancelToken::NEVER).unwrap(),
        FileFreshness::Changed
    );
    check_tree(&folder, &[("a", "nex")]);
}

#[test]
fn a_change_by_someone_else_meanwhile_is_kept() {
    let (mut kept, mut replaced) = (0, 0);
    for moment in 0..6 {
        let (folder, roots) = workspace(&[("a", "old")]);
        let asked = AtomicUsize::new(0);
        let other_writer = || {
            if asked.fetch_add(1, Ordering::Relaxed) == moment {
                fs::write(folder.path().join("a"), "by someone else").unwrap();
            }
            false
        };
        let a = roots.resolve("a").unwrap();
        match replace_if(
            &a,
            &ContentHash::from_content(b"old"),
            b"new",
            &CancelToken::from_fn(&other_writer),
        ) {
            Ok(_) => {
                assert!(asked.into_inner() <= moment);
                check_tree(&folder, &[("a", "new")]);
                replaced += 1;
            }
            Err(error) => {
                assert!(matches!(error, WriteError::Changed { .. }), "{error}");
                check_tree(&folder, &[("a", "by someone else")]);
                kept += 1;
            }
        }
    }
    assert!(kept >= 3 && replaced >= 1, "{kept} {replaced}");
}

#[test]
fn mode_and_link_are_kept_and_other_names_noted() {
    let (folder, roots) = workspace(&[("real/tool.sh", "old")]);
    let at = |path: &str| folder.path().join(path);
    symlink("real/tool.sh", at("link")).unwrap();
    fs::set_permissions(at("real/tool.sh"), fs::Permissions::from_mode(0o751)).unwrap();
    fs::hard_link(at("real/tool.sh"), at("other")).unwrap();
    let before = fs::metadata(at("real/tool.sh")).unwrap();
    let link = roots.resolve("link").unwrap();
    let written =
        replace_if(&link, &ContentHash::from_content(b"old"), b"new", &CancelToken::NEVER).unwrap();
    assert_eq!(
        written.notes,
        [
            WriteNotice::ThroughLink { link: "link".to_owned() },
            WriteNotice::OtherNames { count: 1 }
        ]
    );
    let after = fs::metadata(at("real/tool.sh")).unwrap();
    assert_eq!(
        (after.mode(), after.uid(), after.gid()),
        (before.mode(), before.uid(), before.gid())
    );
    check_tree(
        &folder,
        &[("link", "-> real/tool.sh"), ("other", "old"), ("real/", ""), ("real/tool.sh", "new")],
    );
}

#[test]
fn extended_attributes_are_kept() {
    let (folder, roots) = workspace(&[("a.txt", "old")]);
    let path = folder.path().join("a.txt");
    let set = |name: &str| rustix::fs::setxattr(&path, name, b"kept", XattrFlags::empty());
    if let Err(error) = set("user.origin") {
        eprintln!("skipped: the file system has no extended attributes ({error})");
        return;
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let file = roots.resolve("a.txt").unwrap();
    replace_if(&file, &ContentHash::from_content(b"old"), b"new", &CancelToken::NEVER).unwrap();
    let mut value = [0; 16];
    let length = rustix::fs::getxattr(&path, "user.origin", &mut value).unwrap();
    assert_eq!(&value[..length], b"kept");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o640);
}

#[test]
fn new_files_come_with_their_folders_and_never_over_others() {
    let (folder, roots) = workspace(&[("a", "old")]);
    let new = roots.resolve("deep/er/new").unwrap();
    assert_eq!(create(&new, b"one", &CancelToken::NEVER).unwrap().before, None);
    for (path, expected) in [
        ("deep/er/new", "`deep/er/new` already exists; edit it, or read it before replacing it"),
        ("deep/er", "`deep/er` already exists; edit it, or read it before replacing it"),
        (".", "`.` is a folder, which cannot be written"),
    ] {
        let located = roots.resolve(path).unwrap();
        assert_eq!(
            create(&located, b"two", &CancelToken::NEVER).unwrap_err().to_string(),
            expected
        );
    }
    check_tree(&folder, &[("a", "old"), ("deep/", ""), ("deep/er/", ""), ("deep/er/new", "one")]);
    let stopped = roots.resolve("x/y/z").unwrap();
    let error = create(&stopped, b"one", &CancelToken::from_fn(&|| true)).unwrap_err();
    assert_eq!(error.to_string(), "stopped before writing `x/y/z`; nothing was changed");
    assert!(!folder.path().join("x").exists());
    assert_eq!(
        FileWriter::default()
            .compare_and_remove(&new, &ContentHash::from_content(b"one"), &CancelToken::NEVER)
            .unwrap(),
        b"one"
    );
    assert!(!folder.path().join("deep/er/new").exists());
}

#[test]
fn what_cannot_be_written_is_said_and_leaves_nothing_behind() {
    let (folder, roots) = workspace(&[("read-only", "old"), ("a", "old")]);
    let mode = |mode| fs::Permissions::from_mode(mode);
    fs::set_permissions(folder.path().join("read-only"), mode(0o444)).unwrap();
    let old = ContentHash::from_content(b"old");
    let said = |path: &str, cancel: &CancelToken<'_>| {
        let located = roots.resolve(path).unwrap();
        replace_if(&located, &old, b"new", cancel).unwrap_err().to_string()
    };
    assert_eq!(
        said("read-only", &CancelToken::NEVER),
        "`read-only` is read-only; change its permissions or ask the user to"
    );
    assert_eq!(said("b", &CancelToken::NEVER), "no such file `b`; did you mean `a`?");
    assert_eq!(said(".", &CancelToken::NEVER), "`.` is a folder, which cannot be written");
    assert_eq!(
        said("a", &CancelToken::from_fn(&|| true)),
        "stopped before writing `a`; nothing was changed"
    );
    check_tree(&folder, &[("a", "old"), ("read-only", "old")]);
}

#[test]
fn a_full_device_is_said_and_the_temporary_file_removed() {
    // A limit on the file size acts like a full device; it is set in a process of its own.
    if std::env::var_os("FOVEAL_TEST_FULL").is_none() {
        let (folder, _) = workspace(&[("a", "old")]);
        let this = std::env::current_exe().unwrap();
        let command = "trap '' XFSZ; ulimit -f 8; exec \"$0\" --exact \
                       replace::a_full_device_is_said_and_the_temporary_file_removed --nocapture";
        let mut shell = Command::new("bash");
        shell.args(["-c", command, this.to_str().unwrap()]);
        let output = output(shell.env("FOVEAL_TEST_FULL", folder.path()));
        assert!(output.status.success(), "{output:?}");
        check_tree(&folder, &[("a", "old")]);
        return;
    }
    let roots = WorkspaceRoots::open(&[std::env::var_os("FOVEAL_TEST_FULL").unwrap()]).unwrap();
    let a = roots.resolve("a").unwrap();
    let large = vec![b'x'; 1 << 20];
    let error = replace_if(&a, &ContentHash::from_content(b"old"), &large, &CancelToken::NEVER)
        .unwrap_err();
    assert_eq!(error.to_string(), "no space left to write `a`; nothing was changed");
}

/// Increments the number in the file `times` times.
fn increment(roots: &WorkspaceRoots, times: usize) {
    let counter = roots.resolve("counter").unwrap();
    for _ in 0..times {
        loop {
            let bytes = fs::read(counter.absolute_path()).unwrap();
            let number: u64 = std::str::from_utf8(&bytes).unwrap().parse().unwrap();
            let next = (number + 1).to_string();
            let expected = ContentHash::from_content(&bytes);
            match replace_if(&counter, &expected, next.as_bytes(), &CancelToken::NEVER) {
                Ok(_) => break,
                Err(WriteError::Changed { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}

#[test]
fn threads_that_write_one_file_lose_nothing() {
    let (folder, roots) = workspace(&[("counter", "0")]);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| increment(&roots, 200));
        }
    });
    check_tree(&folder, &[("counter", "400")]);
}

#[test]
fn writers_that_compare_lose_nothing() {
    let (folder, roots) = workspace(&[("counter", "0")]);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let counter = roots.resolve("counter").unwrap();
                let mut done = 0;
                while done < 100 {
                    let bytes = fs::read(folder.path().join("counter")).unwrap();
                    let number: u64 = std::str::from_utf8(&bytes).unwrap().parse().unwrap();
                    let next = (number + 1).to_string();
                    match replace_if(
                        &counter,
                        &ContentHash::from_content(&bytes),
                        next.as_bytes(),
                        &CancelToken::NEVER,
                    ) {
                        Ok(_) => done += 1,
                        Err(WriteError::Changed { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    check_tree(&folder, &[("counter", "300")]);
}

#[test]
fn processes_that_write_one_file_lose_nothing() {
    if let Some(folder) = std::env::var_os("FOVEAL_TEST_COUNTER") {
        increment(&WorkspaceRoots::open(&[folder]).unwrap(), 200);
        return;
    }
    let (folder, _) = workspace(&[("counter", "0")]);
    let this = std::env::current_exe().unwrap();
    let name = "replace::processes_that_write_one_file_lose_nothing";
    let start = || {
        let mut command = Command::new(&this);
        command.args(["--exact", name]).env("FOVEAL_TEST_COUNTER", folder.path());
        begin(command.stdout(std::process::Stdio::null()))
    };
    let children = [start(), start()];
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    check_tree(&folder, &[("counter", "400")]);
}

#[test]
fn readers_see_the_old_file_or_the_new_one() {
    let (folder, roots) = workspace(&[("a", &"0".repeat(100_000))]);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let a = roots.resolve("a").unwrap();
            let mut old = vec![b'0'; 100_000];
            for round in 0..50_u8 {
                let new = vec![b'0' + round % 10; 100_000];
                replace_if(&a, &ContentHash::from_content(&old), &new, &CancelToken::NEVER)
                    .unwrap();
                old = new;
            }
            done.store(true, Ordering::Relaxed);
        });
        while !done.load(Ordering::Relaxed) {
            let bytes = fs::read(folder.path().join("a")).unwrap();
            assert_eq!(bytes.len(), 100_000);
            assert!(bytes.iter().all(|byte| *byte == bytes[0]));
        }
    });
}

/// Another program rewrites the file or appends to it through an open handle.
#[test]
fn what_others_write_into_the_file_during_an_edit_is_never_replaced() {
    for (is_anew, exchanges) in [(true, true), (true, false), (false, true), (false, false)] {
        let (mut failed, mut done) = (0, 0);
        for at in 0.. {
            let (folder, roots) = workspace(&[("log", "first\n")]);
            let path = folder.path().join("log");
            let others = fs::OpenOptions::new().write(true).open(&path).unwrap();
            let count = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&count);
            let writer = FileWriter::default().with_step_hook(exchanges, move || {
                if counted.fetch_add(1, Ordering::Relaxed) == at {
                    let start = if is_anew { 0 } else { "first\n".len() as u64 };
                    others.write_all_at(b"written by others\n", start).unwrap();
                }
            });
            let (log, expected) =
                (roots.resolve("log").unwrap(), ContentHash::from_content(b"first\n"));
            let result =
                writer.compare_and_replace(&log, &expected, b"ours\n", &CancelToken::NEVER);
            if count.load(Ordering::Relaxed) <= at {
                break;
            }
            let expected = match &result {
                Ok(_) => "ours\n".to_owned(),
                Err(_) if is_anew => "written by others\n".to_owned(),
                Err(_) => "first\nwritten by others\n".to_owned(),
            };
            assert_eq!(fs::read_to_string(&path).unwrap(), expected, "{at} {exchanges}");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{at} {exchanges}");
            *(if result.is_ok() { &mut done } else { &mut failed }) += 1;
        }
        assert!(failed > 2 && done > 0, "{failed} {done}");
    }
}
