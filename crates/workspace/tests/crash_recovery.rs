//! The state after a writer is killed, and its recovery by the next process.
//!
//! The writers are processes of their own: this program, started again for one test.
//! `FOVEAL_TEST_KILLS` is the number of kills in the random test, 60 by default.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use foveal_transcript::{CancelToken, ContentHash};
use foveal_workspace::{
    FileReplacement, FileWriter, Journal, RecoveredWrite, RecoveryOutcome, ResolvedPath,
    WorkspaceRoots, WriteError,
};
use tempfile::TempDir;

use crate::child_process::{alone, begin};

const FILES: [&str; 3] = ["a/one", "b/two", "a/three"];

/// A workspace whose files hold `0` lines, and a folder for the journal.
struct World(TempDir);

impl World {
    fn new() -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        for path in FILES {
            let path = world.roots().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text(0)).unwrap();
        }
        world
    }

    fn roots(&self) -> PathBuf {
        self.0.path().join("roots")
    }

    fn state(&self) -> PathBuf {
        self.0.path().join("state")
    }

    fn start(&self, test: &str, variables: &[(&str, String)]) -> Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", &format!("crash_recovery::{test}")])
            .env("FOVEAL_TEST_WORLD", self.0.path());
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        begin(command.stdout(Stdio::null()).stderr(Stdio::null()))
    }

    fn run(&self, test: &str, variables: &[(&str, String)]) -> ExitStatus {
        self.start(test, variables).wait().unwrap()
    }

    fn recover(&self) -> Vec<RecoveredWrite> {
        let roots = WorkspaceRoots::open(&[self.roots()]).unwrap();
        alone(|| Journal::open(&self.state()).unwrap().recover(&roots))
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.roots().join(path)).unwrap()
    }

    /// The content, which must be equal in all files.
    fn all(&self) -> String {
        let [one, rest @ ..] = FILES.map(|path| self.read(path));
        assert!(rest.iter().all(|text| *text == one), "{one} {rest:?}");
        one
    }

    /// Checks that nothing was left beside the files or in the journal.
    fn check_tidy(&self) {
        for folder in ["roots/a", "roots/b", "state"] {
            let left: Vec<_> =
                fs::read_dir(self.0.path().join(folder)).unwrap().flatten().collect();
            let is_ours = |entry: &fs::DirEntry| {
                let name = entry.file_name().into_string().unwrap();
                name.starts_with(".foveal-") || name.ends_with(".record")
            };
            assert!(!left.iter().any(is_ours), "{left:?}");
        }
    }
}

/// The content of the files in the generation `number`.
fn text(number: usize) -> String {
    format!("generation {number}\n{}", "filled up\n".repeat(2000))
}

/// The folder of the test that started this process.
fn world() -> Option<PathBuf> {
    std::env::var_os("FOVEAL_TEST_WORLD").map(PathBuf::from)
}

/// Kills this process by a signal that cannot be caught at the `at`th call.
fn killing(at: usize) -> impl Fn() + Send + Sync + 'static {
    let count = AtomicUsize::new(0);
    move || {
        if count.fetch_add(1, Ordering::Relaxed) == at {
            let this = rustix::process::getpid();
            rustix::process::kill_process(this, rustix::process::Signal::KILL).unwrap();
        }
    }
}

fn number(name: &str) -> usize {
    std::env::var(name).unwrap().parse().unwrap()
}

fn replace(writer: &FileWriter, roots: &Path, generation: usize) -> Result<(), WriteError> {
    let roots = WorkspaceRoots::open(&[roots]).unwrap();
    let located: Vec<ResolvedPath> =
        FILES.iter().map(|path| roots.resolve(path).unwrap()).collect();
    let (old, new) = (text(generation), text(generation + 1));
    let replacement = |located| FileReplacement {
        located,
        expected: ContentHash::from_content(old.as_bytes()),
        bytes: new.as_bytes(),
    };
    let files: Vec<FileReplacement<'_>> = located.iter().map(replacement).collect();
    writer.replace_all(&files, &CancelToken::NEVER).map(drop)
}

