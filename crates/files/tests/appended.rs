//! What others append to a file while it is edited.
//!
//! `FOVEAL_TEST_LINES` says how many lines the loop appends; 400 if not set.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use foveal_cancel::Cancel;
use foveal_files::{Roots, WriteError, Writer};
use foveal_transcript::ContentHash;

use crate::begun::begin;

/// Puts another first line into the file; false if somebody else was faster.
fn edit(writer: &Writer, folder: &Path, count: usize) -> bool {
    let roots = Roots::open(&[folder]).unwrap();
    let bytes = fs::read(folder.join("log")).unwrap();
    let rest = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    let new = [format!("edit {count}").as_bytes(), &bytes[rest..]].concat();
    let log = roots.resolve("log").unwrap();
    match writer.replace_if(&log, &ContentHash::of(&bytes), &new, &Cancel::NEVER) {
        Ok(_) => true,
        Err(WriteError::Changed { .. }) => false,
        Err(error) => panic!("{error}"),
    }
}

fn wait_for(path: &Path, expected: &str) {
    for _ in 0..200 {
        if fs::read_to_string(path).unwrap() == expected {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{}", fs::read_to_string(path).unwrap());
}

#[test]
fn what_comes_through_an_open_file_is_carried_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    fs::write(&path, "first\n").unwrap();
    let mut others = OpenOptions::new().append(true).open(&path).unwrap();
    let writer = Writer::default();
    assert!(edit(&writer, folder.path(), 1));
    others.write_all(b"a\n").unwrap();
    wait_for(&path, "edit 1\na\n");
    assert!(edit(&writer, folder.path(), 2));
    others.write_all(b"b\n").unwrap();
    wait_for(&path, "edit 2\na\nb\n");
    // A file that has another name did not lose what came to it.
    fs::hard_link(&path, folder.path().join("other")).unwrap();
    let mut others = OpenOptions::new().append(true).open(&path).unwrap();
    assert!(edit(&writer, folder.path(), 3));
    others.write_all(b"c\n").unwrap();
    std::thread::sleep(Duration::from_millis(50));
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!((&*read("log"), &*read("other")), ("edit 3\na\nb\n", "edit 2\na\nb\nc\n"));
}

/// A program that writes as it goes on, as a build does with its log.
#[test]
fn what_a_program_appends_that_keeps_it_open_is_carried_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    fs::write(&path, "first\n").unwrap();
    let script = "exec >>log; : >opened; sleep 3; echo a; sleep 3; echo b";
    let mut shell = Command::new("bash");
    let mut shell = begin(shell.args(["-c", script]).current_dir(folder.path()));
    while !folder.path().join("opened").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(edit(&Writer::default(), folder.path(), 1));
    shell.wait().unwrap();
    // Where the system does not tell who has it open.
    if Path::new("/proc/self/fd").exists() {
        wait_for(&path, "edit 1\na\nb\n");
    }
}

/// A shell that has `log` open for appending. `go` has it append `what`.
struct Appending(Child);

impl Appending {
    fn to_log(folder: &Path) -> Self {
        let script = "exec >>log; : >opened; while read -r line; do echo \"$line\"; done";
        let mut shell = Command::new("bash");
        let shell = shell.args(["-c", script]).current_dir(folder).stdin(Stdio::piped());
        let shell = Self(begin(shell));
        while !folder.join("opened").exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        shell
    }

    fn append(&mut self, what: &str) {
        writeln!(self.0.stdin.as_mut().unwrap(), "{what}").unwrap();
    }
}

