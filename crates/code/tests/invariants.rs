//! Invariants for any text: no panics, and ranges with the documented properties. The fuzz targets
//! check the same (`fuzz/src/structure.rs`).

use foveal_code::curation::{CuratedView, CurationQuery, Curator, SourceFile, ViewBudget};
use foveal_code::highlighting::{highlight_file, highlight_fragment};
use foveal_code::relations::{FileSymbols, SIGNATURE_LINE_BYTES_MAX, SIGNATURE_LINES_MAX};
use foveal_code::{LineNumber, ParsedFile, outline, parse_file};

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
    let rendered = outline.render(parsed, text);
    assert!(rendered.matches('\n').count() <= parsed.line_count as usize, "it grows");
    let rows: Vec<&str> = text.lines().collect();
    for shown in rendered.lines().filter(|line| !line.trim().starts_with('[')) {
        // A carriage return inside a line splits its rendered row.
        let Some((number, line)) = shown.split_once('→') else { continue };
        let Ok(number) = number.trim().parse::<usize>() else { continue };
        assert!(rows[number - 1].starts_with(line), "{shown:?}");
    }
}

/// Checks the guarantees of [`FileSymbols`]: one definition per entity, and bounded signatures.
pub(crate) fn symbols(path: &str, text: &str) {
    let parsed = parse_file(path, text);
    let symbols = FileSymbols::from_parsed(path, &parsed, text);
    assert_eq!(symbols.definitions.len(), parsed.entities.len());
    assert_eq!(symbols.line_count, parsed.line_count);
    for (definition, entity) in symbols.definitions.iter().zip(&parsed.entities) {
        assert_eq!((definition.lines, definition.signature), (entity.lines, entity.signature));
        assert!(definition.qualified_name.ends_with(&*definition.name), "{definition:?}");
        let lines: Vec<&str> = definition.signature_text.split('\n').collect();
        assert!(lines.len() <= SIGNATURE_LINES_MAX as usize, "{definition:?}");
        assert!(lines.iter().all(|line| line.len() <= SIGNATURE_LINE_BYTES_MAX + "…".len()));
    }
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

/// Returns the view of the built-in curator.
pub(crate) fn view(
    path: &str,
    text: &str,
    question: &CurationQuery,
    budget: ViewBudget,
) -> CuratedView {
    thread_local! {
        static CURATOR: Curator = Curator::built_in();
    }
    let parsed = parse_file(path, text);
    let file = SourceFile { path, text, parsed: &parsed };
    CURATOR.with(|curator| curator.curate(&file, question, budget))
}

/// Checks that parts and gaps are disjoint, ordered and cover the file; that fixed budgets hold;
/// that equal queries give equal views; and that kept lines have their headers.
pub(crate) fn views(path: &str, text: &str, question: &CurationQuery) {
    let parsed = parse_file(path, text);
    let budgets = [0.0, 0.1, 0.3, 0.5, 1.0].map(ViewBudget::Share);
    for budget in budgets.into_iter().chain([ViewBudget::Adaptive]) {
        let view = view(path, text, question, budget);
        let mut all: Vec<_> = view.parts.iter().map(|part| part.lines).collect();
        all.extend(view.gaps.iter().map(|gap| gap.lines));
        all.sort();
        let mut next = 1;
        for lines in &all {
            assert_eq!(lines.first.0, next, "{path} {budget:?}: {all:?}");
            next = lines.last.0 + 1;
        }
        assert_eq!(next, view.line_count + 1, "{path} {budget:?}");
        assert_eq!(view.line_count as usize, text.lines().count(), "{path}");
        let most = budget.lines_max(view.line_count as usize);
        assert!(
            view.kept_line_count() as usize <= most,
            "{path} {budget:?}: {}",
            view.kept_line_count()
        );
        let rendered = view.render(&parsed, text);
        assert!(rendered.matches('\n').count() <= view.line_count as usize, "{path} {budget:?}");
        for part in &view.parts {
            for line in part.lines.first.0..=part.lines.last.0 {
                let around = parsed.innermost_entity(LineNumber(line)).into_iter();
                for (_, entity) in around.flat_map(|at| parsed.ancestry(at)) {
                    let header = entity.signature.first;
                    let is_kept = view.parts.iter().any(|part| part.lines.contains(header));
                    assert!(is_kept, "{path} {budget:?}: {line} without {}", entity.name);
                }
            }
        }
    }
    let again = view(path, text, question, ViewBudget::Adaptive);
    assert_eq!(again, view(path, text, question, ViewBudget::Adaptive));
}
