//! The rows of nodes.

use foveal_parser_runtime::Node;

/// The 0-based row a node begins on.
pub(super) fn row(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row).unwrap_or(u32::MAX)
}

/// The 0-based row of a node's last byte, a line break at its end aside.
pub(super) fn last_row(node: Node<'_>) -> u32 {
    let (start, end) = (node.start_position(), node.end_position());
    let row = if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row };
    u32::try_from(row).unwrap_or(u32::MAX)
}
