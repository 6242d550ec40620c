//! The highlighter: from a text to its highlights.

use std::cmp::Reverse;
use std::ops::{ControlFlow, Range};

use foveal_parser_runtime::{
    QueryCursor, QueryCursorOptions, QueryCursorState, StreamingIterator, Tree,
};

use super::highlight_class::HighlightClass;
use super::highlight_queries;
use crate::language::Language;
use crate::parser::{is_parseable, parse_tree};

/// The largest text, in bytes, that is highlighted.
pub const HIGHLIGHTED_BYTES_MAX: usize = 512 << 10;

/// The longest line, in bytes; a text with a longer one is not highlighted.
pub const HIGHLIGHTED_LINE_BYTES_MAX: usize = 8 << 10;

/// The largest number of captures of a text.
const CAPTURES_MAX: usize = 400_000;

/// The largest number of matches in progress at the same time.
const OPEN_MATCHES_MAX: u32 = 256;

/// The largest number of open brackets; a text with more is not highlighted. At each node a query
/// visits all ancestors without a progress report.
pub const HIGHLIGHTED_OPEN_BRACKETS_MAX: usize = 1_000;

/// The deepest tree that is queried, in levels. A bracket opens up to three or four.
const TREE_DEPTH_MAX: usize = 4 * HIGHLIGHTED_OPEN_BRACKETS_MAX;

/// The longest run of sibling punctuation and keywords in a tree that is queried. At each of them a
/// query searches for the next named node without a progress report.
const SIBLING_SIGNS_MAX: usize = 1_000;

/// The number of progress reports after which a query is stopped; one more is allowed per
/// [`BYTES_PER_REPORT`].
const REPORTS_MIN: usize = 2_000;
const BYTES_PER_REPORT: usize = 20;

/// The start of PHP code, which fragments of a file lack.
const PHP_OPEN_TAG: &str = "<?php ";

/// A highlighted range of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Highlight {
    /// The bytes; whole characters, at least one.
    pub bytes: Range<usize>,
    /// The class.
    pub class: HighlightClass,
}

/// Returns the highlights of the file at `path` with the content `text`, in order and without
/// overlap.
pub fn highlight_file(path: &str, text: &str) -> Vec<Highlight> {
    Language::detect(path, text).map_or_else(Vec::new, |language| highlight_text(language, text))
}

/// Returns the highlights of `piece`, a part of the file at `path` such as a signature, in order.
pub fn highlight_fragment(path: &str, piece: &str) -> Vec<Highlight> {
    let Some(language) = Language::detect(path, piece) else { return Vec::new() };
    let before = if language == Language::Php { PHP_OPEN_TAG } else { "" };
    // A parser recognises a signature only with the body that it announces.
    let after = match piece.trim_end().as_bytes().last() {
        Some(b'{') => " }",
        Some(b':') if language == Language::Python => " pass",
        _ => "",
    };
    let mut all = highlight_text(language, &format!("{before}{piece}{after}"));
    for highlight in &mut all {
        let inside = |at: usize| at.saturating_sub(before.len()).min(piece.len());
        highlight.bytes = inside(highlight.bytes.start)..inside(highlight.bytes.end);
    }
    all.retain(|highlight| !highlight.bytes.is_empty());
    all
}

/// A node that a pattern captured. A node without a class is plain, whatever its ancestors are.
struct CapturedNode {
    bytes: Range<usize>,
    pattern: usize,
    class: Option<HighlightClass>,
}

fn highlight_text(language: Language, text: &str) -> Vec<Highlight> {
    let is_short = text.len() <= HIGHLIGHTED_BYTES_MAX
        && text.split('\n').all(|line| line.len() <= HIGHLIGHTED_LINE_BYTES_MAX);
    if !is_short || has_too_many_open_brackets(text) || !is_parseable(Some(language), text) {
        return Vec::new();
    }
    let mut found = query_captures(language, text).unwrap_or_default();
    found.sort_by_key(|found| (found.bytes.start, Reverse(found.bytes.end), found.pattern));
    flatten_captures(&found, text)
}

/// Returns whether more brackets are open at the same time than the limit. Brackets in strings
/// count too.
fn has_too_many_open_brackets(text: &str) -> bool {
    let mut open = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        open > HIGHLIGHTED_OPEN_BRACKETS_MAX
    })
}

