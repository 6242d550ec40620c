//! Nothing is written over that the model has not seen as it is.

use std::cell::Cell;
use std::collections::BTreeSet;

use foveal_tools::{CallControl, ToolCallAnswer, ToolRequest, ToolSession};
use foveal_transcript::CancelToken;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::world::{World, source};

/// A file of `count` lines, none of which is like another.
fn lines(count: u32) -> String {
    (1..=count).map(|n| format!("x_{n} = {n}00\n")).collect()
}

fn edit(old: &str, new: &str) -> Value {
    json!({"path": "a.py", "old_str": old, "new_str": new})
}

#[test]
fn a_look_elsewhere_shows_no_change_of_others() {
    let looks = [
        ("read_lines", json!({"path": "a.py", "start": 1, "end": 2})),
        ("outline", json!({"path": "a.py"})),
        ("read_lines", json!({"path": "a.py", "start": 14, "end": 14})),
    ];
    let changes: [(&str, &str, &str); 3] = [
        ("x_15 = 1500\n", "x_15 = 77770000\n", "15 + x_15 = 77770000"),
        ("x_15 = 1500\n", "x_15 = 1500\nx_15b = 1\n", "16 + x_15b = 1"),
        ("x_15 = 1500\n", "", "15 - x_15 = 1500"),
    ];
    for (look, asked) in looks {
        for (old, new, delta) in changes {
            let world = World::new();
            world.write("a.py", lines(20));
            world.call("read_file", json!({"path": "a.py"}));
            let others = lines(20).replace(old, new);
            world.write("a.py", &others);
            let looked = world.call(look, asked.clone());
            let whole = json!({"path": "a.py", "content": lines(20)});
            let refused = world.refused("write_file", whole.clone());
            assert!(refused.contains("was changed since you saw it"), "{look}: {refused}");
            assert!(refused.contains(delta), "{look}: {refused}");
            let edits = [edit("x_15 = 7777", "x_15 = 8"), edit("x_15b = 1", "x_15b = 2")];
            for edit in edits.iter().filter(|edit| new.contains(edit["old_str"].as_str().unwrap()))
            {
                let refused = world.refused("edit_file", edit.clone());
                assert!(refused.contains("was changed since you saw these lines"), "{refused}");
                assert!(refused.contains(delta), "{refused}");
            }
            assert_eq!(world.on_disk("a.py"), others);
            world.call("edit_file", edit("x_3 = 300", "x_3 = 3"));
            world.refused("write_file", whole.clone());
            let read = world.call("read_file", json!({"path": "a.py"}));
            let is_new = |line: &&str| !old.contains(*line);
            // An outline may show the line; then it is pointed at.
            let is_told = |line: &str| read.contains(line) || looked.contains(line);
            assert!(new.lines().filter(is_new).all(is_told), "{looked}{read}");
            world.call("write_file", whole);
        }
    }
}

#[test]
fn what_others_changed_is_not_called_unchanged() {
    let world = World::new();
    let text = source(72);
    world.write("m.rs", &text);
    world.call("read_file", json!({"path": "m.rs", "mode": "full"}));
    let changed = text.replace("doubled + 30\n", "doubled - 30\n");
    world.write("m.rs", &changed);
    let asked = json!({"path": "m.rs", "mode": "curated", "question": "what is step_3?"});
    let view = world.call("read_file", asked);
    assert!(!view.contains("doubled - 30"), "{view}");
    world.call("bash", json!({"command": "true"}));
    let read = world.call("read_file", json!({"path": "m.rs"}));
    assert!(read.contains("doubled - 30"), "{read}");
    // Then it is.
    world.call("bash", json!({"command": "true"}));
    let read = world.call("read_file", json!({"path": "m.rs"}));
    assert!(read.contains("unchanged"), "{read}");
}

