//! Invariants of parsing, outlines and highlights for any text: no panics, and ranges with the
//! documented properties. The fuzz targets check the same.

use foveal_syntax::highlighting::{highlight_file, highlight_fragment};
use foveal_syntax::{ParsedFile, outline, parse_file};
use foveal_transcript::LineNumber;

/// A file name for each language, and one for an unknown language.
pub(crate) const PATHS: &[&str] = &[
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

/// Checks the guarantees of [`parse_file`] and [`outline`].
pub(crate) fn structure(path: &str, text: &str) {
    let parsed = parse_file(path, text);
    assert_eq!(parsed.line_count as usize, text.lines().count());
    entities_nest(&parsed);
    let file = LineNumber(1)..=LineNumber(parsed.line_count.max(1));
    for block in &parsed.blocks {
        assert!(file.contains(&block.lines.first) && file.contains(&block.lines.last));
        let outer = block.inside.map(|at| parsed.entities[at.as_usize()].lines);
        assert!(outer.is_none_or(|outer| outer.covers(block.lines)));
    }
    for mention in &parsed.mentions {
        assert!(file.contains(&mention.line), "{mention:?}");
        assert!(mention.inside.is_none_or(|at| at.as_usize() < parsed.entities.len()));
        let line =
            text.split('\n').nth(mention.line.0 as usize - 1).expect("its line is in the file");
        assert!(line.contains(&*mention.name), "{mention:?} in {line:?}");
    }
    outline_is_whole(&parsed, text);
}

fn entities_nest(parsed: &ParsedFile) {
    let mut before = 1;
    for (at, entity) in parsed.indexed_entities() {
        assert!(entity.lines.first.0 >= before, "{entity:?} begins before the one before it");
        before = entity.lines.first.0;
        assert!(entity.lines.last.0 <= parsed.line_count.max(1), "{entity:?} is too long");
        assert!(!entity.name.is_empty());
        assert!(!entity.name.contains('\n'), "{entity:?} has a name of several lines");
        for part in [Some(entity.signature), entity.doc, entity.attributes, entity.body] {
            assert!(part.is_none_or(|part| entity.lines.covers(part)), "{entity:?}");
        }
        if let Some(parent) = entity.parent {
            assert!(parent < at);
            assert!(parsed.entities[parent.as_usize()].lines.covers(entity.lines), "{entity:?}");
        }
    }
    for line in 1..=parsed.line_count.min(50) {
        let found = parsed.innermost_entity(LineNumber(line));
        let deepest =
            parsed.indexed_entities().filter(|(_, of)| of.lines.contains(LineNumber(line)));
        let depth = |at| parsed.ancestry(at).count();
        let expected = deepest.map(|(at, _)| at).next_back();
        assert_eq!(found.map(depth), expected.map(depth), "line {line}");
    }
}

/// Parts and gaps alternate and together cover the file.
fn outline_is_whole(parsed: &ParsedFile, text: &str) {
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
}

/// Checks the guarantees of [`highlight_file`]: ranges of whole characters, in order
/// and without overlap.
pub(crate) fn highlighting(path: &str, text: &str) {
    for found in [highlight_file(path, text), highlight_fragment(path, text)] {
        let mut end = 0;
        for highlight in found {
            let bytes = highlight.bytes;
            assert!(end <= bytes.start && bytes.start < bytes.end, "{bytes:?} after {end}");
            assert!(text.get(bytes.clone()).is_some(), "{bytes:?} cuts a character");
            end = bytes.end;
        }
    }
}
