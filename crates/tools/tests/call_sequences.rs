//! Courses of work, call by call.

use serde_json::{Value, json};

use crate::world::{World, source};

const QUESTION: &str = "how does step_30 double its value?";

fn curated(world: &World) -> String {
    world.write("src/lib.rs", source(60));
    world.call("read_file", json!({"path": "src/lib.rs", "question": QUESTION}))
}

fn first_gap(text: &str) -> (u32, u32, String) {
    let is_gap = |line: &&str| line.contains(" left out") && line.contains("; expand ");
    let gap = text.lines().find(is_gap).expect("a gap");
    let (range, rest) = gap.trim_start_matches('[').split_once(' ').expect("a range");
    let (first, last) = range.split_once('-').expect("more than one line");
    let handle = rest.rsplit(' ').next().expect("a handle").trim_end_matches(']');
    (first.parse().expect("a number"), last.parse().expect("a number"), handle.to_owned())
}

#[test]
fn a_long_file_is_curated_and_its_gaps_can_be_had() {
    let world = World::new();
    let view = curated(&world);
    assert!(
        view.starts_with("File: src/lib.rs (curated)\nTotal lines: 300 | Preserved: "),
        "{view}"
    );
    assert!(view.contains("\n152→    let doubled = value * 30;\n"), "{view}");
    let (first, last, handle) = first_gap(&view);
    let lines =
        world.call("read_lines", json!({"path": "src/lib.rs", "start": first, "end": last}));
    let all: Vec<String> = source(60).lines().map(str::to_owned).collect();
    let expected: String =
        (first..=last).map(|n| format!("{n}→{}\n", all[n as usize - 1])).collect();
    assert_eq!(lines, expected);
    let whole = world.call("expand", json!({"handle": handle}));
    assert_eq!(whole.lines().count(), 300);
    assert!(whole.starts_with("1→pub fn step_0"), "{whole}");
}

#[test]
fn who_asks_twice_gets_a_pointer_and_then_all() {
    let world = World::new();
    curated(&world);
    let asked = json!({"path": "src/lib.rs", "question": QUESTION});
    let pointer = world.ask("read_file", asked.clone());
    assert!(pointer.cached && pointer.text.starts_with("[src/lib.rs: unchanged; "), "{pointer:?}");
    let all = world.call("read_file", asked.clone());
    assert!(
        all.starts_with("File: src/lib.rs (full)\nTotal lines: 300 | Preserved: 300 (100 %)\n1→"),
        "{all}"
    );
    assert_eq!(all.lines().count(), 302);
    assert_eq!(
        world.call("read_file", asked.clone()),
        "[src/lib.rs: unchanged, its 300 lines are shown above]\n"
    );
    world.session.clear_visibility();
    let again = world.call("read_file", asked);
    assert!(again.contains("1→pub fn step_0"), "{again}");
}

#[test]
fn edits_are_held_to_what_was_seen() {
    let world = World::new();
    curated(&world);
    let edit = |old: &str, new: &str| json!({"path": "src/lib.rs", "old_str": old, "new_str": new});
    let done = world.call("edit_file", edit("value * 30;", "value * 30 + 0;"));
    assert!(done.starts_with("Wrote src/lib.rs [before: "), "{done}");
    let delta = world.call("read_file", json!({"path": "src/lib.rs"}));
    assert!(delta.contains("\n152→    let doubled = value * 30 + 0;\n"), "{delta}");
    assert!(delta.contains(": as above]\n"), "{delta}");
    assert!(!delta.contains("value * 4;"), "{delta}");
    // Somebody else changes a line that was seen.
    let other =
        world.on_disk("src/lib.rs").replace("doubled = value * 30 + 0", "twice = value * 30");
    world.write("src/lib.rs", &other);
    let refused = world.refused("edit_file", edit("value * 30;", "value * 31;"));
    assert!(refused.contains("was changed since you saw these lines"), "{refused}");
    assert!(refused.contains("152 +     let twice = value * 30;"), "{refused}");
    assert_eq!(world.on_disk("src/lib.rs"), other);
    let delta = world.call("read_file", json!({"path": "src/lib.rs"}));
    assert!(delta.contains("\n152→    let twice = value * 30;\n"), "{delta}");
    world.call("edit_file", edit("twice = value * 30;", "twice = value * 31;"));
    assert!(world.on_disk("src/lib.rs").contains("twice = value * 31;"));
}

