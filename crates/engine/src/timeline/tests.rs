use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use foveal_transcript::{
    ContentBlock, EntryMark, MessageRole, RecordingPosition, ToolCall, ToolResult, TranscriptEntry,
};

/// One turn: a call with its result, or no result.
struct Turn {
    name: &'static str,
    arguments: Value,
    result: Option<(String, bool)>,
}

fn turn(name: &'static str, arguments: Value, result: &str) -> Turn {
    Turn { name, arguments, result: Some((result.to_owned(), false)) }
}

fn failed(name: &'static str, arguments: Value, result: &str) -> Turn {
    Turn { name, arguments, result: Some((result.to_owned(), true)) }
}

fn conversation(turns: &[Turn]) -> Conversation {
    let entry = |role, block| TranscriptEntry {
        source: RecordingPosition { step: 1, result: None },
        role,
        time: None,
        mark: EntryMark::None,
        model: None,
        usage: None,
        blocks: vec![block],
    };
    let mut conversation = Conversation::default();
    conversation.directory = Some("/w".to_owned());
    for (index, turn) in turns.iter().enumerate() {
        let id = format!("call{index}");
        let call = ToolCall {
            id: id.clone(),
            name: turn.name.to_owned(),
            arguments: turn.arguments.clone(),
        };
        conversation.push(entry(MessageRole::Assistant, ContentBlock::Call(call)));
        if let Some((content, is_error)) = &turn.result {
            let result = ToolResult { call: id, content: content.clone(), is_error: *is_error };
            conversation.push(entry(MessageRole::Tool, ContentBlock::Result(result)));
        }
    }
    conversation
}

fn read(text: &str) -> Turn {
    turn("Read", json!({"file_path": "/w/a.py"}), &numbered(text, 1))
}

fn read_part(text: &str, first: u32) -> Turn {
    let limit = text.lines().count();
    let arguments = json!({"file_path": "/w/a.py", "offset": first, "limit": limit});
    turn("Read", arguments, &numbered(text, first))
}

fn numbered(text: &str, first: u32) -> String {
    let lines: Vec<String> =
        (first..).zip(text.lines()).map(|(n, line)| format!("{n:>6}\t{line}")).collect();
    lines.join("\n")
}

fn edit(old: &str, new: &str) -> Turn {
    let arguments = json!({"file_path": "/w/a.py", "old_string": old, "new_string": new});
    turn("Edit", arguments, "The file /w/a.py has been updated.")
}

fn write(text: &str) -> Turn {
    let arguments = json!({"file_path": "/w/a.py", "content": text});
    turn("Write", arguments, "File created successfully at: /w/a.py")
}

/// The state of `/w/a.py` after each turn: lines with `?` for unseen ones, and confidence.
fn check(turns: &[Turn], states: &[&str]) {
    let timeline = Timeline::from_conversation(&conversation(turns));
    let shown: Vec<String> = (1..=turns.len() as u32)
        .map(|turn| {
            let state = timeline.file_state_at("a.py", turn);
            let lines: Vec<&str> =
                state.lines.iter().map(|line| line.as_deref().unwrap_or("?")).collect();
            let removed = if state.removed { " removed" } else { "" };
            format!("{} {:?}{removed}", lines.join("|"), state.confidence)
        })
        .collect();
    assert_eq!(shown, states);
}

