//! What reads of unusual files are answered with.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};

use foveal_tools::settings::{ReadLineLimits, ToolSettings};
use foveal_tools::tool_table::TOOLS;
use serde_json::{Value, json};

use foveal_tools::ToolCallAnswer;

use crate::world::{World, source};

/// Bytes that an answer with a view of a long file never has.
const VIEW_MAX: usize = 110_000;

fn long_source() -> String {
    let text = source(4_400);
    assert!((400_001..500_000).contains(&text.len()), "{}", text.len());
    text
}

/// The text of a file as an answer shows it, and the lines of that file that it has.
fn numbered(answer: &str) -> Vec<(usize, &str)> {
    let line = |line: &'_ str| {
        let (number, text) = line.split_once('→')?;
        Some((number.trim().parse().ok()?, text.len(), line.len() - text.len()))
    };
    let lines = answer.lines().filter_map(|whole| {
        let (number, _, start) = line(whole)?;
        Some((number, &whole[start..]))
    });
    lines.collect()
}

#[track_caller]
fn has_true_numbers(answer: &str, text: &str) -> usize {
    let all: Vec<&str> = text.lines().collect();
    let lines = numbered(answer);
    for (number, line) in &lines {
        assert_eq!(all.get(number - 1), Some(line), "{number}");
    }
    lines.len()
}

#[test]
fn what_files_hold_is_shown_to_the_last_character() {
    let world = World::new();
    let text = "one\nhidden\rvisible\na\rb\rc\r\n\u{1b}[31mred\u{1b}[0m\nthree\r\r\nlast\r";
    world.write("odd.txt", text);
    let expected =
        "1→one\n2→hidden\rvisible\n3→a\rb\rc\n4→\u{1b}[31mred\u{1b}[0m\n5→three\r\n6→last\r\n";
    for asked in [json!({"path": "odd.txt"}), json!({"path": "odd.txt", "mode": "full"})] {
        let read = world.call("read_file", asked);
        assert!(read.starts_with("File: odd.txt (full)\nTotal lines: 6 | Preserved: 6 (100 %)\n"));
        assert!(read.ends_with(expected), "{read:?}");
        world.session.clear_visibility();
    }
    let lines = world.call("read_lines", json!({"path": "odd.txt", "start": 2, "end": 4}));
    assert_eq!(lines, "2→hidden\rvisible\n3→a\rb\rc\n4→\u{1b}[31mred\u{1b}[0m\n");
    for (pattern, hit) in [("visible", "2:hidden\rvisible"), ("red", "4:\u{1b}[31mred\u{1b}[0m")] {
        let hits = world.call("grep", json!({"pattern": pattern}));
        assert!(hits.contains(hit), "{hits:?}");
        world.session.clear_visibility();
    }
    let shell = world.call("bash", json!({"command": "cat odd.txt"}));
    assert!(shell.contains("hidden\rvisible"), "{shell:?}");
}

#[test]
fn long_files_are_curated_by_the_question() {
    let world = World::new();
    let text = long_source();
    world.write("long.rs", &text);
    for mode in ["auto", "curated"] {
        let asked = json!({
            "path": "long.rs", "question": "how does step_3321 double its value?", "mode": mode,
        });
        let view = world.call("read_file", asked.clone());
        assert!(
            view.starts_with("File: long.rs (curated)\nTotal lines: 22000 | Preserved: "),
            "{}",
            &view[..200]
        );
        assert!(view.len() < VIEW_MAX, "{}", view.len());
        assert!(view.contains("let doubled = value * 3321;\n"));
        assert!(has_true_numbers(&view, &text) > 100);
        let gap = view.lines().find(|line| line.contains("left out")).expect("a gap");
        let handle = gap.split("expand ").nth(1).and_then(|rest| rest.get(..12));
        let again = world.ask("read_file", asked);
        assert!(again.cached && again.text.len() < 300, "{again:?}");
        let part = world.call("expand", json!({"handle": handle, "start": 21_999}));
        assert_eq!(part, "21999→}\n22000→\n");
        world.session.clear_visibility();
    }
}