#[test]
fn replaces_and_stops() {
    let Some(world) = world() else { return };
    let journal = Arc::new(Journal::open(&world.join("state")).unwrap());
    let exchanges = number("EXCHANGES") == 1;
    let writer =
        FileWriter::with_journal(journal).with_step_hook(exchanges, killing(number("STOP")));
    replace(&writer, &world.join("roots"), 0).unwrap();
}

#[test]
fn recovers_and_stops() {
    let Some(world) = world() else { return };
    let roots = WorkspaceRoots::open(&[world.join("roots")]).unwrap();
    let journal = Journal::open(&world.join("state")).unwrap();
    journal.recover_with_step_hook(&roots, &killing(number("STOP")));
}

#[test]
fn replaces_disturbed_and_stops() {
    let Some(world) = world() else { return };
    let journal = Arc::new(Journal::open(&world.join("state")).unwrap());
    let (roots, kill) = (world.join("roots"), killing(number("STOP")));
    let is_disturbed = AtomicUsize::new(0);
    let writer =
        FileWriter::with_journal(journal).with_step_hook(number("EXCHANGES") == 1, move || {
            let first = fs::read_to_string(roots.join(FILES[0])).unwrap();
            if first == text(1) && is_disturbed.fetch_add(1, Ordering::Relaxed) == 0 {
                append(&roots.join(FILES[0]), "theirs\n");
                fs::write(roots.join(FILES[1]), "another\n").unwrap();
            }
            kill();
        });
    let error = replace(&writer, &world.join("roots"), 0).unwrap_err();
    assert!(matches!(error, WriteError::Torn { .. }), "{error}");
}

fn append(path: &Path, line: &str) {
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(line.as_bytes()).unwrap();
}

/// Replaces until it is killed at the step `stop`; `None` if it came to its end.
fn stopped(exchanges: bool, stop: usize) -> Option<World> {
    let world = World::new();
    let variables = [("STOP", stop.to_string()), ("EXCHANGES", usize::from(exchanges).to_string())];
    let status = world.run("replaces_and_stops", &variables);
    if status.success() {
        assert_eq!(world.all(), text(1));
        world.check_tidy();
        return None;
    }
    Some(world)
}

#[test]
fn a_stop_between_any_two_steps_leaves_all_files_old_or_all_new() {
    for exchanges in [true, false] {
        let (mut steps, mut old, mut half) = (0, 0, 0);
        while let Some(world) = stopped(exchanges, steps) {
            steps += 1;
            let is_half = FILES.iter().any(|path| world.read(path) != world.read(FILES[0]));
            half += usize::from(is_half);
            let told = world.recover();
            let all = world.all();
            assert!(all == text(0) || all == text(1));
            old += usize::from(all == text(0));
            assert_eq!(told.len(), usize::from(is_half), "{steps}: {told:?}");
            assert!(told.iter().all(|told| told.how == RecoveryOutcome::RolledBack), "{told:?}");
            world.check_tidy();
            // The next process finds nothing to recover, and can write.
            assert_eq!(world.recover(), []);
            let generation = usize::from(all == text(1));
            replace(&FileWriter::default(), &world.roots(), generation).unwrap();
        }
        assert!(half >= 2 && old > half && steps > old, "{exchanges}: {half} {old} {steps}");
    }
}

#[test]
fn a_stop_in_a_recovery_is_recovered_from() {
    let mut stops = 0;
    for stop in 0.. {
        let Some(first) = stopped(true, stop) else { break };
        let is_half = FILES.iter().any(|path| first.read(path) != first.read(FILES[0]));
        if !is_half {
            continue;
        }
        for again in 0.. {
            let world = stopped(true, stop).unwrap();
            let status = world.run("recovers_and_stops", &[("STOP", again.to_string())]);
            world.recover();
            assert_eq!(world.all(), text(0), "{stop} {again}");
            world.check_tidy();
            if status.success() {
                break;
            }
            stops += 1;
        }
    }
    assert!(stops > 6, "{stops}");
}

