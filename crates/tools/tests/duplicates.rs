//! When a call is answered from an earlier one, and when never.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use foveal_tool_effects::SimilarityRule;
use foveal_tools::answer::AnswerDependency;
use foveal_tools::duplicate_calls::{CallStatistics, Similarity, ToolLimits};
use foveal_tools::settings::ToolSettings;
use foveal_tools::{CallControl, ToolCallAnswer, ToolRequest, ToolSession};
use foveal_transcript::ContentHash;
use serde_json::{Value, json};

use crate::world::{World, source, toolbox_over};

/// Words that look like a key; apart, so that no scanner takes them for a real one.
fn secret() -> String {
    ["AKIA", "QYLPMN5HFIQR7XYA"].concat()
}

fn without_detection(session: &ToolSession, tool: &str, arguments: Value) -> ToolCallAnswer {
    let request = ToolRequest { detect_duplicates: false, ..ToolRequest::new(tool, arguments) };
    session.call(&request, &CallControl::NONE)
}

#[test]
fn answers_with_secrets_are_found_anew() {
    let world = World::new();
    world.write("a.py", format!("one = 1\nkey = \"{}\"\n", secret()));
    world.settle();
    for (tool, asked) in [
        ("grep", json!({"pattern": "key"})),
        ("read_lines", json!({"path": "a.py", "start": 1, "end": 2})),
    ] {
        assert!(world.call(tool, asked.clone()).contains(&secret()), "{tool}");
        world.session.clear_visibility();
        let again = world.ask(tool, asked);
        assert!(!again.cached && again.text.contains(&secret()), "{again:?}");
    }
    assert_eq!(world.session.duplicates.call_count(), 0);
}

#[test]
fn calls_answered_by_what_was_shown_count_as_calls_between() {
    for (between, cached) in [(4, false), (5, true)] {
        let world = World::new();
        world.write("a.rs", "fn a() {}\n");
        world.settle();
        let asked = json!({"pattern": "fn a"});
        world.call("grep", asked.clone());
        assert!(world.ask("grep", asked.clone()).cached);
        for _ in 0..between {
            world.call("read_file", json!({"path": "a.rs"}));
        }
        assert_eq!(world.ask("grep", asked).cached, cached, "{between} calls between");
    }
    // Of several files that are read by one call, each is no call of its own.
    let world = World::new();
    let paths: Vec<String> = (0..6).map(|n| format!("{n}.rs")).collect();
    paths.iter().for_each(|path| world.write(path, "fn a() {}\n"));
    world.settle();
    let asked = json!({"pattern": "fn a"});
    world.call("grep", asked.clone());
    assert!(world.ask("grep", asked.clone()).cached);
    world.call("read_files", json!({ "paths": paths }));
    assert!(!world.ask("grep", asked).cached);
}

#[test]
fn everything_looked_up_is_counted_as_a_hit_a_miss_or_refused() {
    let world = World::new();
    world.write("a.rs", "fn a() {}\n");
    world.settle();
    world.call("grep", json!({"pattern": "fn a"}));
    // More lines around than were found before.
    assert!(!world.ask("grep", json!({"pattern": "fn a", "context": 2})).cached);
    assert!(world.ask("grep", json!({"pattern": "fn a", "context": 1})).cached);
    let lines = |end: u32| json!({"path": "a.rs", "start": 1, "end": end});
    world.call("read_lines", lines(2));
    assert!(!world.ask("read_lines", lines(1)).cached);
    world.write("a.rs", "fn a() { changed() }\n");
    assert!(!world.ask("read_lines", lines(2)).cached);
    let CallStatistics { looked_up, hits, misses, refused, .. } = world.toolbox.call_statistics();
    assert_eq!((looked_up, hits, misses, refused), (6, 1, 4, 1));
}

#[test]
fn a_search_after_a_change_of_folder_is_another_one() {
    let world = World::new();
    world.write("src/a.rs", "fn a() {}\n");
    world.settle();
    let path = world.folder.path().join("src").display().to_string();
    let asked = json!({"pattern": "fn a", "path": path});
    world.call("grep", asked.clone());
    world.call("bash", json!({"command": "cd src"}));
    // Paths are told from the folder in which commands are run.
    assert!(!world.ask("grep", asked).cached);
}

