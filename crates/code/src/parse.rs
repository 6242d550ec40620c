//! From a path and a text to what is in it.

use std::borrow::Cow;
use std::ops::ControlFlow;

use foveal_parser_runtime::{ParseOptions, ParseState, Parser, Tree};

use crate::bounds::{BYTES_PARSED_MAX, LINE_BYTES_MAX};
use crate::entity::{Block, Entity, Parsed};
use crate::fallback;
use crate::file_class::FileClass;
use crate::language::Language;
use crate::lines::LineRange;
use crate::walk;

/// Progress reports of the parser after which it is stopped, besides one for so many bytes. The
/// runtime in `foveal-parser-runtime` reports by all that it does, about every ten microseconds. Of 22,000
/// files of real code the median has one report for 50 to 340 bytes, by its language, and the densest
/// are tables of numbers (`examples/parse_work`); what has more than one for 24 is such a table, or
/// not in that language. So no text takes longer than ten times a plain one, and each is stopped at
/// the same place on every machine.
const REPORTS_MIN: usize = 500;
const BYTES_A_REPORT: usize = 24;

/// Entities that begin in a block that are looked at to see whether it holds one.
const ENTITIES_ASKED_MAX: usize = 64;

/// What the file at `path` that holds `text` consists of.
///
/// Never fails: broken syntax gives what can be had, and a text that is too long, squeezed
/// or in an unknown language gives paragraphs; so does one whose syntax takes much more work than
/// code of its length. Takes about 10 µs a line.
pub fn parse(path: &str, text: &str) -> Parsed {
    parse_until(path, text, &mut || false)
}

/// As [`parse`], but asks `is_cancelled` now and then while it reads the syntax; once the answer
/// is yes, the text gives paragraphs, and [`Parsed::cut`] says so.
pub fn parse_until(path: &str, text: &str, is_cancelled: &mut dyn FnMut() -> bool) -> Parsed {
    let class = FileClass::of(path, text);
    let language = Language::of(path, text);
    let mut parsed = Parsed {
        language,
        class,
        line_count: count_lines(text),
        doc: None,
        entities: Vec::new(),
        blocks: Vec::new(),
        seams: Vec::new(),
        mentions: Vec::new(),
        imports: Vec::new(),
        broken: false,
        cut: false,
    };
    let readable = class.is_parsed() && is_readable(language, text);
    match language.filter(|_| readable) {
        Some(language) => match tree_of(language, text, is_cancelled) {
            Some(tree) => walk::walk(language, &tree, path, text, &mut parsed),
            None => {
                parsed.broken = true;
                parsed.cut = true;
                fallback::paragraphs(text, &mut parsed);
            }
        },
        None => {
            parsed.cut = class.is_parsed() && !readable;
            fallback::paragraphs(text, &mut parsed);
        }
    }
    settle(&mut parsed);
    parsed
}

/// Levels that a line opens by what it begins with. The parsers of such languages keep four
/// bytes for each in a buffer of 1,024 and end the process when it is full.
const PREFIX_BYTES_MAX: usize = 160;

/// Whether a line begins with more indentation and markers than a parser can hold.
fn nests_too_deep(text: &str) -> bool {
    text.lines().any(|line| {
        let rest = line.trim_start_matches(|c: char| {
            c.is_whitespace() || c.is_ascii_digit() || ">-*+?:.)".contains(c)
        });
        line.len() - rest.len() > PREFIX_BYTES_MAX
    })
}

/// Whether `text` is short enough, and no trap for the parser of its language.
pub(crate) fn is_readable(language: Option<Language>, text: &str) -> bool {
    text.len() <= BYTES_PARSED_MAX
        && !(language.is_some_and(Language::nests_by_prefix) && nests_too_deep(text))
        && text.split('\n').all(|line| line.len() <= LINE_BYTES_MAX)
}

