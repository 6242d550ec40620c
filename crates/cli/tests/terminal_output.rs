//! What commands print of hostile files and sessions: at a terminal nothing that it would obey
//! but colours of ours, elsewhere every byte as it is.

use std::io::{Read as _, Write as _};
use std::path::Path;

use foveal_screen::is_hidden_char;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use serde_json::{Value, json};

use crate::world::World;

/// Sets the title, fills the clipboard, colours, turns the order, hides, goes back, rings.
pub(crate) const HOSTILE: &str = "Q7\x1b]0;title\x07\x1b]52;c;aGk=\x07\x1b[31m\u{9b}2J\u{9d}0;x\u{9c}\u{202e}\
\u{2066}\u{200b}\u{e0041}\u{feff}\x08\rQ8";

/// The same in a name of a file, which ends a line too.
const NAME: &str = "Q7\x1b]0;x\x07\u{9b}31m\u{202e}\u{200b}\u{e0041}\r\nQ8";

/// A file that is asked about, whose name seems to end the question.
const SECRET: &str = "src/Q7\u{202e}`: fine. Continue? [y/N] y\u{200b}/.env";

/// What the person is asked about it.
const QUESTION: &str = "read_file \"src/Q7\\u202e`: fine. Continue? [y/N] y\\u200b/.env\": it may hold \
variables of an environment. Continue? [y/N]";

/// What a run printed at a terminal.
fn at_terminal(folder: &Path, home: &Path, arguments: &[&str], answer: &str) -> String {
    let size = PtySize { rows: 50, cols: 200, ..PtySize::default() };
    let pair = native_pty_system().openpty(size).expect("a terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_foveal"));
    command.args(arguments);
    command.cwd(folder);
    command.env_clear();
    command.env("HOME", home);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    // Through a pager that leaves everything as it is.
    command.env("PAGER", "cat -");
    command.env("TERM", "xterm-256color");
    // Before the program starts: the terminal shows what is typed at once, also amid a line of its.
    let mut writer = pair.master.take_writer().expect("a writer");
    writer.write_all(answer.as_bytes()).expect("room for a word");
    let mut child = pair.slave.spawn_command(command).expect("the program starts");
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    let mut bytes = Vec::new();
    // The end of a terminal is an error on Linux.
    let _ = reader.read_to_end(&mut bytes);
    child.wait().expect("it ends");
    String::from_utf8(bytes).expect("text")
}

/// What is left without the colours of ours and the line ends of the terminal.
fn without_colours(text: &str) -> String {
    let colours = regex::Regex::new("\x1b\\[(0|1|2|4|31|32|33|35|36)m").expect("an expression");
    colours.replace_all(text, "").replace("\r\n", "\n")
}

/// Panics if anything of [`HOSTILE`] or [`NAME`] came through.
pub(crate) fn is_harmless(arguments: &[&str], told: &str) {
    let plain = without_colours(told);
    let found = plain.char_indices().find(|(_, sign)| is_hidden_char(*sign) && *sign != '\n');
    if let Some((at, sign)) = found {
        let around: String =
            plain[..at].chars().rev().take(60).collect::<Vec<_>>().iter().rev().collect();
        panic!("{arguments:?}: {sign:?} after {around:?}");
    }
    // Colours of ours stand around whole pieces; those in the text are spelled out.
    assert!(!told.contains("\x07\x1b[31m"), "{arguments:?}");
}