/// A hook leaves out what stands above, and the client records which lines are left.
#[test]
fn a_read_that_a_hook_shaped_is_no_whole_file() {
    let whole: String = (1..=30).map(|n| format!("{n}\tline {n}\n")).collect();
    for (shown, first) in [("1\tline 1", 1), ("17\tline 17", 17)] {
        let asked = || json!({ "file_path": "/w/a.rs" });
        let read =
            conversation(&[turn("Read", asked(), whole.trim_end()), turn("Read", asked(), shown)]);
        let last = read.entries().len();
        let part = format!(r#"{{"startLine":{first},"numLines":1,"totalLines":30}}"#);
        let mut at = 0;
        let read = read.map_entries(|entry| {
            at += 1;
            if at == last {
                let kind = foveal_transcript::PARTIAL_READ_KIND.to_owned();
                entry.blocks.push(ContentBlock::Opaque { kind, raw: part.clone() });
            }
        });
        let state = Timeline::from_conversation(&read).file_state_at("/w/a.rs", 2);
        assert_eq!(state.lines.len(), 30, "{shown}");
        assert_eq!(state.confidence, StateConfidence::Exact);
    }
}

#[test]
fn a_part_of_a_file_under_a_heading_is_no_whole_file() {
    let shown = "Showing lines 1-2 of 9 total lines.\n\n---\n\none\ntwo\nth... [truncated]";
    let read = conversation(&[turn("read_file", json!({ "file_path": "/w/a.rs" }), shown)]);
    let state = Timeline::from_conversation(&read).file_state_at("/w/a.rs", 1);
    assert_eq!(state.lines, [Some("one".to_owned()), Some("two".to_owned())]);
    assert_eq!(state.confidence, StateConfidence::Partial);
}

#[test]
fn reads_writes_and_edits_are_replayed() {
    check(
        &[write("a\nb\n"), edit("b\n", "b\nc\n"), edit("a\nb", "x"), read("x\nc\n")],
        &["a|b Exact", "a|b|c Exact", "x|c Exact", "x|c Exact"],
    );
    check(
        &[read("a\nb\nc"), edit("a\n", ""), edit("c", "")],
        &["a|b|c Exact", "b|c Exact", "b| Partial"],
    );
    check(
        &[write("no end"), edit("end", "end\nmore"), write("")],
        &["no end Exact", "no end|more Exact", " Exact"],
    );
}

#[test]
fn failed_and_unanswered_edits() {
    let arguments = json!({"file_path": "/w/a.py", "old_string": "a", "new_string": "z"});
    let unanswered = Turn { name: "Edit", arguments: arguments.clone(), result: None };
    check(
        &[
            write("a\nb\n"),
            failed("Edit", arguments.clone(), "some error"),
            turn("Edit", arguments.clone(), "String to replace not found in file."),
            turn("Edit", arguments, "The file has been updated:\n     1\tnot found"),
            unanswered,
        ],
        &["a|b Exact", "a|b Exact", "a|b Exact", "z|b Exact", "z|b Partial"],
    );
}

#[test]
fn parts_that_were_never_seen_stay_open() {
    check(
        &[
            read_part("b\nc\n", 2),
            edit("c\n", "c\nd\n"),
            edit("unseen", "changed"),
            edit("unseen", "two\nlines"),
            read_part("b\nx\n", 2),
            read("all\n"),
        ],
        &[
            "?|b|c Partial",
            "?|b|c|d Partial",
            "?|b|c|d Partial",
            "?|b|c|d Partial",
            "?|b|x Partial",
            "all Exact",
        ],
    );
}

#[test]
fn unknown_changes_lower_the_confidence_until_the_file_is_read_again() {
    let sed = || turn("Bash", json!({"command": "sed -i s/a/b/ /w/a.py"}), "");
    check(
        &[write("a\nb\n"), sed(), edit("b", "c"), read("x\nc\n")],
        &["a|b Exact", "a|b Partial", "a|c Partial", "x|c Exact"],
    );
    for (command, state) in [
        ("cargo fmt --all && cargo test", "a|b Partial"),
        ("cd x; git checkout main", "a|b Partial"),
        ("cargo fmt -- --check", "a|b Exact"),
        ("git log --format=%h; cargo test", "a|b Exact"),
    ] {
        let run = turn("Bash", json!({"command": command}), "");
        check(&[write("a\nb\n"), run], &["a|b Exact", state]);
    }
    let half = failed("Bash", json!({"command": "echo c > /w/a.py && false"}), "Exit code 1");
    check(&[write("a\nb\n"), half], &["a|b Exact", "a|b Partial"]);
    // Seen from a read that disagrees: something else changed the file.
    check(&[write("a\nb\n"), read_part("x\n", 1)], &["a|b Exact", "x|b Partial"]);
    check(&[write("a\n"), edit("never there", "b")], &["a Exact", "a Partial"]);
    let remove = turn("Bash", json!({"command": "rm /w/a.py"}), "");
    check(&[write("a\n"), remove, write("b\n")], &["a Exact", " Exact removed", "b Exact"]);
}

#[test]
fn files_are_found_by_full_relative_and_partial_path() {
    let timeline = Timeline::from_conversation(&conversation(&[write("a\n")]));
    assert_eq!(timeline.paths(), ["/w/a.py"]);
    for (path, confidence) in [
        ("/w/a.py", StateConfidence::Exact),
        ("a.py", StateConfidence::Exact),
        ("./a.py", StateConfidence::Exact),
        ("w/a.py", StateConfidence::Exact),
        ("b.py", StateConfidence::Unknown),
        (".py", StateConfidence::Unknown),
        ("", StateConfidence::Unknown),
    ] {
        assert_eq!(timeline.file_state_at(path, 1).confidence, confidence, "{path}");
    }
    assert_eq!(timeline.file_state_at("a.py", 0).confidence, StateConfidence::Unknown);
}

fn notes(turns: &[Turn]) -> Vec<ChangeNote> {
    build_changelog(&conversation(turns))
}

#[test]
fn the_changelog_tells_intents_or_what_the_edits_did() {
    let intent = json!({"file_path": "/w/a.py", "old_str": "one", "new_str": "two",
        "intent": "Use two\n  instead"});
    let refused = failed("edit_file", intent.clone(), "error");
    let unanswered = Turn { name: "edit_file", arguments: intent.clone(), result: None };
    let log = notes(&[
        write("def a():\n    pass\n"),
        edit("def a():\n    pass", "def a(x):\n    one\n\ndef b():\n    one"),
        turn("edit_file", intent, "ok"),
        refused,
        write("class C:\n"),
        turn("Bash", json!({"command": "sed -i s/C/D/ a.py"}), ""),
        turn("Bash", json!({"command": "rm a.py"}), ""),
        unanswered,
    ]);
    let table: Vec<String> =
        log.iter().map(|note| format!("{} {} {}", note.turn, note.path, note.summary)).collect();
    assert_eq!(
        table,
        [
            "1 /w/a.py new file, +2 lines, adds def a",
            "2 /w/a.py +5 −2 lines, adds def b, changes def a",
            "3 /w/a.py Use two instead",
            "5 /w/a.py +1 −5 lines, adds class C, removes def a, def b",
            "6 /w/a.py changed by `sed -i s/C/D/ a.py`",
            "7 /w/a.py removes the file",
        ]
    );
}

#[derive(Debug, Clone)]
enum Operation {
    Write(String),
    /// Replaces the part of the text between two shares of its length.
    Edit {
        from: usize,
        length: usize,
        new: String,
        all: bool,
        by: bool,
    },
    FailedEdit(String),
    Read,
    ReadFiles,
    /// Changes the file in a way the call does not tell.
    Unknown(String),
}

fn any_text() -> impl Strategy<Value = String> {
    prop::string::string_regex("([ab]{0,2}\n){0,4}[ab]{0,1}").expect("a regex")
}

fn any_operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        2 => any_text().prop_map(Operation::Write),
        6 => (0usize..20, 1usize..6, "[abc\n]{0,4}", any::<bool>(), any::<bool>()).prop_map(
            |(from, length, new, all, by)| Operation::Edit { from, length, new, all, by }
        ),
        1 => "[abc]{1,2}".prop_map(Operation::FailedEdit),
        2 => Just(Operation::Read),
        1 => Just(Operation::ReadFiles),
        1 => any_text().prop_map(Operation::Unknown),
    ]
}

