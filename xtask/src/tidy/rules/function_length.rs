//! A function is one screen. A flat match or table may be longer if the line before its
//! `fn` says so with `// tidy: table`.

use crate::tidy::finding::Place;
use crate::tidy::source::{Source, is_word, item_end};
use crate::tidy::tree::Tree;

/// What the line before a long flat function says.
const TABLE_MARKER: &str = "// tidy: table";

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    tree.sources
        .iter()
        .flat_map(|source| check_source(source, tree.limits.function_lines_max))
        .collect()
}

fn check_source(source: &Source, lines_max: usize) -> Vec<Place> {
    let lines: Vec<&str> = source.text.lines().collect();
    let mut places = Vec::new();
    for at in source.words("fn") {
        let name = source.code[at + 2..].trim_start();
        let name = &name[..name.find(|c| !is_word(c)).unwrap_or(name.len())];
        if name.is_empty() {
            // A function type, `fn(u8) -> u8`.
            continue;
        }
        let first = source.line_at(at);
        let length = source.line_at(item_end(&source.code, at) - 1) - first + 1;
        let marked = first >= 2 && lines[first - 2].trim() == TABLE_MARKER;
        if length > lines_max && !marked {
            let what = format!(
                "`{name}` has {length} lines, more than {lines_max}; split it, or mark a flat table with `{TABLE_MARKER}`"
            );
            places.push(Place::new(source.path.clone(), first, what));
        }
    }
    places
}

#[cfg(test)]
mod tests;
