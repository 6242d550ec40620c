//! The relations around a symbol as diagrams.

use std::collections::BTreeMap;
use std::fmt::Write;

use foveal_code::relations::{NodeId, NodeKind, Relations};

use super::neighbours::Around;
use super::said::ModelRelation;

/// A Mermaid flowchart. Relations that a model sees are dotted.
pub(super) fn mermaid(
    relations: &Relations,
    around: &Around,
    related: &[ModelRelation<'_>],
) -> String {
    let ids = ids(around);
    let mut out = String::from("flowchart LR\n");
    for (node, id) in &ids {
        let (name, place) = label(relations, *node);
        let _ = writeln!(out, "  {id}[\"{}<br/>{}\"]", in_mermaid(&name), in_mermaid(&place));
    }
    for relation in &around.relations {
        let (from, to) = (&ids[&relation.from], &ids[&relation.to]);
        let _ = writeln!(out, "  {from} -->|{}| {to}", relation.kind.name());
    }
    for ModelRelation { from, to, why } in related {
        let (from, to, why) = (&ids[from], &ids[to], in_mermaid(why));
        let _ = writeln!(out, "  {from} -. \"a model says: {why}\" .-> {to}");
    }
    if around.left_out > 0 {
        let _ = writeln!(out, "  %% {} more relations", around.left_out);
    }
    out
}

/// A Graphviz digraph. Relations that a model sees are dotted.
pub(super) fn dot(relations: &Relations, around: &Around, related: &[ModelRelation<'_>]) -> String {
    let ids = ids(around);
    let mut out = String::from("digraph foveal {\n  rankdir=LR;\n  node [shape=box];\n");
    for (node, id) in &ids {
        let (name, place) = label(relations, *node);
        let _ = writeln!(out, "  {id} [label=\"{}\\n{}\"];", in_dot(&name), in_dot(&place));
    }
    for relation in &around.relations {
        let (from, to) = (&ids[&relation.from], &ids[&relation.to]);
        let _ = writeln!(out, "  {from} -> {to} [label=\"{}\"];", relation.kind.name());
    }
    for ModelRelation { from, to, why } in related {
        let (from, to, why) = (&ids[from], &ids[to], in_dot(why));
        let _ = writeln!(out, "  {from} -> {to} [label=\"a model says: {why}\", style=dotted];");
    }
    if around.left_out > 0 {
        let _ = writeln!(out, "  // {} more relations", around.left_out);
    }
    out.push_str("}\n");
    out
}

fn ids(around: &Around) -> BTreeMap<NodeId, String> {
    around.nodes.iter().enumerate().map(|(at, node)| (*node, format!("n{at}"))).collect()
}

/// What a node is called, and where it is.
fn label(relations: &Relations, of: NodeId) -> (String, String) {
    let key = &relations.node(of).key;
    match key.kind {
        NodeKind::File => ("file".to_owned(), key.path.to_string()),
        NodeKind::Entity(_) => (key.name.to_string(), format!("{}:{}", key.path, key.line.0)),
    }
}

/// Mermaid reads markup in labels; its signs are spelled as numbers.
fn in_mermaid(text: &str) -> String {
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

fn in_dot(text: &str) -> String {
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
