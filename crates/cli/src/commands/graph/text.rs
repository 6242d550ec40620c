//! The relations of a symbol as lists.

use std::collections::BTreeSet;
use std::fmt::Write;

use foveal_code::relations::{NodeId, NodeKind, Relation, RelationKind, Relations};

use super::symbol::place_and_name;
use crate::colour::{Painter, Style};

/// Rows of one list; the rest is counted.
const ROWS_MAX: usize = 100;

/// A list: its heading, the relations in it, and whether they lead to the symbol.
struct List {
    heading: &'static str,
    possible: &'static str,
    kinds: &'static [RelationKind],
    up: bool,
}

/// A list of relations that lead to the symbol.
const fn up(heading: &'static str, possible: &'static str, kinds: &'static [RelationKind]) -> List {
    List { heading, possible, kinds, up: true }
}

/// A list of relations that lead from the symbol.
const fn down(
    heading: &'static str,
    possible: &'static str,
    kinds: &'static [RelationKind],
) -> List {
    List { heading, possible, kinds, up: false }
}

/// The lists, in order.
const LISTS: &[List] = &[
    up("callers", "possible callers", &[RelationKind::Calls]),
    up("tests", "possible tests", &[RelationKind::Tests]),
    up("used as a type by", "possibly used as a type by", USES_TYPE),
    up("named by", "possibly named by", &[RelationKind::References]),
    up("imported by", "possibly imported by", &[RelationKind::Imports]),
    up("documented in", "possibly documented in", &[RelationKind::Documents]),
    down("calls", "possible calls", &[RelationKind::Calls]),
    down("uses types", "possibly uses types", USES_TYPE),
    down("names", "possibly names", &[RelationKind::References]),
    down("tests", "possibly tests", &[RelationKind::Tests]),
    down("imports", "possibly imports", &[RelationKind::Imports]),
    down("contains", "contains", &[RelationKind::Contains]),
];

const USES_TYPE: &[RelationKind] = &[RelationKind::UsesType, RelationKind::Returns];

/// What is printed for people.
pub(super) fn text(relations: &Relations, root: NodeId, depth: u32, painter: Painter) -> String {
    let node = relations.node(root);
    let mut out = format!("{}\n", painter.paint(Style::Name, &place_and_name(relations, root)));
    let signature: Vec<&str> = node.signature.lines().map(str::trim_end).collect();
    for line in painter.piece(&node.key.path, &signature.join("\n")).lines() {
        let _ = writeln!(out, "  {line}");
    }
    let mut any = false;
    for list in LISTS {
        for is_found in [true, false] {
            let rows = rows(relations, root, list, is_found, depth, painter);
            let first = rows.iter().filter(|row| row.depth == 0).count();
            if rows.is_empty() {
                continue;
            }
            any = true;
            let heading = if is_found { list.heading } else { list.possible };
            let heading = painter.paint(Style::Name, heading);
            let _ = writeln!(out, "\n{heading} ({first})");
            for row in rows.iter().take(ROWS_MAX) {
                let _ = writeln!(out, "{}", row.text);
            }
            if rows.len() > ROWS_MAX {
                let _ = writeln!(out, "  and {} more", rows.len() - ROWS_MAX);
            }
        }
    }
    if !any {
        out.push_str("\nno relations found\n");
    }
    out
}

struct Row {
    depth: u32,
    text: String,
}

fn rows(
    relations: &Relations,
    root: NodeId,
    list: &List,
    is_found: bool,
    depth: u32,
    painter: Painter,
) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut seen = BTreeSet::from([root]);
    // A stack of what is still to be printed, the next on top.
    let mut open: Vec<(u32, Relation)> = Vec::new();
    let push = |open: &mut Vec<(u32, Relation)>, of: NodeId, level: u32| {
        let mut next = relations_of(relations, of, list, is_found);
        next.reverse();
        open.extend(next.into_iter().map(|relation| (level, relation)));
    };
    push(&mut open, root, 0);
    while let Some((level, relation)) = open.pop() {
        let other = if list.up { relation.from } else { relation.to };
        let known = !seen.insert(other);
        let again = if known && level > 0 { "  (above)" } else { "" };
        let times =
            if relation.count > 1 { format!("  x{}", relation.count) } else { String::new() };
        let indent = "  ".repeat(level as usize + 1);
        let whole = place_and_name(relations, other);
        let place = whole.split("  ").next().unwrap_or_default();
        let name = &whole[place.len()..];
        let place = painter.paint(Style::Place, place);
        let at = at_line(relations, &relation, list.up);
        let aside = painter.paint(Style::Aside, &format!("{at}{times}{again}"));
        rows.push(Row { depth: level, text: format!("{indent}{place}{name}{aside}") });
        if level + 1 < depth && !known && list.kinds != [RelationKind::Contains] {
            push(&mut open, other, level + 1);
        }
        if rows.len() > ROWS_MAX * 10 {
            break;
        }
    }
    rows
}

/// The line of the use, where it is not told by the place already.
fn at_line(relations: &Relations, relation: &Relation, up: bool) -> String {
    let own = relations.node(relation.from).key.line == relation.line;
    let is_file = relations.node(relation.from).key.kind == NodeKind::File;
    if relation.kind == RelationKind::Contains || !up || (own && !is_file) {
        return String::new();
    }
    format!("  at {}", relation.line.0)
}

fn relations_of(relations: &Relations, of: NodeId, list: &List, is_found: bool) -> Vec<Relation> {
    let fits = |relation: &&Relation| {
        list.kinds.contains(&relation.kind) && relation.is_found() == is_found
    };
    let mut found: Vec<Relation> = if list.up {
        relations.incoming(of).filter(fits).copied().collect()
    } else {
        relations.outgoing(of).iter().filter(fits).copied().collect()
    };
    let other = |relation: &Relation| if list.up { relation.from } else { relation.to };
    found.sort_by_key(other);
    // One that is both used and returned is one row.
    found.dedup_by_key(|relation| other(relation));
    found
}
