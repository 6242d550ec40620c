//! Who may read what the program keeps.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::world::{World, file_text};

/// All files and folders below `folder`, and itself.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut all = vec![folder.to_owned()];
    let mut at = 0;
    while let Some(path) = all.get(at).cloned() {
        if let Ok(entries) = fs::read_dir(path) {
            all.extend(entries.flatten().map(|entry| entry.path()));
        }
        at += 1;
    }
    all
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

/// Runs the program as somebody does whose new files everybody may read and write.
fn run(world: &World, arguments: &str) {
    let whole = world.command(arguments);
    let mut command = Command::new("sh");
    command.args(["-c", "umask 000; exec \"$0\" \"$@\""]).arg(whole.get_program());
    command.args(whole.get_args()).current_dir(&world.folder).env_clear();
    command
        .env("HOME", world.folder.join("home"))
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let ran = world.ran(&mut command);
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.err);
}

#[test]
fn nobody_else_may_read_what_is_kept() {
    let world = World::new("private");
    world.write("src/a.rs", file_text("a", 400));
    let own = world.folder.join("home/.local/share/foveal");
    for round in ["made", "made wider by others"] {
        for arguments in ["read src/a.rs", "grep let src", "search compute", "index"] {
            run(&world, arguments);
        }
        let all = below(&own);
        assert!(all.iter().any(|path| path.ends_with("store.db")), "{all:?}");
        assert!(
            all.iter().any(|path| path.parent().is_some_and(|at| at.ends_with("index"))),
            "{all:?}"
        );
        for path in &all {
            let expected = if path.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode(path), expected, "{round}: {}", path.display());
        }
        for path in &all {
            let wider = if path.is_dir() { 0o755 } else { 0o644 };
            fs::set_permissions(path, fs::Permissions::from_mode(wider)).expect("it is ours");
        }
    }
}

/// Whether a file below `folder` holds `text`.
fn holds(folder: &Path, text: &str) -> Option<PathBuf> {
    below(folder).into_iter().find(|path| {
        let bytes = fs::read(path).unwrap_or_default();
        bytes.windows(text.len()).any(|part| part == text.as_bytes())
    })
}

#[test]
fn no_contents_are_kept_if_the_user_wants_none() {
    let world = World::new("private_contents");
    let text: String =
        (0..600).map(|n| format!("fn marked_name_{n}() {{ call({n}) }}\n")).collect();
    world.write("src/a.rs", &text);
    world.write("home/.config/foveal/config.toml", "keep_contents = false\n");
    let own = world.folder.join("home/.local/share/foveal");
    // What nobody could ask for again is not left out.
    let read = world.run("read src/a.rs");
    assert_eq!((read.code, read.err.as_str()), (Some(0), ""));
    assert!(!read.out.contains("expand"), "{}", read.out);
    for n in [0, 300, 599] {
        assert!(read.out.contains(&format!("marked_name_{n}()")), "{n}");
    }
    assert!(world.run("grep marked_name src").out.contains("marked_name_599"));
    let found = world.run("search marked_name_7");
    assert!(
        found.out.contains("marked_name_7") && found.err.contains("keep_contents"),
        "{found:?}"
    );
    let index = world.run("index");
    assert!(index.code != Some(0) && index.err.contains("keep_contents"), "{index:?}");
    assert_eq!(holds(&own, "marked_name"), None);
    assert!(!own.join("index").exists());
    // Without the setting all of it is kept.
    world.write("home/.config/foveal/config.toml", "");
    world.run("search marked_name_7");
    assert!(own.join("index").exists());
}

/// Handles end with the server: what it leaves out can be asked for as long as it runs.
#[test]
fn a_server_keeps_no_contents_on_disk_and_gives_what_it_left_out() {
    let world = World::new("private_server");
    let text: String = (0..2_000).map(|n| format!("marked_line_{n} of a long file\n")).collect();
    world.write("a.txt", &text);
    let mut command = world.command("mcp --keep-no-contents");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let mut server = command.spawn().expect("the program starts");
    let mut input = server.stdin.take().expect("it is piped");
    let mut output = BufReader::new(server.stdout.take().expect("it is piped"));
    let mut ask = |message: Value| -> Value {
        writeln!(input, "{message}").expect("it reads");
        let mut line = String::new();
        while message["id"].is_number() {
            line.clear();
            output.read_line(&mut line).expect("it answers");
            let answer: Value = serde_json::from_str(&line).expect("JSON");
            if answer["id"] == message["id"] {
                return answer;
            }
        }
        Value::Null
    };
    let call = |id: u32, name: &str, arguments: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": name, "arguments": arguments}})
    };
    ask(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}}));
    ask(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let shown = ask(call(1, "bash", json!({"command": "cat a.txt; cat a.txt; false"}))).to_string();
    let handle =
        shown.split("expand ").nth(1).map(|rest| &rest[..12]).expect("a handle").to_owned();
    assert!(!shown.contains("marked_line_1000 "), "something is left out");
    let whole = ask(call(2, "expand", json!({"handle": handle, "start": 990, "end": 1_010})));
    assert!(whole.to_string().contains("marked_line_1000 "), "{whole}");
    ask(call(3, "search_code", json!({"query": "marked"})));
    let own = world.folder.join("home/.local/share/foveal");
    assert_eq!(holds(&own, "marked_line"), None);
    assert!(!own.join("index").exists());
    drop(input);
    server.wait().expect("it ends");
    assert_eq!(holds(&own, "marked_line"), None);
    // What is gone is said to be gone.
    let ran = world.run(&format!("expand {handle}"));
    assert!(ran.code != Some(0) && !ran.err.is_empty(), "{ran:?}");
}
