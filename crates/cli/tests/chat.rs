//! `foveal chat` at a terminal, with a scripted model over HTTP.

use foveal_mock_provider::{MockProvider, ModelReply, ReplyScript, ScriptedFault};
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
pub(crate) fn chat(world: &World, upstream: &MockProvider, options: &[&str]) -> Terminal {
    chat_with(world, upstream, options, &[("TERM", "xterm-256color")])
}

/// The same at a terminal that these variables tell of.
fn chat_with(
    world: &World,
    upstream: &MockProvider,
    options: &[&str],
    variables: &[(&str, &str)],
) -> Terminal {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_foveal"));
    command.args(["chat", "--model", &model(upstream, "messages")]);
    command.args(options);
    command.cwd(&world.folder);
    command.env_clear();
    command.env("HOME", world.folder.join("home"));
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    for (name, value) in variables {
        command.env(name, value);
    }
    command.env("FOVEAL_MODEL_KEY", KEY);
    let mut terminal = Terminal::start(command, (80, 24));
    terminal.shows("/help lists keys");
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
    chat.answers("y").shows("✓ edit_file a.rs").shows("It is three now.");
    assert_eq!(world.read("a.rs"), "const A: u8 = 3;\n");
    // The last block that has more to show is the change.
    chat.types(CTRL_O).shows("──");
    chat.types("/context").types(ENTER).shows("Context: ").shows("last billed").shows("24 tools");
    chat.types("\x1b[F").shows("make it three").types(ESC).shows_no("Context: ");
    chat.types("/stats").types(ENTER).shows("requests        3");
    chat.types("/nothing").types(ENTER).shows("unknown command /nothing");
    chat.types(PAGE_UP).shows("more below").types(ESC).shows_no("more below");
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 0);
    chat.is_put_back();
    let after = chat.written();
    let after = &after[after.rfind("\x1b[?1049l").expect("it is left")..];
    assert!(after.contains("resume with "), "{after:?}");
    assert_eq!(bodies(&upstream).len(), 3);
}

/// Whether a program wrote colours of the table of 256, and of the sixteen.
fn colours_in(written: &str) -> (bool, bool) {
    let sets = written.split("\x1b[").skip(1).filter_map(|rest| {
        let end = rest.find(|sign: char| !sign.is_ascii_digit() && sign != ';')?;
        rest[end..].starts_with('m').then(|| &rest[..end])
    });
    let (mut indexed, mut basic) = (false, false);
    for set in sets {
        let parts: Vec<u16> = set.split(';').filter_map(|part| part.parse().ok()).collect();
        let mut parts = parts.into_iter();
        while let Some(part) = parts.next() {
            match part {
                38 | 48 => {
                    (indexed, _) = (true, parts.nth(1));
                }
                30..=37 | 40..=47 | 90..=97 | 100..=107 => basic = true,
                _ => {}
            }
        }
    }
    (indexed, basic)
}

/// The terminal says how many colours there are, and the user may want others.
#[test]
fn colours_are_those_of_the_terminal() {
    const NONE: (bool, bool) = (false, false);
    const SIXTEEN: (bool, bool) = (false, true);
    const MANY: (bool, bool) = (true, false);
    for (name, wish, variables, expected) in [
        ("256", "", &[("TERM", "xterm-256color")][..], MANY),
        ("true", "", &[("TERM", "xterm"), ("COLORTERM", "truecolor")][..], MANY),
        ("16", "", &[("TERM", "xterm")][..], SIXTEEN),
        ("none", "", &[("TERM", "xterm-256color"), ("NO_COLOR", "1")][..], NONE),
        ("dumb", "", &[("TERM", "dumb")][..], NONE),
        ("wants-16", "chat.colours = 16\n", &[("TERM", "xterm-256color")][..], SIXTEEN),
        ("wants-256", "chat.colours = \"256\"\n", &[("TERM", "xterm")][..], MANY),
        ("wants-none", "chat.colours = \"none\"\n", &[("TERM", "xterm-256color")][..], NONE),
        ("refuses", "chat.colours = 256\n", &[("TERM", "xterm"), ("NO_COLOR", "1")][..], NONE),
    ] {
        let world = World::new(&format!("chat-colours-{name}"));
        world.write("a.rs", "const A: u8 = 2;\n");
        world.write("home/.config/foveal/config.toml", wish);
        let upstream = provider(changes_a_file());
        let mut chat = chat_with(&world, &upstream, &[], variables);
        chat.types("make it three").types(ENTER).shows("? edit_file `a.rs`").answers("y");
        chat.shows("It is three now.").shows("+= 3;").types(CTRL_D);
        assert_eq!(chat.ends(), 0);
        assert_eq!(colours_in(&chat.written()), expected, "{name}: {:?}", chat.written());
    }
}