#[test]
fn a_search_of_the_index_is_answered_from_before_while_no_file_changes() {
    let world = World::new();
    world.write("src/retry.rs", "pub fn back_off(attempt: u32) -> u64 {\n    1 << attempt\n}\n");
    world.settle();
    let asked = json!({"query": "back off"});
    let first = world.ask("search_code", asked.clone());
    let second = world.ask("search_code", asked.clone());
    assert!(!first.cached && second.cached, "{second:?}");
    assert_eq!(second.structured, first.structured);
    assert!(!world.ask("search_code", asked.clone()).cached, "asked again at once");
    world.write("src/more.rs", "pub fn back_off_longer() {}\n");
    let changed = world.ask("search_code", asked);
    assert!(!changed.cached && changed.text.contains("back_off_longer"), "{changed:?}");
}

#[test]
fn the_same_write_again_writes_nothing_while_the_file_holds_it() {
    let world = World::new();
    let write = |content: &str| json!({"path": "a.txt", "content": content});
    world.call("write_file", write("one\n"));
    let modified = || {
        let metadata = fs::metadata(world.folder.path().join("a.txt")).expect("it is there");
        metadata.modified().expect("a time")
    };
    let before = modified();
    world.settle();
    let again = world.ask("write_file", write("one\n"));
    assert!(again.cached && !again.is_error, "{again:?}");
    assert!(
        again.text.starts_with(
            "[Cached result from 10:23:45 AM]\n\
             [nothing was written: the files already have this content. The earlier answer was:]\n"
        ),
        "{again:?}"
    );
    assert_eq!(modified(), before);
    let look = || world.call("read_file", json!({"path": "a.txt", "mode": "full"}));
    look();
    let third = world.ask("write_file", write("one\n"));
    assert!(!third.cached && third.text.starts_with("Wrote a.txt"), "{third:?}");
    // Another content is written, and then the first is none that is there already.
    look();
    assert!(!world.ask("write_file", write("two\n")).cached);
    look();
    assert!(!world.ask("write_file", write("one\n")).cached);
    assert_eq!(world.on_disk("a.txt"), "one\n");
    world.write("a.txt", "six\n");
    world.refused("write_file", write("one\n"));
    assert_eq!(world.on_disk("a.txt"), "six\n");
    look();
    assert!(!world.ask("write_file", write("one\n")).cached);
    assert_eq!(world.on_disk("a.txt"), "one\n");
}

#[test]
fn what_is_put_back_by_another_handle_is_another_write() {
    let world = World::new();
    let write = |content: &str| {
        let done = world.call("write_file", json!({"path": "a.txt", "content": content}));
        world.call("read_file", json!({"path": "a.txt", "mode": "full"}));
        done.split("[before: ").nth(1).map(|rest| rest[..12].to_owned())
    };
    write("one\n");
    let (one, two) = (write("two\n"), write("three\n"));
    let back = |handle: &Option<String>| {
        world.call("write_file", json!({"path": "a.txt", "handle": handle}));
        world.on_disk("a.txt")
    };
    assert_eq!(back(&two), "two\n");
    assert_eq!(back(&one), "one\n");
    assert_eq!(back(&two), "two\n");
}

#[test]
fn the_same_edits_again_are_not_made_twice() {
    let world = World::new();
    world.write("a.txt", "one\ntwo\n");
    world.call("read_file", json!({"path": "a.txt"}));
    let edits = json!({"edits": [{"path": "a.txt", "old_str": "two", "new_str": "two\nthree"}]});
    world.call("multi_edit", edits.clone());
    let again = world.ask("multi_edit", edits.clone());
    assert!(again.cached && again.text.contains("[nothing was written: "), "{again:?}");
    assert_eq!(world.on_disk("a.txt"), "one\ntwo\nthree\n");
    // Asked once more, they are meant.
    world.call("multi_edit", edits);
    assert_eq!(world.on_disk("a.txt"), "one\ntwo\nthree\nthree\n");
}

