//! The relations of a symbol as lists.

use std::fmt::Write;

use foveal_code::relations::{NodeId, RelationList, RelationRow, Relations};

use super::said::{ModelRelation, ModelWords};
use super::symbol::place_and_name;
use crate::colour::Style;
use crate::environment::Environment;
use crate::shown::Shown;
use crate::table::wrapped;

/// Rows of one list; the rest is counted.
const ROWS_MAX: usize = 100;

/// The lists around a symbol, as far as they may be told.
pub(super) fn lists(
    relations: &Relations,
    root: NodeId,
    depth: u32,
    is_told: &dyn Fn(NodeId) -> bool,
) -> Vec<RelationList> {
    let mut lists = relations.lists(root, depth);
    for list in &mut lists {
        let hidden = list.rows.iter().filter(|row| row.depth == 0 && !is_told(row.node)).count();
        list.direct -= hidden.min(list.direct);
        list.rows.retain(|row| is_told(row.node));
    }
    lists.retain(|list| !list.rows.is_empty());
    lists
}

/// What is printed for people; what a model says last of each part, and as its words.
pub(super) fn text(
    relations: &Relations,
    (root, lists): (NodeId, &[RelationList]),
    (words, related): (ModelWords<'_>, &[ModelRelation<'_>]),
    environment: &Environment,
) -> Shown {
    let painter = environment.painter();
    let node = relations.node(root);
    let mut out = painter.paint(Style::Name, &place_and_name(relations, root)).and("\n");
    let within = |line: &str| match environment.width {
        Some(width) => wrapped(line, width.saturating_sub(2), "    ").trim_end().to_owned(),
        None => line.to_owned(),
    };
    let signature: Vec<String> = node.signature.lines().map(str::trim_end).map(within).collect();
    if !signature.is_empty() {
        out.push(painter.piece(&node.key.path, &signature.join("\n")).indented("  ").and("\n"));
    }
    let says = |out: &mut Shown, words: &str| {
        for line in within(words).lines() {
            out.push_str("  ");
            out.push(painter.paint(Style::Aside, line).and("\n"));
        }
    };
    if let Some(words) = words.summary(root) {
        says(&mut out, &format!("a model says: {words}"));
    }
    for list in lists {
        out.push_str("\n");
        out.push(painter.paint(Style::Name, list.heading));
        let _ = writeln!(out, " ({})", list.direct);
        for row in list.rows.iter().take(ROWS_MAX) {
            out.push(line(relations, row, environment).and("\n"));
        }
        if list.rows.len() > ROWS_MAX {
            let _ = writeln!(out, "  and {} more", list.rows.len() - ROWS_MAX);
        }
    }
    if !related.is_empty() {
        out.push_str("\n");
        out.push(painter.paint(Style::Name, "related, as a model says"));
        let _ = writeln!(out, " ({})", related.len());
    }
    for ModelRelation { from, to, why } in related {
        let (other, way) = if *from == root { (*to, "from here") } else { (*from, "to here") };
        says(&mut out, &format!("{}  {way}: {why}", place_and_name(relations, other)));
    }
    if lists.is_empty() && related.is_empty() {
        out.push_str("\nno relations found\n");
    }
    out
}

fn line(relations: &Relations, row: &RelationRow, environment: &Environment) -> Shown {
    let painter = environment.painter();
    let again = if row.is_above { "  (above)" } else { "" };
    let times = if row.count > 1 { format!("  x{}", row.count) } else { String::new() };
    let at = row.line.map(|line| format!("  at {}", line.0)).unwrap_or_default();
    let indent = "  ".repeat(row.depth as usize + 1);
    let whole = place_and_name(relations, row.node);
    let place = whole.split("  ").next().unwrap_or_default();
    let aside = format!("{at}{times}{again}");
    let length = indent.len() + whole.chars().count() + aside.len();
    let is_narrow = environment.width.is_some_and(|width| length > width);
    // The name stands below its place where there is no room beside it.
    let name = match is_narrow {
        true => format!("\n{indent}  {}", &whole[place.len()..]),
        false => whole[place.len()..].to_owned(),
    };
    let place = painter.paint(Style::Place, place);
    Shown::from(indent).and(place).and(name).and(painter.paint(Style::Aside, &aside))
}
