//! `foveal chat` at a terminal, with a scripted model over HTTP.

use foveal_upstream::{Fault, Reply, Upstream};
use portable_pty::CommandBuilder;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::run_task::{KEY, bodies, calls, changes_a_file, model, provider};
use crate::terminal::Terminal;
use crate::world::World;

const ENTER: &str = "\r";
const CTRL_C: &str = "\x03";
const CTRL_D: &str = "\x04";
const CTRL_O: &str = "\x0f";
const ESC: &str = "\x1b";
const PAGE_UP: &str = "\x1b[5~";

/// The chat in a folder, asking this provider.
fn chat(world: &World, upstream: &Upstream, options: &[&str]) -> Terminal {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_foveal"));
    command.args(["chat", "--model", &model(upstream, "messages")]);
    command.args(options);
    command.cwd(&world.folder);
    command.env_clear();
    command.env("HOME", world.folder.join("home"));
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("TERM", "xterm-256color");
    command.env("FOVEAL_MODEL_KEY", KEY);
    let mut terminal = Terminal::start(command, (80, 24));
    terminal.shows("/help tells keys");
    terminal
}

#[test]
fn a_task_is_done_with_a_person() {
    let world = World::new("chat-task");
    world.write("a.rs", "const A: u8 = 2;\n");
    let upstream = provider(changes_a_file());
    let mut chat = chat(&world, &upstream, &[]);
    chat.types("make it three").types(ENTER);
    chat.shows("> make it three").shows("∴ thought").shows("✓ read_file a.rs").shows("✓ list");
    chat.shows("? edit_file `a.rs`").shows("-const A: u8 = 2;").shows("+const A: u8 = 3;");
    chat.shows("once").shows("always");
    assert_eq!(world.read("a.rs"), "const A: u8 = 2;\n");
    chat.types("y").shows("✓ edit_file a.rs").shows("It is three now.");
    assert_eq!(world.read("a.rs"), "const A: u8 = 3;\n");
    // The last block that has more to show is the change.
    chat.types(CTRL_O).shows("──");
    chat.types("/stats").types(ENTER).shows("requests        3");
    chat.types("/nothing").types(ENTER).shows("there is no command /nothing");
    chat.types(PAGE_UP).shows("more below").types(ESC).shows_no("more below");
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 0);
    chat.is_put_back();
    let after = chat.written();
    let after = &after[after.rfind("\x1b[?1049l").expect("it is left")..];
    assert!(after.contains("goes on with it"), "{after:?}");
    assert_eq!(bodies(&upstream).len(), 3);
}

#[test]
fn a_session_goes_on_where_it_was() {
    let world = World::new("chat-goes-on");
    let upstream = provider([Reply::text("The first answer.")]);
    let mut first = chat(&world, &upstream, &[]);
    first.types("one").types(ENTER).shows("The first answer.").types(CTRL_D);
    assert_eq!(first.ends(), 0);
    let mut second = chat(&world, &upstream, &["--continue"]);
    second.shows("> one").shows("The first answer.");
    // What was said before can be said again.
    second.types("\x1b[A").shows("> one").types(ENTER);
    second.shows("$").types(CTRL_C).shows("again quits").types(CTRL_C);
    assert_eq!(second.ends(), 0);
    let last = bodies(&upstream).pop().expect("a request");
    assert_eq!(last["messages"].as_array().map(Vec::len), Some(3), "{last}");
}

#[test]
fn who_says_no_is_obeyed_and_the_session_goes_on() {
    let world = World::new("chat-no");
    let turns = [calls(&[("bash", json!({"command": "touch made"}))]), Reply::text("I leave it.")];
    let upstream = provider(turns);
    let mut chat = chat(&world, &upstream, &[]);
    chat.types("do it").types(ENTER).shows("? bash `touch made`").types("n");
    chat.shows("✗ bash touch made").shows("I leave it.");
    assert!(!world.folder.join("made").exists());
    assert!(bodies(&upstream)[1].to_string().contains("the person said no"));
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 0);
}

