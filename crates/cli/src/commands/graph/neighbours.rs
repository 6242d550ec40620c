//! The nodes and relations around one.

use std::collections::BTreeSet;

use foveal_code::relations::{NodeId, Relation, RelationKind, Relations};

/// Relations shown around one node.
const RELATIONS_MAX: usize = 400;

/// What is around a node.
pub(super) struct Around {
    /// The nodes, the one in the middle among them.
    pub(super) nodes: BTreeSet<NodeId>,
    /// The relations between them that lead there, in order.
    pub(super) relations: Vec<Relation>,
    /// Relations that were left out.
    pub(super) left_out: usize,
}

/// What leads to `root` and what it leads to, up to `depth` steps each way.
pub(super) fn around(
    relations: &Relations,
    root: NodeId,
    depth: u32,
    is_told: &dyn Fn(NodeId) -> bool,
) -> Around {
    let mut found: Vec<Relation> = Vec::new();
    let mut seen = BTreeSet::new();
    for up in [true, false] {
        let mut level = BTreeSet::from([root]);
        let mut visited = level.clone();
        for _ in 0..depth {
            let mut next = BTreeSet::new();
            for node in &level {
                for relation in leading(relations, *node, up) {
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
    // Those that are near come first.
    found.truncate(RELATIONS_MAX);
    found.sort_by_key(|relation| (relation.from, relation.kind, relation.to));
    let mut nodes: BTreeSet<NodeId> =
        found.iter().flat_map(|relation| [relation.from, relation.to]).collect();
    nodes.insert(root);
    Around { nodes, relations: found, left_out }
}

/// The relations to or from a node, other than of parts and wholes.
fn leading(relations: &Relations, node: NodeId, up: bool) -> Vec<&Relation> {
    let all: Vec<&Relation> = if up {
        relations.incoming(node).collect()
    } else {
        relations.outgoing(node).iter().collect()
    };
    all.into_iter().filter(|relation| relation.kind != RelationKind::Contains).collect()
}
