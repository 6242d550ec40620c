//! Terminals: input, output, and that no process is left behind.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use foveal_sandbox::{
    Confinement, OutputRetention, OutputWait, Sandbox, ShellProgram, TerminalCommand, TerminalId,
    TerminalLimits, TerminalPool, TerminalReading, TerminalSize, WaitControl, WaitOutcome,
};
use foveal_transcript::CancelToken;

use crate::command::{PATIENCE, environment, folder, has_linux_proc, is_running, pid_in};
use crate::sandbox::can_confine;

/// Waits until output has arrived and then paused.
const ANSWER: OutputWait = OutputWait { longest: PATIENCE, pause: Duration::from_millis(30) };

fn terminals() -> TerminalPool {
    TerminalPool::new(TerminalLimits {
        grace: Duration::from_millis(50),
        ..TerminalLimits::default()
    })
}

fn command(text: &str, directory: &Path) -> TerminalCommand {
    TerminalCommand {
        text: text.to_owned(),
        directory: directory.to_path_buf(),
        environment: environment().with_variable("PS1", "> "),
        shell: ShellProgram::find(None).expect("tests need a shell"),
        size: TerminalSize::default(),
        sandbox: None,
        guard: None,
    }
}

fn start(terminals: &TerminalPool, text: &str, directory: &Path) -> (TerminalId, TerminalReading) {
    let command = command(text, directory);
    terminals
        .start_terminal(&command, ANSWER, WaitControl::SILENT, Instant::now())
        .expect("it starts")
}

fn write(terminals: &TerminalPool, id: TerminalId, text: &str) -> String {
    let reading = terminals.write_stdin(id, text, ANSWER, WaitControl::SILENT, Instant::now());
    reading.expect("the terminal is there").output.text()
}

/// Reads until `mark` has arrived.
#[track_caller]
fn until(terminals: &TerminalPool, id: TerminalId, mark: &str, mut seen: String) -> String {
    let start = Instant::now();
    while !seen.contains(mark) {
        assert!(start.elapsed() < PATIENCE, "no {mark:?} in {seen:?}");
        let reading = terminals
            .read_output(id, ANSWER, WaitControl::SILENT, Instant::now())
            .expect("it is there");
        seen.push_str(&reading.output.text());
        assert!(
            seen.contains(mark) || reading.paused != WaitOutcome::Ended,
            "no {mark:?} in {seen:?}"
        );
    }
    seen
}

/// Reads to the end of the program.
fn rest(terminals: &TerminalPool, id: TerminalId) -> TerminalReading {
    let wait = OutputWait { longest: PATIENCE, pause: PATIENCE };
    terminals.read_output(id, wait, WaitControl::SILENT, Instant::now()).expect("it is there")
}

#[test]
fn output_and_exit_code_of_a_program() {
    let (_folder, path) = folder();
    let terminals = terminals();
    let wait = OutputWait { longest: PATIENCE, pause: PATIENCE };
    let command = command("test -t 0 && test -t 1 && test -t 2 && pwd; exit 3", &path);
    let (id, reading) = terminals
        .start_terminal(&command, wait, WaitControl::SILENT, Instant::now())
        .expect("starts");
    assert_eq!(reading.output.text(), format!("{}\r\n", path.display()));
    assert_eq!(reading.paused, WaitOutcome::Ended);
    assert_eq!(reading.ending.expect("it has ended").to_string(), "exit code 3");
    assert_eq!(id.to_string(), "1");
}

#[test]
fn what_is_typed_is_echoed_and_answered() {
    let (_folder, path) = folder();
    let terminals = terminals();
    let (id, reading) = start(&terminals, "echo ready; while read x; do echo got $x; done", &path);
    let seen = until(&terminals, id, "ready\r\n", reading.output.text());
    assert_eq!(seen, "ready\r\n");
    let seen = write(&terminals, id, "one\n");
    assert_eq!(until(&terminals, id, "got", seen), "one\r\ngot one\r\n");
    let seen = write(&terminals, id, "zwei é\n");
    assert_eq!(until(&terminals, id, "got", seen), "zwei é\r\ngot zwei é\r\n");
    write(&terminals, id, "\u{4}");
    let reading = rest(&terminals, id);
    assert_eq!(reading.ending.expect("it read the end").to_string(), "exit code 0");
}