#[test]
fn a_sub_agent_asks_the_person_and_shows_what_it_does() {
    let world = World::new("chat-agent");
    let task = json!({"task": "Make it.", "label": "make the file"});
    let upstream = provider([ModelReply::from_text("")]);
    upstream.set_script(ReplyScript::in_order([
        calls(&[("start_agent", task)]),
        calls(&[("bash", json!({"command": "touch made; sleep 2"}))]),
        ModelReply::from_text("I made it."),
        ModelReply::from_text("It is there."),
    ]));
    let mut chat = chat(&world, &upstream, &[]);
    chat.types("make it").types(ENTER);
    chat.shows("start_agent make the file").shows("? sub-agent `make the file`: bash `touch made");
    assert!(!world.folder.join("made").exists());
    chat.answers("y").shows("    bash touch made").shows("1 request, 1 call, ");
    chat.shows("It is there.").shows("✓ start_agent make the file").shows("2 requests, 1 call, ");
    chat.shows_no("I made it.").types(CTRL_O).shows("· bash touch made").shows("I made it.");
    chat.types("/stats")
        .types(ENTER)
        .shows("requests        4")
        .shows("sub-agents      1: 2 requests");
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 0);
    assert!(world.folder.join("made").exists());
}

#[test]
fn a_session_goes_on_where_it_was() {
    let world = World::new("chat-goes-on");
    let upstream = provider([ModelReply::from_text("The first answer.")]);
    let mut first = chat(&world, &upstream, &[]);
    first.types("one").types(ENTER).shows("The first answer.").types(CTRL_D);
    assert_eq!(first.ends(), 0);
    let mut second = chat(&world, &upstream, &["--continue"]);
    second.shows("> one").shows("The first answer.");
    // What was said before can be said again.
    second.types("\x1b[A").shows("> one").types(ENTER);
    second.shows("$").types(CTRL_C).shows("again to quit").types(CTRL_C);
    assert_eq!(second.ends(), 0);
    let last = bodies(&upstream).pop().expect("a request");
    assert_eq!(last["messages"].as_array().map(Vec::len), Some(3), "{last}");
}

#[test]
fn who_says_no_is_obeyed_and_the_session_goes_on() {
    let world = World::new("chat-no");
    let turns = [
        calls(&[("bash", json!({"command": "touch made"}))]),
        ModelReply::from_text("I leave it."),
    ];
    let upstream = provider(turns);
    let mut chat = chat(&world, &upstream, &[]);
    chat.types("do it")
        .types(ENTER)
        .shows("? bash `touch made`: no rule allows `touch *`")
        .answers("n");
    chat.shows("✗ bash touch made").shows("I leave it.");
    assert!(!world.folder.join("made").exists());
    assert!(bodies(&upstream)[1].to_string().contains("the user did not approve it"));
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 0);
}

