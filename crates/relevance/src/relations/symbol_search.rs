//! Search for nodes by the symbols that users and models write.

use std::collections::BTreeMap;

use foveal_syntax::EntityKind;

use super::{NodeId, RelationNodeKind, Relations};

/// The number of letters of a name that are compared.
const NAME_LETTERS_MAX: usize = 64;

/// The number of names that are compared with an unknown one.
const NAMES_COMPARED_MAX: usize = 200_000;

/// The result of a symbol search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SymbolMatch {
    /// All matching nodes, code before tests and data.
    Nodes(Vec<NodeId>),
    /// No node matches.
    None,
}

/// A name similar to an unknown symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimilarSymbol {
    /// The name.
    pub name: Box<str>,
    /// The first node with that name.
    pub node: NodeId,
}

impl Relations {
    /// Returns the nodes that `symbol` matches: a name (`parse`), a qualified name (`Parser.parse`,
    /// `Parser::parse`), the path of a file, a line of a file (`src/parse.rs:12`), or a name in a
    /// file (`src/parse.rs:parse`). Paths may omit leading folders.
    pub fn find_symbol(&self, symbol: &str) -> SymbolMatch {
        let mut found = self.find_files(symbol);
        if found.is_empty() {
            found = self.find_in_file(symbol);
        }
        if found.is_empty() {
            found = self.find_by_name(symbol, |_| true);
        }
        found.sort_by_key(|node| (self.is_test_or_data(*node), *node));
        if found.is_empty() { SymbolMatch::None } else { SymbolMatch::Nodes(found) }
    }

    fn find_files(&self, path: &str) -> Vec<NodeId> {
        let path = path.trim_start_matches("./").replace('\\', "/");
        if let Some(file) = self.file_at(&path) {
            return vec![file];
        }
        if !path.contains(['.', '/']) {
            return Vec::new();
        }
        let ends = |file: &NodeId| {
            let rest = self.node(*file).key.path.strip_suffix(path.as_str());
            rest.is_some_and(|rest| rest.ends_with('/'))
        };
        self.files().filter(ends).collect()
    }

    fn find_in_file(&self, symbol: &str) -> Vec<NodeId> {
        let Some((path, rest)) = symbol.rsplit_once(':') else { return Vec::new() };
        let files = self.find_files(path.trim_end_matches(':'));
        if let Ok(line) = rest.parse::<u32>() {
            let at_line = |file: NodeId| {
                let holds = |node: &NodeId| {
                    let lines = self.node(*node).lines;
                    lines.first.0 <= line && line <= lines.last.0
                };
                self.entities_of(file).filter(holds).last()
            };
            return files.into_iter().filter_map(at_line).collect();
        }
        self.find_by_name(rest, |node| files.contains(&self.file_of(node)))
    }

    fn find_by_name(&self, symbol: &str, fits: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
        let asked: Vec<&str> = symbol_segments(symbol).collect();
        let Some(last) = asked.last().copied() else { return Vec::new() };
        let named = |node: NodeId| {
            let of = self.node(node);
            if of.key.kind == RelationNodeKind::Entity(EntityKind::Imports) {
                return false;
            }
            of.key.kind != RelationNodeKind::File
                && (&*of.name == symbol
                    || &*of.name == last && self.is_qualified_by(node, &asked[..asked.len() - 1]))
        };
        self.indexed_nodes()
            .map(|(node, _)| node)
            .filter(|node| named(*node) && fits(*node))
            .collect()
    }

    /// Returns whether the innermost names around a node are `asked`. The folders and the file name
    /// of its path count as modules.
    fn is_qualified_by(&self, node: NodeId, asked: &[&str]) -> bool {
        if asked.is_empty() {
            return true;
        }
        let key = &self.node(node).key;
        let path = key.path.rsplit_once('.').map_or(&*key.path, |(path, _)| path);
        let outer = key.name.strip_suffix(&*self.node(node).name).unwrap_or_default();
        let mut all: Vec<&str> = path.split('/').collect();
        all.extend(symbol_segments(outer).map(|part| part.rsplit(" for ").next().unwrap_or(part)));
        all.ends_with(asked)
    }

    fn is_test_or_data(&self, node: NodeId) -> bool {
        let of = self.node(node);
        let is_data = matches!(
            of.key.kind,
            RelationNodeKind::Entity(EntityKind::Key | EntityKind::Section | EntityKind::Field)
        );
        of.in_tests || is_data
    }

    /// Returns at most `limit` names similar to `symbol`, best first.
    pub fn similar_symbols(&self, symbol: &str, limit: usize) -> Vec<SimilarSymbol> {
        let Some(asked) = symbol_segments(symbol).last() else { return Vec::new() };
        let plain = normalised_letters(asked);
        let mut by_name: BTreeMap<&str, NodeId> = BTreeMap::new();
        for (node, of) in self.indexed_nodes().take(NAMES_COMPARED_MAX) {
            let is_named = match of.key.kind {
                RelationNodeKind::File => false,
                RelationNodeKind::Entity(kind) => !matches!(
                    kind,
                    EntityKind::Imports | EntityKind::Section | EntityKind::Key | EntityKind::Test
                ),
            };
            if is_named {
                by_name.entry(&of.name).or_insert(node);
            }
        }
        let mut found: Vec<(usize, &str, NodeId)> = by_name
            .into_iter()
            .filter_map(|(name, node)| Some((name_distance(&plain, name)?, name, node)))
            .collect();
        found.sort();
        let nearest =
            |(_, name, node): (usize, &str, NodeId)| SimilarSymbol { name: name.into(), node };
        found.into_iter().take(limit).map(nearest).collect()
    }
}

/// Splits `a.b`, `a::b` and `a#b` into `a` and `b`.
fn symbol_segments(symbol: &str) -> impl Iterator<Item = &str> {
    symbol.split(['.', ':', '#']).map(|part| part.trim_end_matches("()")).filter(|p| !p.is_empty())
}

fn normalised_letters(name: &str) -> Vec<char> {
    let letters = name.chars().filter(|c| *c != '_' && *c != '-');
    letters.flat_map(char::to_lowercase).take(NAME_LETTERS_MAX).collect()
}

/// Returns the distance between `name` and the letters asked for, ignoring case and underscores;
/// `None` if it is too large. If one contains the other, the distance is at most 2.
fn name_distance(asked: &[char], name: &str) -> Option<usize> {
    let name = normalised_letters(name);
    if asked.is_empty() || name.is_empty() {
        return None;
    }
    let (short, long) =
        if name.len() < asked.len() { (&name[..], asked) } else { (asked, &name[..]) };
    let extra = long.len() - short.len();
    if short.len() >= 3 && long.windows(short.len()).any(|part| part == short) {
        return (extra <= 2 * short.len()).then_some(extra.min(2));
    }
    let bound = asked.len().div_ceil(3).max(1).min(asked.len().saturating_sub(3).max(1));
    if extra > bound {
        return None;
    }
    let distance = edit_distance(short, long);
    (distance <= bound).then_some(distance)
}

/// Returns the Levenshtein distance.
fn edit_distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (down, other) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = row[down + 1];
            row[down + 1] = replaced.min(diagonal + 1).min(row[down] + 1);
        }
    }
    row[other.len()]
}