#[test]
fn a_long_file_is_not_sent_twice() {
    let world = World::new();
    let text = long_source();
    world.write("long.rs", &text);
    let asked = json!({"path": "long.rs", "question": "how does step_3321 double its value?"});
    let first = world.call("read_file", asked.clone());
    let pointer = world.ask("read_file", asked.clone());
    assert!(pointer.cached && pointer.text.starts_with("[long.rs: unchanged; "), "{pointer:?}");
    assert!(pointer.text.len() < 300, "{}", pointer.text);
    // Who asks at once gets as much as there is room for.
    let most = world.call("read_file", asked.clone());
    assert!(most.starts_with("File: long.rs (beginning)\nTotal lines: 22000 | Preserved: "));
    assert!(most.len() > first.len() && most.len() < 420_000, "{}", most.len());
    let shown = has_true_numbers(&most, &text);
    let next = format!("go on with read_lines, start {}]\n", shown + 1);
    assert!(most.ends_with(&next), "{}", &most[most.len() - 200..]);
    let again = world.ask("read_file", asked);
    assert!(again.cached && again.text.len() < 300, "{again:?}");
    // Another question is another view, of which only what is new is sent.
    let other = json!({"path": "long.rs", "question": "what does step_4392 return?"});
    let other = world.call("read_file", other);
    assert!(other.len() < VIEW_MAX && other.contains("value * 4392;"), "{}", other.len());
    // What nobody chose is no view.
    world.session.clear_visibility();
    world.call("read_file", json!({"path": "long.rs", "mode": "full"}));
    let chosen = json!({"path": "long.rs", "mode": "curated"});
    let chosen = world.call("read_file", chosen);
    assert!(chosen.starts_with("File: long.rs (curated)\n"), "{}", &chosen[..100]);
    assert!(chosen.len() < VIEW_MAX, "{}", chosen.len());
}

#[test]
fn of_a_long_file_that_changed_a_view_is_sent() {
    let world = World::new();
    let text = long_source();
    world.write("long.rs", &text);
    let asked = json!({"path": "long.rs", "question": "how does step_3321 double its value?"});
    world.call("read_file", asked.clone());
    let text = text.replace("doubled = value * 3321", "twice = value * 3321");
    world.write("long.rs", &text);
    let delta = world.call("read_file", asked);
    assert!(delta.contains("→    let twice = value * 3321;\n"), "{}", delta.len());
    assert!(delta.len() < VIEW_MAX, "{}", delta.len());
    has_true_numbers(&delta, &text);
    let other = json!({"path": "long.rs", "question": "what does step_4392 return?"});
    let other = world.call("read_file", other);
    assert!(other.len() < VIEW_MAX && other.contains("value * 4392;"), "{}", other.len());
}

#[test]
fn focus_does_not_send_a_long_file_again_and_again() {
    let world = World::new();
    world.write("long.rs", long_source());
    let view = world.call("read_file", json!({"path": "long.rs", "question": "what is step_7?"}));
    assert!(view.starts_with("File: long.rs (curated)\n"), "{}", &view[..100]);
    world.call("focus", json!({"paths": ["long.rs"]}));
    let first = world.call("read_file", json!({"path": "long.rs"}));
    assert!(first.starts_with("File: long.rs (beginning)\n"), "{}", &first[..100]);
    // Asked again at once it would give the lines that it pointed at.
    world.call("list", json!({}));
    let again = world.ask("read_file", json!({"path": "long.rs"}));
    assert!(again.cached && again.text.len() < 300, "{}", again.text.len());
}

#[test]
fn structures_of_long_files_have_an_end() {
    let world = World::new();
    let text = long_source();
    world.write("long.rs", &text);
    let structure = world.call("read_file", json!({"path": "long.rs", "mode": "structure"}));
    assert!(structure.starts_with("File: long.rs (structure)\nTotal lines: 22000 | Preserved: "));
    assert!(structure.len() < VIEW_MAX, "{}", structure.len());
    let all: Vec<&str> = text.lines().collect();
    let lines = numbered(&structure);
    assert!(lines.len() > 100 && lines.iter().all(|(number, line)| all[number - 1] == *line));
    let last = structure.lines().last().expect("a line");
    let next: usize = last[1..].split('-').next().and_then(|next| next.parse().ok()).expect("next");
    assert!(next > lines.last().expect("a line").0, "{last}");
    assert!(last.ends_with(&format!(
        "-22000 left out; find lines with grep, go on with read_lines, start {next}]"
    )));
    let head = format!("Preserved: {} (", lines.len());
    assert!(structure.contains(&head), "{}", &structure[..100]);
}