#[test]
fn what_is_allowed_for_good_is_not_asked_again() {
    let world = World::new("chat-always");
    let make = || calls(&[("bash", json!({"command": "echo made >> made"}))]);
    for (key, asks_again, makes) in [("s", true, 2), ("a", false, 4)] {
        let upstream = provider([make(), make(), Reply::text("Twice.")]);
        let mut first = chat(&world, &upstream, &[]);
        first.types("do it").types(ENTER).shows("? bash").types(key).shows("Twice.").types(CTRL_D);
        assert_eq!(first.ends(), 0);
        assert_eq!(world.read("made").lines().count(), makes);
        let upstream = provider([make(), Reply::text("Again.")]);
        let mut second = chat(&world, &upstream, &[]);
        second.types("do it").types(ENTER);
        second.shows(if asks_again { "? bash" } else { "Again." });
        if asks_again {
            second.types(CTRL_C).shows("· stopped");
        }
        second.types(CTRL_D);
        second.ends();
        let made = world.read("made").lines().count();
        assert_eq!(made, makes + usize::from(!asks_again));
        world.write("made", "x\nx\n");
    }
}

#[test]
fn an_answer_is_stopped_and_another_one_asked_for() {
    let world = World::new("chat-stop");
    let upstream = provider([Reply::text("Well.")]);
    upstream.play(foveal_upstream::Script::in_order([
        foveal_upstream::Play::from(Fault::Silent(1)),
        Reply::text("Here I am.").into(),
    ]));
    let mut chat = chat(&world, &upstream, &[]);
    chat.types("one").types(ENTER).shows("Ctrl+C stops it");
    while upstream.seen().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    chat.types(CTRL_C).shows("· stopped");
    chat.types("two").types(ENTER).shows("Here I am.");
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 0);
}

#[test]
fn it_is_usable_in_fifty_columns_and_when_resized() {
    let world = World::new("chat-resized");
    let text =
        "A long sentence that has to be broken somewhere, because nobody has so many columns.";
    let upstream = provider([Reply::text(text)]);
    let mut chat = chat(&world, &upstream, &[]);
    chat.types("say").types(ENTER).shows("somewhere, because nobody has so");
    chat.resizes((50, 20)).shows("A long sentence that has to be broken somewhere,\nbecause");
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 0);
    chat.is_put_back();
}

#[test]
fn a_signal_puts_the_terminal_back() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        for works in [false, true] {
            let world = World::new("chat-signal");
            let upstream = provider([calls(&[("bash", json!({"command": "sleep 60"}))])]);
            let mut chat = chat(&world, &upstream, &[]);
            if works {
                chat.types("go").types(ENTER).shows("? bash").types("y").shows_no("? bash");
            }
            let pid = chat.child.process_id().expect("it runs");
            let pid = Pid::from_raw(pid.cast_signed()).expect("a number");
            kill_process(pid, signal).expect("it runs");
            chat.ends();
            chat.is_put_back();
        }
    }
}

#[test]
fn nothing_foreign_reaches_the_terminal() {
    let world = World::new("chat-hostile");
    let hostile = crate::screens::HOSTILE;
    world.write("a.rs", hostile);
    let turns = [
        Reply {
            thinking: hostile.to_owned(),
            text: hostile.to_owned(),
            ..calls(&[
                ("read_file", json!({"path": "a.rs"})),
                ("bash", json!({"command": format!("echo '{hostile}'")})),
            ])
        },
        Reply::text(format!("End.\n\n`{hostile}`\n\n```\n{hostile}\n```\n")),
    ];
    let upstream = provider(turns);
    let mut chat = chat(&world, &upstream, &[]);
    chat.types("go").types(ENTER).shows("? bash").types("y").shows("End.");
    chat.types(CTRL_O).shows("──").types(CTRL_D);
    chat.ends();
    let written = chat.written();
    for obeyed in ["\x1b]0;title", "\x1b]52;", "\u{9b}", "\u{202e}", "\u{200b}", "\u{e0041}"] {
        assert!(!written.contains(obeyed), "{obeyed:?}");
    }
}

#[test]
fn without_a_terminal_or_a_model_it_says_what_to_do() {
    let world = World::new("chat-none");
    let ran = world.run("chat");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("needs a terminal") && ran.err.contains("`foveal run"), "{}", ran.err);
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_foveal"));
    command.args(["chat", "--model", "anthropic:claude-sonnet-4-5"]);
    command.cwd(&world.folder);
    command.env_clear();
    command.env("HOME", world.folder.join("home"));
    let mut terminal = Terminal::start(command, (80, 24));
    terminal.shows("ANTHROPIC_API_KEY");
    assert_eq!(terminal.ends(), 2);
    assert!(!terminal.written().contains("\x1b[?1049h"));
}
