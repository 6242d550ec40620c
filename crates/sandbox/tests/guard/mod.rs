//! The processes that end with a guarded command, and that a guard changes nothing else. Skipped
//! where bubblewrap cannot make namespaces.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::time::{Duration, Instant};

use foveal_sandbox::{
    CommandLimits, CommandOutcome, CompletedCommand, GuardProgram, OutputWait, Sandbox,
    ShellCommand, ShellProgram, TerminalCommand, TerminalLimits, TerminalPool, TerminalSize,
    WaitControl,
};
use foveal_transcript::CancelToken;

use crate::command::{PATIENCE, command, environment, folder, pid_in, run};
use crate::sandbox::{can_confine, can_isolate};

fn guard() -> GuardProgram {
    GuardProgram::from_path(PathBuf::from(env!("CARGO_BIN_EXE_foveal-test-guard")))
}

fn guarded(text: &str, directory: &Path) -> ShellCommand {
    ShellCommand { guard: Some(guard()), ..command(text, directory) }
}

/// Runs commands in a folder, guarded and in a sandbox with these writable folders.
fn confined<const N: usize>(
    folder: &Path,
    holds: [PathBuf; N],
) -> impl Fn(&str) -> CompletedCommand + Sync {
    let sandbox = Some(Sandbox::from_writable(holds));
    move |text| run(&ShellCommand { sandbox: sandbox.clone(), ..guarded(text, folder) })
}

/// Ways of a process to leave its group, its session and its parent; each runs `file`, a script
/// that writes its process id to `pid` and sleeps.
const WAYS_OUT: [&str; 5] = [
    "setsid sh stay &",
    "setsid -f sh stay",
    "(setsid sh -c 'setsid sh stay & exit' &)",
    "perl -MPOSIX -e 'exit if fork; POSIX::setsid(); exit if fork; exec \"sh\", \"stay\"'",
    "nohup setsid env -i /bin/sh stay >/dev/null 2>&1 </dev/null & disown",
];

/// Returns the script for them.
fn put_stay(folder: &Path) {
    let text = "echo $$ >pid.new; mv pid.new pid; trap '' TERM HUP; while :; do sleep 0.1; done\n";
    fs::write(folder.join("stay"), text).expect("a folder of ours");
}

/// Returns whether the script runs in `folder`. Its process id is another one outside of its
/// process namespace.
fn stay_runs(folder: &Path) -> bool {
    let processes = fs::read_dir("/proc").expect("it is listed").flatten();
    processes.map(|process| process.path()).any(|process| {
        let words = fs::read(process.join("cmdline")).unwrap_or_default();
        fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == folder)
            && words.ends_with(b"stay\0")
    })
}