#[test]
fn a_change_can_be_taken_back() {
    let world = World::new();
    world.write("a.txt", "one\r\ntwo\r\n");
    world.call("read_file", json!({"path": "a.txt"}));
    let done = world.call("edit_file", json!({"path": "a.txt", "old_str": "two", "new_str": "2"}));
    assert_eq!(world.on_disk("a.txt"), "one\r\n2\r\n");
    let handle = done.split("[before: ").nth(1).and_then(|rest| rest.split(']').next());
    world.call("write_file", json!({"path": "a.txt", "handle": handle}));
    assert_eq!(world.on_disk("a.txt"), "one\r\ntwo\r\n");
}

#[test]
fn several_edits_are_made_or_none() {
    let world = World::new();
    world.write("a.txt", "one\ntwo\n");
    world.write("b.txt", "three\n");
    let edit =
        |path: &str, old: &str, new: &str| json!({"path": path, "old_str": old, "new_str": new});
    let refused = world.refused(
        "multi_edit",
        json!({"edits": [edit("a.txt", "one", "1"), edit("b.txt", "four", "4")]}),
    );
    assert!(refused.starts_with("edit 2 of 2: "), "{refused}");
    assert_eq!(world.on_disk("a.txt"), "one\ntwo\n");
    world.call("multi_edit", json!({"edits": [edit("a.txt", "one", "1"), edit("b.txt", "three", "3"), edit("a.txt", "1\ntwo", "12")]}));
    assert_eq!(
        (world.on_disk("a.txt"), world.on_disk("b.txt")),
        ("12\n".to_owned(), "3\n".to_owned())
    );
}

#[test]
fn no_note_of_ours_gets_into_a_file() {
    let world = World::new();
    let view = curated(&world);
    for content in [view.as_str(), "// ... existing code ...\nfn a() {}\n"] {
        world.refused("write_file", json!({"path": "new.rs", "content": content}));
        world.refused("write_file", json!({"path": "src/lib.rs", "content": content}));
    }
    assert_eq!(world.on_disk("src/lib.rs"), source(60));
    let unread = json!({"path": "b.rs", "content": "fn b() {}\n"});
    world.write("b.rs", "");
    assert!(world.refused("write_file", unread).contains("you have not read it"));
}

#[test]
fn the_same_search_is_answered_from_before_while_nothing_changes() {
    let world = World::new();
    world.write("src/lib.rs", source(60));
    let asked = json!({"pattern": "step_5"});
    world.settle();
    let first = world.call("grep", asked.clone());
    assert!(first.contains("26:pub fn step_5("), "{first}");
    world.pass(1_000);
    let second = world.ask("grep", asked.clone());
    assert!(second.cached, "{second:?}");
    assert_eq!(
        second.text,
        "[Cached result from 10:23:45 AM]\n[same result as `grep step_5` above]"
    );
    let third = world.ask("grep", asked.clone());
    assert!(!third.cached && third.text == first, "{third:?}");
    world.write("src/more.rs", "fn step_5x() {}\n");
    let changed = world.ask("grep", asked.clone());
    assert!(!changed.cached && changed.text.contains("step_5x"), "{changed:?}");
    world.pass(6 * 60_000);
    assert!(!world.ask("grep", asked).cached);
    // Fewer lines around hits do not make another question of it, the case does.
    world.settle();
    world.call("grep", json!({"pattern": "step_6", "context": 1}));
    assert!(world.ask("grep", json!({"pattern": "step_6"})).cached);
    assert!(!world.ask("grep", json!({"pattern": "step_6", "ignore_case": true})).cached);
}

#[test]
fn answers_from_before_can_be_switched_off_and_forgotten() {
    let world = World::new();
    world.write("a.rs", "fn a() {}\n");
    world.settle();
    let asked = json!({"pattern": "fn a"});
    world.call("grep", asked.clone());
    world.session.duplicates.set_detection(Some(false));
    assert!(!world.ask("grep", asked.clone()).cached);
    world.session.duplicates.set_detection(None);
    let request = foveal_tools::ToolRequest {
        detect_duplicates: false,
        ..foveal_tools::ToolRequest::new("grep", asked.clone())
    };
    assert!(!world.session.call(&request, &foveal_tools::CallControl::NONE).cached);
    assert!(world.ask("grep", asked.clone()).cached);
    world.session.duplicates.remove_calls();
    assert!(!world.ask("grep", asked.clone()).cached);
    // Another session's calls are its own.
    let other = world.session_named("other");
    assert!(
        !other
            .call(&foveal_tools::ToolRequest::new("grep", asked), &foveal_tools::CallControl::NONE)
            .cached
    );
    let statistics = world.toolbox.call_statistics();
    assert_eq!((statistics.hits, statistics.sessions), (1, 2));
    world.toolbox.reset_call_history();
    assert_eq!(world.toolbox.call_statistics().calls, 0);
}