/// The real content of the file.
#[derive(Default)]
struct Reference {
    text: String,
    /// Whether its lines can be known.
    is_known: bool,
    /// Whether, beyond its lines, it can be known how it ends.
    is_sure: bool,
}

impl Reference {
    /// Carries the operation out and records it as a turn.
    fn run(&mut self, operation: Operation) -> Turn {
        match operation {
            Operation::Write(text) => {
                *self = Self { text: text.clone(), is_known: true, is_sure: true };
                write(&text)
            }
            Operation::Edit { from, length, new, all, by } => {
                let from = from.min(self.text.len());
                let old = self.text[from..(from + length).min(self.text.len())].to_owned();
                let count = if old.is_empty() { 0 } else { self.text.matches(&old).count() };
                let arguments = json!({"file_path": "/w/a.py", "old_string": old,
                    "new_string": new, "replace_all": all});
                if count == 0 || (count > 1 && !all) {
                    return failed("Edit", arguments, "Found several matches");
                }
                self.text = self.text.replace(&old, &new);
                if by {
                    let edits = json!([{"old_string": old, "new_string": new, "replace_all": all}]);
                    return turn(
                        "MultiEdit",
                        json!({"file_path": "/w/a.py", "edits": edits}),
                        "ok",
                    );
                }
                turn("Edit", arguments, "ok")
            }
            Operation::FailedEdit(old) => {
                let arguments =
                    json!({"file_path": "/w/a.py", "old_string": old, "new_string": "c"});
                turn("Edit", arguments, "String to replace not found in file.")
            }
            Operation::Read if self.text.is_empty() => turn("Bash", json!({"command": "true"}), ""),
            Operation::Read => {
                self.is_known = true;
                read(&self.text)
            }
            Operation::ReadFiles => {
                (self.is_known, self.is_sure) = (true, true);
                let files = json!([{"path": "/w/a.py", "content": self.text}]);
                let result = json!({"type": "read_files", "files": files});
                turn("read_files", json!({"paths": ["/w/a.py"]}), &result.to_string())
            }
            Operation::Unknown(text) => {
                *self = Self { text, ..Self::default() };
                turn("Bash", json!({"command": "sed -i s/a/b/ /w/a.py"}), "")
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_state_is_that_of_the_real_file_or_not_called_exact(
        operations in prop::collection::vec(any_operation(), 1..25)
    ) {
        let mut file = Reference::default();
        let mut turns = Vec::new();
        let mut expected = Vec::new();
        for operation in operations {
            turns.push(file.run(operation));
            let lines: Vec<Option<String>> =
                file.text.lines().map(|line| Some(line.to_owned())).collect();
            expected.push((file.is_known, file.is_sure, lines));
        }
        let timeline = Timeline::from_conversation(&conversation(&turns));
        for ((is_known, is_sure, lines), turn) in expected.into_iter().zip(1u32..) {
            let state = timeline.file_state_at("/w/a.py", turn);
            let is_exact = state.confidence == StateConfidence::Exact;
            prop_assert!(is_known || !is_exact, "turn {} cannot be known", turn);
            prop_assert!(is_exact || !is_sure, "turn {} is known", turn);
            if is_exact {
                prop_assert_eq!(state.lines, lines, "turn {}", turn);
            }
        }
    }

    #[test]
    fn nothing_panics_on_any_change(
        shown in prop::collection::vec((1u32..8, "[ab]{0,2}"), 0..6),
        changes in prop::collection::vec((0u32..9, 0u32..9, "[ab\n]{0,3}", "[ab\n]{0,3}", 0usize..6), 0..8),
    ) {
        use foveal_tool_effects::WriteChange;
        use foveal_transcript::LineNumber;
        let mut known = KnownContent::default();
        known.set_numbered_lines(&shown);
        for (first, last, old, new, kind) in changes {
            let change = match kind {
                0 => WriteChange::Replace { old, new, all: first % 2 == 0 },
                1 => WriteChange::Lines { first: LineNumber(first), last: LineNumber(last), new },
                2 => WriteChange::Insert { after: first, new },
                3 => WriteChange::Append(new),
                4 => WriteChange::Unknown,
                _ => WriteChange::Content(new),
            };
            known.apply(&change);
            known.set_numbered_lines(&[(last, format!("line {first}"))]);
            let state = known.state();
            if state.confidence == StateConfidence::Exact {
                prop_assert!(state.lines.iter().all(Option::is_some), "{:?}", state);
            }
        }
    }
}