#[test]
fn an_outline_is_shown_in_full() {
    let world = World::new();
    world.write("a.rs", source(400));
    let outline = world.call("outline", json!({"path": "a.rs"}));
    assert!(
        outline
            .starts_with("File: a.rs (structure)\nTotal lines: 2000 | Preserved: 400 (20.0 %)\n")
    );
    assert_eq!(numbered(&outline).len(), 400);
}

#[test]
fn files_too_long_to_be_curated_are_shown_from_the_beginning() {
    let world = World::new();
    let line = |n: usize| format!("{n} {}\n", "x".repeat(99));
    let text: String = (1..=15_000).map(line).collect();
    world.write("long.txt", &text);
    for (mode, why) in [("auto", "curated"), ("curated", "curated"), ("structure", "parsed")] {
        let asked = json!({"path": "long.txt", "mode": mode, "question": "what is x?"});
        let read = world.call("read_file", asked);
        assert!(
            read.starts_with(
                "File: long.txt (beginning)\nTotal lines: 15000 | Preserved: 100 (0.6 %)\n1→1 x"
            ),
            "{}",
            &read[..200]
        );
        assert_eq!(has_true_numbers(&read, &text), 100);
        let rest = format!(
            "[101-15000 left out: the file is too long to be {why}; find lines with grep, go on \
             with read_lines, start 101]\n"
        );
        assert!(read.ends_with(&rest), "{}", &read[read.len() - 200..]);
        let pointer = world.call("read_file", json!({"path": "long.txt"}));
        assert!(pointer.starts_with("[long.txt: unchanged; 100 of its 15000 lines"), "{pointer}");
        world.session.clear_visibility();
    }
    let refused = world.refused("write_file", json!({"path": "long.txt", "content": "x\n"}));
    assert!(refused.contains("lines"), "{refused}");
}

/// Of a file that is large by the limit of its kind no more than a fifth is shown.
#[test]
fn of_large_files_a_fifth_is_shown() {
    let shown = |large: Option<u32>| -> f64 {
        let limits = ReadLineLimits { small: 20, large };
        let line_limits_by_glob = vec![("**/*.rs".to_owned(), limits)];
        let world = World::with(ToolSettings { line_limits_by_glob, ..ToolSettings::default() });
        world.write("src/a.rs", source(60));
        let asked = json!({"path": "src/a.rs", "question": "what do the steps do, one by one?"});
        let read = world.call("read_file", asked);
        assert!(read.starts_with("File: src/a.rs (curated)\n"), "{}", &read[..100]);
        let share = read.split_once(" (").and_then(|(_, rest)| rest.split_once(" %)"));
        let (share, _) = share.expect("the share is told");
        share.rsplit_once('(').expect("it is in brackets").1.parse().expect("a number")
    };
    let lines = u32::try_from(source(60).lines().count()).expect("few");
    let (usual, large) = (shown(None), shown(Some(lines - 1)));
    assert!(large <= 20.0 && large > 5.0 && usual > 25.0, "{usual} {large}");
    assert!((shown(Some(lines)) - usual).abs() < f64::EPSILON);
}

