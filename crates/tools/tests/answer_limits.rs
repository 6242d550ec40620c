//! No answer is larger than its client shows, and what there was no room for can be had.

use std::collections::BTreeSet;
use std::path::Path;

use foveal_engine::output_budget::OutputBudget;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_syntax::parse_file;
use foveal_tools::{CallControl, ToolCallAnswer, ToolRequest, ToolSession};
use serde_json::{Value, json};

use crate::world::{World, source};

/// As much as usual, and as little as any client shows.
const ROOMS: [OutputBudget; 2] = [
    OutputBudget { tokens: Tokens(7_600), bytes: 24_000, lines: 1_900, is_json: false },
    OutputBudget { tokens: Tokens(7_600), bytes: 7_600, lines: 1_900, is_json: true },
];

/// A session whose answers have `room`, in a workspace with files of all sizes.
struct Small {
    world: World,
    session: ToolSession,
    room: OutputBudget,
}

impl Small {
    fn new(room: OutputBudget) -> Self {
        let world = World::new();
        world.write("long.rs", source(1_700));
        world.write("middle.rs", source(120));
        world.write("Cargo.lock", lock(1_500));
        world.write("min.js", "function a(){return \"b\"};".repeat(4_000));
        world.write("hex.txt", "f3 0a 99 ".repeat(20_000));
        world.write("quoted.json", "\"\\n\", ".repeat(9_000));
        for n in 0..40 {
            world.write(&format!("many/file_{n}.rs"), source(30));
        }
        let session = world.session_named("small").with_output_budget(room);
        Self { world, session, room }
    }

    #[track_caller]
    fn ask(&self, tool: &str, arguments: Value) -> ToolCallAnswer {
        let asked = format!("{tool} {arguments}");
        let answer = self.session.call(&ToolRequest::new(tool, arguments), &CallControl::NONE);
        let (bytes, text) = (answer.text.len(), &answer.text);
        let count = Tokenizer::O200k.count(text);
        assert!(self.room.fits_text(text), "{bytes} bytes, {count:?}: {asked}");
        assert!(count <= Tokens(8_000), "{count:?}: {asked}");
        answer
    }
}

/// A lock file of so many packages.
fn lock(count: usize) -> String {
    let package = |n: usize| {
        format!(
            "[[package]]\nname = \"package-{n}\"\nversion = \"1.{n}.0\"\nchecksum = \"{n:064x}\"\n\n"
        )
    };
    (0..count).map(package).collect()
}

#[test]
fn no_answer_is_larger_than_its_room() {
    for room in ROOMS {
        let small = Small::new(room);
        let long = |question: &str| json!({"path": "long.rs", "question": question});
        small.ask("read_file", long("what does step_700 return?"));
        small.ask("read_file", long("and step_1500?"));
        small.ask("read_file", long("and step_1500?"));
        small.ask("read_file", long("and step_1500?"));
        for path in ["Cargo.lock", "min.js", "hex.txt", "quoted.json", "middle.rs"] {
            for mode in ["auto", "auto", "auto", "full", "curated", "structure"] {
                small.ask("read_file", json!({"path": path, "mode": mode}));
            }
            let lines = json!({"path": path, "start": 1, "end": 100_000});
            assert!(!small.ask("read_lines", lines).is_error);
        }
        let paths: Vec<String> = (0..40).map(|n| format!("many/file_{n}.rs")).collect();
        small.ask("read_files", json!({"paths": paths}));
        small.ask("read_files", json!({"paths": paths, "question": "what is doubled?"}));
        small.ask("grep", json!({"pattern": "value", "context": 2, "limit": 2_000}));
        small.ask("glob", json!({"pattern": "**/*.rs"}));
        small.ask("bash", json!({"command": "cat long.rs"}));
        small.ask("bash", json!({"command": "cat long.rs"}));
        small.ask("bash", json!({"command": "seq 100000"}));
        small.ask("bash", json!({"command": "seq 100000"}));
        small.ask("bash", json!({"command": "head -c 60000 min.js"}));
        small.ask("edit_file", json!({"path": "x".repeat(50_000), "old_str": "a", "new_str": "b"}));
    }
}

