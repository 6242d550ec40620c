//! Leases as the system gives them.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use foveal_lease::Lease;
use tempfile::TempDir;

/// One test at a time: a process that one begins has what others have open for a moment, for writing
/// too.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn file() -> (TempDir, PathBuf, File) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    fs::write(&path, "first\n").unwrap();
    let file = File::open(&path).unwrap();
    (folder, path, file)
}

/// A shell that has opened the file, and ends when its input does.
fn holding(path: &Path, how: &str) -> Child {
    let script = format!("exec 3{how}'{}'; echo; cat >&2", path.display());
    let mut shell = Command::new("sh")
        .args(["-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = [0];
    shell.stdout.as_mut().unwrap().read_exact(&mut said).unwrap();
    shell
}

fn end(mut shell: Child) {
    drop(shell.stdin.take());
    shell.wait().unwrap();
}

fn wait_until(what: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(10);
    while !what() {
        assert!(Instant::now() < until);
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn granted_for_a_file_that_nobody_has() {
    let _turn = turn();
    let (_folder, _, file) = file();
    for _ in 0..3 {
        let lease = Lease::take(&file).unwrap();
        assert!(lease.holds() && lease.holds());
    }
}

#[test]
fn refused_while_another_process_has_it_open_for_writing() {
    let _turn = turn();
    let (_folder, path, file) = file();
    for how in [">>", "<>"] {
        let shell = holding(&path, how);
        assert!(Lease::take(&file).is_none(), "{how}");
        end(shell);
        assert!(Lease::take(&file).is_some(), "{how}");
    }
    // So does this process itself.
    let own = OpenOptions::new().append(true).open(&path).unwrap();
    assert!(Lease::take(&file).is_none());
    drop(own);
    assert!(Lease::take(&file).is_some());
}

#[test]
fn readers_neither_refuse_it_nor_wait() {
    let _turn = turn();
    let (_folder, path, file) = file();
    let shell = holding(&path, "<");
    let lease = Lease::take(&file).unwrap();
    end(holding(&path, "<"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "first\n");
    assert!(lease.holds());
    end(shell);
}

/// By default the signal of a break ends the process.
#[test]
fn who_comes_to_write_waits_and_is_noticed() {
    let _turn = turn();
    let (_folder, path, file) = file();
    let lease = Lease::take(&file).unwrap();
    let others = path.clone();
    let appending = thread::spawn(move || {
        let mut log = OpenOptions::new().append(true).open(&others).unwrap();
        log.write_all(b"second\n").unwrap();
    });
    wait_until(|| !lease.holds());
    assert!(!appending.is_finished());
    assert_eq!(fs::read_to_string(&path).unwrap(), "first\n");
    drop(lease);
    appending.join().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "first\nsecond\n");
    assert!(Lease::take(&file).unwrap().holds());
}

#[test]
fn who_comes_to_cut_the_file_is_noticed() {
    let _turn = turn();
    let (_folder, path, file) = file();
    let lease = Lease::take(&file).unwrap();
    let mut shell = Command::new("sh").args(["-c", ": >\"$0\""]).arg(&path).spawn().unwrap();
    wait_until(|| !lease.holds());
    assert_eq!(fs::read_to_string(&path).unwrap(), "first\n");
    drop(lease);
    assert!(shell.wait().unwrap().success());
    assert_eq!(fs::read_to_string(&path).unwrap(), "");
}

/// Who does not wait is told to come again, and is noticed too.
#[test]
fn who_does_not_wait_is_refused() {
    let _turn = turn();
    let (_folder, path, file) = file();
    let lease = Lease::take(&file).unwrap();
    let mut options = OpenOptions::new();
    let opened = options.append(true).custom_flags(libc::O_NONBLOCK).open(&path);
    assert_eq!(opened.unwrap_err().kind(), ErrorKind::WouldBlock);
    assert!(!lease.holds());
}

#[test]
fn only_on_files_and_only_for_reading() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    assert!(Lease::take(&File::open(folder.path()).unwrap()).is_none());
    let path = folder.path().join("log");
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).unwrap();
    assert!(Lease::take(&file).is_none());
    drop(file);
    assert!(Lease::take(&File::open(&path).unwrap()).is_some());
}

#[test]
fn a_file_of_another_user_has_none() {
    let _turn = turn();
    let name = "a_file_of_another_user_has_none";
    let theirs = Path::new("/etc/passwd");
    let user = |path: &Path| fs::metadata(path).unwrap().uid();
    if user(theirs) != user(Path::new("/proc/self")) {
        assert!(Lease::take(&File::open(theirs).unwrap()).is_none());
        return;
    }
    // Root has the right to all files, so the test runs once more as somebody else, who may not
    // reach where it was built.
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let test = folder.path().join("test");
    fs::copy(std::env::current_exe().unwrap(), &test).unwrap();
    let again = Command::new(test).args(["--exact", name]).uid(12345).output().unwrap();
    assert!(again.status.success(), "{again:?}");
}