#[test]
fn thresholds_hold_by_glob() {
    let settings = ToolSettings {
        read_small_lines: 200,
        line_limits_by_glob: vec![
            ("docs/**".to_owned(), ReadLineLimits { small: 20, large: None }),
            ("*.txt".to_owned(), ReadLineLimits { small: 100_000, large: None }),
            ("**/*.rs".to_owned(), ReadLineLimits { small: 400, large: None }),
        ],
        ..ToolSettings::default()
    };
    let world = World::with(settings);
    for (path, count, how) in [
        ("docs/a.rs", 36, "curated"),
        ("src/a.rs", 60, "full"),
        ("src/b.rs", 90, "curated"),
        ("a.py", 36, "full"),
        ("b.py", 60, "curated"),
    ] {
        world.write(path, source(count));
        let read = world.call("read_file", json!({"path": path, "question": "what is step_2?"}));
        assert!(read.starts_with(&format!("File: {path} ({how})\n")), "{}", &read[..100]);
        world.session.clear_visibility();
    }
    // By one name, wherever commands are run.
    world.write("docs/long.rs", (1..=110_000).map(|n| format!("{n}\n")).collect::<String>());
    world.call("bash", json!({"command": "cd docs"}));
    let read = world.call("read_file", json!({"path": "long.rs"}));
    assert!(read.contains("[21-110000 left out: "), "{}", &read[read.len() - 200..]);
    world.call("bash", json!({"command": "cd .."}));
    // As far as one answer holds it.
    world.write("long.txt", long_source());
    let read = world.call("read_file", json!({"path": "long.txt"}));
    assert!(read.starts_with("File: long.txt (beginning)\n"), "{}", &read[..100]);
    assert!(read.len() > 300_000);
    assert!(world.ask("read_file", json!({"path": "long.txt"})).cached);
}

#[test]
fn a_very_long_line_can_be_had_in_parts() {
    let world = World::new();
    let long: String = (0..40_000).map(|n| format!("é{n};")).collect();
    world.write("min.js", format!("first\n{long}\nlast\n"));
    let mut from = 0;
    let mut found = String::new();
    loop {
        let asked = json!({"path": "min.js", "start": 2, "end": 2, "from_byte": from});
        let part = world.call("read_lines", asked);
        assert!(part.len() < 110_000, "{}", part.len());
        let text = part.strip_prefix("2→").expect("the number").trim_end_matches('\n');
        let text = match from {
            0 => text,
            _ => text
                .strip_prefix(&format!("[… {from} bytes of this line left out]"))
                .expect("what is missing before"),
        };
        let Some((text, rest)) = text.split_once("[… ") else {
            found.push_str(text);
            break;
        };
        found.push_str(text);
        let bytes = long.len() - found.len();
        from = found.len();
        let expected =
            format!("{bytes} bytes of this line left out; read_lines start 2, from_byte {from}]");
        assert_eq!(rest, expected);
    }
    assert!(found == long);
    let past = json!({"path": "min.js", "start": 2, "end": 2, "from_byte": long.len()});
    assert!(world.refused("read_lines", past).contains(&format!("it has {} bytes", long.len())));
    // The same by the handle of what the view of the file left out.
    let view = world.call("read_file", json!({"path": "min.js"}));
    assert!(view.len() < 3_000, "{}", view.len());
    let handle = view.split("expand ").nth(1).and_then(|rest| rest.get(..12));
    let part = world.call("expand", json!({"handle": handle, "start": 2, "end": 2}));
    assert!(part.len() < 210_000, "{}", part.len());
    let next = part.rsplit("from_byte ").next().and_then(|rest| rest.strip_suffix("]\n"));
    let next: usize = next.and_then(|next| next.parse().ok()).expect("where to go on");
    let asked = json!({"handle": handle, "start": 2, "end": 2, "from_byte": next});
    let rest = world.call("expand", asked);
    let shown = part.split_once("[… ").expect("a note").0.to_owned() + &rest;
    assert_eq!(shown, format!("2→{long}\n"));
}

#[test]
fn a_line_that_was_cut_was_not_seen() {
    let world = World::new();
    let long = "x".repeat(150_000);
    world.write("min.js", format!("first\n{long}\n"));
    world.call("read_lines", json!({"path": "min.js", "start": 1, "end": 2}));
    let refused = world.refused("write_file", json!({"path": "min.js", "content": "x\n"}));
    assert!(refused.starts_with("you have seen 1 of the 2 lines"), "{refused}");
    // Nor is one of which only the end was shown.
    let part = |from: u64| json!({"path": "min.js", "start": 2, "end": 2, "from_byte": from});
    world.call("read_lines", part(120_000));
    let refused = world.refused("write_file", json!({"path": "min.js", "content": "x\n"}));
    assert!(refused.starts_with("you have seen 1 of the 2 lines"), "{refused}");
    // One that was shown part by part is.
    world.call("read_lines", part(0));
    world.call("read_lines", part(100_000));
    world.call("write_file", json!({"path": "min.js", "content": "x\n"}));
}