#[test]
fn what_is_allowed_for_good_is_not_asked_again() {
    let world = World::new("chat-always");
    let make = || calls(&[("bash", json!({"command": "sh -c 'echo made >> made'"}))]);
    for (key, asks_again, makes) in [("s", true, 2), ("a", false, 4)] {
        let upstream = provider([make(), make(), ModelReply::from_text("Twice.")]);
        let mut first = chat(&world, &upstream, &[]);
        first.types("do it").types(ENTER).shows("? bash").answers(key);
        if key == "a" {
            first.shows("always: bash may run `sh -c 'echo made").shows_no("… y").types("y");
        }
        first.shows("Twice.").types(CTRL_D);
        assert_eq!(first.ends(), 0);
        assert_eq!(world.read("made").lines().count(), makes);
        let upstream = provider([make(), ModelReply::from_text("Again.")]);
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
    // It is listed, shown where one looks, and taken back.
    let grant = "always allowed in";
    assert!(world.output("permissions").contains("1  bash `sh -c 'echo made >> made'`"));
    assert!(world.run("doctor").out.contains("1 permanent approval in this folder"));
    let revoked = world.run("permissions revoke 1");
    assert_eq!(revoked.code, Some(0), "{}", revoked.err);
    assert!(!world.output("permissions").contains(grant));
    assert_eq!(world.run("permissions revoke 1").code, Some(2));
    let upstream = provider([make(), ModelReply::from_text("Again.")]);
    let mut third = chat(&world, &upstream, &[]);
    third.types("do it").types(ENTER).shows("? bash").types(CTRL_C).shows("· stopped");
    third.types(CTRL_D);
    third.ends();
}

/// The question comes while a message is typed, and its letters are those of the answers.
#[test]
fn what_is_typed_ahead_allows_nothing() {
    let world = World::new("chat-ahead");
    let makes = calls(&[("bash", json!({"command": "touch made"}))]);
    let upstream = provider([makes, ModelReply::from_text("Left.")]);
    let mut chat = chat(&world, &upstream, &[]);
    chat.types("go").types(ENTER);
    let begun = std::time::Instant::now();
    while !chat.screen().contains("? bash") {
        assert!(begun.elapsed().as_secs() < 30, "{}", chat.screen());
        chat.types("ays ");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    for _ in 0..20 {
        chat.types("ays ");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    chat.shows("ays ays").shows("? bash `touch made`").shows("Tab");
    assert!(!world.folder.join("made").exists());
    chat.types(CTRL_C).shows_no("> ays").answers("n").shows("Left.");
    assert!(!world.folder.join("made").exists());
    assert!(world.output("permissions").contains("no permanent approvals"));
    chat.types(CTRL_D);
}

/// What models call otherwise, as they know it from other agents, is shown as it is done.
#[test]
fn a_change_is_shown_whatever_its_arguments_are_called() {
    let world = World::new("chat-spelled");
    world.write("a.rs", "const A: u8 = 2;\n");
    let edit = json!({"file_path": "a.rs", "old_string": "= 2", "new_string": "= 3"});
    let write = json!({"file_path": "a.rs", "contents": "new\n"});
    let both = [calls(&[("edit_file", edit)]), calls(&[("write_file", write)])];
    let upstream = provider(both.into_iter().chain([ModelReply::from_text("Done.")]));
    let mut chat = chat(&world, &upstream, &[]);
    chat.types("go").types(ENTER).shows("? edit_file `a.rs`").shows("-const A: u8 = 2;");
    chat.shows("+const A: u8 = 3;").answers("n").shows("? write_file `a.rs`").shows("+new");
    chat.answers("n").shows("Done.").types(CTRL_D);
}

#[test]
fn a_result_is_dropped_pinned_and_put_back() {
    let world = World::new("chat-drop");
    let text: String = (1..90).map(|n| format!("const A_{n}: u32 = {};\n", n * 7919)).collect();
    world.write("a.rs", text);
    let read = calls(&[("read_file", json!({"path": "a.rs"}))]);
    let upstream = provider([read, ModelReply::from_text("Read.")]);
    let mut chat = chat(&world, &upstream, &[]);
    chat.types("read").types(ENTER).shows("Read.");
    // By place: tools, system, what was said, the answer, its call, the result.
    chat.types("/context").types(ENTER).shows("Context: ").types("ss").shows("(position)");
    chat.types("\x1b[H").types(&"j".repeat(5)).shows("dropping it");
    chat.types("d").shows("dropped: ").types(ESC).shows_no("Context: ");
    chat.types("go on").types(ENTER);
    while upstream.received_requests().len() < 3 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(!bodies(&upstream)[2].to_string().contains("const A_50"));
    chat.types("/context").types(ENTER).shows("Context: ").types("u").shows_no("dropped: ");
    chat.types(ESC).shows_no("Context: ").types("and on").types(ENTER);
    while upstream.received_requests().len() < 4 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(bodies(&upstream)[3].to_string().contains("const A_50"));
    chat.types(CTRL_D);
    chat.ends();
}

#[test]
fn one_goes_back_with_files_and_says_it_otherwise() {
    let world = World::new("chat-rewind");
    world.write("a.rs", "const A: u8 = 2;\n");
    let upstream = provider(changes_a_file());
    let mut chat = chat(&world, &upstream, &[]);
    chat.types("make it three").types(ENTER).shows("? edit_file").answers("y");
    chat.shows("It is three now.");
    chat.types("/rewind").types(ENTER).shows("1  make it three");
    chat.types("/rewind 1").types(ENTER).shows("restore    a.rs");
    assert_eq!(world.read("a.rs"), "const A: u8 = 3;\n");
    chat.types("/rewind 1 both").types(ENTER).shows("rewound the conversation to before message 1");
    chat.shows("> make it three").shows_no("It is three now.");
    assert_eq!(world.read("a.rs"), "const A: u8 = 2;\n");
    let upstream_saw = bodies(&upstream).len();
    chat.types(" again").types(ENTER).shows("? edit_file").answers("n").shows("It is three now.");
    let next = &bodies(&upstream)[upstream_saw];
    let said: Vec<&str> = next["messages"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|message| {
            message["content"].as_str().or(message["content"][0]["text"].as_str())
        })
        .collect();
    assert_eq!(said, ["make it three again"], "{next}");
    chat.types(CTRL_D);
    chat.ends();
}

#[test]
fn another_model_goes_on() {
    let world = World::new("chat-model");
    let (one, other) = (
        provider([ModelReply::from_text("I am one.")]),
        provider([ModelReply::from_text("I am two.")]),
    );
    let mut chat = chat(&world, &one, &[]);
    chat.types("who").types(ENTER).shows("I am one.");
    chat.types("/model nothing").types(ENTER).shows("! ");
    chat.types(&format!("/model {}", model(&other, "chat"))).types(ENTER);
    chat.shows("model changed to ");
    chat.types("and you").types(ENTER).shows("I am two.");
    chat.types("/config answers.tokens 9000").types(ENTER).shows("answers.tokens is set in");
    chat.types("/config answers.tokens").types(ENTER).shows("set: 9000");
    chat.types("/config answer.token").types(ENTER).shows("did you mean `answers.tokens`");
    let body = bodies(&other).pop().expect("a request").to_string();
    assert!(body.contains("I am one.") && body.contains("and you"), "{body}");
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 0);
}

/// What was spent before another model is asked is spent.
#[test]
fn a_limit_holds_over_another_model() {
    let world = World::new("chat-model-limit");
    let prices = "[[gateway.prices]]\nmodel = \"*\"\ninput = 0\noutput = 1000000\n";
    world.write("home/.config/foveal/config.toml", prices);
    let (one, other) = (
        provider([ModelReply::from_text("I am one.")]),
        provider([ModelReply::from_text("I am two.")]),
    );
    let mut chat = chat(&world, &one, &["--max-cost", "1"]);
    chat.types("who").types(ENTER).shows("I am one.");
    chat.types(&format!("/model {}", model(&other, "chat"))).types(ENTER);
    chat.shows("model changed to ").types("and you").types(ENTER);
    chat.shows("limit on cost").types(CTRL_D);
    assert_eq!((chat.ends(), other.request_count()), (0, 0));
}

#[test]
fn functions_and_types_are_completed_from_the_index_that_is_there() {
    let world = World::new("chat-symbols");
    world.write("src/parse.rs", "pub struct Zorp;\n\npub fn zorp_all(a: u8) -> u8 {\n    a\n}\n");
    let upstream = provider([ModelReply::from_text("Seen.")]);
    let mut first = chat(&world, &upstream, &[]);
    // None is made while one types.
    first.types("see @zor").types("p").shows("> see @zorp").types(CTRL_C).types("@pars");
    first.shows("@src/parse.rs").types("\t").shows("> @src/parse.rs");
    first.types(CTRL_C).types(CTRL_D);
    assert_eq!(first.ends(), 0);
    assert!(!world.folder.join("home/.local/share/foveal/index").exists());
    world.output("index");
    let mut chat = chat(&world, &upstream, &[]);
    chat.types("see @zorp").shows("@src/parse.rs:1 Zorp").shows("type Zorp");
    chat.shows("@src/parse.rs:3 zorp_all").shows("function zorp_all");
    chat.types("\x1b[B").types("\t").shows("> see @src/parse.rs:3 zorp_all").types(ENTER);
    chat.shows("Seen.");
    assert!(bodies(&upstream)[0].to_string().contains("see @src/parse.rs:3 zorp_all"));
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 0);
}

#[test]
fn a_click_opens_a_block() {
    let world = World::new("chat-click");
    let call = calls(&[("bash", json!({"command": "env seq 7"}))]);
    let upstream = provider([call, ModelReply::from_text("Done.")]);
    let mut chat = chat(&world, &upstream, &[]);
    chat.types("go").types(ENTER).shows("? bash").answers("y").shows("Done.").shows_no("    ──");
    let screen = chat.screen();
    let row = 1 + screen.lines().position(|row| row.contains("✓ bash")).expect("it ran");
    chat.types(&format!("\x1b[<0;5;{row}M\x1b[<0;5;{row}m")).shows("    ──");
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 0);
}