fn repository(test: &str) -> World {
    let world = World::new(test);
    world.write(".git/HEAD", format!("ref: refs/heads/{HOSTILE}\n"));
    let folder = format!("src/{NAME}");
    let text = format!(
        "/// {HOSTILE}\npub fn victim(a: &str) -> &str {{\n    let b = \"{HOSTILE}\";\n    a\n}}\n\n\
         pub fn caller() {{\n    // {HOSTILE}\n    victim(\"{HOSTILE}\");\n}}\n"
    );
    world.write(&format!("{folder}/one.rs"), &text);
    world.write("plain.rs", &text);
    let long: String = (0..120)
        .map(|n| format!("pub fn step_{n}() -> &'static str {{\n    \"{HOSTILE}\"\n}}\n\n"))
        .collect();
    world.write("long.rs", long);
    world.write("a.md", format!("# {HOSTILE}\n\nvictim\n\n## {HOSTILE}\n\nvictim\n"));
    world.write("b.txt", format!("victim {HOSTILE}\n"));
    world.write("c.json", json!({ HOSTILE: "victim" }).to_string());
    world.write(&format!("{folder}/.env"), "KEY=1\n");
    world.write(SECRET, "KEY=1\n");
    world
}

fn session() -> String {
    let step = |call: &str, tool: &str, arguments: Value, result: &str| {
        json!({"source": "agent", "message": HOSTILE, "model_name": HOSTILE,
            "tool_calls": [{"tool_call_id": call, "function_name": tool, "arguments": arguments}],
            "observation": {"results": [{"source_call_id": call, "content": result}]}})
    };
    let path = format!("/r/{NAME}.rs");
    let text: String =
        (1..60).map(|n| format!("{n:>6}\u{2192}let a_{n} = \"{HOSTILE}\";\n")).collect();
    let edit = json!({"file_path": path, "old_string": format!("let a_3 = \"{HOSTILE}\";"),
        "new_string": format!("let a_3 = \"new {HOSTILE}\";")});
    let run = format!("{HOSTILE}\x00\n").repeat(300);
    let mut steps = vec![
        json!({"source": "user", "message": format!("{HOSTILE}\nlook")}),
        step("c1", "Read", json!({ "file_path": path }), &text),
        step("c2", "Edit", edit, "The file was updated."),
        step("c3", HOSTILE, json!({ HOSTILE: HOSTILE }), HOSTILE),
        step("c4", "Bash", json!({"command": format!("ls {HOSTILE}\nls")}), &run),
        step("c5", "Read", json!({ "file_path": path }), &text),
        json!({"source": "agent", "message": HOSTILE}),
    ];
    for (at, step) in steps.iter_mut().enumerate() {
        step["step_id"] = json!(at + 1);
        step["timestamp"] = json!(format!("2026-01-01T00:{at:02}:00Z"));
    }
    json!({"schema_version": "ATIF-v1.7", "session_id": NAME, "trajectory_id": NAME,
        "agent": {"name": HOSTILE, "version": HOSTILE, "model_name": HOSTILE}, "steps": steps})
    .to_string()
}

/// How signs of [`HOSTILE`] are spelled out; of a long name the last may be cut off.
const SPELLED: [&str; 3] = ["\\u202e", "\\u{202e}", "\\u001b"];