/// A file of a gigabyte that takes next to no room on the disk.
fn sparse(world: &World) {
    let path = world.folder.path().join("big.log");
    let mut file = File::create(&path).expect("a file");
    for n in 1..=20_000 {
        writeln!(file, "line {n} of the log").expect("it is written");
    }
    file.set_len(1 << 30).expect("it grows");
    file.seek(SeekFrom::End(0)).expect("its end");
    file.write_all(b"\nthe last line\n").expect("it is written");
}

/// The most memory that this process has had, in bytes, where that is told.
fn memory_peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kb| kb * 1024)
}

#[test]
fn a_file_of_a_gigabyte_is_read_by_range() {
    let world = World::new();
    sparse(&world);
    let before = memory_peak();
    let lines =
        world.call("read_lines", json!({"path": "big.log", "start": 15_000, "end": 15_001}));
    assert_eq!(lines, "15000→line 15000 of the log\n15001→line 15001 of the log\n");
    let last = world.call("read_lines", json!({"path": "big.log", "start": 20_002, "end": 20_003}));
    assert_eq!(last, "20002→the last line\n");
    for (asked, cut) in
        [(json!({"path": "big.log"}), 100), (json!({"path": "big.log", "mode": "full"}), 10_000)]
    {
        world.session.clear_visibility();
        let read = world.call("read_file", asked);
        assert!(
            read.starts_with("File: big.log (beginning)\nTotal bytes: 1073741839 | Preserved: "),
            "{}",
            &read[..100]
        );
        let shown = numbered(&read).len();
        assert!(shown >= cut, "{shown}");
        let next = format!("start {}]\n", shown + 1);
        assert!(read.ends_with(&next), "{}", &read[read.len() - 100..]);
        assert!(read.len() < 450_000);
    }
    if let (Some(before), Some(after)) = (before, memory_peak()) {
        assert!(after - before < 1_000 << 20, "{} bytes more", after - before);
    }
}

#[test]
fn a_large_file_asked_for_again_is_pointed_at() {
    let world = World::new();
    sparse(&world);
    let asked = json!({"path": "big.log"});
    let first = world.call("read_file", asked.clone());
    world.call("read_lines", json!({"path": "big.log", "start": 300, "end": 301}));
    let again = world.call("read_file", asked);
    assert!(again.len() < 400 && again.len() < first.len(), "{again}");
}

