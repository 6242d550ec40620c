//! Which symbol is meant, and what it is called.

use anyhow::bail;
use foveal_code::relations::{NodeId, NodeKind, Relations, SymbolMatch};
use foveal_code::{EntityKind, FileClass};

/// Symbols that are listed where one name means several.
const LISTED_MAX: usize = 30;

/// Names that are suggested for one that nothing has.
const SUGGESTED_MAX: usize = 5;

/// What `symbol` means, if it is one thing.
pub(super) fn one(relations: &Relations, symbol: &str) -> anyhow::Result<NodeId> {
    let SymbolMatch::Nodes(found) = relations.find(symbol) else {
        bail!(unknown(relations, symbol));
    };
    let meant = best(relations, &found);
    if let [only] = meant[..] {
        return Ok(only);
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

/// Those that are most likely meant: code before data and tests, own code before that of
/// others, what has a body before its declarations, a type before its impls.
fn best(relations: &Relations, found: &[NodeId]) -> Vec<NodeId> {
    let keep = |fits: &dyn Fn(&NodeId) -> bool, nodes: Vec<NodeId>| {
        let kept: Vec<NodeId> = nodes.iter().copied().filter(|node| fits(node)).collect();
        if kept.is_empty() { nodes } else { kept }
    };
    let is = |node: &NodeId, kinds: &[EntityKind]| {
        kinds.iter().any(|kind| relations.node(*node).key.kind == NodeKind::Entity(*kind))
    };
    let aside = [EntityKind::Section, EntityKind::Key, EntityKind::Field];
    let nodes = keep(&|node| !is(node, &aside), found.to_vec());
    let nodes = keep(&|node| !relations.node(*node).in_tests, nodes);
    let nodes = keep(&|node| relations.node(*node).class == FileClass::Source, nodes);
    let nodes = keep(&|node| !is(node, &[EntityKind::Impl]), nodes);
    let functions = [EntityKind::Function, EntityKind::Method];
    if nodes.iter().all(|node| is(node, &functions)) {
        return keep(
            &|node| {
                let node = relations.node(*node);
                node.lines.last > node.signature_lines.last
            },
            nodes,
        );
    }
    nodes
}

/// That nothing is called `symbol`, and what is called nearly so.
pub(crate) fn unknown(relations: &Relations, symbol: &str) -> String {
    let nearest = relations.nearest(symbol, SUGGESTED_MAX);
    if nearest.is_empty() {
        return format!("nothing is called `{symbol}`");
    }
    let names: Vec<String> = nearest.iter().map(|near| format!("`{}`", near.name)).collect();
    format!("nothing is called `{symbol}`; the nearest names are {}", names.join(", "))
}

/// `src/parse.rs:12  function parse`.
pub(super) fn place_and_name(relations: &Relations, of: NodeId) -> String {
    let key = &relations.node(of).key;
    match key.kind {
        NodeKind::File => format!("{}  file", key.path),
        NodeKind::Entity(kind) => {
            format!("{}:{}  {} {}", key.path, key.line.0, kind.name(), key.name)
        }
    }
}