#[test]
fn changes_beyond_the_beginning_of_a_long_file_are_told() {
    let world = World::new();
    let text: String = (1..=15_000).map(|n| format!("{n} {}\n", "x".repeat(99))).collect();
    world.write("long.txt", &text);
    world.call("read_file", json!({"path": "long.txt"}));
    world.call("read_lines", json!({"path": "long.txt", "start": 5000, "end": 5010}));
    world.write("long.txt", text.replace("\n5004 x", "\n5004 y"));
    let edit = json!({"path": "long.txt", "old_str": "5004 yxx", "new_str": "5004"});
    assert!(world.refused("edit_file", edit.clone()).contains("read it again"));
    let read = world.call("read_file", json!({"path": "long.txt"}));
    let told = "[5004 was changed by others since you saw it: read_lines, start 5004]\n";
    assert!(read.ends_with(told), "{}", &read[read.len().saturating_sub(300)..]);
    world.call("read_lines", json!({"path": "long.txt", "start": 5004, "end": 5004}));
    world.call("edit_file", edit);
}

#[test]
fn lines_that_are_given_again_count_as_seen() {
    let world = World::new();
    world.write("a.py", lines(30));
    let asked = json!({"path": "a.py", "start": 1, "end": 30});
    world.call("read_lines", asked.clone());
    world.session.clear_visibility();
    assert!(world.call("read_lines", asked).contains("x_30 = 3000\n"));
    world.call("write_file", json!({"path": "a.py", "content": "x = 1\n"}));
}

#[test]
fn lines_that_were_never_seen_are_shown_before_they_change() {
    let world = World::new();
    world.write("a.py", lines(200));
    world.call("read_lines", json!({"path": "a.py", "start": 1, "end": 10}));
    for (part, number) in [("_150 = 15", 150), ("_160 = 16", 160)] {
        let part_edit = edit(part, "_1");
        let refused = world.refused("edit_file", part_edit.clone());
        let shown = format!("\n{number}→x_{number} = {number}00\n");
        assert!(
            refused.contains("had not seen these lines") && refused.contains(&shown),
            "{refused}"
        );
        world.call("edit_file", part_edit);
    }
    // Whoever spells a line out knows it, and beside it nothing is lost.
    world.call("edit_file", edit("x_170 = 17000", "x_170 = 1"));
    world.call("edit_file", edit("x_180 = 18000\n", "x_180 = 18000\nnew = 1\n"));
    let many = json!({"path": "a.py", "old_str": "x_", "new_str": "y_", "replace_all": true});
    let refused = world.refused("edit_file", many.clone());
    assert!(refused.starts_with("you have not seen "), "{refused}");
    world.call("read_file", json!({"path": "a.py", "mode": "full"}));
    world.call("edit_file", many);
    // All was forgotten: as if it had never been seen.
    world.session.clear_visibility();
    world.refused("edit_file", edit("y_1 = 1", "y_1 = 2"));
}

#[test]
fn an_edit_that_spells_blanks_otherwise_needs_lines_that_were_seen() {
    for (text, old, new) in [
        ("def f():\n\tfoo()\n", "def f():\n    foo()\n", "g()\n"),
        ("a  \nb\n", "a\nb", "A\nB"),
        ("  if x:\n    y\n", "if x:\n  y\n", "z\n"),
    ] {
        let world = World::new();
        world.write("a.py", text);
        let refused = world.refused("edit_file", edit(old, new));
        assert!(refused.contains("had not seen these lines"), "{refused}");
        world.call("edit_file", edit(old, new));
    }
    // Line endings are not shown to anybody.
    let world = World::new();
    world.write("a.py", "a\r\nb\r\n");
    world.call("edit_file", edit("a\nb\n", "A\nb\n"));
    let written = world.on_disk("a.py");
    assert_eq!(written, "A\r\nb\r\n");
}

/// A file of one line, as minified ones are.
fn one_line(count: u32) -> String {
    let keys: Vec<String> = (0..count).map(|n| format!("\"k{n}\":\"v{n}\"")).collect();
    format!("{{{}}}", keys.join(","))
}

