//! What holds for any text: nothing panics, and ranges are what they promise to be.

use std::path::Path;

use proptest::prelude::*;

use foveal_index::{LineNumber, Parsed, outline, parse};

/// A file name for each language, and one for none.
const PATHS: &[&str] = &[
    "a.rs",
    "a.py",
    "a.ts",
    "a.tsx",
    "a.js",
    "a.go",
    "a.java",
    "a.c",
    "a.cpp",
    "a.cs",
    "a.rb",
    "a.php",
    "a.sh",
    "a.kt",
    "a.swift",
    "a.zig",
    "a.json",
    "a.yaml",
    "a.toml",
    "a.md",
    "a.html",
    "a.css",
    "a.sql",
    "a.unknown",
];

/// The sources of the other tests; what stands in their strings is code in all languages.
const SOURCES: &[&str] = &[
    include_str!("entities/native.rs"),
    include_str!("entities/web.rs"),
    include_str!("entities/scripts.rs"),
    include_str!("entities/data.rs"),
];

fn holds(path: &str, text: &str) {
    let parsed = parse(path, text);
    assert_eq!(parsed.line_count as usize, text.lines().count());
    entities_nest(&parsed);
    let file = LineNumber(1)..=LineNumber(parsed.line_count.max(1));
    for block in &parsed.blocks {
        assert!(file.contains(&block.lines.first) && file.contains(&block.lines.last));
        let outer = block.inside.map(|at| parsed.entities[at.get()].lines);
        assert!(outer.is_none_or(|outer| outer.covers(block.lines)));
    }
    lookups_agree(&parsed);
    for mention in &parsed.mentions {
        assert!(file.contains(&mention.line), "{mention:?}");
        assert!(mention.inside.is_none_or(|at| at.get() < parsed.entities.len()));
        let line =
            text.split('\n').nth(mention.line.0 as usize - 1).expect("its line is in the file");
        assert!(line.contains(&*mention.name), "{mention:?} in {line:?}");
    }
    outline_is_whole(&parsed, text);
}

/// Children and statements of an entity are found without looking at all others.
fn lookups_agree(parsed: &Parsed) {
    let all = parsed.indexed().map(|(at, _)| Some(at)).chain([None]);
    for of in all.take(40) {
        let children = parsed.indexed().filter(|(_, entity)| entity.parent == of);
        assert!(parsed.children(of).eq(children));
        let blocks = parsed.blocks.iter().filter(|block| block.inside == of);
        assert!(parsed.blocks_of(of).eq(blocks));
    }
}

fn entities_nest(parsed: &Parsed) {
    let mut before = 1;
    for (at, entity) in parsed.indexed() {
        assert!(entity.lines.first.0 >= before, "{entity:?} begins before the one before it");
        before = entity.lines.first.0;
        assert!(entity.lines.last.0 <= parsed.line_count.max(1), "{entity:?} is too long");
        assert!(!entity.name.is_empty());
        for part in [Some(entity.signature), entity.doc, entity.attributes, entity.body] {
            assert!(part.is_none_or(|part| entity.lines.covers(part)), "{entity:?}");
        }
        if let Some(parent) = entity.parent {
            assert!(parent < at);
            assert!(parsed.entities[parent.get()].lines.covers(entity.lines), "{entity:?}");
        }
    }
    for line in 1..=parsed.line_count.min(50) {
        let found = parsed.innermost(LineNumber(line));
        let deepest = parsed.indexed().filter(|(_, of)| of.lines.contains(LineNumber(line)));
        let depth = |at| parsed.ancestry(at).count();
        let expected = deepest.map(|(at, _)| at).next_back();
        assert_eq!(found.map(depth), expected.map(depth), "line {line}");
    }
}

/// Parts and gaps take turns and are all lines of the file.
fn outline_is_whole(parsed: &Parsed, text: &str) {
    let outline = outline(parsed, text);
    let mut all: Vec<_> = outline.parts.iter().map(|part| (part.lines, true)).collect();
    all.extend(outline.gaps.iter().map(|gap| (gap.lines, false)));
    all.sort();
    let mut next = 1;
    for (lines, _) in &all {
        assert_eq!(lines.first.0, next);
        next = lines.last.0 + 1;
    }
    assert_eq!(next, parsed.line_count + 1);
    assert!(all.windows(2).all(|pair| pair[0].1 != pair[1].1));
    let rows: Vec<&str> = text.lines().collect();
    for shown in outline.render(parsed, text).lines().filter(|line| !line.trim().starts_with('[')) {
        // A carriage return inside a line breaks what is shown of it.
        let Some((number, line)) = shown.split_once('→') else { continue };
        let Ok(number) = number.trim().parse::<usize>() else { continue };
        assert!(rows[number - 1].starts_with(line), "{shown:?}");
    }
}

