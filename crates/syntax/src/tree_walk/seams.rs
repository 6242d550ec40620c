//! Seams, where long statements may be cut: before arguments, links of a call chain, operands, and
//! parts of a macro's input. List elements and match arms are statements of their own.

use foveal_parser_runtime::Node;

use super::node_rows::{first_row, last_row};
use crate::entity::ParsedFile;
use crate::line_range::LineRange;
use crate::parse_limits::STATEMENT_LINES_MAX;
use foveal_transcript::LineNumber;

/// Returns the first lines of the parts of `long`, ascending. `long` are statements and definitions
/// of more than [`STATEMENT_LINES_MAX`] lines; those with inner statements or definitions are
/// divided by these alone.
pub(super) fn find_seams(long: &[Node<'_>], text: &str, parsed: &ParsedFile) -> Vec<LineNumber> {
    let entities = parsed.entities.iter().map(|entity| entity.signature.first);
    let mut starts: Vec<LineNumber> = entities.collect();
    starts.extend(parsed.blocks.iter().map(|block| block.lines.first));
    starts.sort_unstable();
    let mut found = Vec::new();
    for node in long {
        let lines = LineRange::from_rows(first_row(*node), last_row(*node));
        let first_in = starts.partition_point(|start| *start <= lines.first);
        if starts.get(first_in).is_none_or(|start| *start > lines.last) {
            collect_seams(*node, text, &mut found);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Collects the seams of a node, and those of each part that is itself too long.
fn collect_seams(node: Node<'_>, text: &str, found: &mut Vec<LineNumber>) {
    let mut left = vec![node];
    while let Some(node) = left.pop() {
        let mut cursor = node.walk();
        let is_listed = node.children(&mut cursor).any(|child| is_separator(child));
        // In a list, a part begins only after a separator.
        let mut may_begin = !is_listed;
        for child in node.children(&mut cursor) {
            if is_long(child) {
                left.push(child);
            }
            let begins = has_blank_prefix(child, text);
            if begins
                && may_begin
                && first_row(child) > first_row(node)
                && !starts_with_closing_bracket(child, text)
            {
                found.push(LineRange::from_rows(first_row(child), first_row(child)).first);
            }
            // A comment on the line of a separator belongs to the part before it, one on its own
            // line to the next.
            may_begin = match () {
                () if !is_listed => true,
                () if child.is_extra() => may_begin && !begins,
                () => is_separator(child) || is_brace_block(child, text),
            };
        }
    }
}

fn is_long(node: Node<'_>) -> bool {
    last_row(node).saturating_sub(first_row(node)) >= STATEMENT_LINES_MAX
}

fn is_separator(node: Node<'_>) -> bool {
    !node.is_named() && matches!(node.kind(), "," | ";")
}

fn starts_with_closing_bracket(node: Node<'_>, text: &str) -> bool {
    let first = text.as_bytes().get(node.start_byte());
    first.is_some_and(|byte| b")]}".contains(byte))
}

/// Returns whether a node of several lines is enclosed in braces, as blocks in the input of a macro
/// are.
fn is_brace_block(node: Node<'_>, text: &str) -> bool {
    let node_text = text.as_bytes().get(node.byte_range()).unwrap_or_default();
    first_row(node) < last_row(node) && node_text.starts_with(b"{") && node_text.ends_with(b"}")
}

/// Returns whether only white space precedes `node` on its line.
fn has_blank_prefix(node: Node<'_>, text: &str) -> bool {
    let before = text.as_bytes().get(..node.start_byte()).unwrap_or_default().iter().rev();
    before.take_while(|byte| **byte != b'\n').all(u8::is_ascii_whitespace)
}