/// The syntax tree of `text`; `None` where the parser takes too long.
pub(crate) fn tree_of(
    language: Language,
    text: &str,
    is_cancelled: &mut dyn FnMut() -> bool,
) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&language.compiled().grammar).ok()?;
    let mut left = REPORTS_MIN + text.len() / BYTES_A_REPORT;
    let mut progress = |_: &ParseState| {
        left = left.saturating_sub(1);
        if left == 0 || is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = safe(language, text);
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// The bytes that a grammar is given. The hand-written scanner of bash looks characters up in a table
/// of 256 (`isdigit`), and reads far behind it for others: these become letters, which they are to a
/// shell. Lengths stay, so places in the tree are places in `text`.
fn safe(language: Language, text: &str) -> Cow<'_, [u8]> {
    if language != Language::Bash || text.is_ascii() {
        return Cow::Borrowed(text.as_bytes());
    }
    Cow::Owned(text.bytes().map(|byte| if byte.is_ascii() { byte } else { b'z' }).collect())
}

fn count_lines(text: &str) -> u32 {
    let feeds = text.bytes().filter(|byte| *byte == b'\n').count();
    let is_open = text.as_bytes().last().is_some_and(|last| *last != b'\n');
    u32::try_from(feeds + usize::from(is_open)).unwrap_or(u32::MAX)
}

/// Makes sure of what [`Parsed`] promises about ranges, whatever a grammar says: children
/// within parents, everything within the file, entities by first line.
fn settle(parsed: &mut Parsed) {
    let file = LineRange::of_rows(0, parsed.line_count.saturating_sub(1));
    let mut first = file.first;
    for at in 0..parsed.entities.len() {
        let outer = parsed.entities[at].parent.map_or(file, |up| parsed.entities[up.get()].lines);
        let entity = &mut parsed.entities[at];
        entity.lines = entity.lines.clamped(outer);
        entity.lines = LineRange::new(entity.lines.first.max(first), entity.lines.last);
        first = entity.lines.first;
        let lines = entity.lines;
        entity.signature = entity.signature.clamped(lines);
        for part in [&mut entity.doc, &mut entity.attributes, &mut entity.body] {
            *part = part.map(|part| part.clamped(lines));
        }
    }
    let mut first = file.first;
    for block in &mut parsed.blocks {
        let outer = block.inside.map_or(file, |at| parsed.entities[at.get()].lines);
        block.lines = block.lines.clamped(outer);
        first = first.max(block.lines.first).min(outer.last);
        block.lines = LineRange::new(block.lines.first.max(first), block.lines.last);
    }
    let entities = &parsed.entities;
    parsed.blocks.retain(|block| !holds_an_entity(block, entities));
}

/// Whether a block outside functions stands around an entity, as a conditional or a whole
/// document can; then only what is in it counts.
fn holds_an_entity(block: &Block, entities: &[Entity]) -> bool {
    let of = block.inside.and_then(|at| entities.get(at.get()));
    if of.is_some_and(|of| of.kind.has_statements()) {
        return false;
    }
    let from = entities.partition_point(|entity| entity.lines.first < block.lines.first);
    let in_it = entities[from..].iter().take_while(|entity| entity.lines.first <= block.lines.last);
    in_it
        .take(ENTITIES_ASKED_MAX)
        .any(|entity| entity.parent == block.inside && block.lines.covers(entity.lines))
}

#[cfg(test)]
mod tests {
    use super::{safe, tree_of};
    use crate::language::Language;

    #[test]
    fn the_scanner_of_bash_sees_plain_characters_only() {
        let text = "# é\necho {1..\u{10FFFF}}";
        let bytes = safe(Language::Bash, text);
        assert!(bytes.is_ascii() && bytes.len() == text.len(), "{bytes:?}");
        assert!(bytes.starts_with(b"# zz\necho {1..zzzz}"));
        assert_eq!(*safe(Language::Python, text), *text.as_bytes());
        // What the scanner looks up lies outside of its table for each of these.
        for sign in (0x100..=0x10_FFFF_u32).step_by(0x3FF).filter_map(char::from_u32) {
            let text = format!("echo {{{sign}..{sign}}} {{1{sign}..2{sign}}}\n");
            assert!(tree_of(Language::Bash, &text, &mut || false).is_some());
        }
    }
}
