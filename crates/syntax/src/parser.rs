//! The parser: from a path and a text to entities.

use std::borrow::Cow;
use std::ops::ControlFlow;

use foveal_parser_runtime::{ParseOptions, ParseState, Parser, Tree};

use crate::entity::{Entity, ParsedFile, SourceStatement};
use crate::file_class::FileClass;
use crate::language::Language;
use crate::line_range::LineRange;
use crate::paragraphs;
use crate::parse_limits::{BYTES_PARSED_MAX, LINE_BYTES_MAX};
use crate::tree_walk;

/// The number of progress reports after which the parser is stopped; one more is allowed per
/// [`BYTES_PER_REPORT`]. The runtime in `foveal-parser-runtime` reports all its work, about every
/// ten microseconds. In 22,000 files of real code the median is one report per 50 to 340 bytes,
/// depending on the language; the densest files are tables of numbers (`examples/parse_work`). A
/// file with more than one report per 24 bytes is such a table, or not in that language. So no text
/// takes more than ten times as long as a plain one, and every machine stops at the same place.
const REPORTS_MIN: usize = 500;
const BYTES_PER_REPORT: usize = 24;

/// The number of entities that are examined to see whether a statement contains one.
const ENTITIES_EXAMINED_MAX: usize = 64;

/// Parses the text of a file.
///
/// Never fails: broken syntax gives partial results. A text is divided into paragraphs if it is too
/// long, minified or in an unknown language, or if its syntax takes much more work than code of its
/// length. Takes about 10 µs per line.
pub fn parse_file(path: &str, text: &str) -> ParsedFile {
    parse_file_until_cancelled(path, text, &mut || false)
}

/// Parses as [`parse_file`] does, and calls `is_cancelled` from time to time. Once it returns true,
/// the text is divided into paragraphs, and [`ParsedFile::cut`] is set.
pub fn parse_file_until_cancelled(
    path: &str,
    text: &str,
    is_cancelled: &mut dyn FnMut() -> bool,
) -> ParsedFile {
    let class = FileClass::classify(path, text);
    let language = Language::detect(path, text);
    let mut parsed = ParsedFile {
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
    let readable = class.is_parsed() && is_parseable(language, text);
    match language.filter(|_| readable) {
        Some(language) => match parse_tree(language, text, is_cancelled) {
            Some(tree) => tree_walk::walk_tree(language, &tree, path, text, &mut parsed),
            None => {
                parsed.broken = true;
                parsed.cut = true;
                paragraphs::parse_paragraphs(text, &mut parsed);
            }
        },
        None => {
            parsed.cut = class.is_parsed() && !readable;
            paragraphs::parse_paragraphs(text, &mut parsed);
        }
    }
    normalise_ranges(&mut parsed);
    parsed
}

/// The longest prefix of indentation and markers of a line, in bytes. The parsers of such languages
/// keep four bytes per level in a buffer of 1,024 and abort the process when it is full.
const LINE_PREFIX_BYTES_MAX: usize = 160;

/// Returns whether a line begins with more indentation and markers than a parser can hold.
fn has_deep_line_prefix(text: &str) -> bool {
    text.lines().any(|line| {
        let rest = line.trim_start_matches(|c: char| {
            c.is_whitespace() || c.is_ascii_digit() || ">-*+?:.)".contains(c)
        });
        line.len() - rest.len() > LINE_PREFIX_BYTES_MAX
    })
}

/// Returns whether `text` is short enough to parse and safe for the parser of its language.
pub(crate) fn is_parseable(language: Option<Language>, text: &str) -> bool {
    text.len() <= BYTES_PARSED_MAX
        && !(language.is_some_and(Language::nests_by_prefix) && has_deep_line_prefix(text))
        && text.split('\n').all(|line| line.len() <= LINE_BYTES_MAX)
}

/// Returns the syntax tree of `text`; `None` if the parser takes too long.
pub(crate) fn parse_tree(
    language: Language,
    text: &str,
    is_cancelled: &mut dyn FnMut() -> bool,
) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&language.compiled_spec().grammar).ok()?;
    let mut left = REPORTS_MIN + text.len() / BYTES_PER_REPORT;
    let mut progress = |_: &ParseState| {
        left = left.saturating_sub(1);
        if left == 0 || is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = sanitize_for_grammar(language, text);
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// Returns the bytes for a grammar. The hand-written scanner of bash looks characters up in a table
/// of 256 (`isdigit`) and reads far out of bounds for others. These become letters, as a shell
/// treats them. Lengths stay the same, so positions in the tree are positions in `text`.
fn sanitize_for_grammar(language: Language, text: &str) -> Cow<'_, [u8]> {
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

/// Enforces the guarantees of [`ParsedFile`] on ranges, whatever a grammar returns: children within
/// parents, everything within the file, entities by first line.
fn normalise_ranges(parsed: &mut ParsedFile) {
    let file = LineRange::from_rows(0, parsed.line_count.saturating_sub(1));
    let mut first = file.first;
    for at in 0..parsed.entities.len() {
        let outer =
            parsed.entities[at].parent.map_or(file, |up| parsed.entities[up.as_usize()].lines);
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
        let outer = block.inside.map_or(file, |at| parsed.entities[at.as_usize()].lines);
        block.lines = block.lines.clamped(outer);
        first = first.max(block.lines.first).min(outer.last);
        block.lines = LineRange::new(block.lines.first.max(first), block.lines.last);
    }
    let entities = &parsed.entities;
    parsed.blocks.retain(|block| !contains_entity(block, entities));
}

/// Returns whether a statement outside functions contains an entity, as a conditional or a whole
/// document can; then only its contents count.
fn contains_entity(block: &SourceStatement, entities: &[Entity]) -> bool {
    let of = block.inside.and_then(|at| entities.get(at.as_usize()));
    if of.is_some_and(|of| of.kind.has_statements()) {
        return false;
    }
    let from = entities.partition_point(|entity| entity.lines.first < block.lines.first);
    let in_it = entities[from..].iter().take_while(|entity| entity.lines.first <= block.lines.last);
    in_it
        .take(ENTITIES_EXAMINED_MAX)
        .any(|entity| entity.parent == block.inside && block.lines.covers(entity.lines))
}

#[cfg(test)]
mod tests {
    use super::{parse_tree, sanitize_for_grammar};
    use crate::language::Language;

    #[test]
    fn the_scanner_of_bash_sees_plain_characters_only() {
        let text = "# é\necho {1..\u{10FFFF}}";
        let bytes = sanitize_for_grammar(Language::Bash, text);
        assert!(bytes.is_ascii() && bytes.len() == text.len(), "{bytes:?}");
        assert!(bytes.starts_with(b"# zz\necho {1..zzzz}"));
        assert_eq!(*sanitize_for_grammar(Language::Python, text), *text.as_bytes());
        // For each of these the scanner's lookup is out of bounds.
        for sign in (0x100..=0x10_FFFF_u32).step_by(0x3FF).filter_map(char::from_u32) {
            let text = format!("echo {{{sign}..{sign}}} {{1{sign}..2{sign}}}\n");
            assert!(parse_tree(Language::Bash, &text, &mut || false).is_some());
        }
    }
}
