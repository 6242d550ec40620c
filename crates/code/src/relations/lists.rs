//! What leads to a node and where it leads, as lists for readers.

use std::collections::BTreeSet;

use super::{NodeId, NodeKind, Relation, RelationKind, Relations};
use crate::LineNumber;

/// Rows that are made of one list; it says how many relations there are beside them.
const ROWS_MAX: usize = 1_000;

/// Relations of one sort that lead to a node or from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationList {
    /// What they are: `callers`.
    pub heading: &'static str,
    /// How many lead directly to the node or from it.
    pub direct: usize,
    /// They and, indented, those of the nodes that they lead to.
    pub rows: Vec<RelationRow>,
}

/// One relation of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelationRow {
    /// The node at its other end.
    pub node: NodeId,
    /// How many steps it is away, from 0.
    pub depth: u32,
    /// The line of the use, where the place of the node does not tell it already.
    pub line: Option<LineNumber>,
    /// How often; at least 1.
    pub count: u32,
    /// What leads there stands above already.
    pub is_above: bool,
}

/// One sort of list.
struct Sort {
    heading: &'static str,
    kinds: &'static [RelationKind],
    /// Whether its relations lead to the node.
    up: bool,
}

const fn up(heading: &'static str, kinds: &'static [RelationKind]) -> Sort {
    Sort { heading, kinds, up: true }
}

const fn down(heading: &'static str, kinds: &'static [RelationKind]) -> Sort {
    Sort { heading, kinds, up: false }
}

/// The lists, in order.
const SORTS: &[Sort] = &[
    up("callers", &[RelationKind::Calls]),
    up("tests", &[RelationKind::Tests]),
    up("used as a type by", USES_TYPE),
    up("named by", &[RelationKind::References]),
    up("imported by", &[RelationKind::Imports]),
    up("documented in", &[RelationKind::Documents]),
    down("calls", &[RelationKind::Calls]),
    down("uses types", USES_TYPE),
    down("names", &[RelationKind::References]),
    down("tests", &[RelationKind::Tests]),
    down("imports", &[RelationKind::Imports]),
    down("contains", CONTAINS),
];

const USES_TYPE: &[RelationKind] = &[RelationKind::UsesType, RelationKind::Returns];

const CONTAINS: &[RelationKind] = &[RelationKind::Contains];

impl Relations {
    /// What leads to `root` and where it leads, `depth` steps each way; lists that are empty
    /// are left out.
    pub fn lists(&self, root: NodeId, depth: u32) -> Vec<RelationList> {
        let list = |sort: &Sort| {
            let rows = self.list_rows(root, sort, depth);
            let direct = self.of_sort(root, sort).len();
            RelationList { heading: sort.heading, direct, rows }
        };
        SORTS.iter().map(list).filter(|list| !list.rows.is_empty()).collect()
    }

    fn list_rows(&self, root: NodeId, sort: &Sort, depth: u32) -> Vec<RelationRow> {
        let mut rows = Vec::new();
        let mut seen = BTreeSet::from([root]);
        // A stack of what is still to be shown, the next on top.
        let mut open: Vec<(u32, Relation)> = Vec::new();
        let push = |open: &mut Vec<(u32, Relation)>, of: NodeId, level: u32| {
            let next = self.of_sort(of, sort);
            open.extend(next.into_iter().rev().map(|relation| (level, relation)));
        };
        push(&mut open, root, 0);
        while let Some((level, relation)) = open.pop() {
            let node = if sort.up { relation.from } else { relation.to };
            let is_known = !seen.insert(node);
            rows.push(RelationRow {
                node,
                depth: level,
                line: self.line_told(&relation, sort),
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

    fn line_told(&self, relation: &Relation, sort: &Sort) -> Option<LineNumber> {
        let from = &self.node(relation.from).key;
        let is_told = from.line == relation.line && from.kind != NodeKind::File;
        let is_named_after = relation.kind == RelationKind::Tests && self.is_file(relation.to);
        (sort.up && sort.kinds != CONTAINS && !is_told && !is_named_after).then_some(relation.line)
    }

    fn is_file(&self, node: NodeId) -> bool {
        self.node(node).key.kind == NodeKind::File
    }

    fn of_sort(&self, of: NodeId, sort: &Sort) -> Vec<Relation> {
        let fits = |relation: &&Relation| sort.kinds.contains(&relation.kind);
        let mut found: Vec<Relation> = if sort.up {
            self.incoming(of).filter(fits).copied().collect()
        } else {
            self.outgoing(of).iter().filter(fits).copied().collect()
        };
        let other = |relation: &Relation| if sort.up { relation.from } else { relation.to };
        found.sort_by_key(other);
        // One that is both used and returned is one row.
        found.dedup_by_key(|relation| other(relation));
        found
    }
}