impl Drop for Appending {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// Longer than every file that was replaced is looked after.
const LATER: Duration = Duration::from_millis(2500);

#[test]
fn later_nothing_is_carried_over_into_what_others_put_there() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("log"), "first\n").unwrap();
    let mut shell = Appending::to_log(folder.path());
    let writer = Writer::default();
    assert!(edit(&writer, folder.path(), 1));
    std::thread::sleep(LATER);
    if Path::new("/proc/self/fd").exists() {
        // What we put there ourselves is another thing.
        assert!(edit(&writer, folder.path(), 2));
        std::thread::sleep(LATER);
        shell.append("a");
        wait_for(&at("log"), "edit 2\na\n");
    }
    // As a program does that checks out another version.
    fs::remove_file(at("log")).unwrap();
    fs::write(at("log"), "theirs\n").unwrap();
    shell.append("b");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(fs::read_to_string(at("log")).unwrap(), "theirs\n");
}

/// Whether this process holds a file that was called `log` in `folder`, and has no name.
#[cfg(target_os = "linux")]
fn is_looked_after(folder: &Path) -> bool {
    let held = fs::read_dir("/proc/self/fd").unwrap().flatten();
    let paths = held.filter_map(|file| fs::read_link(file.path()).ok());
    let own = fs::canonicalize(folder).unwrap();
    paths
        .into_iter()
        .any(|path| path.starts_with(&own) && path.to_string_lossy().ends_with("(deleted)"))
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_nobody_writes_to_is_let_go_soon() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    fs::write(&path, "first\n").unwrap();
    let soon = Duration::from_millis(1200);
    // Who reads it misses nothing.
    let reading = fs::File::open(&path).unwrap();
    assert!(edit(&Writer::default(), folder.path(), 1));
    drop(reading);
    assert!(is_looked_after(folder.path()));
    std::thread::sleep(soon);
    assert!(!is_looked_after(folder.path()));
    let shell = Appending::to_log(folder.path());
    assert!(edit(&Writer::default(), folder.path(), 2));
    drop(shell);
    std::thread::sleep(soon);
    assert!(is_looked_after(folder.path()));
}

#[test]
fn nothing_of_a_file_that_is_written_anew_is_carried_over() {
    let anew = "written anew, and longer than it was before\n";
    let rewrite = |file: &fs::File| {
        file.set_len(0).unwrap();
        file.write_all_at(anew.as_bytes(), 0).unwrap();
    };
    // While the edit is under way: it fails, or it was done before, and nothing is mixed.
    let (mut failed, mut done) = (0, 0);
    for at in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "first\n").unwrap();
        let others = OpenOptions::new().write(true).open(&path).unwrap();
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let writer = Writer::default().stepping(true, move || {
            if counted.fetch_add(1, Ordering::Relaxed) == at {
                rewrite(&others);
            }
        });
        let is_done = edit(&writer, folder.path(), 1);
        if count.load(Ordering::Relaxed) <= at {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
        let expected = if is_done { "edit 1\n" } else { anew };
        assert_eq!(fs::read_to_string(&path).unwrap(), expected, "{at}");
        *(if is_done { &mut done } else { &mut failed }) += 1;
    }
    assert!(failed > 2 && done > 0, "{failed} {done}");
}

#[test]
fn no_line_of_a_loop_is_lost() {
    let lines = std::env::var("FOVEAL_TEST_LINES").map_or(400, |lines| lines.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log"), "first\n").unwrap();
    let append = format!(
        "for i in $(seq {lines}); do echo line $i >> log; sleep 0.00$((RANDOM % 10)); done"
    );
    let mut shell = Command::new("bash");
    let mut shell = begin(shell.args(["-c", &append]).current_dir(folder.path()));
    let (mut edits, mut count) = (0, 0);
    let writer = Writer::default();
    while shell.try_wait().unwrap().is_none() {
        count += 1;
        edits += usize::from(edit(&writer, folder.path(), count));
    }
    std::thread::sleep(Duration::from_millis(20));
    let text = fs::read_to_string(folder.path().join("log")).unwrap();
    let mut found: Vec<usize> =
        text.lines().filter_map(|line| line.strip_prefix("line ")?.parse().ok()).collect();
    found.sort_unstable();
    println!("{edits} edits of {count} beside {lines} lines, {} lost", lines - found.len());
    assert_eq!(found, (1..=lines).collect::<Vec<_>>());
    assert!(edits > 0);
}
