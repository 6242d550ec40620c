//! The highlights of one text.

use std::cmp::Reverse;
use std::ops::{ControlFlow, Range};

use foveal_parser_runtime::{
    QueryCursor, QueryCursorOptions, QueryCursorState, StreamingIterator, Tree,
};

use super::class::HighlightClass;
use super::queries;
use crate::language::Language;
use crate::parse::{is_readable, tree_of};

/// Bytes of a text up to which it has highlights.
pub const HIGHLIGHTED_BYTES_MAX: usize = 512 << 10;

/// Bytes of a line; a text with a longer one has no highlights.
pub const HIGHLIGHTED_LINE_BYTES_MAX: usize = 8 << 10;

/// Captures of one text that are looked at.
const CAPTURES_MAX: usize = 400_000;

/// Patterns that are followed at the same time.
const OPEN_MATCHES_MAX: u32 = 256;

/// Brackets that are open at the same time; a text with more has no highlights. What asks the tree
/// goes up through all that is open at each node, and no report is made on the way.
pub const HIGHLIGHTED_OPEN_BRACKETS_MAX: usize = 1_000;

/// Levels of a tree that is asked, whatever opens them. A bracket opens up to three or four.
const LEVELS_MAX: usize = 4 * HIGHLIGHTED_OPEN_BRACKETS_MAX;

/// Signs and keywords that stand side by side in a tree that is asked. At each of them the next
/// node with a name is looked for, and no report is made on the way.
const SIGNS_MAX: usize = 1_000;

/// Progress reports of a query after which it is stopped, besides one for so many bytes.
const REPORTS_MIN: usize = 2_000;
const BYTES_A_REPORT: usize = 20;

/// What PHP begins with; a piece of a file has it elsewhere.
const PHP_BEGIN: &str = "<?php ";

/// A range of a text and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Highlight {
    /// Which bytes; whole characters, at least one.
    pub bytes: Range<usize>,
    /// What they are.
    pub class: HighlightClass,
}

/// The highlights of the file at `path` that holds `text`, in order; they share no bytes.
pub fn highlights(path: &str, text: &str) -> Vec<Highlight> {
    Language::of(path, text).map_or_else(Vec::new, |language| of_text(language, text))
}

/// The highlights of `piece`, a part of the file at `path` such as a signature, in order.
pub fn highlights_of_piece(path: &str, piece: &str) -> Vec<Highlight> {
    let Some(language) = Language::of(path, piece) else { return Vec::new() };
    let before = if language == Language::Php { PHP_BEGIN } else { "" };
    // With the body that a signature announces, parsers see what it is.
    let after = match piece.trim_end().as_bytes().last() {
        Some(b'{') => " }",
        Some(b':') if language == Language::Python => " pass",
        _ => "",
    };
    let mut all = of_text(language, &format!("{before}{piece}{after}"));
    for highlight in &mut all {
        let inside = |at: usize| at.saturating_sub(before.len()).min(piece.len());
        highlight.bytes = inside(highlight.bytes.start)..inside(highlight.bytes.end);
    }
    all.retain(|highlight| !highlight.bytes.is_empty());
    all
}

/// A node that some pattern found. Without a class it is plain, whatever it stands in.
struct CapturedNode {
    bytes: Range<usize>,
    pattern: usize,
    class: Option<HighlightClass>,
}

fn of_text(language: Language, text: &str) -> Vec<Highlight> {
    let is_short = text.len() <= HIGHLIGHTED_BYTES_MAX
        && text.split('\n').all(|line| line.len() <= HIGHLIGHTED_LINE_BYTES_MAX);
    if !is_short || opens_too_much(text) || !is_readable(Some(language), text) {
        return Vec::new();
    }
    let mut found = captures(language, text).unwrap_or_default();
    found.sort_by_key(|found| (found.bytes.start, Reverse(found.bytes.end), found.pattern));
    flattened(&found, text)
}

/// Whether more brackets are open at the same time than trees are asked about. What stands in
/// strings counts too: who opens so many there has no colours.
fn opens_too_much(text: &str) -> bool {
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

/// Whether a tree is one that is not asked, by a walk over it.
fn is_dear(tree: &Tree) -> bool {
    let mut cursor = tree.walk();
    // Of each level, the signs that stand side by side up to here.
    let mut signs = vec![0];
    loop {
        let of_level = signs.last_mut();
        let run = of_level.map_or(0, |run| {
            *run = if cursor.node().is_named() { 0 } else { *run + 1 };
            *run
        });
        if run > SIGNS_MAX || signs.len() > LEVELS_MAX {
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

/// What the language's patterns find; `None` where that takes too long.
fn captures(language: Language, text: &str) -> Option<Vec<CapturedNode>> {
    let compiled = queries::compiled(language)?;
    let tree = tree_of(language, text, &mut || false).filter(|tree| !is_dear(tree))?;
    let mut left = REPORTS_MIN + text.len() / BYTES_A_REPORT;
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

/// Ranges in which each byte has the class of the innermost node around it that was found.
fn flattened(found: &[CapturedNode], text: &str) -> Vec<Highlight> {
    let mut line = Line { highlights: Vec::new(), at: 0 };
    // The nodes around the place reached, the innermost last.
    let mut open: Vec<(usize, Option<HighlightClass>)> = Vec::new();
    let same = |a: &CapturedNode, b: &CapturedNode| a.bytes == b.bytes;
    for node in found.chunk_by(same) {
        let Some(first) = node.first() else { continue };
        while let Some((end, class)) = open.pop_if(|(end, _)| *end <= first.bytes.start) {
            line.reach(end, class);
        }
        if let Some((end, class)) = open.last() {
            line.reach(first.bytes.start, *class);
            // Nodes of a tree nest; nothing is left to chance where a grammar's do not.
            if first.bytes.end > *end {
                continue;
            }
        }
        line.at = line.at.max(first.bytes.start);
        // Some queries say first what a name is in general, others last: what has a class is
        // said of fewer, and a key is a string as well.
        let classes = node.iter().filter_map(|found| found.class);
        let class = classes.max_by_key(|class| *class == HighlightClass::Key);
        open.push((first.bytes.end, class));
    }
    while let Some((end, class)) = open.pop() {
        line.reach(end, class);
    }
    debug_assert!(line.highlights.iter().all(|one| text.get(one.bytes.clone()).is_some()));
    line.highlights
}

/// Highlights up to a place.
struct Line {
    highlights: Vec<Highlight>,
    at: usize,
}

impl Line {
    /// All up to `end` is `class`.
    fn reach(&mut self, end: usize, class: Option<HighlightClass>) {
        if end <= self.at {
            return;
        }
        if let Some(class) = class {
            match self.highlights.last_mut() {
                Some(last) if last.bytes.end == self.at && last.class == class => {
                    last.bytes.end = end;
                }
                _ => self.highlights.push(Highlight { bytes: self.at..end, class }),
            }
        }
        self.at = end;
    }
}
