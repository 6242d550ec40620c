//! An answer's text is content and the notes that its rows hold, and nothing else.

use std::collections::HashSet;

use foveal_tools::ToolCallAnswer;
use foveal_tools::answer::{AnswerRow, RowKind};
use serde_json::{Value, json};

use crate::world::{World, source};

/// The lines of an answer without the notes that stand in them.
///
/// # Panics
/// If a row says of a line what it is not.
#[track_caller]
pub(crate) fn without_notes(answer: &ToolCallAnswer) -> Vec<(&AnswerRow, String)> {
    let ToolCallAnswer { text, rows, .. } = answer;
    let starts = text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some(start)
    });
    let starts: Vec<usize> = starts.collect();
    assert_eq!(rows.len(), starts.len(), "a row for each line:\n{text}");
    let mut left = Vec::new();
    // The end of the note that was met last: one may have several lines.
    let mut told = 0;
    for (row, start) in rows.iter().zip(&starts) {
        let end = text[*start..].find('\n').map_or(text.len(), |end| start + end);
        let mut rest = String::new();
        let mut at = told.clamp(*start, end);
        for placed in &row.notes {
            let begin = start + placed.at as usize;
            rest += &text[at..begin];
            let note = &*placed.text;
            assert!(text[begin..].starts_with(note), "{note} at {begin} of\n{text}");
            told = begin + note.len();
            at = told.min(end);
        }
        rest += &text[at..end];
        left.push((row, rest));
    }
    left
}

/// What the world holds: all else in an answer must be a note.
#[derive(Default)]
struct Known {
    lines: HashSet<String>,
    paths: HashSet<String>,
}

impl Known {
    fn learn(&mut self, text: &str) {
        self.lines.extend(text.lines().map(str::to_owned));
    }

    /// Whether a line is content: one of the world's, or a part of one.
    fn has(&self, line: &str, is_cut: bool) -> bool {
        // A terminal ends its lines in its own way.
        let line = line.trim_end_matches('\r');
        let is_part = || self.lines.iter().any(|known| known.contains(line));
        self.lines.contains(line) || line.is_empty() || is_cut && is_part()
    }

    #[track_caller]
    fn check(&self, call: &str, answer: &ToolCallAnswer) {
        for (row, left) in without_notes(answer) {
            let is_cut = !row.notes.is_empty() || answer.reduction.is_some();
            let is_content = match row.kind {
                RowKind::Error => true,
                RowKind::Note => left.trim().is_empty(),
                RowKind::File => self.paths.contains(left.split(':').next().unwrap_or_default()),
                RowKind::Line { number, gutter } => {
                    let (gutter, text) = left.split_at(gutter as usize);
                    gutter.trim_start().starts_with(&number.to_string()) && self.has(text, is_cut)
                }
                RowKind::Content => self.has(&left, is_cut) || self.paths.contains(left.trim()),
            };
            let left: String = left.chars().take(200).collect();
            assert!(is_content, "{call}: {left:?} is neither content nor a note");
        }
    }
}

/// A world with files of each kind, and what is in it.
fn world() -> (World, Known) {
    let (world, mut known) = (World::new(), Known::default());
    let wide = format!("{}\nnext\n", "wide ".repeat(30_000));
    let many = "same words here\n".repeat(25);
    let (short, long) = (source(9), source(80));
    for (path, text) in [
        ("short.rs", &*short),
        ("long.rs", &*long),
        ("wide.txt", &*wide),
        ("many.txt", &*many),
        ("tab.txt", "\tone two\n"),
        ("empty.txt", ""),
        ("old.txt", "windows\r\nlines\r\n"),
    ] {
        world.write(path, text);
        known.learn(text);
        known.paths.insert(path.to_owned());
    }
    world.write("bytes.bin", b"a\0b");
    world.write("sub/inner.rs", &short);
    known.learn(
        "\tthree two\n./ (9 files)\n\
                 sub/ (1 file)\n",
    );
    known.paths.extend(["sub/inner.rs", "new.txt", "made.txt"].map(str::to_owned));
    (world, known)
}

