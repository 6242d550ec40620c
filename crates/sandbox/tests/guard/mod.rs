//! The processes that a guard finds and ends, and that it changes nothing else. Skipped where
//! processes are not listed in `/proc`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::time::{Duration, Instant};

use foveal_sandbox::{
    CommandLimits, CommandOutcome, CompletedCommand, GuardProgram, OutputWait, Sandbox,
    ShellCommand, ShellProgram, TerminalCommand, TerminalLimits, TerminalPool, TerminalSize,
    WaitControl, has_control_groups,
};
use foveal_transcript::CancelToken;

use crate::command::{
    PATIENCE, command, environment, folder, has_linux_proc, is_running, pid_in, run,
};
use crate::sandbox::can_confine;

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

#[track_caller]
fn ends(pid: &str, why: &str) {
    let begun = Instant::now();
    while is_running(pid) {
        assert!(begun.elapsed() < PATIENCE, "{pid} still runs: {why}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn nothing_outlives_a_time_out_or_a_cancellation() {
    if !has_linux_proc() {
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
            ends(&pid_in(&pid), way);
        }
    }
}

#[test]
fn what_leaves_the_session_goes_on_after_its_command_and_is_told() {
    if !has_linux_proc() {
        return;
    }
    let (_folder, path) = folder();
    put_stay(&path);
    let ran = run(&guarded("sleep 600 & setsid -f sh stay; while [ ! -e pid ]; do :; done", &path));
    let pid = pid_in(&path.join("pid"));
    assert!(ran.left_background && is_running(&pid));
    assert!(ran.daemons.contains(&"sh".to_owned()), "{:?}", ran.daemons);
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(pid.parse().expect("a number")).expect("a number"),
        rustix::process::Signal::KILL,
    )
    .expect("it runs");
    ends(&pid, "killed");
    assert_eq!(run(&guarded("true", &path)).daemons, Vec::<String>::new());
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
    if !has_linux_proc() {
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
        let pid = pid_in(&path.join("pid"));
        assert!(is_running(&pid));
        program.kill().expect("it runs");
        program.wait().expect("it was ours");
        ends(&pid, way);
    }
}