#[test]
fn what_there_was_no_room_for_can_be_had_by_the_piece() {
    for room in ROOMS {
        let small = Small::new(room);
        let whole = small.world.on_disk("long.rs");
        let mut found = String::new();
        let mut start = 1;
        while found.len() < whole.len() {
            let asked = json!({"path": "long.rs", "start": start, "end": 100_000});
            let text = small.ask("read_lines", asked).text;
            let lines = text.lines().filter_map(|line| line.split_once('→'));
            let before = start;
            for (number, line) in lines {
                assert_eq!(number.parse(), Ok(start));
                found.push_str(line);
                found.push('\n');
                start += 1;
            }
            assert!(start > before, "{text}");
        }
        assert!(found == whole);
    }
}

#[test]
fn an_answer_that_is_full_tells_where_to_go_on() {
    for room in ROOMS {
        let small = Small::new(room);
        let printed: String = (1..=20_000).map(|n| format!("line number {n}\n")).collect();
        small.world.write("printed.txt", &printed);
        let command = json!({"command": "cat printed.txt | sed s/line/row/"});
        small.ask("bash", command.clone());
        // Asked again at once, as much is given as there is room for.
        let mut text = small.ask("bash", command).text;
        let (mut found, mut handle) = (0, String::new());
        loop {
            for line in text.lines().filter(|line| line.starts_with("row number ")) {
                found += 1;
                assert_eq!(line, format!("row number {found}"));
            }
            let Some(note) = text.lines().last().filter(|line| line.starts_with('[')) else {
                break;
            };
            if found == 20_000 {
                break;
            }
            let next = note.rsplit("start ").next().and_then(|rest| rest.strip_suffix(']'));
            let next: u32 = next.and_then(|next| next.parse().ok()).expect(note);
            assert_eq!(next, found + 1, "{note}");
            // A page of what is kept needs not name its handle.
            let named = note.split("expand ").nth(1).and_then(|rest| rest.get(..12));
            handle = named.map_or(handle, str::to_owned);
            text = small.ask("expand", json!({"handle": handle, "start": next})).text;
        }
        assert_eq!(found, 20_000);
    }
}

#[test]
fn how_a_command_ended_is_told_however_much_it_printed() {
    for room in ROOMS {
        let small = Small::new(room);
        for command in ["cat long.rs; exit 3", "seq 90000; echo all wrong; exit 3"] {
            for _ in 0..2 {
                let answer = small.ask("bash", json!({"command": command}));
                assert!(answer.text.contains("exit code 3"), "{}", answer.text);
                let end = answer.text.lines().rev().take(3).any(|line| line == "all wrong");
                assert!(end || command.starts_with("cat"), "{}", answer.text);
            }
        }
    }
}

#[test]
fn a_page_that_ends_in_a_line_ends_there() {
    for room in ROOMS {
        let small = Small::new(room);
        let mut whole = "x".repeat(30_000);
        whole.push('\n');
        whole.extend((0..3_000).map(|n| format!("{n}\r\n")));
        small.world.write("mixed.txt", &whole);
        let first = small.ask("bash", json!({"command": "cat mixed.txt"})).text;
        let handle = first.rsplit("expand ").next().and_then(|rest| rest.get(..12)).expect("one");
        let (mut found, mut start, mut from_byte) = (String::new(), 1, 0);
        loop {
            let asked = json!({"handle": handle, "start": start, "from_byte": from_byte});
            let page = small.ask("expand", asked).text;
            let Some((content, note)) = page.rsplit_once('[') else {
                found += &page;
                break;
            };
            found += content;
            let number = |before: &str| {
                let rest = note.split(before).nth(1).expect("a number");
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                rest[..end].parse::<usize>().expect("a number")
            };
            from_byte = if note.contains("from_byte ") { number("from_byte ") } else { 0 };
            start = number("start ");
        }
        assert!(found == whole, "{} of {}", found.len(), whole.len());
    }
}

