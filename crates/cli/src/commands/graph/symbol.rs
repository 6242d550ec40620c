//! Which symbol is meant, and what it is called.

use anyhow::bail;
use foveal_code::relations::{NodeId, NodeKind, Relations};

/// Symbols that are listed where one name means several.
const LISTED_MAX: usize = 30;

/// What `symbol` means, if it is one thing.
/// What may not be told is as if it were not there.
pub(super) fn one(
    relations: &Relations,
    symbol: &str,
    is_told: &dyn Fn(NodeId) -> bool,
) -> anyhow::Result<NodeId> {
    let mut meant = relations.meant(symbol);
    meant.retain(|node| is_told(*node));
    match meant[..] {
        [] => bail!(relations.unknown(symbol)),
        [only] => return Ok(only),
        _ => {}
    }
    let mut message = format!("`{symbol}` is {} things; name one by its line:", meant.len());
    for node in meant.iter().take(LISTED_MAX) {
        message.push_str(&format!("\n  {}", place_and_name(relations, *node)));
    }
    if meant.len() > LISTED_MAX {
        message.push_str(&format!("\n  and {} more", meant.len() - LISTED_MAX));
    }
    bail!(message)
}

/// `src/parse.rs:12  function parse`.
pub(super) fn place_and_name(relations: &Relations, of: NodeId) -> String {
    let key = &relations.node(of).key;
    match key.kind {
        NodeKind::File => format!("{}  file", key.path),
        NodeKind::Entity(_) => {
            format!("{}:{}  {} {}", key.path, key.line.0, relations.kind_name(of), key.name)
        }
    }
}
