//! Which node is most likely meant by what people call it.

use super::{NodeId, NodeKind, Relations, SymbolMatch};
use crate::{EntityKind, FileClass};

/// Names that are suggested for one that nothing has.
const SUGGESTED_MAX: usize = 5;

impl Relations {
    /// The nodes that `symbol` most likely means: code before data and tests, own code before
    /// that of others, what has a body before its declarations, a type before its impls. None
    /// if nothing is called so, and one if it is plain which is meant.
    pub fn meant(&self, symbol: &str) -> Vec<NodeId> {
        let SymbolMatch::Nodes(found) = self.find(symbol) else { return Vec::new() };
        let keep = |fits: &dyn Fn(&NodeId) -> bool, nodes: Vec<NodeId>| {
            let kept: Vec<NodeId> = nodes.iter().copied().filter(|node| fits(node)).collect();
            if kept.is_empty() { nodes } else { kept }
        };
        let is = |node: &NodeId, kinds: &[EntityKind]| {
            kinds.iter().any(|kind| self.node(*node).key.kind == NodeKind::Entity(*kind))
        };
        let aside = [EntityKind::Section, EntityKind::Key, EntityKind::Field];
        let nodes = keep(&|node| !is(node, &aside), found);
        let nodes = keep(&|node| !self.node(*node).in_tests, nodes);
        let nodes = keep(&|node| self.node(*node).class == FileClass::Source, nodes);
        let nodes = keep(&|node| !is(node, &[EntityKind::Impl]), nodes);
        let functions = [EntityKind::Function, EntityKind::Method];
        if nodes.iter().all(|node| is(node, &functions)) {
            let has_body = |node: &NodeId| {
                let node = self.node(*node);
                node.lines.last > node.signature_lines.last
            };
            return keep(&has_body, nodes);
        }
        nodes
    }

    /// Says that nothing is called `symbol`, and what is called nearly so.
    pub fn unknown(&self, symbol: &str) -> String {
        let nearest = self.nearest(symbol, SUGGESTED_MAX);
        if nearest.is_empty() {
            return format!("nothing is called `{symbol}`");
        }
        let names: Vec<String> = nearest.iter().map(|near| format!("`{}`", near.name)).collect();
        format!("nothing is called `{symbol}`; the nearest names are {}", names.join(", "))
    }
}
