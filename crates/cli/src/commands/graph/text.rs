//! The relations of a symbol as lists.

use std::fmt::Write;

use foveal_relevance::relations::{NodeId, RelationList, RelationRow, Relations};

use super::model_statements::{ModelRelation, ModelStatements};
use super::symbol::node_label;
use crate::colour::OutputStyle;
use crate::coloured_text::ColouredText;
use crate::environment::Environment;
use crate::text_table::wrap_text;

/// Limit of rows of one list; further rows are counted only.
const ROWS_MAX: usize = 100;

/// Returns the lists of relations around a symbol, without nodes that may not be shown.
pub(super) fn visible_lists(
    relations: &Relations,
    root: NodeId,
    depth: u32,
    is_told: &dyn Fn(NodeId) -> bool,
) -> Vec<RelationList> {
    let mut lists = relations.relation_lists(root, depth);
    for list in &mut lists {
        let hidden = list.rows.iter().filter(|row| row.depth == 0 && !is_told(row.node)).count();
        list.direct -= hidden.min(list.direct);
        list.rows.retain(|row| is_told(row.node));
    }
    lists.retain(|list| !list.rows.is_empty());
    lists
}

/// Renders the lists for people, with the statements of a model, marked as such, after the rest.
pub(super) fn render_text(
    relations: &Relations,
    root: NodeId,
    lists: &[RelationList],
    words: ModelStatements<'_>,
    related: &[ModelRelation<'_>],
    environment: &Environment,
) -> ColouredText {
    let painter = environment.painter();
    let node = relations.node(root);
    let mut out = painter.paint(OutputStyle::Name, &node_label(relations, root)).append("\n");
    let within = |line: &str| match environment.stdout_columns {
        Some(width) => wrap_text(line, width.saturating_sub(2), "    ").trim_end().to_owned(),
        None => line.to_owned(),
    };
    let signature: Vec<String> = node.signature.lines().map(str::trim_end).map(within).collect();
    if !signature.is_empty() {
        out.push(
            painter
                .highlight_fragment(&node.key.path, &signature.join("\n"))
                .with_indent("  ")
                .append("\n"),
        );
    }
    let says = |out: &mut ColouredText, words: &str| {
        for line in within(words).lines() {
            out.push_str("  ");
            out.push(painter.paint(OutputStyle::Secondary, line).append("\n"));
        }
    };
    if let Some(words) = words.summary(root) {
        says(&mut out, &format!("a model says: {words}"));
    }
    for list in lists {
        out.push_str("\n");
        out.push(painter.paint(OutputStyle::Name, list.heading));
        let _ = writeln!(out, " ({})", list.direct);
        for row in list.rows.iter().take(ROWS_MAX) {
            out.push(render_row(relations, row, environment).append("\n"));
        }
        if list.rows.len() > ROWS_MAX {
            let _ = writeln!(out, "  and {} more", list.rows.len() - ROWS_MAX);
        }
    }
    if !related.is_empty() {
        out.push_str("\n");
        out.push(painter.paint(OutputStyle::Name, "related, as a model says"));
        let _ = writeln!(out, " ({})", related.len());
    }
    for ModelRelation { from, to, why } in related {
        let (other, way) = if *from == root { (*to, "from here") } else { (*from, "to here") };
        says(&mut out, &format!("{}  {way}: {why}", node_label(relations, other)));
    }
    match relations.unresolved_calls(root) {
        0 if lists.is_empty() && related.is_empty() => out.push_str("\nno relations found\n"),
        0 => {}
        count => {
            let (calls, are) = if count == 1 { ("call", "is") } else { ("calls", "are") };
            let name = &relations.node(root).name;
            let _ = writeln!(
                out,
                "\n{count} {calls} of `{name}` {are} not resolved: find them with `foveal grep`"
            );
        }
    }
    out
}

fn render_row(relations: &Relations, row: &RelationRow, environment: &Environment) -> ColouredText {
    let painter = environment.painter();
    let again = if row.is_above { "  (above)" } else { "" };
    let times = if row.count > 1 { format!("  x{}", row.count) } else { String::new() };
    let at = row.line.map(|line| format!("  at {}", line.0)).unwrap_or_default();
    let indent = "  ".repeat(row.depth as usize + 1);
    let whole = node_label(relations, row.node);
    let place = whole.split("  ").next().unwrap_or_default();
    let aside = format!("{at}{times}{again}");
    let length = indent.len() + whole.chars().count() + aside.len();
    let is_narrow = environment.stdout_columns.is_some_and(|width| length > width);
    // On a narrow terminal the name stands below its location.
    let name = match is_narrow {
        true => format!("\n{indent}  {}", &whole[place.len()..]),
        false => whole[place.len()..].to_owned(),
    };
    let place = painter.paint(OutputStyle::Location, place);
    ColouredText::from(indent)
        .append(place)
        .append(name)
        .append(painter.paint(OutputStyle::Secondary, &aside))
}
