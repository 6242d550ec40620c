//! Ctrl+C.

use std::process::{Child, Command, Stdio};

use portable_pty::CommandBuilder;

use crate::terminal::Terminal;
use crate::world::{World, session};

/// Sessions that are handed over one by one: more than could go by before a signal is seen.
const PIPES: usize = 60;

/// During `foveal replay`. The program reads from named pipes. That one can be opened to write says that the program
/// has opened it to read, and so, with one thread, that all before it are done.
#[test]
fn what_is_done_is_printed() {
    let world = World::new("interrupt");
    world.write("first.json", session("first"));
    let pipes: Vec<String> = (0..PIPES).map(|at| format!("pipe_{at}.json")).collect();
    let made = Command::new("mkfifo").args(&pipes).current_dir(&world.folder).status();
    assert!(made.is_ok_and(|status| status.success()));
    let mut command = world.command("replay first.json");
    command.args(&pipes).args(["--profile", "lossless"]).env("RAYON_NUM_THREADS", "1");
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the program starts");
    let (id, folder) = (child.id().to_string(), world.folder);
    // Left waiting at the pipe that the program did not come to; it ends with the tests.
    std::thread::spawn(move || {
        for (at, pipe) in pipes.iter().enumerate() {
            let opened = std::fs::OpenOptions::new().write(true).open(folder.join(pipe));
            let mut opened = opened.expect("a pipe");
            if at == 0 {
                interrupt(&id);
            }
            // The program may end while it is written to.
            let _ = std::io::Write::write_all(&mut opened, session(pipe).as_bytes());
        }
    });
    let ran = child.wait_with_output().expect("it was started");
    let out = String::from_utf8(ran.stdout).expect("text");
    let err = String::from_utf8(ran.stderr).expect("text");
    assert_eq!((ran.status.code(), err.as_str()), (Some(130), ""), "{out}");
    let rest = out.strip_prefix("stopped; so far: ").expect("a note that it was stopped");
    let sessions: usize = rest.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
    assert!((1..=PIPES).contains(&sessions), "{out}");
    for row in ["raw ", "lossless "] {
        assert_eq!(out.lines().filter(|line| line.starts_with(row)).count(), 1, "{out}");
    }
    assert!(out.lines().last().is_some_and(|line| line.contains("would have cost $")), "{out}");
}

/// The test holds the index until the program has been interrupted, so that it is stopped
/// before it has read a file.
#[test]
fn what_needs_the_index_stops_and_goes_on() {
    let world = World::new("interrupt_index");
    world.write("r/a.rs", "pub fn first() {}\n");
    world.output("index r");
    let places = std::fs::read_dir(world.folder.join("home/.local/share/foveal/index"));
    let mut places = places.expect("the folder of the index").filter_map(Result::ok);
    let store = places.find(|place| place.path().extension().is_some_and(|end| end == "db"));
    let store = store.expect("the index").path();
    let not_yet = "stopped before the index was up to date: run it again to continue\n";
    for (arguments, symbol, message) in [
        ("index r", "one", ""),
        ("search two --path r", "two", not_yet),
        ("graph three r", "three", not_yet),
        ("map r", "four", not_yet),
    ] {
        world.write(&format!("r/{symbol}.rs"), format!("pub fn {symbol}() {{}}\n"));
        let holder = rusqlite::Connection::open(&store).expect("the index");
        holder.execute_batch("BEGIN IMMEDIATE").expect("nobody else has it");
        let mut command = world.command(arguments);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("the program starts");
        wait_until_it_listens(&child);
        interrupt(&child.id().to_string());
        holder.execute_batch("ROLLBACK").expect("it was begun");
        let ran = child.wait_with_output().expect("it was started");
        let err = String::from_utf8(ran.stderr).expect("text");
        assert_eq!((ran.status.code(), err.as_str()), (Some(130), message), "{arguments}");
        let out = String::from_utf8(ran.stdout).expect("text");
        let told = out.is_empty() || out.starts_with("stopped: 0 files indexed, ");
        assert!(told, "{arguments}: {out}");
        let again = world.output(arguments);
        assert!(again.contains(symbol) || again.starts_with("1 file indexed, "), "{again}");
    }
}

fn interrupt(process: &str) {
    let sent = Command::new("kill").args(["-INT", process]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

/// Waits until a signal no longer ends the program. Where the system does not say, a while.
fn wait_until_it_listens(child: &Child) {
    let caught = || -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
        u64::from_str_radix(line.trim(), 16).ok()
    };
    // SIGINT is the second bit.
    while caught().is_some_and(|signals| signals & 2 == 0) {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    if caught().is_none() {
        std::thread::sleep(std::time::Duration::from_secs(2));
    }
}

/// Nothing is to be shown yet, so that the first Ctrl+C ends the program.
#[test]
fn at_a_question_the_program_ends_at_once() {
    let world = World::new("interrupt_question");
    world.write(".env", "KEY=1\n");
    for arguments in [["read", ".env"].as_slice(), &["grep", "KEY", ".env"]] {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_foveal"));
        command.args(arguments);
        command.cwd(&world.folder);
        command.env_clear();
        command.env("HOME", world.folder.join("home"));
        command.env("TERM", "xterm");
        let mut terminal = Terminal::start(command, (140, 24));
        terminal.shows("Continue? [y/N]").types("\u{3}");
        assert_eq!(terminal.ends(), 130, "{arguments:?}");
        assert!(!terminal.written().contains("stopped"), "{}", terminal.written());
    }
}
