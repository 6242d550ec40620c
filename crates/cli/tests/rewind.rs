//! Sessions of foveal's own agent that go back: what was said, files, or both.

use std::process::Stdio;
use std::time::Duration;

use foveal_mock_provider::{MockProvider, ModelReply, ReplyScript, Settings};
use serde_json::{Value, json};

use crate::run_sessions::{go_on, messages, name};
use crate::run_task::{DIALECTS, bodies, calls, run};
use crate::world::{Ran, World};

fn edit(path: &str, old: &str, new: &str) -> ModelReply {
    let edit = json!({"path": path, "old_str": old, "new_str": new, "intent": "it"});
    calls(&[("read_file", json!({"path": path})), ("edit_file", edit)])
}

/// A world in which two tasks were done: the first changed `a.rs`, the second that again, `b.rs`,
/// and made `new.rs`.
fn done(test: &str, dialect: &str) -> (World, MockProvider, String) {
    let world = World::new(test);
    world.write("a.rs", "const A: u8 = 1;\n");
    world.write("b.rs", "const B: u8 = 1;\n");
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    let writes = json!({"path": "new.rs", "content": "const C: u8 = 1;\n"});
    upstream.set_script(ReplyScript::in_order([
        edit("a.rs", "= 1;", "= 2;"),
        ModelReply::from_text("It is two."),
        edit("a.rs", "= 2;", "= 3;"),
        edit("b.rs", "= 1;", "= 3;"),
        calls(&[("write_file", writes)]),
        ModelReply::from_text("It is three."),
        ModelReply::from_text("And on."),
        ModelReply::from_text("And on and on."),
    ]));
    let ran = run(&world, &upstream, dialect, "--yes");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = go_on(&world, &["--continue", "--yes", "now all of it"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "It is three.\n"), "{}", ran.err);
    assert_eq!(world.read("a.rs"), "const A: u8 = 3;\n");
    assert_eq!(world.read("new.rs"), "const C: u8 = 1;\n");
    let name = name(&world);
    (world, upstream, name)
}

fn rewind(world: &World, name: &str, options: &[&str]) -> Ran {
    let mut command = world.command("rewind");
    command.arg(name).args(options).stdin(Stdio::null());
    world.ran(&mut command)
}

fn last_messages(upstream: &MockProvider) -> Vec<Value> {
    messages(bodies(upstream).last().expect("a request"))
}