#[test]
fn what_others_wrote_meanwhile_is_never_lost() {
    for exchanges in [true, false] {
        let (mut left, mut taken) = (0, 0);
        for (path, append) in FILES.iter().flat_map(|path| [(path, true), (path, false)]) {
            for stop in 0.. {
                let Some(world) = stopped(exchanges, stop) else { break };
                let is_half = FILES.iter().any(|path| world.read(path) != world.read(FILES[0]));
                let at = world.roots().join(path);
                let theirs = if append { world.read(path) + "theirs\n" } else { "theirs\n".into() };
                fs::write(&at, &theirs).unwrap();
                let told = world.recover();
                let after = world.read(path);
                assert!(after.ends_with("theirs\n"), "{stop} {path} {append}: {after}");
                assert!(append || after == theirs);
                world.check_tidy();
                match told.first().map(|told| &told.how) {
                    Some(RecoveryOutcome::RolledBack) => taken += 1,
                    Some(RecoveryOutcome::LeftAsFound { kept }) => {
                        assert!(is_half);
                        left += 1;
                        // Both texts can be found: in the files, or at the reported path.
                        let copies = kept.iter().map(|path| fs::read_to_string(path).unwrap());
                        let all: Vec<String> =
                            copies.chain(FILES.iter().map(|path| world.read(path))).collect();
                        assert!(all.contains(&text(0)) && all.contains(&text(1)), "{kept:?}");
                    }
                    None => {}
                }
            }
        }
        assert!(left > 2 && taken > 2, "{left} {taken}");
    }
}

fn count(text: &str, line: &str) -> usize {
    text.lines().filter(|one| *one == line).count()
}

#[test]
fn what_others_appended_is_not_taken_back_with_an_edit() {
    for exchanges in [1, 0] {
        let (mut stops, mut disturbed) = (0, 0);
        loop {
            let world = World::new();
            let variables = [("STOP", stops.to_string()), ("EXCHANGES", exchanges.to_string())];
            let status = world.run("replaces_disturbed_and_stops", &variables);
            world.recover();
            let is_disturbed = world.read(FILES[1]) == "another\n";
            disturbed += usize::from(is_disturbed);
            let text = world.read(FILES[0]);
            assert_eq!(count(&text, "theirs"), usize::from(is_disturbed), "{stops}: {text}");
            world.check_tidy();
            if status.success() {
                break;
            }
            stops += 1;
        }
        assert!(stops > 8 && disturbed > 1, "{stops} {disturbed}");
    }
}

#[test]
fn a_folder_in_use_is_waited_for_once_and_mended_later() {
    let (mut world, mut stop) = (stopped(true, 0).unwrap(), 0);
    while FILES.iter().all(|path| world.read(path) == world.read(FILES[0])) {
        stop += 1;
        world = stopped(true, stop).unwrap();
    }
    let held = fs::File::open(world.roots().join("b")).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let roots = WorkspaceRoots::open(&[world.roots()]).unwrap();
    let journal = Journal::open(&world.state()).unwrap();
    for longest in [Duration::from_secs(3), Duration::from_millis(300)] {
        let began = std::time::Instant::now();
        assert_eq!(journal.recover(&roots), []);
        assert!(began.elapsed() < longest, "{:?}", began.elapsed());
    }
    drop(held);
    assert_eq!(journal.recover(&roots).len(), 1);
    assert_eq!(world.all(), text(0));
    world.check_tidy();
}

#[test]
fn only_files_of_dead_makers_are_removed() {
    let world = World::new();
    let folder = world.roots().join("a");
    // Names that a user might choose, or that an earlier version used.
    let others = [".foveal-0123456789abcdef.tmp", ".foveal-x.tmp", ".foveal.tmp"];
    for name in others {
        fs::write(folder.join(name), "mine").unwrap();
    }
    let journal = Arc::new(Journal::open(&world.state()).unwrap());
    let (roots, state) = (world.roots(), world.state());
    let living = FileWriter::with_journal(journal).with_step_hook(true, move || {
        // Another process recovers while the writer is alive.
        let opened = WorkspaceRoots::open(&[&roots]).unwrap();
        assert_eq!(Journal::open(&state).unwrap().recover(&opened), []);
    });
    replace(&living, &world.roots(), 0).unwrap();
    assert_eq!(world.all(), text(1));
    world.recover();
    for name in others {
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), "mine");
    }
}