/// Waits for the end of the script, which must have run.
#[track_caller]
fn stay_ends(folder: &Path, why: &str) {
    pid_in(&folder.join("pid"));
    let begun = Instant::now();
    while stay_runs(folder) {
        assert!(begun.elapsed() < PATIENCE, "it still runs: {why}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn nothing_outlives_a_time_out_or_a_cancellation() {
    if !can_isolate() {
        return;
    }
    for way in WAYS_OUT {
        for is_cancelled in [false, true] {
            let (_folder, path) = folder();
            put_stay(&path);
            let mut command = guarded(&format!("{way}\nsleep 600"), &path);
            let pid = path.join("pid");
            command.limits = CommandLimits {
                time_out: if is_cancelled { PATIENCE } else { Duration::from_secs(2) },
                grace: Duration::from_millis(50),
                ..command.limits
            };
            let cancelled = || is_cancelled && pid.exists();
            let ran =
                command.run(&mut |_| (), &CancelToken::from_fn(&cancelled)).expect("it starts");
            assert!(!ran.outcome.is_success(), "{way}");
            stay_ends(&path, way);
        }
    }
}

#[test]
fn what_leaves_the_session_ends_with_its_command_and_is_told() {
    if !can_isolate() {
        return;
    }
    for way in WAYS_OUT {
        let (_folder, path) = folder();
        put_stay(&path);
        let mut command = guarded(&format!("{way}\nwhile [ ! -e pid ]; do :; done"), &path);
        command.limits.grace = Duration::from_millis(50);
        let ran = run(&command);
        assert!(ran.outcome.is_success() && ran.left_background, "{way}: {ran:?}");
        assert!(!stay_runs(&path), "{way}");
    }
    let (_folder, path) = folder();
    assert!(!run(&guarded("true", &path)).left_background);
}

/// Runs this test as a program of its own, which the test below kills.
#[test]
#[ignore = "run by the test below"]
fn a_program_that_is_killed() {
    let folder = PathBuf::from(std::env::var_os("FOVEAL_TEST_FOLDER").expect("a folder"));
    let text = fs::read_to_string(folder.join("text")).expect("a text");
    run(&guarded(&text, &folder));
}

#[test]
fn nothing_outlives_the_program_that_started_it() {
    if !can_isolate() {
        return;
    }
    for way in WAYS_OUT.iter().chain(&["sh stay", "sh stay & sleep 600"]) {
        let (_folder, path) = folder();
        put_stay(&path);
        fs::write(path.join("text"), format!("{way}\nsleep 600")).expect("a folder of ours");
        let mut program = process::Command::new(std::env::current_exe().expect("this program"))
            .args(["guard::a_program_that_is_killed", "--exact", "--ignored"])
            .env("FOVEAL_TEST_FOLDER", &path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        pid_in(&path.join("pid"));
        assert!(stay_runs(&path));
        program.kill().expect("it runs");
        program.wait().expect("it was ours");
        stay_ends(&path, way);
    }
}

/// A fork bomb that starts two processes for each that is killed, as long as one is left.
#[test]
fn what_starts_others_as_fast_as_it_is_killed_ends_too() {
    if !can_isolate() {
        return;
    }
    let (_folder, path) = folder();
    let text = "trap '' TERM HUP; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); \
                setsid sh -c 'trap \"\" TERM; sleep 600' & done; wait";
    let mut command = guarded(text, &path);
    command.limits.time_out = Duration::from_millis(300);
    command.limits.grace = Duration::from_millis(50);
    let marked = || {
        let mark = path.to_string_lossy().into_owned();
        let all = fs::read_dir("/proc").expect("it is there").flatten();
        all.filter(|entry| {
            fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(&mark))
        })
        .count()
    };
    let ran = run(&command);
    assert!(matches!(ran.outcome, CommandOutcome::TimedOut { .. }));
    let begun = Instant::now();
    while marked() > 0 {
        assert!(begun.elapsed() < PATIENCE, "{} are left", marked());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_guarded_command_is_like_any_other() {
    let (_folder, path) = folder();
    for text in [
        "echo a; echo b >&2; exit 3",
        "kill -9 $$",
        "cat; echo ${FOVEAL_X-none} $0",
        "mkdir -p d; cd d",
        "exec sh -c 'exit 4'",
        "no-such-program",
        "trap 'echo bye; exit 7' EXIT; true",
        "ulimit -c; umask; seq 1 3000",
        "sleep 0.05 & true",
    ] {
        let [plain, guarded] = [command(text, &path), guarded(text, &path)].map(|c| run(&c));
        assert_eq!(guarded.outcome, plain.outcome, "{text}");
        assert_eq!(guarded.output.text(), plain.output.text(), "{text}");
        assert_eq!(guarded.directory, plain.directory, "{text}");
    }
    let mut missing = guarded("true", &path);
    missing.shell = ShellProgram::from_path(path.join("missing"));
    let error = missing.run(&mut |_| (), &CancelToken::NEVER).expect_err("no shell");
    assert!(error.to_string().contains("missing could not be started"), "{error}");
    // Nobody's terminal is asked for a password.
    assert!(run(&guarded("exec 3</dev/tty", &path)).output.text().contains("/dev/tty"));
}

#[test]
fn a_guarded_terminal_is_like_any_other() {
    if !can_isolate() {
        return;
    }
    let (_folder, path) = folder();
    put_stay(&path);
    let terminals = TerminalPool::new(TerminalLimits {
        grace: Duration::from_millis(50),
        ..TerminalLimits::default()
    });
    let wait = OutputWait { longest: PATIENCE, pause: Duration::from_millis(200) };
    let command = TerminalCommand {
        text: "bash --norc -i".to_owned(),
        directory: path.clone(),
        environment: environment().with_variable("PS1", "> "),
        shell: ShellProgram::find(None).expect("a shell"),
        size: TerminalSize::default(),
        sandbox: None,
        guard: Some(guard()),
    };
    let now = Instant::now();
    let (id, first) =
        terminals.start_terminal(&command, wait, WaitControl::SILENT, now).expect("it starts");
    let first = first.output.text();
    assert!(first.contains("bash") && !first.contains("job control"), "{first}");
    let type_in = |text: &str| {
        let read = terminals.write_stdin(id, text, wait, WaitControl::SILENT, Instant::now());
        read.expect("it is there")
    };
    assert!(
        type_in("stty size; test -t 0 && echo is a terminal\n").output.text().contains("24 120")
    );
    type_in("sleep 600\n");
    let mut interrupted = type_in("\u{3}").output.text();
    assert!(interrupted.contains("^C"), "{interrupted}");
    // What is typed before the shell asks again is lost with the interrupt.
    while !interrupted.trim_end().ends_with(['>', '#', '$']) && now.elapsed() < PATIENCE {
        interrupted += &type_in("").output.text();
    }
    assert!(type_in("setsid -f sh stay\n").ending.is_none());
    pid_in(&path.join("pid"));
    let ended = type_in("exit 5\n");
    let ending = terminals.list().first().and_then(|listed| listed.ending);
    let ending = ended.ending.or(ending);
    assert_eq!(ending.map(|ending| ending.to_string()), Some("exit code 5".to_owned()));
    drop(terminals.close(id));
    stay_ends(&path, "the terminal was closed");
}

/// A guard ends with the thread that starts it; a terminal does not.
#[test]
fn a_terminal_outlives_the_call_that_opened_it_and_no_other() {
    if !can_isolate() {
        return;
    }
    let (_folder, path) = folder();
    put_stay(&path);
    let terminals = TerminalPool::new(TerminalLimits::default());
    let wait = OutputWait { longest: PATIENCE, pause: Duration::from_millis(200) };
    let command = TerminalCommand {
        text: "trap '' HUP TERM; exec sh stay".to_owned(),
        directory: path.clone(),
        environment: environment(),
        shell: ShellProgram::find(None).expect("a shell"),
        size: TerminalSize::default(),
        sandbox: None,
        guard: Some(guard()),
    };
    // Its output never comes.
    let wait = OutputWait { longest: Duration::from_millis(50), ..wait };
    std::thread::scope(|scope| {
        let open = || terminals.start_terminal(&command, wait, WaitControl::SILENT, Instant::now());
        scope.spawn(open).join().expect("no panic").expect("it starts");
    });
    pid_in(&path.join("pid"));
    std::thread::sleep(Duration::from_millis(100));
    assert!(stay_runs(&path));
    drop(terminals);
    stay_ends(&path, "the terminals are gone");
}

#[test]
fn a_command_reaches_no_process_outside_of_its_sandbox() {
    if !can_isolate() {
        return;
    }
    let (_folder, path) = folder();
    let confined = confined(&path, [path.clone()]);
    let me = process::id();
    for text in [
        format!("kill -0 {me}"),
        format!("kill -STOP {me}"),
        format!("cat /proc/{me}/environ"),
        format!("cat /proc/{me}/mem"),
        format!("cat /proc/{me}/fd/0"),
    ] {
        let ran = confined(&text);
        assert!(!ran.outcome.is_success(), "{text}: {}", ran.output.text());
    }
    // Nor is there a thread of ours to reach the program through, while other commands start.
    let threads = "for thread in /proc/$PROGRAM/task/*; do cat $thread/environ; \
                   kill -0 ${thread##*/}; done 2>/dev/null; true";
    let mut seen = confined(&threads.replace("$PROGRAM", &me.to_string()));
    for _ in 0..20 {
        std::thread::scope(|scope| {
            let other = scope.spawn(|| confined("true"));
            seen = confined(&threads.replace("$PROGRAM", &me.to_string()));
            assert!(other.join().expect("no panic").outcome.is_success());
        });
        assert_eq!(seen.output.text(), "");
    }
}

/// The process namespace has a `/proc` of its own.
#[test]
fn a_command_with_reads_confined_reads_its_own_processes() {
    if !can_isolate() || !can_confine() {
        return;
    }
    let (_folder, path) = folder();
    let system = ["/usr", "/bin", "/lib", "/lib64", "/etc", "/proc"].map(Into::into);
    let sandbox = Sandbox::from_writable([path.clone()]).with_readable_folders(system);
    let text = "cut -d' ' -f1 /proc/self/stat && ls /home /root /var/log 2>/dev/null; true";
    let ran = run(&ShellCommand { sandbox: Some(sandbox), ..guarded(text, &path) });
    assert!(ran.output.text().trim().parse::<u32>().is_ok(), "{}", ran.output.text());
}

/// Landlock alone lets a command lower the resource limits of any process of its user, which ends
/// that. In a process namespace it sees no other.
#[test]
fn a_command_sets_no_limits_of_other_processes() {
    if !can_isolate() || !can_confine() {
        return;
    }
    let (_folder, path) = folder();
    let confined = confined(&path, [path.clone()]);
    let me = process::id();
    let before = std::fs::read_to_string("/proc/self/limits").expect("they can be read");
    let text = format!("prlimit --pid {me} --core=1:2");
    let ran = confined(&text);
    assert!(!ran.outcome.is_success(), "{text}: {}", ran.output.text());
    let after = std::fs::read_to_string("/proc/self/limits").expect("they can be read");
    assert_eq!(after, before);
    let own = confined("ulimit -n 77 && ulimit -n && prlimit --core=5:5 sh -c 'ulimit -c'");
    assert!(own.outcome.is_success(), "{}", own.output.text());
    assert!(own.output.text().starts_with("77\n"), "{}", own.output.text());
}

#[test]
fn the_folder_of_ours_that_a_command_removes_is_made_again() {
    if !can_confine() {
        return;
    }
    let (_folder, path) = folder();
    let sandbox = Some(Sandbox::from_writable([path.clone(), std::env::temp_dir()]));
    let confined =
        |text: &str| run(&ShellCommand { sandbox: sandbox.clone(), ..command(text, &path) });
    // The shell reports its directory in a file there.
    let own = "$(dirname \"$__foveal_directory\")";
    let removed = confined(&format!("ls -d \"{own}\" && rm -r \"{own}\""));
    assert!(removed.outcome.is_success(), "{}", removed.output.text());
    assert!(removed.output.text().contains("foveal-commands-"), "{}", removed.output.text());
    let next = confined("cd /; echo here");
    assert_eq!(next.output.text(), "here\n");
    assert_eq!(next.directory, Some(PathBuf::from("/")));
}

/// The guard is the first process of the command's process namespace, and the kernel spares that.
#[test]
fn a_command_cannot_end_or_read_its_guard() {
    if !can_isolate() {
        return;
    }
    // By its number alone: where this fails, no process of anybody else is to end.
    let attempts = "kill -STOP $PPID 2>/dev/null; kill -9 $PPID 2>/dev/null; \
                    cat /proc/$PPID/environ /proc/$PPID/mem 2>/dev/null; \
                    ls -d /proc/$PPID/fd/*/ /proc/$PPID/root/ 2>/dev/null";
    let (_folder, path) = folder();
    put_stay(&path);
    let text = format!("{attempts}\n{}\nsleep 600", WAYS_OUT[3]);
    let mut command = guarded(&text, &path);
    command.sandbox = Some(Sandbox::from_writable([path.clone()]));
    command.limits.time_out = Duration::from_secs(2);
    command.limits.grace = Duration::from_millis(50);
    let ran = run(&command);
    assert_eq!(ran.output.text(), "", "the guard could be reached");
    assert!(matches!(ran.outcome, CommandOutcome::TimedOut { .. }), "{}", ran.outcome);
    stay_ends(&path, "the time was over");
    // Nor does the program of a terminal.
    let terminals = TerminalPool::new(TerminalLimits::default());
    let wait = OutputWait { longest: PATIENCE, pause: Duration::from_millis(300) };
    let command = TerminalCommand {
        text: "kill -9 $PPID && echo held; cat /proc/$PPID/environ 2>/dev/null; setsid -f \
               sh stay; sleep 600"
            .to_owned(),
        directory: path.clone(),
        environment: environment(),
        shell: ShellProgram::find(None).expect("a shell"),
        size: TerminalSize::default(),
        sandbox: Some(Sandbox::from_writable([path.clone()])),
        guard: Some(guard()),
    };
    fs::remove_file(path.join("pid")).expect("it was written");
    let started = terminals.start_terminal(&command, wait, WaitControl::SILENT, Instant::now());
    let (id, reading) = started.expect("it starts");
    assert_eq!(reading.output.text().trim(), "held");
    pid_in(&path.join("pid"));
    drop(terminals.close(id));
    stay_ends(&path, "the terminal was closed");
}

/// A command that kills programs by their command lines spares the guard, and its own processes end
/// too.
#[test]
fn a_command_that_kills_by_name_leaves_nothing() {
    if !can_isolate() {
        return;
    }
    let (_folder, path) = folder();
    put_stay(&path);
    let spared = run(&guarded(&format!("pkill -f {}; sh stay & sleep 600", path.display()), &path));
    assert!(!spared.outcome.is_success());
    assert!(!stay_runs(&path));
}