fn key_edit(key: u32, value: &str) -> Value {
    let new = format!("\"k{key}\":\"{value}\"");
    json!({"path": "a.json", "old_str": format!("\"k{key}\":\"v{key}\""), "new_str": new})
}

#[test]
fn lines_that_a_search_showed_count_as_seen() {
    let world = World::new();
    world.write("a.py", lines(200));
    world.write("a.json", one_line(1_000));
    world.call("grep", json!({"pattern": "x_150 ", "path": "a.py", "context": 1}));
    for (old, new) in [("_150 = 15", "_1"), ("_149 = 149", "_2"), ("_1000", "_3")] {
        world.call("edit_file", edit(old, new));
    }
    let refused = world.refused("edit_file", edit("_152 = 15", "_1"));
    assert!(refused.contains("had not seen these lines"), "{refused}");
    // Lines above it do not matter.
    world.call("grep", json!({"pattern": "^x_160 ", "path": "a.py"}));
    world.call("edit_file", edit("x_20 = 2000\n", "x_20 = 2000\nmore = 1\n"));
    world.call("edit_file", edit("_160 = 16", "_4"));
    // A search shows only the part of a long line around its hit.
    world.call("grep", json!({"pattern": "\"k700\"", "path": "a.json"}));
    world.call("edit_file", key_edit(700, "longer"));
    world.call("edit_file", key_edit(701, "new"));
    let refused = world.refused("edit_file", key_edit(300, "new"));
    assert!(refused.contains("had not seen these lines"), "{refused}");
}

#[test]
fn lines_that_a_search_showed_are_compared_with_the_file() {
    let world = World::new();
    let asked = json!({"pattern": "x_15[0-9] ", "path": "a.py"});
    world.write("a.py", lines(200));
    world.call("grep", asked.clone());
    world.write("a.py", lines(200).replace("x_150 = 15000", "x_150 = 15007"));
    let refused = world.refused("edit_file", edit("_150 = 15", "_1"));
    assert!(refused.contains("\n150→x_150 = 15007\n"), "{refused}");
    world.call("edit_file", edit("_151 = 15", "_1"));
    // After a compaction no search is visible any more.
    world.call("grep", asked);
    world.session.clear_visibility();
    world.refused("edit_file", edit("_155 = 15", "_1"));
    // Neither files nor counts show a line.
    for output in ["files", "count"] {
        world.call("grep", json!({"pattern": "x_156 ", "output": output}));
        world.session.clear_visibility();
        world.refused("edit_file", edit("_156 = 15", "_1"));
        world.session.clear_visibility();
    }
}

#[test]
fn the_shown_ends_of_a_cut_line_count_as_seen() {
    for mode in ["auto", "full"] {
        let world = World::new();
        let count = if mode == "full" { 40_000 } else { 1_000 };
        world.write("a.json", one_line(count));
        let read = world.call("read_file", json!({"path": "a.json", "mode": mode}));
        assert!(read.contains("of this line"), "{read}");
        world.call("edit_file", key_edit(1, "changed"));
        if mode == "auto" {
            world.call("edit_file", key_edit(999, "changed"));
            world.call("edit_file", key_edit(2, ""));
        }
        let refused = world.refused("edit_file", key_edit(count / 2 + 20_000 / count, "new"));
        assert!(refused.contains("had not seen these lines"), "{refused}");
    }
}

#[test]
fn a_place_in_a_long_line_is_shown_before_it_changes() {
    let world = World::new();
    world.write("a.json", one_line(1_000));
    let refused = world.refused("edit_file", key_edit(700, "new"));
    assert!(refused.contains("had not seen these lines of `a.json`"), "{refused}");
    assert!(
        refused.contains("\n1→[… ") && refused.contains(",\"k699\":\"v699\",\"k700\":"),
        "{refused}"
    );
    assert!(refused.contains("\"k701\"") && refused.len() < 900, "{refused}");
    world.call("edit_file", key_edit(700, "new"));
    assert!(world.on_disk("a.json").contains("\"k699\":\"v699\",\"k700\":\"new\",\"k701\""));
    // What was shown beside it is still known, and what was not is not.
    world.call("edit_file", key_edit(702, "long value"));
    world.call("edit_file", key_edit(701, ""));
    let refused = world.refused("edit_file", key_edit(100, "new"));
    assert!(refused.contains("\"k99\":\"v99\""), "{refused}");
    // Other places at once: each is shown.
    let all =
        json!({"path": "a.json", "old_str": "\"v33", "new_str": "\"w33", "replace_all": true});
    let refused = world.refused("edit_file", all.clone());
    assert_eq!(refused.lines().filter(|line| line.starts_with("1→")).count(), 2, "{refused}");
    world.call("edit_file", all);
    assert!(world.on_disk("a.json").contains("\"w339\",\"k340\":\"v340\""));
}

