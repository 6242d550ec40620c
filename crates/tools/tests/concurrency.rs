//! Many calls at once: nothing that was written is lost, and every answer is true.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use foveal_tools::{CallControl, ToolRequest, ToolSession};
use serde_json::{Value, json};

use crate::world::{World, source};

const EDITORS: usize = 6;
const EDITS: usize = 8;

fn ask(session: &ToolSession, tool: &str, arguments: Value) -> foveal_tools::ToolCallAnswer {
    session.call(&ToolRequest::new(tool, arguments), &CallControl::NONE)
}

/// Counts a line of its own up, one edit after another; whoever is refused reads and tries
/// again.
fn count_up(session: &ToolSession, line: usize, refused: &AtomicUsize) {
    for count in 0..EDITS {
        let edit = json!({
            "path": "counters.txt",
            "old_str": format!("counter {line} is {count}."),
            "new_str": format!("counter {line} is {}.", count + 1),
        });
        for attempt in 0.. {
            let answer = ask(session, "edit_file", edit.clone());
            if !answer.is_error {
                break;
            }
            assert!(attempt < 2_000, "{}", answer.text);
            refused.fetch_add(1, Ordering::Relaxed);
            ask(session, "read_file", json!({"path": "counters.txt", "mode": "full"}));
        }
    }
}

#[test]
fn sessions_that_edit_one_file_lose_nothing() {
    let world = World::new();
    let lines = |count: usize| -> String {
        (0..EDITORS).map(|line| format!("counter {line} is {count}.\n")).collect()
    };
    world.write("counters.txt", lines(0));
    let sessions = [world.session_named("one"), world.session_named("two")];
    let refused = AtomicUsize::new(0);
    thread::scope(|scope| {
        for line in 0..EDITORS {
            let (session, refused) = (&sessions[line % 2], &refused);
            scope.spawn(move || count_up(session, line, refused));
        }
    });
    println!("{} edits, {} refused", EDITORS * EDITS, refused.load(Ordering::Relaxed));
    assert_eq!(world.on_disk("counters.txt"), lines(EDITS));
}

/// The text of a file, once it holds a line. Ours, which is put in a file's place and taken back where
/// that is another one by then, stands there for a moment.
fn holding(path: &Path, line: &str) -> String {
    for _ in 0..1_000 {
        let text = std::fs::read_to_string(path).expect("a file");
        if text.contains(line) {
            return text;
        }
        thread::sleep(Duration::from_millis(1));
    }
    panic!("{line:?} was written over");
}

#[test]
fn a_change_from_outside_between_is_never_written_over() {
    let world = World::new();
    world.write("shared.txt", "ours: 0\ntheirs: 0\n");
    let session = &world.session;
    let path = world.folder.path().join("shared.txt");
    thread::scope(|scope| {
        let theirs = scope.spawn(|| {
            for count in 0..40 {
                // Another program that replaces what it read, in one step.
                let text = holding(&path, &format!("theirs: {count}\n"));
                let text = text
                    .replace(&format!("theirs: {count}\n"), &format!("theirs: {}\n", count + 1));
                let new = path.with_extension("new");
                std::fs::write(&new, text).expect("a file");
                std::fs::rename(&new, &path).expect("a file");
                thread::yield_now();
            }
        });
        while !theirs.is_finished() {
            let text =
                ask(session, "read_lines", json!({"path": "shared.txt", "start": 1, "end": 1}))
                    .text;
            let count: usize =
                text.trim().rsplit(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
            ask(
                session,
                "edit_file",
                json!({
                    "path": "shared.txt",
                    "old_str": format!("ours: {count}\n"),
                    "new_str": format!("ours: {}\n", count + 1),
                }),
            );
        }
    });
    // The other program may write over ours, as it does not look; ours never over theirs.
    assert!(
        world.on_disk("shared.txt").ends_with("theirs: 40\n"),
        "{}",
        world.on_disk("shared.txt")
    );
}

#[test]
fn calls_at_once_in_one_session_are_answered_truly() {
    let world = World::new();
    for file in 0..4 {
        world.write(&format!("src/f{file}.rs"), source(60 + file));
    }
    let session = &world.session;
    thread::scope(|scope| {
        for thread in 0..6 {
            scope.spawn(move || {
                for round in 0..12 {
                    let file = (thread + round) % 4;
                    let path = format!("src/f{file}.rs");
                    let (tool, arguments) = match round % 5 {
                        0 => ("read_lines", json!({"path": path, "start": 6, "end": 9})),
                        1 => {
                            ("grep", json!({"pattern": format!("step_{thread}\\b"), "path": "src"}))
                        }
                        2 => ("bash", json!({"command": format!("head -n 3 {path}")})),
                        3 => ("read_file", json!({"path": path, "mode": "full"})),
                        _ => ("read_file", json!({"path": path})),
                    };
                    let answer = ask(session, tool, arguments);
                    assert!(!answer.is_error, "{}", answer.text);
                    let text = source(60 + file);
                    let lines: Vec<&str> = text.lines().collect();
                    for line in answer.text.lines() {
                        let Some((number, shown)) = line.split_once('→') else { continue };
                        let number: usize = number.parse().expect("a number");
                        assert_eq!(lines[number - 1], shown, "{path}:{number}");
                    }
                }
            });
        }
    });
    // Nothing was left half done: after all is forgotten, everything is shown.
    session.clear_visibility();
    let path = json!({"path": "src/f0.rs", "mode": "full"});
    let text = ask(session, "read_file", path).text;
    assert_eq!(text.lines().filter(|line| line.contains('→')).count(), 300);
}