/// Calls that let each tool say what it can.
fn calls() -> Vec<(&'static str, Value)> {
    let edit = |path: &str, old: &str, new: &str, all: bool| json!({"path": path, "old_str": old, "new_str": new, "replace_all": all});
    vec![
        ("read_file", json!({"path": "short.rs"})),
        ("read_file", json!({"path": "short.rs"})),
        ("read_file", json!({"path": "short.rs"})),
        ("read_file", json!({"path": "long.rs", "question": "what does step_7 do?"})),
        ("read_file", json!({"path": "long.rs", "mode": "structure"})),
        ("read_file", json!({"path": "long.rs", "mode": "full"})),
        ("read_file", json!({"path": "wide.txt"})),
        ("read_file", json!({"path": "empty.txt"})),
        ("read_file", json!({"path": "old.txt"})),
        ("read_file", json!({"path": "bytes.bin"})),
        ("outline", json!({"path": "long.rs"})),
        ("read_lines", json!({"path": "short.rs", "start": 40, "end": 99})),
        ("read_lines", json!({"path": "short.rs", "start": 40, "end": 99})),
        ("read_lines", json!({"path": "wide.txt", "start": 1, "end": 2, "from_byte": 9})),
        ("read_files", json!({"paths": ["short.rs", "gone.rs", "wide.txt", "empty.txt"]})),
        ("grep", json!({"pattern": "step_3\\b", "context": 1})),
        ("grep", json!({"pattern": "step_3\\b", "context": 1})),
        ("grep", json!({"pattern": "step_", "limit": 3})),
        ("grep", json!({"pattern": "step_", "offset": 999})),
        ("grep", json!({"pattern": "step_", "output": "count"})),
        ("grep", json!({"pattern": "step_", "output": "files", "limit": 1})),
        ("grep", json!({"pattern": "nowhere"})),
        ("grep", json!({"pattern": "wide", "path": "wide.txt"})),
        ("glob", json!({"pattern": "*.txt", "limit": 2})),
        ("glob", json!({"pattern": "*.txt", "offset": 50})),
        ("glob", json!({"pattern": "*.none"})),
        ("search_code", json!({"query": "nothing like it"})),
        ("write_file", json!({"path": "new.txt", "content": "made\n"})),
        ("write_file", json!({"path": "new.txt", "content": "made\n"})),
        ("read_file", json!({"path": "many.txt"})),
        ("edit_file", edit("many.txt", "words", "letters", true)),
        ("read_file", json!({"path": "tab.txt"})),
        ("edit_file", edit("tab.txt", "    one two", "    three two", false)),
        ("multi_edit", json!({"edits": [{"path": "gone", "old_str": "a", "new_str": "b"}]})),
        ("bash", json!({"command": "head -n 3 short.rs"})),
        ("bash", json!({"command": "true"})),
        ("bash", json!({"command": "cat many.txt; exit 3"})),
        ("bash", json!({"command": "cat long.rs wide.txt"})),
        ("bash", json!({"command": "printf 'made\\n'; cd /"})),
        ("bash", json!({"command": "printf 'made'"})),
        ("terminals", json!({})),
        ("exec", json!({"command": "printf 'made\\n'", "wait_ms": 5_000})),
        ("focus", json!({"paths": ["short.rs"]})),
        ("focus", json!({})),
        ("unfocus", json!({})),
        ("reset", json!({})),
        ("no_such_tool", json!({})),
    ]
}

#[test]
fn whatever_is_not_content_is_a_note() {
    let (world, mut known) = world();
    known.learn("made\nsame letters here\n");
    let mut notes = 0;
    for (tool, arguments) in calls() {
        let call = format!("{tool} {arguments}");
        let answer = world.ask(tool, arguments);
        known.check(&call, &answer);
        notes += answer.rows.iter().map(|row| row.notes.len()).sum::<usize>();
        // It may come back as it is: from an earlier call, or from behind its handle.
        known.learn(&answer.text);
        if let Some((_, handle)) = answer.reduction {
            known.learn(&world.session.content(handle).expect("it is kept"));
            let whole = world.ask("expand", json!({"handle": handle, "end": 2}));
            known.check(&format!("expand {handle} of {call}"), &whole);
        }
    }
    assert!(notes > 60, "{notes} notes");
}

#[test]
fn a_folder_is_told_without_a_word_of_ours() {
    let (world, known) = world();
    let answer = world.ask("list", json!({"limit": 4}));
    let sizes =
        |line: &str| line.ends_with('B') || line.ends_with("files)") || line.ends_with("file)");
    let left = without_notes(&answer);
    assert!(left.iter().all(|(row, line)| row.kind == RowKind::Note || sizes(line)), "{left:?}");
    assert!(left.iter().any(|(row, _)| row.kind == RowKind::Note), "{}", answer.text);
    let named =
        left.iter().filter(|(_, line)| known.paths.iter().any(|path| line.contains(&**path)));
    assert!(named.count() > 1, "{}", answer.text);
}

#[test]
fn a_folder_that_is_gone_is_told_by_a_note() {
    let (world, mut known) = world();
    world.ask("bash", json!({"command": "mkdir deep; cd deep"}));
    std::fs::remove_dir(world.folder.path().join("deep")).expect("it is there");
    known.learn("made\n");
    let answer = world.ask("bash", json!({"command": "echo made"}));
    assert!(answer.text.starts_with("[the folder `"), "{}", answer.text);
    known.check("bash", &answer);
}
