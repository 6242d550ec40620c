use std::io::Read as _;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use super::*;

/// Run by the tests below in a pseudoterminal.
#[test]
#[ignore = "needs a terminal that it may take"]
fn the_thread_that_draws_panics() {
    let _screen = Screen::enter().expect("a terminal");
    panic!("told at the end");
}

#[test]
#[ignore = "needs a terminal that it may take"]
fn another_thread_panics() {
    let (sender, told) = std::sync::mpsc::sync_channel(1);
    let screen = Screen::enter().expect("a terminal");
    notice::redirect_notices(Some(sender));
    drop(thread::spawn(|| panic!("told on the screen")).join());
    let told = told.try_recv().expect("a message");
    drop(screen);
    notice::print_notice(format_args!("after it: {told}"));
}

/// Returns the output of the test `name` in a pseudoterminal.
fn written(name: &str) -> String {
    let pair = native_pty_system().openpty(PtySize::default()).expect("a terminal");
    let mut command = CommandBuilder::new(std::env::current_exe().expect("a program"));
    let name = format!("commands::chat::screen::tests::{name}");
    command.args(["--exact", &name, "--ignored", "--nocapture"]);
    let mut child = pair.slave.spawn_command(command).expect("it starts");
    drop(pair.slave);
    let mut written = Vec::new();
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    // On Linux the end of a pseudoterminal is a read error.
    drop(reader.read_to_end(&mut written));
    child.wait().expect("it ends");
    String::from_utf8_lossy(&written).into_owned()
}

#[test]
fn a_panic_is_told_on_the_terminal_as_it_was() {
    let written = written("the_thread_that_draws_panics");
    let left = written.find("\x1b[?1049l").expect("the screen is left");
    let told = written.find("told at the end").expect("the panic is told");
    assert!(written.contains("\x1b[?1049h") && left < told, "{written:?}");
    // Lines end with a carriage return only outside of raw mode.
    assert!(written[told..].contains("\r\n"), "{written:?}");
}

#[test]
fn a_panic_of_another_thread_leaves_the_screen() {
    let written = written("another_thread_panics");
    let left = written.find("\x1b[?1049l").expect("the screen is left");
    let told = written.find("told on the screen").expect("the panic is told");
    assert!(left < told && written.contains("after it: a part of foveal crashed"), "{written:?}");
}