#[test]
fn images_come_as_images() {
    let world = World::new();
    // One grey dot.
    let png: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\
        \0\0\0\nIDATx\x9cch\0\0\0\x82\0\x81w\xcdr\xb6\0\0\0\0IEND\xaeB`\x82";
    world.write("dot.png", png);
    let read = world.ask("read_file", json!({"path": "dot.png"}));
    assert!(!read.is_error && read.text.starts_with("File: dot.png (PNG image, 1 x 1"), "{read:?}");
    let [image] = read.images.as_slice() else { panic!("one image: {read:?}") };
    assert_eq!((image.media_type, image.bytes.as_slice()), ("image/png", png));
    world.write("a.txt", "one\n");
    let both = world.ask("read_files", json!({"paths": ["a.txt", "dot.png"]}));
    assert_eq!(both.images.len(), 1, "{both:?}");
    assert!(both.text.contains("1→one\n") && both.text.contains("File: dot.png (PNG"), "{both:?}");
    let refused = world.refused("read_lines", json!({"path": "dot.png", "start": 1, "end": 2}));
    assert!(refused.contains("has no lines: PNG image"), "{refused}");
}

#[test]
fn notebooks_come_by_their_cells() {
    let world = World::new();
    let notebook = json!({
        "cells": [
            {"cell_type": "markdown", "source": ["# Prices\n", "by year"], "metadata": {}},
            {"cell_type": "code", "source": ["x = 1\n", "print(x)"], "metadata": {},
             "execution_count": 1,
             "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["1\n"]},
                {"output_type": "display_data", "metadata": {},
                 "data": {"image/png": "aGVsbG8=", "text/plain": "<Figure>"}},
             ]},
        ],
        "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5,
    });
    world.write("n.ipynb", notebook.to_string());
    let cells = [
        "[cell 1: markdown]",
        "# Prices",
        "by year",
        "[cell 2: python]",
        "x = 1",
        "print(x)",
        "[output of cell 2]",
        "1",
        "[output of cell 2]",
        "<Figure>",
        "[image/png, 8 characters]",
    ];
    let expected = |first: usize, last: usize| -> String {
        (first..=last).map(|n| format!("{n}→{}\n", cells[n - 1])).collect()
    };
    let read = world.call("read_file", json!({"path": "n.ipynb"}));
    let head = "File: n.ipynb (full)\nTotal lines: 11 | Preserved: 11 (100 %)\n";
    assert_eq!(read, format!("{head}{}", expected(1, 11)));
    let lines = world.call("read_lines", json!({"path": "n.ipynb", "start": 4, "end": 6}));
    assert_eq!(lines, expected(4, 6));
    let again = world.call("read_file", json!({"path": "n.ipynb"}));
    assert_eq!(again, "[n.ipynb: unchanged, its 11 lines are shown above]\n");
}

#[test]
fn the_same_file_by_another_name_is_the_same() {
    let world = World::new();
    world.write("a.py", source(3));
    world.write("b.py", "x = 1\n");
    world.call("read_file", json!({"path": "a.py"}));
    let pointer = world.ask("read_file", json!({"path": "./a.py"}));
    assert!(pointer.cached, "{pointer:?}");
    let whole = world.call("read_file", json!({"path": "a.py"}));
    assert!(whole.contains("1→pub fn step_0"), "{whole}");
    world.call("read_files", json!({"paths": ["a.py", "b.py"]}));
    let second = world.call("read_files", json!({"paths": ["./a.py", "b.py"]}));
    assert!(second.contains("1→pub fn step_0"), "{second}");
    assert!(second.contains("[b.py: unchanged, its 1 line is shown above]"), "{second}");
    let third = world.call("read_files", json!({"paths": ["a.py", "./b.py"]}));
    assert!(third.contains("[a.py: unchanged") && third.contains("1→x = 1"), "{third}");
}

#[test]
fn what_may_be_left_away_may_be_null() {
    let world = World::new();
    world.write("a.rs", "fn a() {}\nfn a() {}\n");
    for tool in TOOLS {
        let schema = tool.schema();
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let names = schema["properties"].as_object().expect("an object").keys();
        let optional = names.filter(|name| !required.contains(&json!(name)));
        let nulls: serde_json::Map<String, Value> =
            optional.map(|name| (name.clone(), Value::Null)).collect();
        let with_nulls = world.ask(tool.name, Value::Object(nulls));
        world.session.clear_visibility();
        let without = world.ask(tool.name, json!({}));
        world.session.clear_visibility();
        let told = |text: &str| text.replace("[Cached result from 10:23:45 AM]\n", "");
        assert_eq!(told(&with_nulls.text), told(&without.text), "{}", tool.name);
    }
    let read = json!({"path": "a.rs", "mode": null, "question": null});
    assert!(world.call("read_file", read).contains("1→fn a() {}"));
    world.refused("read_file", json!({"path": "a.rs", "lines": null}));
    assert!(world.refused("read_file", json!({"path": null})).contains("path"));
    let edit = json!({
        "path": "a.rs", "old_str": "fn a() {}\nfn", "new_str": "fn b() {}\nfn", "replace_all": null,
    });
    world.call("multi_edit", json!({"edits": [edit]}));
    assert_eq!(world.on_disk("a.rs"), "fn b() {}\nfn a() {}\n");
    // A folder that is not named is the one of commands.
    world.write("sub/b.rs", "fn other() {}\n");
    world.settle();
    let search = json!({"pattern": "fn", "path": null});
    assert!(world.call("grep", search.clone()).contains("a.rs"));
    world.call("bash", json!({"command": "cd sub"}));
    let below = world.ask("grep", search);
    assert!(!below.cached && !below.text.contains("a.rs"), "{below:?}");
}

#[test]
fn an_outline_from_before_has_its_heading() {
    let world = World::new();
    world.write("a.rs", source(20));
    world.settle();
    let first = world.call("outline", json!({"path": "a.rs"}));
    assert!(first.starts_with("File: a.rs (structure)\nTotal lines: 100 | "), "{first}");
    world.session.clear_visibility();
    let again = world.ask("outline", json!({"path": "a.rs"}));
    assert!(again.cached, "{again:?}");
    assert_eq!(again.text, format!("[Cached result from 10:23:45 AM]\n{first}"));
}

#[test]
fn views_of_long_files_have_an_end_whatever_they_hold() {
    let blank = " ".repeat(200);
    let indented: String = (0..1_000).map(|n| format!("{blank}if a_{n} {{\n{blank}}}\n")).collect();
    for (path, text) in [
        ("same.txt", format!("{}\n", "x".repeat(99)).repeat(4_100)),
        ("rules.md", format!("{}\n\n", "-".repeat(99)).repeat(4_100)),
        ("indented.rs", indented),
        ("blank.txt", "\n".repeat(120_000)),
        ("one.js", "a=1;".repeat(150_000)),
        ("long.js", format!("{}\n", "b=2;".repeat(300)).repeat(350)),
    ] {
        let world = World::new();
        world.write(path, &text);
        let read = world.call("read_file", json!({"path": path, "question": "what is a_7?"}));
        assert!(read.starts_with(&format!("File: {path} (")), "{}", &read[..100]);
        assert!(read.len() < 450_000, "{path}: {}", read.len());
        let again = world.ask("read_file", json!({"path": path}));
        assert!(again.cached && again.text.len() < 300, "{path}: {}", again.text.len());
    }
}

#[test]
fn only_the_same_question_at_once_after_a_pointer_gets_the_whole_file() {
    let world = World::new();
    let text = source(150);
    world.write("a.rs", &text);
    let asked = |question: &str| json!({"path": "a.rs", "question": question});
    let (all, seven) = (text.lines().count(), asked("what does step_7 return?"));
    let view = world.call("read_file", seven.clone());
    assert!(numbered(&view).len() < all * 3 / 4, "{view}");
    let is_pointer = |answer: &ToolCallAnswer| answer.cached && answer.text.len() < 300;
    assert!(is_pointer(&world.ask("read_file", seven.clone())));
    // The file was changed in between: what changed is told.
    let edit = json!({"path": "a.rs", "old_str": "value * 7;", "new_str": "value * 777;"});
    world.call("edit_file", edit);
    let delta = world.call("read_file", seven.clone());
    assert!(numbered(&delta).len() < all / 2, "{delta}");
    world.call("bash", json!({"command": "true"}));
    assert!(is_pointer(&world.ask("read_file", seven.clone())));
    // So it is where somebody else changed it.
    world.write("a.rs", text.replace("value * 7;", "value * 778;"));
    let delta = world.call("read_file", seven.clone());
    assert!(delta.contains("value * 778;") && numbered(&delta).len() < all / 2, "{delta}");
    // Nor does it count where another call stands in between.
    world.call("bash", json!({"command": "true"}));
    assert!(is_pointer(&world.ask("read_file", seven.clone())));
    world.call("bash", json!({"command": "true"}));
    assert!(is_pointer(&world.ask("read_file", seven)));
    // Another question gets a view of its own, not the file.
    let other = world.call("read_file", asked("what does step_90 return?"));
    assert!(other.contains("value * 90;") && numbered(&other).len() < all * 3 / 4, "{other}");
    // At once, the same gets all.
    let whole = world.call("read_file", asked("what does step_90 return?"));
    assert_eq!(numbered(&whole).len(), all);
}