#[test]
fn control_c_interrupts() {
    let (_folder, path) = folder();
    let terminals = terminals();
    let text = "trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.01; done";
    let (id, reading) = start(&terminals, text, &path);
    until(&terminals, id, "ready", reading.output.text());
    let seen = write(&terminals, id, "\u{3}");
    until(&terminals, id, "caught", seen);
    assert_eq!(rest(&terminals, id).ending.expect("it ended").to_string(), "exit code 7");
}

#[test]
fn the_size_is_told() {
    let (_folder, path) = folder();
    let terminals = terminals();
    let (id, reading) = start(&terminals, "stty size", &path);
    until(&terminals, id, "24 120", reading.output.text());
}

#[test]
fn closing_ends_everything_in_the_session() {
    if !has_linux_proc() {
        return;
    }
    let (_folder, path) = folder();
    let terminals = terminals();
    // With job control, each job is a process group of its own; and one does not want to end.
    let text = "set -m; echo $$ >leader; \
                sh -c 'trap \"\" HUP TERM; echo $$ >deaf; while :; do sleep 1; done' & \
                sleep 1000 & echo $! >job; wait";
    let (id, _) = terminals
        .start_terminal(
            &command(text, &path),
            OutputWait::IMMEDIATE,
            WaitControl::SILENT,
            Instant::now(),
        )
        .expect("it starts");
    let pids = ["leader", "deaf", "job"].map(|name| pid_in(&path.join(name)));
    assert!(pids.iter().all(|pid| is_running(pid)));
    let reading = terminals.close(id).expect("it is there");
    assert!(reading.ending.is_some());
    for pid in pids {
        assert!(!is_running(&pid), "{pid} goes on");
    }
    assert_eq!(
        terminals.close(id).expect_err("closed").to_string(),
        "there is no terminal 1; it was closed, or never started"
    );
}

#[test]
fn closing_tells_the_last_output() {
    let (_folder, path) = folder();
    let text = "trap 'echo bye; exit 4' TERM HUP; echo ready; while :; do sleep 0.01; done";
    let patient = TerminalLimits { grace: PATIENCE, ..TerminalLimits::default() };
    let terminals = TerminalPool::new(patient);
    let (id, reading) = start(&terminals, text, &path);
    until(&terminals, id, "ready", reading.output.text());
    let reading = terminals.close(id).expect("it is there");
    assert!(reading.output.text().contains("bye"), "{reading:?}");
    assert_eq!(reading.ending.expect("it ended").to_string(), "exit code 4");
}

#[test]
fn all_end_when_dropped() {
    if !has_linux_proc() {
        return;
    }
    let (_folder, path) = folder();
    let terminals = terminals();
    for name in ["a", "b"] {
        let text = format!("echo $$ >{name}; trap '' HUP TERM; while :; do sleep 1; done");
        let command = command(&text, &path);
        terminals
            .start_terminal(&command, OutputWait::IMMEDIATE, WaitControl::SILENT, Instant::now())
            .expect("starts");
    }
    let pids = ["a", "b"].map(|name| pid_in(&path.join(name)));
    drop(terminals);
    for pid in pids {
        assert!(!is_running(&pid), "{pid} goes on");
    }
}

#[test]
fn unread_output_is_bounded_and_counted() {
    let (_folder, path) = folder();
    let keep = OutputRetention { head: 10, tail: 20 };
    let terminals = TerminalPool::new(TerminalLimits { keep, ..TerminalLimits::default() });
    let (id, _) = terminals
        .start_terminal(
            &command("stty -opost; seq 1 100000", &path),
            OutputWait::IMMEDIATE,
            WaitControl::SILENT,
            Instant::now(),
        )
        .expect("it starts");
    let wait = OutputWait { longest: PATIENCE, pause: PATIENCE };
    let first =
        terminals.read_output(id, wait, WaitControl::SILENT, Instant::now()).expect("it is there");
    assert_eq!(first.paused, WaitOutcome::Ended);
    assert!(first.output.text().len() < 120, "{first:?}");
    assert!(first.output.text().ends_with("\n99999\n100000\n"), "{first:?}");
    let second =
        terminals.read_output(id, wait, WaitControl::SILENT, Instant::now()).expect("it is there");
    assert_eq!(second.output.text(), "");
}

