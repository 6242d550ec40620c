//! The likeliest nodes for a symbol, and the message for unknown symbols.

use super::{NodeId, RelationNodeKind, Relations, SymbolMatch};
use foveal_syntax::{EntityKind, FileClass};

/// The number of similar names that the message for an unknown symbol suggests.
const SUGGESTED_MAX: usize = 5;

impl Relations {
    /// Returns the likeliest nodes for `symbol`: code before data and tests, own code before
    /// vendored and generated code, definitions before declarations, types before their impls.
    /// Empty if no node matches; one node if the symbol is unambiguous.
    pub fn best_matches(&self, symbol: &str) -> Vec<NodeId> {
        let SymbolMatch::Nodes(found) = self.find_symbol(symbol) else { return Vec::new() };
        let keep = |fits: &dyn Fn(&NodeId) -> bool, nodes: Vec<NodeId>| {
            let kept: Vec<NodeId> = nodes.iter().copied().filter(|node| fits(node)).collect();
            if kept.is_empty() { nodes } else { kept }
        };
        let is = |node: &NodeId, kinds: &[EntityKind]| {
            kinds.iter().any(|kind| self.node(*node).key.kind == RelationNodeKind::Entity(*kind))
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

    /// Returns the message that no node matches `symbol`, with similar names.
    pub fn unknown_symbol_message(&self, symbol: &str) -> String {
        let nearest = self.similar_symbols(symbol, SUGGESTED_MAX);
        if nearest.is_empty() {
            return format!("nothing is called `{symbol}`");
        }
        let names: Vec<String> = nearest.iter().map(|near| format!("`{}`", near.name)).collect();
        format!("nothing is called `{symbol}`; the nearest names are {}", names.join(", "))
    }
}
