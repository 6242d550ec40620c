//! Ctrl+C during `foveal replay`.

use std::process::{Command, Stdio};

use crate::world::{World, session};

/// Sessions that are handed over one by one: more than could go by before a signal is seen.
const PIPES: usize = 60;

/// The program reads from named pipes. That one can be opened to write says that the program
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
                let sent = Command::new("kill").args(["-INT", &id]).status();
                assert!(sent.is_ok_and(|status| status.success()));
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
