//! The resolution of symbols to nodes, and labels of nodes.

use anyhow::bail;
use foveal_relevance::relations::{NodeId, RelationNodeKind, Relations};

/// Limit of symbols that are listed for an ambiguous name.
const CANDIDATES_MAX: usize = 30;

/// Returns the node that `symbol` names, if it is the only one. Nodes that may not be shown are
/// treated as missing.
pub(super) fn resolve_symbol(
    relations: &Relations,
    symbol: &str,
    is_told: &dyn Fn(NodeId) -> bool,
) -> anyhow::Result<NodeId> {
    let mut meant = relations.best_matches(symbol);
    meant.retain(|node| is_told(*node));
    match meant[..] {
        [] => bail!(relations.unknown_symbol_message(symbol)),
        [only] => return Ok(only),
        _ => {}
    }
    let mut message = format!("`{symbol}` matches {} things; name one by its line:", meant.len());
    for node in meant.iter().take(CANDIDATES_MAX) {
        message.push_str(&format!("\n  {}", node_label(relations, *node)));
    }
    if meant.len() > CANDIDATES_MAX {
        message.push_str(&format!("\n  and {} more", meant.len() - CANDIDATES_MAX));
    }
    bail!(message)
}

/// Returns the label of a node: `src/parse.rs:12  function parse`.
pub(super) fn node_label(relations: &Relations, of: NodeId) -> String {
    let key = &relations.node(of).key;
    match key.kind {
        RelationNodeKind::File => format!("{}  file", key.path),
        RelationNodeKind::Entity(_) => {
            format!("{}:{}  {} {}", key.path, key.line.0, relations.kind_name(of), key.name)
        }
    }
}
