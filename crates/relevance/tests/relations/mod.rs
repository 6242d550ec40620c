//! Tests of relations of small repositories rendered as text, of look-ups, and of ranks.

mod imports;
mod map;
mod name_resolution;
mod rank;
mod symbol_search;

use foveal_relevance::relations::{FileSymbols, NodeId, RelationKind, RelationNodeKind, Relations};
use foveal_syntax::parse_file;

/// Returns the relations of files written as `//- path` lines, each followed by the file's text.
pub(crate) fn relations(fixture: &str) -> Relations {
    Relations::from_files(symbols(fixture))
}

pub(crate) fn symbols(fixture: &str) -> Vec<FileSymbols> {
    let files = fixture.split("//- ").skip(1);
    files
        .map(|file| {
            let (path, text) = file.split_once('\n').unwrap_or((file, ""));
            FileSymbols::from_parsed(path, &parse_file(path, text), text)
        })
        .collect()
}

/// Returns `path:name` for an entity, the path for a file.
pub(crate) fn named(relations: &Relations, of: NodeId) -> String {
    let key = &relations.node(of).key;
    match key.kind {
        RelationNodeKind::File => key.path.to_string(),
        RelationNodeKind::Entity(_) => format!("{}:{}", key.path, key.name),
    }
}

/// Returns all relations but containment, one per line, with weights below 1 in brackets.
pub(crate) fn listed(relations: &Relations) -> String {
    let mut out = String::new();
    for of in relations.all_relations().iter().filter(|of| of.kind != RelationKind::Contains) {
        let (from, to) = (named(relations, of.from), named(relations, of.to));
        out.push_str(&format!("{from} {} {to}", of.kind.name()));
        if of.weight < 0.995 {
            out.push_str(&format!(" ({:.2})", of.weight));
        }
        if of.count > 1 {
            out.push_str(&format!(" x{}", of.count));
        }
        out.push('\n');
    }
    out
}