#[test]
fn output_is_streamed_as_it_comes() {
    let (_folder, path) = folder();
    let terminals = terminals();
    let streamed = Mutex::new(String::new());
    let stream = |piece: &str| streamed.lock().expect("nobody panics").push_str(piece);
    // Goes on only when what it wrote was seen, and writes more than is streamed at once.
    let text = "printf 'one é'; while [ ! -e go ]; do sleep 0.01; done; seq 1 30000";
    let is_cancelled = || {
        if streamed.lock().expect("nobody panics").contains("one é") {
            std::fs::write(path.join("go"), "").expect("a folder of ours");
        }
        false
    };
    let wait = OutputWait { longest: PATIENCE, pause: PATIENCE };
    let waiting = WaitControl { cancel: &CancelToken::from_fn(&is_cancelled), stream: &stream };
    let (id, reading) = terminals
        .start_terminal(&command(text, &path), wait, waiting, Instant::now())
        .expect("it starts");
    assert_eq!(reading.paused, WaitOutcome::Ended);
    let seen = streamed.lock().expect("nobody panics").clone();
    assert!(seen.starts_with("one é") && seen.ends_with("\n30000\r\n"), "{} bytes", seen.len());
    // What was streamed is not streamed again.
    streamed.lock().expect("nobody panics").clear();
    terminals.read_output(id, OutputWait::IMMEDIATE, waiting, Instant::now()).expect("it is there");
    assert_eq!(*streamed.lock().expect("nobody panics"), "");
}

#[test]
fn endless_output_ends_no_wait_later() {
    let (_folder, path) = folder();
    let terminals = terminals();
    let asked = AtomicUsize::new(0);
    let is_over = || asked.fetch_add(1, Ordering::Relaxed) >= 5;
    let wait = OutputWait { longest: PATIENCE, pause: PATIENCE };
    let waiting = WaitControl { cancel: &CancelToken::from_fn(&is_over), ..WaitControl::SILENT };
    let (_, reading) = terminals
        .start_terminal(&command("yes", &path), wait, waiting, Instant::now())
        .expect("it starts");
    assert_eq!(reading.paused, WaitOutcome::Cancelled);
}

#[test]
fn a_wait_stops_when_told_and_at_its_deadline() {
    let (_folder, path) = folder();
    let terminals = terminals();
    let forever = OutputWait { longest: Duration::MAX, pause: PATIENCE };
    let silent = command("sleep 1000", &path);
    let (id, reading) = terminals
        .start_terminal(
            &silent,
            forever,
            WaitControl { cancel: &CancelToken::from_fn(&|| true), ..WaitControl::SILENT },
            Instant::now(),
        )
        .expect("it starts");
    assert_eq!((reading.paused, reading.ending), (WaitOutcome::Cancelled, None));
    let wait = OutputWait { longest: Duration::from_millis(50), pause: PATIENCE };
    let reading =
        terminals.read_output(id, wait, WaitControl::SILENT, Instant::now()).expect("it is there");
    assert_eq!((reading.paused, reading.output.text()), (WaitOutcome::Deadline, String::new()));
}

#[test]
fn old_output_does_not_pass_for_an_answer() {
    let (_folder, path) = folder();
    let terminals = terminals();
    let text = "stty -echo; echo ready; read x; sleep 0.3; echo got $x; read y";
    let (id, first) = terminals
        .start_terminal(
            &command(text, &path),
            OutputWait::IMMEDIATE,
            WaitControl::SILENT,
            Instant::now(),
        )
        .expect("it starts");
    let start = Instant::now();
    // On a slow machine it is ready before the first look is over.
    while first.output.bytes == 0 && terminals.list()[0].unread_bytes == 0 {
        assert!(start.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(5));
    }
    let seen = first.output.text() + &write(&terminals, id, "x\n");
    assert_eq!(seen, "ready\r\ngot x\r\n");
}