/// The runs of a person in a hostile repository, and whether anything hostile is among what they
/// print.
fn of_repository(hostile: &str) -> Vec<(Vec<&str>, bool)> {
    vec![
        (vec!["index"], false),
        (vec!["read", "plain.rs"], true),
        (vec!["read", hostile], true),
        (vec!["read", "plain.rs", "--lines", "1-3"], true),
        (vec!["read", "long.rs", "--for", "step_70"], true),
        (vec!["read", "long.rs", "--mode", "structure"], false),
        (vec!["read", "plain.rs", "--color", "never"], true),
        (vec!["read", "plain.rs", "--json"], true),
        (vec!["read", SECRET], true),
        (vec!["read", NAME], true),
        (vec!["grep", "victim"], true),
        (vec!["grep", "victim", "-l"], true),
        (vec!["grep", "victim", "-c"], true),
        (vec!["grep", "victim", "--json"], true),
        (vec!["grep", "victim", "-C", "2", "--no-pager"], true),
        (vec!["grep", HOSTILE], true),
        (vec!["grep", HOSTILE, "--shaped"], true),
        (vec!["grep", "a", NAME], true),
        (vec!["outline", "plain.rs", hostile, "a.md"], true),
        (vec!["outline", "a.md", "--json"], true),
        (vec!["outline", "c.json"], true),
        (vec!["outline", NAME], true),
        (vec!["map"], true),
        (vec!["map", "--json"], true),
        (vec!["map", "--focus", HOSTILE], true),
        (vec!["graph", "caller"], true),
        (vec!["graph", HOSTILE], true),
        (vec!["graph", "plain.rs", "--format", "dot"], false),
        (vec!["graph", "plain.rs", "--format", "mermaid"], false),
        (vec!["search", "victim"], true),
        (vec!["search", "victim", "--json"], true),
        (vec!["search", "nothing", "--path", NAME], true),
        (vec!["sessions", "--all"], true),
        (vec!["sessions", "--all", "--json"], true),
        (vec!["sessions", "pin", HOSTILE], true),
        (vec!["expand", HOSTILE], true),
        (vec!["expand", "0123456789ab"], false),
        (vec!["doctor"], false),
        (vec!["doctor", "--json"], false),
        (vec!["init", "--dry-run", "--project"], false),
        (vec!["man", NAME], true),
        (vec!["completions", HOSTILE], true),
        (vec!["completions", "bash"], false),
        (vec![HOSTILE], true),
        (vec!["read", HOSTILE, HOSTILE], true),
        (vec!["--help"], false),
        (vec!["hook"], false),
    ]
}

#[test]
fn a_hostile_repository_does_nothing_to_the_terminal() {
    let world = repository("screens_repository");
    let folder = world.folder.join(format!("src/{NAME}"));
    let hostile = format!("src/{NAME}/one.rs");
    let home = world.folder.join("home");
    for (arguments, shows) in of_repository(&hostile) {
        let told = at_terminal(&world.folder, &home, &arguments, "n\n");
        is_harmless(&arguments, &told);
        let is_spelled = SPELLED.iter().any(|spelled| told.contains(spelled));
        assert_eq!(is_spelled, shows, "{arguments:?}: {told}");
        if arguments.contains(&SECRET) {
            let is_asked = |line: &str| line.starts_with(QUESTION);
            assert_eq!(told.lines().filter(|line| is_asked(line)).count(), 1, "{told}");
        }
        if arguments.contains(&"--json") {
            // A terminal shows what is typed, too.
            let json = told[told.find(['{', '[']).expect("JSON")..].lines().next();
            let json: Result<Value, _> = serde_json::from_str(json.unwrap_or_default().trim());
            assert!(json.is_ok(), "{arguments:?}: {told}");
        }
    }
    for arguments in
        [vec!["map"], vec!["search", "victim"], vec!["index"], vec!["sessions", "--all"]]
    {
        is_harmless(&arguments, &at_terminal(&folder, &home, &arguments, "n\n"));
    }
}

#[test]
fn settings_of_others_are_shown_harmless() {
    let world = World::new("screens_init");
    let home = world.folder.join("home");
    world.write(
        "home/.claude.json",
        json!({ "mcpServers": {HOSTILE: {"command": HOSTILE}} }).to_string(),
    );
    world.write("home/.cursor/mcp.json", format!("{{\"a\": \"{}\"}}", "\u{202e}\u{9b}2J\u{200b}"));
    world.write("home/.codex/config.toml", "# \u{202e}\u{9b}2J\n[mcp_servers.\"\u{202e}\"]\n");
    for answer in ["d\nn\n", "d\ny\n"] {
        let arguments = ["init", "claude-code", "cursor", "codex"];
        let told = at_terminal(&world.folder, &home, &arguments, answer);
        is_harmless(&arguments, &told);
        assert!(told.contains("\\u202e\\u009b2J"), "{told}");
    }
    world.write("home/.config/foveal/config.toml", format!("a = \"{}\"\n", "\u{202e}\u{9b}2J"));
    for arguments in [["sessions", "--all"], ["read", "home/.claude.json"], ["doctor", "--json"]] {
        is_harmless(&arguments, &at_terminal(&world.folder, &home, &arguments, "n\n"));
    }
}

