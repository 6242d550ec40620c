//! Relations of small repositories as text, lookups, and ranks.

mod find;
mod imported;
mod map;
mod rank;
mod resolved;

use foveal_code::parse;
use foveal_code::relations::{FileSymbols, NodeId, NodeKind, RelationKind, Relations};

/// The relations of files written as `//- path` lines followed by their text.
pub(crate) fn relations(fixture: &str) -> Relations {
    Relations::of(symbols(fixture))
}

pub(crate) fn symbols(fixture: &str) -> Vec<FileSymbols> {
    let files = fixture.split("//- ").skip(1);
    files
        .map(|file| {
            let (path, text) = file.split_once('\n').unwrap_or((file, ""));
            FileSymbols::of(path, &parse(path, text), text)
        })
        .collect()
}

/// `path:name` of an entity, the path of a file.
pub(crate) fn named(relations: &Relations, of: NodeId) -> String {
    let key = &relations.node(of).key;
    match key.kind {
        NodeKind::File => key.path.to_string(),
        NodeKind::Entity(_) => format!("{}:{}", key.path, key.name),
    }
}

/// All relations but those of parts, a line each; a weight below 1 in brackets.
pub(crate) fn listed(relations: &Relations) -> String {
    let mut out = String::new();
    for of in relations.all().iter().filter(|of| of.kind != RelationKind::Contains) {
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