#[test]
fn a_shown_part_of_a_long_line_may_be_changed() {
    let world = World::new();
    world.write("a.json", one_line(9_000));
    world.call("read_lines", json!({"path": "a.json", "start": 1, "end": 1, "from_byte": 10_000}));
    world.call("edit_file", key_edit(800, "new"));
    let refused = world.refused("edit_file", key_edit(8_000, "new"));
    assert!(refused.contains("\"k7999\""), "{refused}");
    // Others write it anew: their line is shown before it is overwritten.
    world.write("a.json", one_line(9_000).replace("v801\"", "theirs\""));
    let refused = world.refused("edit_file", key_edit(800, "newer"));
    assert!(refused.contains("was changed since you saw these lines"), "{refused}");
    assert!(refused.contains("\"k801\":\"theirs\""), "{refused}");
    world.call("edit_file", key_edit(800, "newer"));
    assert!(world.on_disk("a.json").contains("\"k800\":\"newer\",\"k801\":\"theirs\""));
}

#[test]
fn invisible_characters_are_named() {
    let world = World::new();
    world.write("a.py", "x = 1\nfoo(\u{a0}a, b)\ny\u{200b} = 2\n");
    world.call("read_file", json!({"path": "a.py"}));
    let refused = world.refused("edit_file", edit("foo( a", "foo(a"));
    let named = "; line 2 has U+00A0 (no-break space) where old_str has a space";
    assert!(refused.contains(named), "{refused}");
    let refused = world.refused("edit_file", edit("y = 2", "y = 3"));
    let named = "; line 3 has U+200B (zero-width space), which old_str lacks";
    assert!(refused.contains(named), "{refused}");
    world.call("edit_file", edit("foo(\u{a0}a", "foo(a"));
    world.write("a.py", "x = 1\nv\u{430}lue = 'cafe\u{301}'\n");
    for (old, named) in [
        ("value = 'c", "; line 2 has U+0430 where old_str has `a`"),
        ("'café'", "; line 2 has U+0065 U+0301 where old_str has U+00E9"),
        ("’cafe\u{301}", "; line 2 has `'` where old_str has U+2019"),
    ] {
        let refused = world.refused("edit_file", edit(old, "new"));
        assert!(refused.contains(named), "{refused}");
    }
}

fn notebook(sources: &[&str]) -> String {
    let cell = |source: &&str| json!({"cell_type": "code", "source": [source], "metadata": {}, "outputs": [], "execution_count": null});
    let cells: Vec<Value> = sources.iter().map(cell).collect();
    let notebook = json!({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5});
    serde_json::to_string_pretty(&notebook).expect("a notebook")
}