#[test]
fn commands_keep_their_directory_and_their_output_in_bounds() {
    let world = World::new();
    world.write("src/lib.rs", source(3));
    let ran = world.ask("bash", json!({"command": "cd src; seq 1 5000; exit 3"}));
    assert!(ran.is_error && ran.text.ends_with("[exit code 3]\n"), "{ran:?}");
    assert!(ran.text.len() < 6_000 && ran.text.contains("left out; expand "), "{}", ran.text);
    assert_eq!(ran.structured.as_ref().map(|data| &data["exit_code"]), Some(&json!(3)));
    let at = world.call("bash", json!({"command": "pwd; cd /"}));
    assert!(at.lines().next().is_some_and(|line| line.ends_with("/src")), "{at}");
    assert!(at.contains("is outside the workspace"), "{at}");
    assert!(world.call("read_file", json!({"path": "lib.rs"})).starts_with("File: lib.rs"));
    let late = world.ask("bash", json!({"command": "sleep 30", "timeout": 0.2}));
    assert!(late.text.contains("timed out after 0.2 s"), "{late:?}");
}

#[test]
fn a_terminal_is_typed_into() {
    let world = World::new();
    let started = world.call("exec", json!({"command": "cat", "wait_ms": 50}));
    assert_eq!(started, "[terminal 1: running]\n");
    let answer = world.call("write_stdin", json!({"id": 1, "text": "hello\n"}));
    assert!(answer.contains("hello"), "{answer}");
    assert_eq!(world.call("terminals", json!({})), "1 running: cat\n");
    world.call("close", json!({"id": 1}));
    assert_eq!(world.call("terminals", json!({})), "[no terminals]\n");
}

#[test]
fn structure_focus_and_many_files() {
    let world = World::new();
    curated(&world);
    let outline = world.call("outline", json!({"path": "src/lib.rs"}));
    assert!(
        outline.starts_with(
            "File: src/lib.rs (structure)\nTotal lines: 300 | Preserved: 60 (20.0 %)\n"
        ),
        "{outline}"
    );
    world.call("focus", json!({"paths": ["src/lib.rs"]}));
    world.write("src/lib.rs", source(61));
    let whole = world.call("read_file", json!({"path": "src/lib.rs"}));
    assert!(!whole.contains("left out"), "{whole}");
    world.write("b.rs", "fn b() {}\n");
    // Another call in between: this is not the same asked again at once.
    world.call("read_lines", json!({"path": "b.rs", "start": 1, "end": 1}));
    let both = world.call("read_files", json!({"paths": ["b.rs", "none.rs", "src/lib.rs"]}));
    assert_eq!(
        both,
        "File: b.rs (full)\nTotal lines: 1 | Preserved: 1 (100 %)\n1→fn b() {}\n\
         File: none.rs (failed)\nno such file `none.rs`\n\
         [src/lib.rs: unchanged, its 305 lines are shown above]\n"
    );
    assert_eq!(world.session.reads.read_paths(&world.session.roots()), ["b.rs", "src/lib.rs"]);
}

#[test]
fn what_is_found_by_meaning() {
    let world = World::new();
    world.write("src/retry.rs", "/// Waits longer after each failure.\npub fn back_off(attempt: u32) -> u64 {\n    1 << attempt\n}\n");
    world.write("src/lib.rs", source(10));
    let found = world.call("search_code", json!({"query": "wait after failure"}));
    assert!(found.starts_with("src/retry.rs:1-4 function back_off"), "{found}");
}

#[test]
fn every_answer_is_what_another_process_would_give() {
    let course: Vec<(&str, Value)> = vec![
        ("read_file", json!({"path": "src/lib.rs", "question": QUESTION})),
        ("grep", json!({"pattern": "step_5"})),
        ("read_lines", json!({"path": "src/lib.rs", "start": 7, "end": 10})),
        ("bash", json!({"command": "cat src/lib.rs"})),
        ("read_file", json!({"path": "src/lib.rs", "mode": "full"})),
        ("grep", json!({"pattern": "step_5", "path": "src"})),
    ];
    let (one, other) = (World::new(), World::new());
    let mut restarted = other.session_named("restarted");
    for world in [&one, &other] {
        world.write("src/lib.rs", source(60));
    }
    for (tool, arguments) in course {
        let expected = one.call(tool, arguments.clone());
        let answer = restarted.call(
            &foveal_tools::ToolRequest::new(tool, arguments),
            &foveal_tools::CallControl::NONE,
        );
        assert_eq!(answer.text, expected, "{tool}");
        restarted = other.session_named("restarted");
    }
}