#[test]
fn limits_of_single_tools_hold() {
    let mut settings = ToolSettings::default();
    let tools = &mut settings.calls.tools;
    tools.insert("list".to_owned(), ToolLimits { detect: Some(false), ..ToolLimits::default() });
    tools.insert("glob".to_owned(), ToolLimits { calls_max: Some(1), ..ToolLimits::default() });
    tools.insert("grep".to_owned(), ToolLimits { age_ms_max: Some(1_000), ..Default::default() });
    let world = World::with(settings);
    world.write("a.rs", "fn a() {}\n");
    world.settle();
    let is_cached = |tool: &str, asked: &Value| world.ask(tool, asked.clone()).cached;
    let (list, grep) = (json!({}), json!({"pattern": "fn a"}));
    let (one, two) = (json!({"pattern": "*.rs"}), json!({"pattern": "*.py"}));
    assert!(!is_cached("list", &list) && !is_cached("list", &list));
    assert!(!is_cached("glob", &one) && !is_cached("glob", &two));
    assert!(!is_cached("glob", &one), "the second call took its place");
    assert!(!is_cached("grep", &grep));
    world.pass(1_000);
    assert!(is_cached("grep", &grep));
    for _ in 0..6 {
        is_cached("terminals", &json!({}));
    }
    world.pass(1);
    assert!(!is_cached("grep", &grep));
}

#[test]
fn rules_of_ones_own_hold() {
    let world = World::new();
    world.write("a.rs", "fn a() {}\n");
    world.settle();
    let same = |one: &Value, other: &Value| {
        let text = |value: &Value| value["pattern"].as_str().map(str::to_lowercase);
        text(one) == text(other)
    };
    world.toolbox.register_similarity("grep", Similarity::custom(same));
    world.call("grep", json!({"pattern": "fn a"}));
    assert!(world.ask("grep", json!({"pattern": "FN A"})).cached);
    // Nobody can tell whether a command would still print the same.
    world.toolbox.register_similarity("bash", SimilarityRule::Exact);
    world.call("bash", json!({"command": "pwd"}));
    assert!(!world.ask("bash", json!({"command": "pwd"})).cached);
}

#[test]
fn a_session_may_be_asked_to_answer_everything_anew() {
    let world = World::new();
    world.write("a.rs", source(60));
    world.call("read_file", json!({"path": "a.rs"}));
    let asked = json!({"path": "a.rs"});
    let anew = without_detection(&world.session, "read_file", asked.clone());
    assert!(!anew.cached && anew.text.starts_with("File: a.rs (full)"), "{}", anew.text);
    assert!(world.ask("read_file", asked.clone()).cached);
    world.session.duplicates.set_detection(Some(false));
    assert!(!world.ask("read_file", asked).cached);
    let together = world.ask("read_files", json!({"paths": ["a.rs"]}));
    assert!(together.text.starts_with("File: a.rs (full)"), "{}", together.text);
    // What a session says outweighs what holds for all.
    let mut settings = ToolSettings::default();
    settings.calls.detect = false;
    let off = World::with(settings);
    off.write("a.rs", "fn a() {}\n");
    off.settle();
    let grep = json!({"pattern": "fn a"});
    off.call("grep", grep.clone());
    assert!(!off.ask("grep", grep.clone()).cached);
    off.session.duplicates.set_detection(Some(true));
    off.call("grep", grep.clone());
    assert!(off.ask("grep", grep).cached);
}

#[test]
fn what_was_cleared_does_not_come_back_after_a_restart() {
    for clear in [false, true] {
        let world = World::new();
        world.write("a.rs", "fn a() {}\n");
        world.settle();
        let asked = json!({"pattern": "fn a"});
        world.call("grep", asked.clone());
        world.call("write_file", json!({"path": "b.txt", "content": "x".repeat(300_000)}));
        if clear {
            world.session.duplicates.remove_calls();
        }
        let folder = world.folder.path().to_owned();
        let mut again = toolbox_over(folder, ToolSettings::default(), world.toolbox.store.clone());
        again.clock = world.toolbox.clock.clone();
        let again = ToolSession::new(&Arc::new(again), "test");
        assert_eq!(again.duplicates.call_count(), if clear { 0 } else { 2 });
    }
}

#[test]
fn a_file_is_known_by_its_stamp_where_that_would_show_a_change() {
    for would_show in [true, false] {
        let world = World::new();
        world.write("a.rs", "fn a() {}\n");
        if !would_show {
            // A time that the next change may have as well.
            let file = fs::File::options().write(true).open(world.folder.path().join("a.rs"));
            let later = SystemTime::now() + Duration::from_secs(60);
            file.and_then(|file| file.set_modified(later)).expect("a time is set");
        }
        world.settle();
        let asked = json!({"path": "a.rs", "start": 1, "end": 1});
        world.call("read_lines", asked.clone());
        let mut calls = world.toolbox.calls.lock().expect("nobody panicked");
        let record = calls.records("test").next().expect("it was recorded");
        let (id, mut depends) = (record.id, record.dependencies.clone());
        let [AnswerDependency::File(_, version)] = depends.as_mut_slice() else {
            panic!("{depends:?}")
        };
        // Only who reads the file can find that it is another one.
        version.hash = ContentHash::from_content(b"another");
        calls.update_dependencies("test", id, depends);
        drop(calls);
        assert_eq!(world.ask("read_lines", asked).cached, would_show);
    }
}