#[test]
fn a_session_goes_back_and_on() {
    for dialect in DIALECTS {
        let (world, upstream, name) = done(&format!("rewind-{dialect}"), dialect);
        let before = messages(&bodies(&upstream)[2]);
        // Nobody can be asked, and nothing is changed.
        let ran = rewind(&world, &name, &[]);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert!(ran.err.contains("use --yes"), "{}", ran.err);
        for line in [
            "conversation: rewind to before your message 2, \"now all of it\"",
            "restore    a.rs",
            "restore    b.rs",
            "delete     new.rs",
        ] {
            assert!(ran.out.contains(line), "{line}: {}", ran.out);
        }
        assert_eq!(world.read("a.rs"), "const A: u8 = 3;\n");
        let ran = rewind(&world, &name, &["--yes"]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert_eq!(world.read("a.rs"), "const A: u8 = 2;\n");
        assert_eq!(world.read("b.rs"), "const B: u8 = 1;\n");
        assert!(!world.folder.join("new.rs").exists());
        // What was said before goes in the same bytes, and nothing of what came then.
        let ran = go_on(&world, &["--continue", "--yes", "something else"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "And on.\n"), "{}", ran.err);
        let after = last_messages(&upstream);
        assert!(after.starts_with(&before[..before.len() - 1]), "{dialect}");
        let text = Value::Array(after).to_string();
        assert!(text.contains("It is two.") && text.contains("something else"), "{text}");
        assert!(!text.contains("now all of it") && !text.contains("It is three."), "{text}");
        // Nothing is lost: it is shown and exported.
        let shown = world.output(&format!("show {name}").replace("run ", ""));
        assert!(shown.contains("now all of it") && shown.contains("something else"), "{shown}");
        let exported = world.run(&format!("export {name}").replace("run ", ""));
        assert_eq!(exported.code, Some(0), "{}", exported.err);
        assert!(exported.out.contains("now all of it"));
        // And back once more, to the very beginning.
        let ran = rewind(&world, &name, &["--to", "1", "--yes"]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert_eq!(world.read("a.rs"), "const A: u8 = 1;\n");
        let ran = go_on(&world, &["--continue", "--yes", "from the start"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let text = Value::Array(last_messages(&upstream)).to_string();
        assert!(text.contains("from the start") && !text.contains("It is two."), "{text}");
    }
}

#[test]
fn only_what_is_wanted_goes_back() {
    let (world, _, name) = done("rewind-files", "chat");
    assert_eq!(rewind(&world, &name, &["--files", "--yes"]).code, Some(0));
    assert_eq!(world.read("a.rs"), "const A: u8 = 2;\n");
    let ran = rewind(&world, &name, &["--files", "--yes"]);
    assert_eq!((ran.code, ran.err.trim()), (Some(0), "nothing to do"));
    let shown = world.output(&format!("show {name}").replace("run ", ""));
    assert!(shown.contains("It is three."), "{shown}");

    let (world, upstream, name) = done("rewind-words", "chat");
    assert_eq!(rewind(&world, &name, &["--conversation", "--yes"]).code, Some(0));
    assert_eq!(world.read("a.rs"), "const A: u8 = 3;\n");
    assert_eq!(go_on(&world, &["--continue", "--yes", "other"]).code, Some(0));
    let text = Value::Array(last_messages(&upstream)).to_string();
    assert!(!text.contains("now all of it"), "{text}");
}

#[test]
fn what_others_changed_is_left_alone() {
    let (world, _, name) = done("rewind-others", "chat");
    world.write("a.rs", "const A: u8 = 9;\n");
    std::fs::remove_file(world.folder.join("b.rs")).expect("it is there");
    let ran = rewind(&world, &name, &["--files", "--yes"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("skip       a.rs: others changed it too"), "{}", ran.out);
    assert!(ran.out.contains("skip       b.rs: others changed it too"), "{}", ran.out);
    assert_eq!(world.read("a.rs"), "const A: u8 = 9;\n");
    assert!(!world.folder.join("b.rs").exists() && !world.folder.join("new.rs").exists());
    let ran = rewind(&world, &name, &["--files", "--yes", "--force"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(world.read("a.rs"), "const A: u8 = 2;\n");
    assert_eq!(world.read("b.rs"), "const B: u8 = 1;\n");
}

#[test]
fn what_cannot_be_gone_back_to_is_said() {
    let (world, _, name) = done("rewind-wrong", "chat");
    let ran = rewind(&world, &name, &["--to", "7", "--yes"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("no message 7") && ran.err.contains("now all of it"), "{}", ran.err);
    assert_eq!(rewind(&world, &name, &["--to", "0", "--yes"]).code, Some(2));
    assert_eq!(rewind(&world, "run nothing", &["--yes"]).code, Some(2));
    assert_eq!(rewind(&world, &name, &["--files", "--conversation"]).code, Some(2));
}

/// Wherever it is killed, each file is as it was before or as it is after, and so is the
/// conversation; the same once more does the rest.
#[test]
fn a_kill_leaves_what_was_or_what_is() {
    for after_ms in [0, 2, 4, 6, 8, 10, 12, 15, 20, 30, 60] {
        let (world, upstream, name) = done("rewind-killed", "chat");
        let mut command = world.command("rewind");
        command.args([&name, "--to", "2", "--yes"]).stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::null()).spawn().expect("the program starts");
        std::thread::sleep(Duration::from_millis(after_ms));
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
        let a = world.read("a.rs");
        assert!(a.ends_with("= 2;\n") || a.ends_with("= 3;\n"), "{a}");
        let b = world.read("b.rs");
        assert!(b.ends_with("= 1;\n") || b.ends_with("= 3;\n"), "{b}");
        let ran = rewind(&world, &name, &["--to", "2", "--yes"]);
        // Where it went back already, there is no second message.
        let is_back = ran.code == Some(2) && ran.err.contains("no message 2");
        assert!(ran.code == Some(0) || is_back, "{after_ms} ms: {}", ran.err);
        assert_eq!(world.read("a.rs"), "const A: u8 = 2;\n", "{after_ms} ms");
        assert_eq!(world.read("b.rs"), "const B: u8 = 1;\n", "{after_ms} ms");
        assert!(!world.folder.join("new.rs").exists());
        assert_eq!(go_on(&world, &["--continue", "--yes", "other"]).code, Some(0));
        let text = Value::Array(last_messages(&upstream)).to_string();
        assert!(!text.contains("now all of it") && text.contains("It is two."), "{text}");
    }
}
