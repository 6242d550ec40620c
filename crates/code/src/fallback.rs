//! Paragraphs of a text whose syntax is not read: told by blank lines and indentation.

use foveal_transcript::LineNumber;

use crate::bounds::{BLOCKS_MAX, ENTITIES_MAX};
use crate::entity::{Block, Entity, EntityIndex, EntityKind, Parsed, Visibility};
use crate::lines::LineRange;

/// Characters of a paragraph's first line that name it.
const NAME_CHARS_MAX: usize = 60;

/// Fills `parsed` with sections and the paragraphs in them. A section begins at a line that
/// is not indented and follows a blank one; blank lines before indented ones only end a
/// paragraph in it.
pub(crate) fn paragraphs(text: &str, parsed: &mut Parsed) {
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
            parsed.entities.push(section(line, LineRange::of_rows(row, row)));
        }
        extend(parsed, blank, row);
        blank = false;
    }
}

fn section(line: &str, lines: LineRange) -> Entity {
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

/// Adds a row that is not blank to the last section, and to its last paragraph unless it
/// begins one.
fn extend(parsed: &mut Parsed, begins: bool, row: u32) {
    let Some(entity) = parsed.entities.last_mut() else { return };
    let last = LineNumber(row + 1);
    entity.lines.last = last;
    if entity.signature.first < last {
        entity.body = Some(LineRange::new(LineNumber(entity.signature.first.0 + 1), last));
    }
    let inside = u32::try_from(parsed.entities.len() - 1).ok().map(EntityIndex);
    let is_full = parsed.blocks.len() >= BLOCKS_MAX;
    match parsed.blocks.last_mut().filter(|block| !begins && block.inside == inside) {
        Some(block) => block.lines.last = last,
        None if is_full => parsed.cut = true,
        None => parsed.blocks.push(Block { lines: LineRange::new(last, last), inside, depth: 0 }),
    }
}