#[test]
fn settings_are_changed_on_a_screen_and_checked() {
    const FILE: &str = "home/.config/foveal/config.toml";
    let world = World::new("chat-settings");
    world.write(FILE, "# mine\n[answers]\ntokens = 5_000\n");
    let upstream = provider([ModelReply::from_text("Yes.")]);
    let mut chat = chat(&world, &upstream, &[]);
    chat.types("/config").types(ENTER).shows("Settings in ").shows("keep_contents");
    chat.types(ENTER).shows("keep_contents is set in");
    let changed = "keep_contents = false\n# mine\n[answers]\ntokens = 5_000\n";
    assert_eq!(world.read(FILE), changed);
    for _ in 0..100 {
        if chat.screen().contains("The maximum size of an answer in tokens") {
            break;
        }
        chat.types("j");
        std::thread::sleep(std::time::Duration::from_millis(40));
    }
    chat.types(ENTER).shows("Enter save").types("\x15").types("7").types(ENTER);
    chat.shows("are not allowed for an answer: use 1000 to 20000").types("000").types(ENTER);
    chat.shows("answers.tokens is set in");
    assert!(world.read(FILE).ends_with("[answers]\ntokens = 7000\n"));
    chat.types("u").shows("undid the last change");
    assert_eq!(world.read(FILE), changed);
    chat.types("\x1b[B").shows_no("undid the last").types("u").shows("undid the last");
    chat.types("u").shows("nothing to undo");
    assert_eq!(world.read(FILE), "# mine\n[answers]\ntokens = 5_000\n");
    chat.types(ESC).shows_no("Settings in ").types(CTRL_D);
    assert_eq!(chat.ends(), 0);
}