#[test]
fn notebooks_are_compared_by_their_cells() {
    let world = World::new();
    world.write("n.ipynb", notebook(&["x = 1", "y = 2"]));
    let read = json!({"path": "n.ipynb"});
    let write = |sources: &[&str]| json!({"path": "n.ipynb", "content": notebook(sources)});
    world.call("read_lines", json!({"path": "n.ipynb", "start": 1, "end": 2}));
    let refused = world.refused("write_file", write(&["z = 3"]));
    assert!(refused.starts_with("you have seen 2 of the 4 lines"), "{refused}");
    world.call("read_file", read.clone());
    world.write("n.ipynb", notebook(&["x = 1", "y = 200"]));
    let delta = "    2   x = 1\n    3   [cell 2: code]\n    4 - y = 2\n    4 + y = 200\n";
    let edit_y = json!({"path": "n.ipynb", "old_str": "y = 2", "new_str": "y = 3"});
    for refused in
        [world.refused("edit_file", edit_y.clone()), world.refused("write_file", write(&["z = 3"]))]
    {
        assert!(refused.ends_with(delta), "{refused}");
    }
    world.call("read_file", read);
    world.call("edit_file", edit_y);
    world.call("write_file", write(&["z = 3"]));
    assert_eq!(world.on_disk("n.ipynb"), notebook(&["z = 3"]));
    world.call("write_file", write(&["z = 4"]));
}

#[test]
fn what_was_seen_holds_for_the_process_that_comes_after() {
    let world = World::new();
    let ask = |session: &ToolSession, tool: &str, arguments: Value| {
        session.call(&ToolRequest::new(tool, arguments), &CallControl::NONE)
    };
    world.write("a.py", lines(20));
    world.call("read_file", json!({"path": "a.py"}));
    let part = || edit("x_15 = 15", "x_15 = 16");
    assert!(!ask(&world.session_named("test"), "edit_file", part()).is_error);
    let after = lines(20).replace("x_15 = 15", "x_15 = 16");
    assert_eq!(world.on_disk("a.py"), after);
    // Another session has seen nothing; nor has this one of what others wrote meanwhile.
    world.write("a.py", after.replace("x_4 = 400", "x_4 = 77770000"));
    let whole = json!({"path": "a.py", "content": "x = 1\n"});
    for (name, why) in [("other", "had not seen"), ("test", "was changed since you saw")] {
        let session = world.session_named(name);
        let refused = ask(&session, "edit_file", edit("x_4 = 7777", "x_4 = 8"));
        assert!(refused.is_error && refused.text.contains(why), "{refused:?}");
        assert!(ask(&session, "write_file", whole.clone()).is_error);
    }
    let session = world.session_named("test");
    ask(&session, "read_lines", json!({"path": "a.py", "start": 1, "end": 2}));
    assert!(ask(&session, "write_file", whole.clone()).is_error);
    ask(&session, "read_file", json!({"path": "a.py", "mode": "full"}));
    assert!(!ask(&world.session_named("test"), "write_file", whole).is_error);
}

/// Carries the edit out; another program puts `others` in place of line 9 as soon as the call
/// has asked `at` times whether it is cancelled. Whether it did.
fn edit_while(
    world: &World,
    at: u32,
    (old, new): (&str, &str),
    others: &str,
) -> (ToolCallAnswer, bool) {
    world.write("a.py", lines(20));
    world.call("read_file", json!({"path": "a.py", "mode": "full"}));
    let asked = std::sync::Mutex::new(Cell::new(0));
    let path = world.folder.path().join("a.py");
    let is_cancelled = || {
        let asked = asked.lock().expect("no holder panics");
        asked.set(asked.get() + 1);
        if asked.get() == at {
            std::fs::write(&path, lines(20).replace("x_9 = 900", others)).expect("a file");
        }
        false
    };
    let control = CallControl { cancel: &CancelToken::from_fn(&is_cancelled), ..CallControl::NONE };
    let answer = world.session.call(&ToolRequest::new("edit_file", edit(old, new)), &control);
    let count = asked.lock().expect("no holder panics").get();
    (answer, count >= at)
}

