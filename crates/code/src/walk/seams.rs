//! Where the own parts of long statements begin: arguments, links of a chain, operands, what a
//! macro is given. Elements of lists and arms are statements by themselves.

use foveal_parser_runtime::Node;

use super::row::{last_row, row};
use crate::bounds::STATEMENT_LINES_MAX;
use crate::entity::Parsed;
use crate::lines::LineRange;
use foveal_transcript::LineNumber;

/// The first lines of the parts of `long`, ascending: nodes of more than [`STATEMENT_LINES_MAX`]
/// lines, each a statement or a definition. What has statements or definitions in it has no other
/// parts than these.
pub(super) fn seams(long: &[Node<'_>], text: &str, parsed: &Parsed) -> Vec<LineNumber> {
    let entities = parsed.entities.iter().map(|entity| entity.signature.first);
    let mut starts: Vec<LineNumber> = entities.collect();
    starts.extend(parsed.blocks.iter().map(|block| block.lines.first));
    starts.sort_unstable();
    let mut found = Vec::new();
    for node in long {
        let lines = LineRange::of_rows(row(*node), last_row(*node));
        let first_in = starts.partition_point(|start| *start <= lines.first);
        if starts.get(first_in).is_none_or(|start| *start > lines.last) {
            divide(*node, text, &mut found);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Finds the parts of a node, and those of each part that is too long as well.
fn divide(node: Node<'_>, text: &str, found: &mut Vec<LineNumber>) {
    let mut left = vec![node];
    while let Some(node) = left.pop() {
        let mut cursor = node.walk();
        let is_listed = node.children(&mut cursor).any(|child| separates(child));
        // Where parts are separated, one begins behind each separator alone.
        let mut may_begin = !is_listed;
        for child in node.children(&mut cursor) {
            if is_long(child) {
                left.push(child);
            }
            let begins = begins_line(child, text);
            if begins && may_begin && row(child) > row(node) && !closes(child, text) {
                found.push(LineRange::of_rows(row(child), row(child)).first);
            }
            // A comment behind a separator is of the part before, one on its own line of the next.
            may_begin = match () {
                () if !is_listed => true,
                () if child.is_extra() => may_begin && !begins,
                () => separates(child) || ends_block(child, text),
            };
        }
    }
}

fn is_long(node: Node<'_>) -> bool {
    last_row(node).saturating_sub(row(node)) >= STATEMENT_LINES_MAX
}

fn separates(node: Node<'_>) -> bool {
    !node.is_named() && matches!(node.kind(), "," | ";")
}

fn closes(node: Node<'_>, text: &str) -> bool {
    let first = text.as_bytes().get(node.start_byte());
    first.is_some_and(|byte| b")]}".contains(byte))
}

/// Whether a node of several lines ends with a brace of its own, as blocks do among the tokens of a
/// macro.
fn ends_block(node: Node<'_>, text: &str) -> bool {
    let node_text = text.as_bytes().get(node.byte_range()).unwrap_or_default();
    row(node) < last_row(node) && node_text.starts_with(b"{") && node_text.ends_with(b"}")
}

/// Whether nothing but white space stands before `node` on its line.
fn begins_line(node: Node<'_>, text: &str) -> bool {
    let before = text.as_bytes().get(..node.start_byte()).unwrap_or_default().iter().rev();
    before.take_while(|byte| **byte != b'\n').all(u8::is_ascii_whitespace)
}