#[test]
fn a_setting_that_the_project_overrules_is_told_as_that() {
    const FILE: &str = "home/.config/foveal/config.toml";
    let world = World::new("chat-settings-project");
    world.write(".foveal.toml", "[answers]\ntokens = 6_000\n");
    assert_eq!(world.run("trust --yes").code, Some(0));
    let upstream = provider([ModelReply::from_text("Yes.")]);
    let mut chat = chat(&world, &upstream, &[]);
    chat.types("/config answers.tokens 7000").types(ENTER);
    // Where the lines end depends on the length of the path between.
    chat.shows("answers.tokens is set in").shows("project's");
    assert_eq!(world.read(FILE), "[answers]\ntokens = 7000\n");
    chat.types("/config answers.bytes 30000").types(ENTER);
    chat.shows("answers.bytes is set in").shows("new runs");
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 0);
}

#[test]
fn an_answer_is_stopped_and_another_one_asked_for() {
    let world = World::new("chat-stop");
    let upstream = provider([ModelReply::from_text("Well.")]);
    upstream.set_script(foveal_mock_provider::ReplyScript::in_order([
        foveal_mock_provider::ScriptedOutcome::from(ScriptedFault::SilentBefore(1)),
        ModelReply::from_text("Here I am.").into(),
    ]));
    let mut chat = chat(&world, &upstream, &[]);
    chat.types("one").types(ENTER).shows("Ctrl+C to stop");
    while upstream.received_requests().is_empty() {
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
    let upstream = provider([ModelReply::from_text(text)]);
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
            let upstream = provider([calls(&[("bash", json!({"command": "env sleep 60"}))])]);
            let mut chat = chat(&world, &upstream, &[]);
            if works {
                chat.types("go").types(ENTER).shows("? bash").answers("y").shows_no("? bash");
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
    let hostile = crate::terminal_output::HOSTILE;
    world.write("a.rs", hostile);
    let turns = [
        ModelReply {
            thinking: hostile.to_owned(),
            text: hostile.to_owned(),
            ..calls(&[
                ("read_file", json!({"path": "a.rs"})),
                ("bash", json!({"command": format!("echo '{hostile}'")})),
            ])
        },
        ModelReply::from_text(format!("End.\n\n`{hostile}`\n\n```\n{hostile}\n```\n")),
    ];
    let upstream = provider(turns);
    let mut chat = chat(&world, &upstream, &[]);
    chat.types("go").types(ENTER).shows("? bash").answers("y").shows("End.");
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