#[test]
fn changes_elsewhere_during_an_edit_are_no_reason_to_refuse_it() {
    let world = World::new();
    let (mut elsewhere, mut here) = (0, 0);
    for at in 1.. {
        let (answer, was_changed) = edit_while(&world, at, ("x_15 = 1", "x_15 = 2"), "x_9 = 9");
        if !was_changed {
            break;
        }
        elsewhere += 1;
        let on_disk = world.on_disk("a.py");
        assert!(!answer.is_error, "{at}: {}", answer.text);
        assert!(on_disk.contains("x_15 = 2500\n") && on_disk.contains("x_9 = 9\n"), "{on_disk}");
        // The same where it is the line of the edit: that was not seen as it is now.
        let (answer, _) = edit_while(&world, at, ("x_9 = 9", "x_9 = 8"), "x_9 = 9999");
        here += u32::from(answer.is_error);
        let after = world.on_disk("a.py");
        assert_eq!(after.contains("x_9 = 9999\n"), answer.is_error, "{at}: {after}");
    }
    assert!(elsewhere > 3 && here == elsewhere, "{elsewhere} {here}");
}

#[derive(Debug, Clone)]
enum Step {
    Read(&'static str),
    Lines(u32, u32),
    Outline,
    /// Another program replaces, inserts or deletes lines.
    Others(Touch, u32, u32),
    EditPart(u32),
    EditWhole(u32, u32),
    Write(u32),
    Undo(usize),
    Forget,
    Restart,
}

#[derive(Debug, Clone, Copy)]
enum Touch {
    Replace,
    Insert,
    Delete,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let mode = prop_oneof![Just("full"), Just("auto"), Just("curated"), Just("structure")];
    let touch = prop_oneof![Just(Touch::Replace), Just(Touch::Insert), Just(Touch::Delete)];
    let step = prop_oneof![
        4 => mode.prop_map(Step::Read),
        4 => (0..150u32, 0..12u32).prop_map(|(first, more)| Step::Lines(first, more)),
        1 => Just(Step::Outline),
        5 => (touch, 0..150u32, 1..4u32).prop_map(|(touch, at, count)| Step::Others(touch, at, count)),
        4 => (0..150u32).prop_map(Step::EditPart),
        2 => (0..150u32, 1..4u32).prop_map(|(at, count)| Step::EditWhole(at, count)),
        3 => (1..130u32).prop_map(Step::Write),
        2 => (0..9usize).prop_map(Step::Undo),
        1 => Just(Step::Forget),
        1 => Just(Step::Restart),
    ];
    vec(step, 1..30)
}

/// A reader who knows nothing but the answers, and looks at the disk after each write.
struct Reader {
    world: World,
    session: ToolSession,
    /// Lines that stood in an answer, or that it wrote, since all was forgotten; none is ever
    /// written twice.
    seen: BTreeSet<String>,
    /// Lines that it ever wrote or put back.
    ours: BTreeSet<String>,
    /// Whether all was shown and nobody else has written since.
    is_certain: bool,
    handles: Vec<String>,
    count: u32,
}

impl Reader {
    fn new(lines: u32) -> Self {
        let world = World::new();
        let session = world.session_named("reader");
        let (seen, ours) = (BTreeSet::new(), BTreeSet::new());
        let (is_certain, handles) = (false, Vec::new());
        let mut reader = Self { world, session, seen, ours, is_certain, handles, count: 0 };
        let text = reader.new_lines(lines);
        reader.world.write("a.py", text.concat());
        reader
    }

    fn new_lines(&mut self, count: u32) -> Vec<String> {
        let from = self.count + 1;
        self.count += count;
        (from..=self.count).map(|n| format!("def f_{n}_(): return {n}00\n")).collect()
    }

    fn disk(&self) -> Vec<String> {
        self.world.on_disk("a.py").split_inclusive('\n').map(str::to_owned).collect()
    }

    fn ask(&mut self, tool: &str, arguments: Value) -> ToolCallAnswer {
        let answer = self.session.call(&ToolRequest::new(tool, arguments), &CallControl::NONE);
        for line in answer.text.lines() {
            let shown = line.split_once('→').filter(|(number, _)| number.parse::<u32>().is_ok());
            self.seen.extend(shown.map(|(_, text)| format!("{text}\n")));
        }
        answer
    }