#[test]
fn a_cached_outline_says_of_which_file_it_is() {
    let world = World::new();
    world.write("a.rs", source(60));
    let first = world.call("outline", json!({"path": "a.rs"}));
    world.session.clear_visibility();
    let again = world.ask("outline", json!({"path": "a.rs"}));
    assert!(again.cached && again.text.ends_with(&first), "{again:?}");
}

/// Who asks twice at once wants all of it; who asks after something else may not.
#[test]
fn asking_after_something_else_is_not_asking_twice() {
    let world = World::new();
    world.write("a.rs", source(30));
    let read = || world.call("read_file", json!({"path": "a.rs"}));
    let full = world.call("read_file", json!({"path": "a.rs", "mode": "full"}));
    assert!(full.contains("1→"));
    for round in 0..3 {
        let (old, new) = (format!("* {round};"), format!("* {round} ;"));
        world.call("edit_file", json!({"path": "a.rs", "old_str": old, "new_str": new}));
        world.call("grep", json!({"pattern": "step_1", "output": "count"}));
        let again = read();
        assert!(again.len() < 400, "{again}");
    }
    world.call("grep", json!({"pattern": "step_2", "output": "count"}));
    assert!(read().len() < 400);
    assert!(read().contains("1→"));
}

#[test]
fn what_was_shown_is_pointed_at_however_it_is_asked_for() {
    let world = World::new();
    let text: String = (1..=60).map(|n| format!("line {n} of a file that is read\n")).collect();
    world.write("a.txt", &text);
    world.call("read_lines", json!({"path": "a.txt", "start": 1, "end": 40}));
    let narrower = world.ask("read_lines", json!({"path": "a.txt", "start": 5, "end": 30}));
    assert!(narrower.cached && narrower.text == "[5-30: unchanged, as above]\n", "{narrower:?}");
    let wider = world.call("read_lines", json!({"path": "a.txt", "start": 30, "end": 50}));
    assert!(wider.starts_with("[30-40: as above]\n41→line 41"), "{wider}");
    assert!(wider.ends_with("50→line 50 of a file that is read\n"), "{wider}");
    let full = json!({"path": "a.txt", "mode": "full"});
    let rest = world.call("read_file", full.clone());
    assert!(rest.contains("[1-50: as above]\n51→line 51"), "{rest}");
    // At once again it comes whole, and after that it stands above.
    let is_whole = |text: &str| text.contains("1→line 1 of") && text.contains("60→line 60 of");
    let whole = world.call("read_file", full.clone());
    assert!(is_whole(&whole), "{whole}");
    let again = world.ask("read_file", full.clone());
    let note = "[a.txt: unchanged, its 60 lines are shown above]\n";
    assert!(again.cached && again.text == note, "{again:?}");
    let whole = world.call("read_file", full);
    assert!(is_whole(&whole), "{whole}");
}

#[test]
fn where_detection_is_off_nothing_is_pointed_at() {
    let world = World::new();
    let text: String = (1..=60).map(|n| format!("line {n} of a file that is read\n")).collect();
    world.write("a.txt", &text);
    let calls = [
        ("read_file", json!({"path": "a.txt"})),
        ("read_file", json!({"path": "a.txt", "mode": "full"})),
        ("read_lines", json!({"path": "a.txt", "start": 1, "end": 60})),
        ("bash", json!({"command": "cat a.txt"})),
        ("grep", json!({"pattern": "of a file", "path": "a.txt"})),
    ];
    world.call("read_file", json!({"path": "a.txt"}));
    let is_whole = |text: &str| text.contains("line 60 of a file") && !text.contains(" above");
    for (tool, arguments) in &calls {
        let mut arguments = arguments.clone();
        arguments["enable_duplicate_detection"] = json!(false);
        let answer = world.ask(tool, arguments);
        assert!(!answer.cached && is_whole(&answer.text), "{tool}: {}", answer.text);
    }
    world.session.duplicates.set_detection(Some(false));
    for (tool, arguments) in calls {
        let answer = world.ask(tool, arguments);
        assert!(!answer.cached && is_whole(&answer.text), "{tool}: {}", answer.text);
    }
}
