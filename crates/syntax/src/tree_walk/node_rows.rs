//! The first and last rows of nodes.

use foveal_parser_runtime::Node;

/// Returns the row on which a node begins, counted from 0.
pub(super) fn first_row(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row).unwrap_or(u32::MAX)
}

/// Returns the row of a node's last byte other than a final line break, counted from 0.
pub(super) fn last_row(node: Node<'_>) -> u32 {
    let (start, end) = (node.start_position(), node.end_position());
    let row = if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row };
    u32::try_from(row).unwrap_or(u32::MAX)
}
