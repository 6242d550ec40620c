//! The incoming and outgoing relations of a node, as lists for display.

use std::collections::BTreeSet;

use foveal_transcript::LineNumber;

use super::{NodeId, Relation, RelationKind, RelationNodeKind, Relations};

/// The largest number of rows of one list; [`RelationList::direct`] still counts all relations.
const ROWS_MAX: usize = 1_000;

/// The relations of one category that lead to a node or from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationList {
    /// The heading, such as `callers`.
    pub heading: &'static str,
    /// The number of relations that lead directly to the node or from it.
    pub direct: usize,
    /// The direct relations, and indented below each those of the node at its other end.
    pub rows: Vec<RelationRow>,
}

/// One row of a [`RelationList`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelationRow {
    /// The node at the other end of the relation.
    pub node: NodeId,
    /// The distance from the root in steps, from 0.
    pub depth: u32,
    /// The line of the use, for incoming relations whose use is not on the first line of the node.
    pub line: Option<LineNumber>,
    /// The number of uses; at least 1.
    pub count: u32,
    /// Whether the relations of this node are already listed in a row above.
    pub is_above: bool,
}

/// The definition of one list.
struct RelationListSpec {
    heading: &'static str,
    kinds: &'static [RelationKind],
    /// Whether the list has incoming relations.
    is_incoming: bool,
}

const fn incoming_list(heading: &'static str, kinds: &'static [RelationKind]) -> RelationListSpec {
    RelationListSpec { heading, kinds, is_incoming: true }
}

const fn outgoing_list(heading: &'static str, kinds: &'static [RelationKind]) -> RelationListSpec {
    RelationListSpec { heading, kinds, is_incoming: false }
}

/// The lists in display order.
const LIST_SPECS: &[RelationListSpec] = &[
    incoming_list("callers", &[RelationKind::Calls]),
    incoming_list("tests", &[RelationKind::Tests]),
    incoming_list("used as a type by", USES_TYPE),
    incoming_list("named by", &[RelationKind::References]),
    incoming_list("imported by", &[RelationKind::Imports]),
    incoming_list("documented in", &[RelationKind::Documents]),
    outgoing_list("calls", &[RelationKind::Calls]),
    outgoing_list("uses types", USES_TYPE),
    outgoing_list("names", &[RelationKind::References]),
    outgoing_list("tests", &[RelationKind::Tests]),
    outgoing_list("imports", &[RelationKind::Imports]),
    outgoing_list("contains", CONTAINS),
];

const USES_TYPE: &[RelationKind] = &[RelationKind::UsesType, RelationKind::Returns];

const CONTAINS: &[RelationKind] = &[RelationKind::Contains];

impl Relations {
    /// Returns the relations to and from `root` as lists, followed for `depth` steps in each
    /// direction. Empty lists are left out.
    pub fn relation_lists(&self, root: NodeId, depth: u32) -> Vec<RelationList> {
        let list = |sort: &RelationListSpec| {
            let rows = self.list_rows(root, sort, depth);
            let direct = self.relations_in_list(root, sort).len();
            RelationList { heading: sort.heading, direct, rows }
        };
        LIST_SPECS.iter().map(list).filter(|list| !list.rows.is_empty()).collect()
    }

    fn list_rows(&self, root: NodeId, sort: &RelationListSpec, depth: u32) -> Vec<RelationRow> {
        let mut rows = Vec::new();
        let mut seen = BTreeSet::from([root]);
        // A stack of the rows still to be made, the next one on top.
        let mut open: Vec<(u32, Relation)> = Vec::new();
        let push = |open: &mut Vec<(u32, Relation)>, of: NodeId, level: u32| {
            let next = self.relations_in_list(of, sort);
            open.extend(next.into_iter().rev().map(|relation| (level, relation)));
        };
        push(&mut open, root, 0);
        while let Some((level, relation)) = open.pop() {
            let node = if sort.is_incoming { relation.from } else { relation.to };
            let is_known = !seen.insert(node);
            rows.push(RelationRow {
                node,
                depth: level,
                line: self.use_line(&relation, sort),
                count: relation.count,
                is_above: is_known && level > 0,
            });
            if level + 1 < depth && !is_known && sort.kinds != CONTAINS {
                push(&mut open, node, level + 1);
            }
            if rows.len() >= ROWS_MAX {
                break;
            }
        }
        rows
    }

    fn use_line(&self, relation: &Relation, sort: &RelationListSpec) -> Option<LineNumber> {
        let from = &self.node(relation.from).key;
        let is_told = from.line == relation.line && from.kind != RelationNodeKind::File;
        let is_named_after = relation.kind == RelationKind::Tests && self.is_file(relation.to);
        (sort.is_incoming && sort.kinds != CONTAINS && !is_told && !is_named_after)
            .then_some(relation.line)
    }

    fn is_file(&self, node: NodeId) -> bool {
        self.node(node).key.kind == RelationNodeKind::File
    }

    fn relations_in_list(&self, of: NodeId, sort: &RelationListSpec) -> Vec<Relation> {
        let fits = |relation: &&Relation| sort.kinds.contains(&relation.kind);
        let mut found: Vec<Relation> = if sort.is_incoming {
            self.incoming(of).filter(fits).copied().collect()
        } else {
            self.outgoing(of).iter().filter(fits).copied().collect()
        };
        let other =
            |relation: &Relation| if sort.is_incoming { relation.from } else { relation.to };
        found.sort_by_key(other);
        // A type that is both used and returned is one row.
        found.dedup_by_key(|relation| other(relation));
        found
    }
}