#[test]
fn a_hostile_session_does_nothing_to_the_terminal() {
    let world = World::new("screens_session");
    let home = world.folder.join("home");
    let name = format!("{NAME}.json");
    world.write("s.json", session());
    world.write(&name, session());
    world.write("broken.json", session().replace("function_name", "function_nam"));
    let path = format!("/r/{NAME}.rs");
    for (arguments, shows) in [
        (vec!["show", "s.json"], true),
        (vec!["show", "s.json", "--turn", "3"], true),
        (vec!["show", "s.json", "--turn", "4"], true),
        (vec!["show", &name], true),
        (vec!["show", HOSTILE], true),
        (vec!["changelog", "s.json"], true),
        (vec!["file-at", "s.json", &path], true),
        (vec!["file-at", "s.json", HOSTILE], true),
        (vec!["file-at", "s.json", &path, "--color", "never"], true),
        (vec!["replay", "s.json", "--show", "6"], true),
        (vec!["replay", "s.json", "--show", "6", "--diff"], true),
        (vec!["replay", HOSTILE], true),
    ] {
        let told = at_terminal(&world.folder, &home, &arguments, "");
        is_harmless(&arguments, &told);
        assert_eq!(told.contains("Q7"), shows, "{arguments:?}: {told}");
    }
    // Whoever wants colours in a pipe shows what comes of it by a terminal.
    for arguments in
        [vec!["show", "s.json"], vec!["changelog", "s.json"], vec!["sessions", "--all"]]
    {
        let mut command = world.command("--color always");
        let ran = world.ran(command.args(&arguments));
        is_harmless(&arguments, &ran.out);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    // A bar is drawn there; what is from elsewhere comes between marks.
    let obeyed = regex::Regex::new("Q7[\\x00-\\x1f\\u{7f}-\\u{9f}]|\u{202e}|\u{9b}|\x07|\u{200b}");
    let obeyed = obeyed.expect("an expression");
    for arguments in [
        vec!["replay", "s.json"],
        vec!["replay", "s.json", &name, "broken.json", "--per-session"],
        vec!["replay", "s.json", "--json"],
        vec!["replay", "s.json", "--prompt-log", "-"],
    ] {
        let told = at_terminal(&world.folder, &home, &arguments, "");
        let found = obeyed.find(&told).map(|found| found.start());
        assert_eq!(found, None, "{arguments:?}: {told:?}");
    }
}

#[test]
fn a_pipe_gets_every_byte() {
    let world = repository("screens_pipe");
    let text = world.read("b.txt");
    let number = format!("1\u{2192}{text}");
    assert_eq!(world.output("read b.txt --lines 1"), number);
    let line = text.trim_end_matches('\n');
    assert_eq!(world.output("grep victim b.txt"), format!("b.txt\n1:{line}\n"));
    world.write("s.json", session());
    let mut command = world.command("file-at s.json");
    command.arg(format!("/r/{NAME}.rs"));
    let ran = world.ran(&mut command);
    assert!(ran.out.contains(&format!("let a_3 = \"{HOSTILE}\";\n")), "{ran:?}");
    // What is said beside it is for people wherever it goes.
    assert!(!ran.err.chars().any(|sign| is_hidden_char(sign) && sign != '\n'), "{:?}", ran.err);
    let read: Value =
        serde_json::from_str(&world.output("read long.rs --for step_70 --json")).expect("JSON");
    let handle = read["shaped"]["handle"].as_str().expect("a handle");
    let kept = world.output(&format!("expand {handle} --lines 2-2"));
    assert_eq!(kept, format!("2\u{2192}    \"{HOSTILE}\"\n"));
    let home = world.folder.join("home");
    let told = at_terminal(&world.folder, &home, &["expand", handle], "");
    is_harmless(&["expand"], &told);
    assert!(told.contains("Q7\\u001b"), "{told}");
}
