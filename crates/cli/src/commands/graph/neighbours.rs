//! The neighbourhood of a node: nodes and relations.

use std::collections::BTreeSet;

use foveal_relevance::relations::{NodeId, Relation, RelationKind, Relations};

/// Limit of relations around one node.
const RELATIONS_MAX: usize = 400;

/// The neighbourhood of a node.
pub(super) struct Neighbourhood {
    /// The nodes, including the one in the middle.
    pub(super) nodes: BTreeSet<NodeId>,
    /// The relations that connect them, sorted.
    pub(super) relations: Vec<Relation>,
    /// The number of omitted relations.
    pub(super) left_out: usize,
}

/// Returns the nodes that lead to `root` or that it leads to, up to `depth` steps each way. Nodes
/// that may not be shown are skipped.
pub(super) fn find_neighbourhood(
    relations: &Relations,
    root: NodeId,
    depth: u32,
    is_told: &dyn Fn(NodeId) -> bool,
) -> Neighbourhood {
    let mut found: Vec<Relation> = Vec::new();
    let mut seen = BTreeSet::new();
    for up in [true, false] {
        let mut level = BTreeSet::from([root]);
        let mut visited = level.clone();
        for _ in 0..depth {
            let mut next = BTreeSet::new();
            for node in &level {
                for relation in non_containment_relations(relations, *node, up) {
                    let other = if up { relation.from } else { relation.to };
                    if !is_told(other) {
                        continue;
                    }
                    if seen.insert((relation.from, relation.kind, relation.to)) {
                        found.push(*relation);
                    }
                    if visited.insert(other) {
                        next.insert(other);
                    }
                }
            }
            level = next;
        }
    }
    let left_out = found.len().saturating_sub(RELATIONS_MAX);
    // Near relations come first, so that far ones are omitted.
    found.truncate(RELATIONS_MAX);
    found.sort_by_key(|relation| (relation.from, relation.kind, relation.to));
    let mut nodes: BTreeSet<NodeId> =
        found.iter().flat_map(|relation| [relation.from, relation.to]).collect();
    nodes.insert(root);
    Neighbourhood { nodes, relations: found, left_out }
}

/// Returns the relations to (`up`) or from a node, other than containment.
fn non_containment_relations(relations: &Relations, node: NodeId, up: bool) -> Vec<&Relation> {
    let all: Vec<&Relation> = if up {
        relations.incoming(node).collect()
    } else {
        relations.outgoing(node).iter().collect()
    };
    all.into_iter().filter(|relation| relation.kind != RelationKind::Contains).collect()
}