#[test]
fn without_a_journal_several_files_are_left_and_one_is_written() {
    let world = World::new();
    let journal = Arc::new(Journal::open(&world.state()).unwrap());
    // As on a disk that is full or gone.
    fs::remove_dir(world.state()).unwrap();
    let writer = FileWriter::with_journal(journal);
    let error = replace(&writer, &world.roots(), 0).unwrap_err();
    assert!(matches!(error, WriteError::Journal { .. }), "{error}");
    assert_eq!(world.all(), text(0));
    let roots = WorkspaceRoots::open(&[world.roots()]).unwrap();
    let (one, new) = (roots.resolve(FILES[0]).unwrap(), roots.resolve("a/new").unwrap());
    let old = ContentHash::from_content(text(0).as_bytes());
    writer.compare_and_replace(&one, &old, b"written", &CancelToken::NEVER).unwrap();
    writer.create_file(&new, b"written", &CancelToken::NEVER).unwrap();
    assert_eq!((world.read(FILES[0]), world.read("a/new")), ("written".into(), "written".into()));
    fs::create_dir(world.state()).unwrap();
    world.check_tidy();
}

#[test]
fn writes_in_other_folders_are_left_to_those_who_work_there() {
    let (mut world, mut stop) = (stopped(true, 0).unwrap(), 0);
    while FILES.iter().all(|path| world.read(path) == world.read(FILES[0])) {
        stop += 1;
        world = stopped(true, stop).unwrap();
    }
    let elsewhere = tempfile::tempdir().unwrap();
    let journal = Journal::open(&world.state()).unwrap();
    let there = WorkspaceRoots::open(&[elsewhere.path()]).unwrap();
    assert_eq!((journal.recover(&there), journal.recover(&there)), (vec![], vec![]));
    // Neither where another folder is in the place of one.
    let roots = world.roots();
    fs::rename(roots.join("a"), roots.join("moved")).unwrap();
    fs::create_dir(roots.join("a")).unwrap();
    assert_eq!(world.recover(), []);
    fs::remove_dir(roots.join("a")).unwrap();
    std::os::unix::fs::symlink("moved", roots.join("a")).unwrap();
    assert_eq!(world.recover(), []);
    fs::remove_file(roots.join("a")).unwrap();
    fs::rename(roots.join("moved"), roots.join("a")).unwrap();
    assert_eq!(world.recover().len(), 1);
    assert_eq!(world.all(), text(0));
    world.check_tidy();
}

#[test]
fn writes_on_and_on() {
    let Some(world) = world() else { return };
    let journal = Arc::new(Journal::open(&world.join("state")).unwrap());
    let writer = FileWriter::with_journal(journal);
    let roots = WorkspaceRoots::open(&[world.join("roots")]).unwrap();
    let mut done = OpenOptions::new().create(true).append(true).open(world.join("done")).unwrap();
    for generation in number("FROM").. {
        replace(&writer, &world.join("roots"), generation).unwrap();
        // One call to the system, which a kill does not divide.
        done.write_all(format!("{}\n", generation + 1).as_bytes()).unwrap();
        let new = roots.resolve(&format!("b/new-{generation}")).unwrap();
        writer.create_file(&new, b"whole", &CancelToken::NEVER).unwrap();
    }
}

#[test]
fn kills_at_random_leave_all_files_old_or_all_new() {
    let kills = std::env::var("FOVEAL_TEST_KILLS").map_or(60, |kills| kills.parse().unwrap());
    let world = World::new();
    let mut generation = 0;
    let mut chance = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..kills {
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        let mut child = world.start("writes_on_and_on", &[("FROM", generation.to_string())]);
        std::thread::sleep(Duration::from_micros(2_000 + chance % 40_000));
        child.kill().unwrap();
        child.wait().unwrap();
        world.recover();
        let all = world.all();
        let found = all.split_whitespace().nth(1).unwrap().parse().unwrap();
        let done = fs::read_to_string(world.0.path().join("done")).unwrap_or_default();
        let done = done.lines().last().map_or(0, |line| line.parse().unwrap());
        // The last write may have completed without its report.
        let done = generation.max(done);
        assert!(found == done || found == done + 1, "{found} {done}");
        generation = found;
        world.check_tidy();
        for entry in fs::read_dir(world.roots().join("b")).unwrap().flatten() {
            if entry.file_name().to_string_lossy().starts_with("new-") {
                assert_eq!(fs::read_to_string(entry.path()).unwrap(), "whole");
                fs::remove_file(entry.path()).unwrap();
            }
        }
    }
    assert!(generation > kills / 4, "{generation}");
}