/// A fork bomb that starts two processes for each that is killed, as long as one is left.
#[test]
fn what_starts_others_as_fast_as_it_is_killed_ends_too() {
    if !has_linux_proc() {
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
    if !has_linux_proc() {
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
    let pid = pid_in(&path.join("pid"));
    let ended = type_in("exit 5\n");
    let ending = terminals.list().first().and_then(|listed| listed.ending);
    let ending = ended.ending.or(ending);
    assert_eq!(ending.map(|ending| ending.to_string()), Some("exit code 5".to_owned()));
    drop(terminals.close(id));
    ends(&pid, "the terminal was closed");
}

#[test]
fn a_terminal_ends_with_its_guard() {
    if !has_linux_proc() {
        return;
    }
    let (_folder, path) = folder();
    put_stay(&path);
    let terminals = TerminalPool::new(TerminalLimits::default());
    let wait = OutputWait { longest: PATIENCE, pause: Duration::from_millis(200) };
    let command = TerminalCommand {
        text: "trap '' HUP TERM; kill -9 $PPID; exec sh stay".to_owned(),
        directory: path.clone(),
        environment: environment(),
        shell: ShellProgram::find(None).expect("a shell"),
        size: TerminalSize::default(),
        sandbox: None,
        guard: Some(guard()),
    };
    // The program may be gone before it has written its number.
    let started = terminals.start_terminal(&command, wait, WaitControl::SILENT, Instant::now());
    drop(started.expect("it starts"));
    let begun = Instant::now();
    let is_there =
        |one: fs::DirEntry| fs::read_link(one.path().join("cwd")).is_ok_and(|cwd| cwd == path);
    let runs = || fs::read_dir("/proc").expect("it is listed").flatten().any(is_there);
    while runs() {
        assert!(begun.elapsed() < PATIENCE, "it still runs");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_command_reaches_no_process_outside_of_its_sandbox() {
    if !can_confine() {
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

/// Landlock alone lets a command lower the resource limits of any process of its user, which ends
/// that.
#[test]
fn a_command_sets_no_limits_of_other_processes() {
    if !can_confine() {
        return;
    }
    let (_folder, path) = folder();
    let confined = confined(&path, [path.clone()]);
    let me = process::id();
    let before = std::fs::read_to_string("/proc/self/limits").expect("they can be read");
    for text in [
        format!("prlimit --pid {me} --core=1:2"),
        // Nor those of its guard.
        "prlimit --pid $PPID --core=1:2".to_owned(),
    ] {
        let ran = confined(&text);
        assert!(!ran.outcome.is_success(), "{text}: {}", ran.output.text());
    }
    let after = std::fs::read_to_string("/proc/self/limits").expect("they can be read");
    assert_eq!(after, before);
    let own = confined(&format!(
        "ulimit -n 77 && ulimit -n && prlimit --core=5:5 sh -c 'ulimit -c' && prlimit --pid {me} >all"
    ));
    assert!(own.outcome.is_success(), "{}", own.output.text());
    assert!(own.output.text().starts_with("77\n"), "{}", own.output.text());
}

#[test]
fn the_folder_of_ours_that_a_command_removes_is_made_again() {
    if !can_confine() {
        return;
    }
    let (_folder, path) = folder();
    let confined = confined(&path, [path.clone(), std::env::temp_dir()]);
    // The last argument of the guard is a file in it.
    let own = "$(dirname \"$(tr '\\0' '\\n' </proc/$PPID/cmdline | tail -1)\")";
    let removed = confined(&format!("ls -d \"{own}\" && rm -r \"{own}\""));
    assert!(removed.outcome.is_success(), "{}", removed.output.text());
    assert!(removed.output.text().contains("foveal-commands-"), "{}", removed.output.text());
    let next = confined("cd /; echo here");
    assert_eq!(next.output.text(), "here\n");
    assert_eq!(next.directory, Some(PathBuf::from("/")));
}

/// Ways of a command to end its guard, in a sandbox of a kernel that scopes signals.
#[test]
fn a_confined_command_cannot_end_its_guard() {
    if !has_linux_proc() || !can_confine() {
        return;
    }
    // By its number alone: where this fails, no process of anybody else is to end.
    let attempts = "kill -STOP $PPID 2>/dev/null; kill -9 $PPID 2>/dev/null; \
                    cat /proc/$PPID/environ /proc/$PPID/mem 2>/dev/null; \
                    kill -0 $PPID 2>/dev/null && echo reached";
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
    ends(&pid_in(&path.join("pid")), "the time was over");
    // Nor does the program of a terminal.
    let terminals = TerminalPool::new(TerminalLimits::default());
    let wait = OutputWait { longest: PATIENCE, pause: Duration::from_millis(300) };
    let command = TerminalCommand {
        text: "kill -9 $PPID 2>/dev/null || echo held; cat /proc/$PPID/environ 2>/dev/null; setsid -f \
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
    let pid = pid_in(&path.join("pid"));
    drop(terminals.close(id));
    ends(&pid, "the terminal was closed");
}

/// A command that kills programs by their command lines spares the guard, and its own processes end
/// too.
#[test]
fn a_guard_that_is_killed_leaves_nothing_of_its_session() {
    if !has_linux_proc() {
        return;
    }
    let (_folder, path) = folder();
    put_stay(&path);
    let spared = run(&guarded(&format!("pkill -f {}; sh stay & sleep 600", path.display()), &path));
    assert!(!spared.outcome.is_success());
    let (_folder, path) = folder();
    put_stay(&path);
    let ran =
        run(&guarded("sh stay & while [ ! -e pid ]; do :; done; kill -9 $PPID; sleep 9", &path));
    assert!(!ran.outcome.is_success());
    ends(&pid_in(&path.join("pid")), "the guard was killed");
}

/// A command without a sandbox can kill its guard. Processes that have left its session by then are
/// found in the control group.
#[test]
fn a_guard_that_is_killed_leaves_nothing_of_its_control_group() {
    if !has_linux_proc() || !has_control_groups() {
        eprintln!("skipped: no control groups here that are ours to divide");
        return;
    }
    let waits = "while [ ! -e pid ]; do :; done; kill -9 $PPID";
    for way in WAYS_OUT {
        // The program goes on, ends with its guard, or had told its end before that.
        for rest in [
            format!("{waits}; sleep 600"),
            format!("{waits}; exit 3"),
            "while [ ! -e pid ]; do :; done; setsid sh -c \"sleep 0.2; kill -9 $PPID\" &"
                .to_owned(),
        ] {
            let (_folder, path) = folder();
            put_stay(&path);
            let mut command = guarded(&format!("{way}\n{rest}"), &path);
            command.limits.time_out = Duration::from_secs(2);
            command.limits.grace = Duration::from_millis(50);
            let begun = Instant::now();
            drop(run(&command));
            let pid = pid_in(&path.join("pid"));
            if rest.ends_with('&') {
                // The next command collects guards that have ended since.
                while begun.elapsed() < PATIENCE && is_running(&pid) {
                    run(&guarded("true", &path));
                }
            }
            ends(&pid, &format!("{way}; {rest}"));
        }
    }
}

#[test]
fn control_groups_go_with_their_commands() {
    if !has_control_groups() {
        return;
    }
    let (_folder, path) = folder();
    let own = "sed -n 's/^0:://p' /proc/self/cgroup";
    let inside = run(&guarded(own, &path)).output.text();
    let name = inside.trim().rsplit('/').next().expect("a path").to_owned();
    assert!(name.starts_with(&format!("foveal-{}-", process::id())), "{inside}");
    let mounts = fs::read_to_string("/proc/mounts").expect("it is listed");
    let mount = mounts.lines().find(|line| line.split(' ').nth(2) == Some("cgroup2"));
    let point = mount.and_then(|line| line.split(' ').nth(1)).expect("there are groups");
    let group = format!("{point}{}", inside.trim());
    assert!(!Path::new(&group).exists(), "{group} is left");
}