    /// Has something written and checks that only what it may know of is lost: `ours` or all it
    /// has seen.
    fn write(
        &mut self,
        tool: &str,
        arguments: &Value,
        new: Vec<String>,
        spelled: &[String],
        is_undo: bool,
    ) {
        let before = self.disk();
        let known: BTreeSet<String> = match is_undo {
            true => self.ours.clone(),
            false => self.seen.iter().chain(spelled).cloned().collect(),
        };
        let answer = self.ask(tool, arguments.clone());
        let after: BTreeSet<String> = self.disk().into_iter().collect();
        if answer.is_error {
            assert!(before.iter().eq(self.disk().iter()), "{arguments}: {}", answer.text);
            assert!(!self.is_certain || is_undo, "{arguments}: {}", answer.text);
            return;
        }
        for line in before.iter().filter(|line| !after.contains(*line)) {
            assert!(known.contains(line), "{tool} {arguments}: lost {line:?}: {}", answer.text);
        }
        // What it spelled out and replaced it knows, should it be put back.
        self.seen.extend(new.iter().chain(spelled).cloned());
        self.ours.extend(new);
        // What was put back is its own too.
        self.ours.extend(after.into_iter().filter(|line| is_undo && !before.contains(line)));
        let handle = answer.text.split("[before: ").nth(1).and_then(|rest| rest.get(..12));
        self.handles.extend(handle.map(str::to_owned));
    }

    fn others(&mut self, touch: Touch, at: u32, count: u32) {
        let mut disk = self.disk();
        let from = (at as usize).min(disk.len());
        let to = (from + count as usize).min(disk.len());
        let (to, new) = match touch {
            Touch::Replace => (to, self.new_lines(count)),
            Touch::Insert => (from, self.new_lines(count)),
            Touch::Delete => (to, Vec::new()),
        };
        disk.splice(from..to, new);
        self.world.write("a.py", disk.concat());
        self.is_certain = false;
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Read(mode) => {
                let answer = self.ask("read_file", json!({"path": "a.py", "mode": mode}));
                self.is_certain |= mode == "full" && !answer.is_error;
            }
            Step::Lines(first, more) => {
                let (start, end) = (first + 1, first + 1 + more);
                self.ask("read_lines", json!({"path": "a.py", "start": start, "end": end}));
            }
            Step::Outline => drop(self.ask("outline", json!({"path": "a.py"}))),
            Step::Others(touch, at, count) => self.others(touch, at, count),
            Step::EditPart(at) => {
                let disk = self.disk();
                let Some(line) = disk.get(at as usize) else { return };
                let part = line.split_once("()").map_or("", |(part, _)| part);
                let [new] = self.new_lines(1).try_into().expect("one line");
                let new = new.split_once("()").map_or("", |(part, _)| part);
                let whole = line.replace(part, new);
                self.write("edit_file", &edit(part, new), vec![whole], &[], false);
            }
            Step::EditWhole(at, count) => {
                let disk = self.disk();
                let old: Vec<String> =
                    disk.into_iter().skip(at as usize).take(count as usize).collect();
                if old.is_empty() {
                    return;
                }
                let new = self.new_lines(count);
                let asked = edit(&old.concat(), &new.concat());
                self.write("edit_file", &asked, new, &old, false);
            }
            Step::Write(count) => {
                let new = self.new_lines(count);
                let asked = json!({"path": "a.py", "content": new.concat()});
                self.write("write_file", &asked, new, &[], false);
            }
            Step::Undo(back) => {
                let Some(handle) = self.handles.iter().rev().nth(back) else { return };
                let asked = json!({"path": "a.py", "handle": handle});
                self.write("write_file", &asked, Vec::new(), &[], true);
                self.is_certain = false;
            }
            Step::Forget => {
                self.session.clear_visibility();
                (self.seen, self.is_certain) = (BTreeSet::new(), false);
            }
            Step::Restart => self.session = self.world.session_named("reader"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn no_line_is_lost_that_was_never_seen(count in prop_oneof![1..12u32, 100..140u32], steps in steps()) {
        let mut reader = Reader::new(count);
        for step in &steps {
            reader.step(step);
        }
    }
}