/// Returns whether a tree exceeds the limits for queries.
fn exceeds_query_limits(tree: &Tree) -> bool {
    let mut cursor = tree.walk();
    // The current run of sibling signs on each level.
    let mut signs = vec![0];
    loop {
        let of_level = signs.last_mut();
        let run = of_level.map_or(0, |run| {
            *run = if cursor.node().is_named() { 0 } else { *run + 1 };
            *run
        });
        if run > SIBLING_SIGNS_MAX || signs.len() > TREE_DEPTH_MAX {
            return true;
        }
        if cursor.goto_first_child() {
            signs.push(0);
            continue;
        }
        while !cursor.goto_next_sibling() {
            signs.pop();
            if !cursor.goto_parent() {
                return false;
            }
        }
    }
}

/// Returns the nodes that the query of the language captures; `None` if that takes too long.
fn query_captures(language: Language, text: &str) -> Option<Vec<CapturedNode>> {
    let compiled = highlight_queries::compiled_query(language)?;
    let tree =
        parse_tree(language, text, &mut || false).filter(|tree| !exceeds_query_limits(tree))?;
    let mut left = REPORTS_MIN + text.len() / BYTES_PER_REPORT;
    let mut progress = |_: &QueryCursorState| {
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = QueryCursorOptions::new().progress_callback(&mut progress);
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(OPEN_MATCHES_MAX);
    let mut captures =
        cursor.captures_with_options(&compiled.query, tree.root_node(), text.as_bytes(), options);
    let mut found = Vec::new();
    while let Some((matched, at)) = captures.next() {
        let Some(capture) = matched.captures().get(*at) else { continue };
        if found.len() == CAPTURES_MAX {
            return None;
        }
        let bytes = capture.node.byte_range();
        let class = compiled.classes.get(capture.index as usize).copied().flatten();
        if !bytes.is_empty() && text.get(bytes.clone()).is_some() {
            found.push(CapturedNode { bytes, pattern: matched.pattern_index, class });
        }
    }
    drop(captures);
    (left > 0).then_some(found)
}

/// Returns ranges in which each byte has the class of the innermost captured node around it.
fn flatten_captures(found: &[CapturedNode], text: &str) -> Vec<Highlight> {
    let mut line = HighlightBuilder { highlights: Vec::new(), position: 0 };
    // The nodes around the current position, innermost last.
    let mut open: Vec<(usize, Option<HighlightClass>)> = Vec::new();
    let same = |a: &CapturedNode, b: &CapturedNode| a.bytes == b.bytes;
    for node in found.chunk_by(same) {
        let Some(first) = node.first() else { continue };
        while let Some((end, class)) = open.pop_if(|(end, _)| *end <= first.bytes.start) {
            line.extend_to(end, class);
        }
        if let Some((end, class)) = open.last() {
            line.extend_to(first.bytes.start, *class);
            // The nodes of a tree nest; this skips those of a faulty grammar that do not.
            if first.bytes.end > *end {
                continue;
            }
        }
        line.position = line.position.max(first.bytes.start);
        // Some queries have the general pattern first, others last. A pattern with a class is more
        // specific than one without, and a key is more specific than a string.
        let classes = node.iter().filter_map(|found| found.class);
        let class = classes.max_by_key(|class| *class == HighlightClass::Key);
        open.push((first.bytes.end, class));
    }
    while let Some((end, class)) = open.pop() {
        line.extend_to(end, class);
    }
    debug_assert!(line.highlights.iter().all(|one| text.get(one.bytes.clone()).is_some()));
    line.highlights
}

/// The highlights up to a position.
struct HighlightBuilder {
    highlights: Vec<Highlight>,
    position: usize,
}

impl HighlightBuilder {
    /// Gives all bytes up to `end` the class `class`.
    fn extend_to(&mut self, end: usize, class: Option<HighlightClass>) {
        if end <= self.position {
            return;
        }
        if let Some(class) = class {
            match self.highlights.last_mut() {
                Some(last) if last.bytes.end == self.position && last.class == class => {
                    last.bytes.end = end;
                }
                _ => self.highlights.push(Highlight { bytes: self.position..end, class }),
            }
        }
        self.position = end;
    }
}
