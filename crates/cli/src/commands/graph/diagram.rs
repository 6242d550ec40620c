//! Diagrams of the relations around a symbol.

use std::collections::BTreeMap;
use std::fmt::Write;

use foveal_relevance::relations::{NodeId, RelationNodeKind, Relations};

use super::model_statements::ModelRelation;
use super::neighbours::Neighbourhood;
use crate::numbers::format_plural;

/// Returns a Mermaid flowchart. Relations that a model stated are dotted, and so is the number of
/// unresolved calls of the name of `root`.
pub(super) fn mermaid_flowchart(
    relations: &Relations,
    root: NodeId,
    around: &Neighbourhood,
    related: &[ModelRelation<'_>],
) -> String {
    let ids = node_ids(around);
    let mut out = String::from("flowchart LR\n");
    for (node, id) in &ids {
        let (name, place) = node_name_and_location(relations, *node);
        let _ =
            writeln!(out, "  {id}[\"{}<br/>{}\"]", escape_mermaid(&name), escape_mermaid(&place));
    }
    for relation in &around.relations {
        let (from, to) = (&ids[&relation.from], &ids[&relation.to]);
        let _ = writeln!(out, "  {from} -->|{}| {to}", relation.kind.name());
    }
    for ModelRelation { from, to, why } in related {
        let (from, to, why) = (&ids[from], &ids[to], escape_mermaid(why));
        let _ = writeln!(out, "  {from} -. \"a model says: {why}\" .-> {to}");
    }
    if let Some(calls) = unresolved_calls_label(relations, root) {
        let (root, calls) = (&ids[&root], escape_mermaid(&calls));
        let _ = writeln!(out, "  unresolved[\"{calls}\"] -.-> {root}");
    }
    if around.left_out > 0 {
        let more = format_plural(around.left_out as u64, "more relation");
        let _ = writeln!(out, "  %% {more}");
    }
    out
}

/// Returns a Graphviz digraph. Relations that a model stated are dotted, and so is the number of
/// unresolved calls of the name of `root`.
pub(super) fn graphviz_digraph(
    relations: &Relations,
    root: NodeId,
    around: &Neighbourhood,
    related: &[ModelRelation<'_>],
) -> String {
    let ids = node_ids(around);
    let mut out = String::from("digraph foveal {\n  rankdir=LR;\n  node [shape=box];\n");
    for (node, id) in &ids {
        let (name, place) = node_name_and_location(relations, *node);
        let _ = writeln!(
            out,
            "  {id} [label=\"{}\\n{}\"];",
            escape_graphviz(&name),
            escape_graphviz(&place)
        );
    }
    for relation in &around.relations {
        let (from, to) = (&ids[&relation.from], &ids[&relation.to]);
        let _ = writeln!(out, "  {from} -> {to} [label=\"{}\"];", relation.kind.name());
    }
    for ModelRelation { from, to, why } in related {
        let (from, to, why) = (&ids[from], &ids[to], escape_graphviz(why));
        let _ = writeln!(out, "  {from} -> {to} [label=\"a model says: {why}\", style=dotted];");
    }
    if let Some(calls) = unresolved_calls_label(relations, root) {
        let (root, calls) = (&ids[&root], escape_graphviz(&calls));
        let _ = writeln!(out, "  unresolved [label=\"{calls}\", style=dotted];");
        let _ = writeln!(out, "  unresolved -> {root} [style=dotted];");
    }
    if around.left_out > 0 {
        let more = format_plural(around.left_out as u64, "more relation");
        let _ = writeln!(out, "  // {more}");
    }
    out.push_str("}\n");
    out
}

/// Returns the number of calls that may be calls of `root`; `None` if there are none.
fn unresolved_calls_label(relations: &Relations, root: NodeId) -> Option<String> {
    let count = u64::from(relations.unresolved_calls(root));
    let name = &relations.node(root).name;
    (count > 0).then(|| format!("{} of {name} not resolved", format_plural(count, "call")))
}

fn node_ids(around: &Neighbourhood) -> BTreeMap<NodeId, String> {
    around.nodes.iter().enumerate().map(|(at, node)| (*node, format!("n{at}"))).collect()
}

/// Returns the name and the location of a node.
fn node_name_and_location(relations: &Relations, of: NodeId) -> (String, String) {
    let key = &relations.node(of).key;
    match key.kind {
        RelationNodeKind::File => ("file".to_owned(), key.path.to_string()),
        RelationNodeKind::Entity(_) => {
            (key.name.to_string(), format!("{}:{}", key.path, key.line.0))
        }
    }
}

/// Escapes text for a Mermaid label, which may contain markup.
fn escape_mermaid(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '"' | '#' | '<' | '>' | '&' | '`' | '[' | ']' | '{' | '}' | '|' | '\\' => {
                let _ = write!(out, "#{};", u32::from(letter));
            }
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

fn escape_graphviz(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}