pub(crate) fn path() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(PATHS)
}

/// A piece of real code with some of its bytes replaced, dropped or doubled.
pub(crate) fn mutated() -> impl Strategy<Value = String> {
    let source = proptest::sample::select(SOURCES);
    let edits = proptest::collection::vec((any::<u16>(), any::<u8>(), 0usize..3), 0..12);
    (source, any::<u16>(), 10usize..1500, edits).prop_map(|(source, from, length, edits)| {
        let from = from as usize % source.len();
        let mut bytes: Vec<u8> = source.bytes().skip(from).take(length).collect();
        for (at, byte, how) in edits {
            if bytes.is_empty() {
                break;
            }
            let at = at as usize % bytes.len();
            match how {
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"{}()<>\"'`\n#/*:;"[byte as usize % 15]),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Short text of letters, line breaks and marks.
pub(crate) fn short_text() -> impl Strategy<Value = String> {
    "(\\PC|[\\n\\r\\t{}()<>#:'\"]){0,200}"
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes(path in path(), bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        holds(path, &String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_text(path in path(), text in short_text()) {
        holds(path, &text);
    }

    #[test]
    fn broken_code(path in path(), text in mutated()) {
        holds(path, &text);
    }
}

#[test]
fn deep_nesting_neither_overflows_nor_hangs() {
    for path in PATHS {
        for (open, close) in
            [("(", ")"), ("{", "}"), ("[", "]"), ("<a>", "</a>"), ("fn f() {", "}")]
        {
            let depth = 5_000;
            holds(path, &format!("{}x{}", open.repeat(depth), close.repeat(depth)));
            holds(path, &open.repeat(depth));
        }
    }
}

#[test]
fn what_scanners_have_to_remember_is_bounded() {
    let lines = |line: fn(usize) -> String| (0..400).map(line).collect::<String>();
    let texts = [
        lines(|at| format!("{}a:\n", " ".repeat(at))),
        lines(|at| format!("{}- a\n", " ".repeat(at * 2))),
        lines(|at| format!("{}a\n", "> ".repeat(at))),
        format!("{}a\n", "- ".repeat(2_000)),
        format!("{}a\n", "? ".repeat(2_000)),
        // Words that a scanner has to remember until they come again.
        format!("${0}$ a ${0}$\n", "x".repeat(3_000)),
        format!("<{0}>a</{0}>\n", "x".repeat(3_000)),
        format!("cat <<{0}\na\n{0}\n", "X".repeat(3_000)),
        format!("x = <<~{0} + <<-{0}\na\n{0}\n", "X".repeat(900)),
        format!("<?php $x = <<<{0}\na\n{0};\n", "X".repeat(3_000)),
        format!("a = r{0}\"a\"{0};\n", "#".repeat(300)),
        format!("a = R\"{0}(a){0}\";\n", "x".repeat(300)),
        "cat <<A <<B <<C <<D\n".repeat(60),
        "f\"{f'{".repeat(400),
        "%w[a %q( \"#{ '\n".repeat(400),
        (0..300).map(|at| format!("<t{at}{}>", "x".repeat(30))).collect(),
    ];
    for path in PATHS {
        for text in &texts {
            holds(path, text);
        }
    }
}

#[test]
fn the_sources_of_this_project_hold() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("crates"), root.join("docs"), root.join("examples")];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.expect("a readable folder").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path)
                && text.len() < 100_000
            {
                holds(&path.to_string_lossy(), &text);
                count += 1;
            }
        }
    }
    assert!(count > 100, "only {count} files");
}

#[test]
fn a_file_of_this_crate_holds() {
    for (at, source) in SOURCES.iter().enumerate() {
        for path in PATHS {
            let half = source.len() / 2;
            let text =
                if at % 2 == 0 { source } else { &source[..source.floor_char_boundary(half)] };
            holds(path, text);
        }
    }
}