#[test]
fn so_many_at_a_time() {
    let (_folder, path) = folder();
    let limits = TerminalLimits { sessions_max: 2, ..TerminalLimits::default() };
    let terminals = TerminalPool::new(limits);
    let exec = |text| {
        let command = command(text, &path);
        terminals
            .start_terminal(&command, OutputWait::IMMEDIATE, WaitControl::SILENT, Instant::now())
            .map(|(id, _)| id)
    };
    let first = exec("exit 1").expect("there is room");
    let second = exec("sleep 1000").expect("there is room");
    rest(&terminals, first);
    let third = exec("sleep 1001").expect("the one that has ended makes room");
    assert_eq!(
        exec("true").expect_err("both run").to_string(),
        "2 terminals are open, which is the maximum; close one first"
    );
    let listed: Vec<_> = terminals.list().into_iter().map(|one| (one.id, one.text)).collect();
    assert_eq!(listed, [(second, "sleep 1000".to_owned()), (third, "sleep 1001".to_owned())]);
}

#[test]
fn unused_terminals_expire_by_the_callers_clock() {
    let (_folder, path) = folder();
    let terminals = terminals();
    let start = Instant::now();
    let later = |minutes: u64| start + Duration::from_secs(minutes * 60);
    let command = command("sleep 1000", &path);
    let exec = |at| {
        terminals
            .start_terminal(&command, OutputWait::IMMEDIATE, WaitControl::SILENT, at)
            .expect("it starts")
            .0
    };
    let (first, second) = (exec(start), exec(start));
    terminals
        .read_output(second, OutputWait::IMMEDIATE, WaitControl::SILENT, later(20))
        .expect("it is there");
    assert_eq!(terminals.close_idle(later(29)), []);
    assert_eq!(terminals.close_idle(later(31)), [first]);
    assert_eq!(terminals.close_idle(later(50)), [second]);
    assert_eq!(terminals.list(), []);
}

#[test]
fn input_that_nobody_reads_is_refused_in_the_end() {
    let (_folder, path) = folder();
    let terminals = terminals();
    let (id, reading) = start(&terminals, "stty raw -echo; echo ready; sleep 1000", &path);
    until(&terminals, id, "ready", reading.output.text());
    let text = "x".repeat(100_000);
    let write = || {
        terminals.write_stdin(id, &text, OutputWait::IMMEDIATE, WaitControl::SILENT, Instant::now())
    };
    let refused = (0..10).find_map(|_| write().err()).expect("there is an end");
    assert_eq!(
        refused.to_string(),
        "terminal 1 does not read its input, and more than 262144 bytes would be queued; \
         read its output, or close it"
    );
    assert!(terminals.close(id).expect("it can be closed all the same").ending.is_some());
}

#[test]
fn terminals_are_confined_like_commands() {
    if !can_confine() {
        return;
    }
    let (_folder, path) = folder();
    let root = path.join("root");
    std::fs::create_dir(&root).expect("a folder of ours");
    let terminals = terminals();
    let sandbox = Some(Sandbox::from_writable([root.clone()]));
    let text = "stty size && echo in >in; echo out >../out; exit 5";
    let command = TerminalCommand { sandbox, ..command(text, &root) };
    let (id, _) = terminals
        .start_terminal(&command, OutputWait::IMMEDIATE, WaitControl::SILENT, Instant::now())
        .expect("it starts");
    let holding = terminals.list()[0].sandbox_status.clone().expect("it is in a sandbox");
    assert_eq!(holding.confinement, Confinement::Full);
    assert_eq!(rest(&terminals, id).ending.expect("it ended").to_string(), "exit code 5");
    assert_eq!(std::fs::read_to_string(root.join("in")).expect("written"), "in\n");
    assert!(!path.join("out").exists());
}

#[test]
fn what_cannot_start_is_said() {
    let (_folder, path) = folder();
    let terminals = terminals();
    let refusal = |command: &TerminalCommand| {
        let error = terminals.start_terminal(
            command,
            OutputWait::IMMEDIATE,
            WaitControl::SILENT,
            Instant::now(),
        );
        let error = error.expect_err("it cannot start").to_string();
        error.replace(path.to_str().expect("plain"), "HERE")
    };
    assert!(refusal(&command("a\0b", &path)).contains("NUL"));
    assert!(
        refusal(&command("true", &path.join("missing"))).contains("HERE/missing does not exist")
    );
    let no_shell = TerminalCommand {
        shell: ShellProgram::from_path(path.join("sh")),
        ..command("true", &path)
    };
    assert_eq!(refusal(&no_shell), "the shell HERE/sh could not be started: entity not found");
    assert_eq!(terminals.list(), []);
}