/// Sources of this repository as one file of some thousand lines.
fn long_source() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let names = [
        "answer_budget.rs",
        "read_views.rs",
        "call_execution.rs",
        "tool_definition.rs",
        "earlier_answers.rs",
    ];
    let others =
        ["../../relevance/src/curation/view_cleanup.rs", "../../engine/src/shaping/pointers.rs"];
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect(name);
    names.into_iter().chain(others).map(read).collect()
}

#[test]
fn no_short_statement_is_cut_where_an_answer_is_full() {
    let text = long_source();
    let parsed = parse_file("all.rs", &text);
    let mut ended = 0;
    for room in ROOMS {
        for (tool, arguments) in [
            ("read_file", json!({"path": "all.rs", "mode": "full"})),
            ("read_file", json!({"path": "all.rs", "question": "what is left out of an answer?"})),
            ("read_file", json!({"path": "all.rs", "mode": "curated"})),
            ("read_lines", json!({"path": "all.rs", "start": 40, "end": 5_000})),
            ("read_lines", json!({"path": "all.rs", "start": 300, "end": 5_000})),
        ] {
            let small = Small::new(room);
            small.world.write("all.rs", &text);
            let answer = small.ask(tool, arguments.clone()).text;
            let numbers = answer.lines().filter_map(|line| line.split_once('→')?.0.parse().ok());
            let numbers: BTreeSet<u32> = numbers.collect();
            let first = *numbers.first().expect("a line");
            for block in &parsed.blocks {
                let lines = block.lines.first.0..=block.lines.last.0;
                let kept = lines.clone().filter(|line| numbers.contains(line)).count();
                // Where it begins is for who asks to say.
                let is_short = lines.clone().count() <= 30 && *lines.start() >= first;
                assert!(
                    !is_short || kept == 0 || kept == lines.clone().count(),
                    "{tool} {arguments}: {kept} of {lines:?}"
                );
            }
            ended += usize::from(numbers.last().is_some_and(|last| *last < parsed.line_count));
        }
    }
    assert!(ended > 6, "{ended} ended before the file");
}

#[test]
fn nothing_is_called_seen_for_which_there_was_no_room() {
    let small = Small::new(ROOMS[1]);
    let rows: String = (2..=120).map(|n| format!("fn step_{n}() {{ work({n}) }}\n")).collect();
    small.world.write("e.rs", format!("{}\n{rows}", "\u{1b}".repeat(2_000)));
    let first = small.ask("read_lines", json!({"path": "e.rs", "start": 1, "end": 130})).text;
    let view = json!({"path": "e.rs", "mode": "curated", "question": "what is work?"});
    let second = small.ask("read_file", view).text;
    let third = small.ask("read_file", json!({"path": "e.rs"})).text;
    let is_seen = |n: u32| {
        let line = format!("\n{n}→");
        first.contains(&line) || second.contains(&line)
    };
    assert!(!third.contains("unchanged, its 120 lines") || (2..=120).all(is_seen), "{third}");
}

#[test]
fn long_paths_leave_room_for_what_they_hold() {
    let small = Small::new(ROOMS[1]);
    let folder = format!("{0}/{0}/{0}/{0}", "deep".repeat(50));
    small.world.write(&format!("{folder}/a.rs"), source(300));
    let path = format!("{folder}/a.rs");
    small.ask("read_file", json!({"path": path}));
    small.ask("read_files", json!({"paths": [path, path, path]}));
    let paths: Vec<String> = (0..15).map(|n| format!("many/file_{n}.rs")).collect();
    let answer = small.ask("read_files", json!({"paths": paths}));
    assert!(
        answer.text.contains("file_3.rs (full)") || answer.text.contains("file_3.rs (curated)")
    );
    assert!(small.ask("read_files", json!({"paths": ["x".repeat(50_000)]})).is_error);
}
