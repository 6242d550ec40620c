//! Paragraphs of a text that is not parsed, divided by blank lines and indentation.

use foveal_transcript::LineNumber;

use crate::entity::{Entity, EntityIndex, EntityKind, ParsedFile, SourceStatement, Visibility};
use crate::line_range::LineRange;
use crate::parse_limits::{ENTITIES_MAX, STATEMENTS_MAX};

/// The number of characters of a paragraph's first line that form its name.
const NAME_CHARS_MAX: usize = 60;

/// Fills `parsed` with sections and the paragraphs in them. A section begins at an unindented line
/// after a blank line; blank lines before indented lines end a paragraph within the section.
pub(crate) fn parse_paragraphs(text: &str, parsed: &mut ParsedFile) {
    let mut blank = true;
    for (row, line) in text.lines().enumerate() {
        let Ok(row) = u32::try_from(row) else { break };
        if line.trim().is_empty() {
            blank = true;
            continue;
        }
        let indented = line.starts_with([' ', '\t', '}', ')', ']']);
        if blank && (!indented || parsed.entities.is_empty()) {
            if parsed.entities.len() >= ENTITIES_MAX {
                parsed.cut = true;
                return;
            }
            parsed.entities.push(new_section(line, LineRange::from_rows(row, row)));
        }
        extend_section(parsed, blank, row);
        blank = false;
    }
}

fn new_section(line: &str, lines: LineRange) -> Entity {
    Entity {
        kind: EntityKind::Section,
        name: line.trim().chars().take(NAME_CHARS_MAX).collect::<String>().into(),
        owner: None,
        lines,
        signature: lines,
        attributes: None,
        body: None,
        doc: None,
        visibility: Visibility::Public,
        parent: None,
    }
}

/// Adds a non-blank row to the last section, and to its last paragraph unless the row begins one.
fn extend_section(parsed: &mut ParsedFile, begins: bool, row: u32) {
    let Some(entity) = parsed.entities.last_mut() else { return };
    let last = LineNumber(row + 1);
    entity.lines.last = last;
    if entity.signature.first < last {
        entity.body = Some(LineRange::new(LineNumber(entity.signature.first.0 + 1), last));
    }
    let inside = u32::try_from(parsed.entities.len() - 1).ok().map(EntityIndex);
    let is_full = parsed.blocks.len() >= STATEMENTS_MAX;
    match parsed.blocks.last_mut().filter(|block| !begins && block.inside == inside) {
        Some(block) => block.lines.last = last,
        None if is_full => parsed.cut = true,
        None => parsed.blocks.push(SourceStatement {
            lines: LineRange::new(last, last),
            inside,
            depth: 0,
        }),
    }
}
