//! Finding nodes by what people call them.

use std::collections::BTreeMap;

use super::{NodeId, NodeKind, Relations};
use crate::EntityKind;

/// Letters of a name that are compared.
const NAME_LETTERS_MAX: usize = 64;

/// Names that are compared with one that nothing has.
const NAMES_COMPARED_MAX: usize = 200_000;

/// What a symbol may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SymbolMatch {
    /// These, code before tests and data; one is exact.
    Nodes(Vec<NodeId>),
    /// Nothing is called so.
    None,
}

/// A name that is nearly the one asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nearest {
    /// The name.
    pub name: Box<str>,
    /// The first node that has it.
    pub node: NodeId,
}

impl Relations {
    /// What `symbol` means: a name (`parse`), a qualified one (`Parser.parse`,
    /// `Parser::parse`), the path of a file, a line of one (`src/parse.rs:12`), or a name in
    /// one (`src/parse.rs:parse`). Paths may leave out the folders that they begin with.
    pub fn find(&self, symbol: &str) -> SymbolMatch {
        let mut found = self.find_files(symbol);
        if found.is_empty() {
            found = self.find_in_file(symbol);
        }
        if found.is_empty() {
            found = self.find_named(symbol, |_| true);
        }
        found.sort_by_key(|node| (self.is_aside(*node), *node));
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
        self.find_named(rest, |node| files.contains(&self.file_of(node)))
    }

    fn find_named(&self, symbol: &str, fits: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
        let asked: Vec<&str> = parts(symbol).collect();
        let Some(last) = asked.last().copied() else { return Vec::new() };
        let named = |node: NodeId| {
            let of = self.node(node);
            if of.key.kind == NodeKind::Entity(EntityKind::Imports) {
                return false;
            }
            of.key.kind != NodeKind::File
                && (&*of.name == symbol
                    || &*of.name == last && self.is_qualified_by(node, &asked[..asked.len() - 1]))
        };
        self.indexed().map(|(node, _)| node).filter(|node| named(*node) && fits(*node)).collect()
    }

    /// Whether the last parts of what a node is in are `asked`; the last folder and file of
    /// its path count as well, as modules.
    fn is_qualified_by(&self, node: NodeId, asked: &[&str]) -> bool {
        if asked.is_empty() {
            return true;
        }
        let key = &self.node(node).key;
        let path = key.path.rsplit_once('.').map_or(&*key.path, |(path, _)| path);
        let outer = key.name.strip_suffix(&*self.node(node).name).unwrap_or_default();
        let mut all: Vec<&str> = path.split('/').collect();
        all.extend(parts(outer).map(|part| part.rsplit(" for ").next().unwrap_or(part)));
        all.ends_with(asked)
    }

    fn is_aside(&self, node: NodeId) -> bool {
        let of = self.node(node);
        let is_data = matches!(
            of.key.kind,
            NodeKind::Entity(EntityKind::Key | EntityKind::Section | EntityKind::Field)
        );
        of.in_tests || is_data
    }

    /// The names nearest to one that nothing has, best first, at most `limit`.
    pub fn nearest(&self, symbol: &str, limit: usize) -> Vec<Nearest> {
        let Some(asked) = parts(symbol).last() else { return Vec::new() };
        let plain = plain(asked);
        let mut by_name: BTreeMap<&str, NodeId> = BTreeMap::new();
        for (node, of) in self.indexed().take(NAMES_COMPARED_MAX) {
            let is_named = match of.key.kind {
                NodeKind::File => false,
                NodeKind::Entity(kind) => !matches!(
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
            .filter_map(|(name, node)| Some((unlikeness(&plain, name)?, name, node)))
            .collect();
        found.sort();
        let nearest = |(_, name, node): (usize, &str, NodeId)| Nearest { name: name.into(), node };
        found.into_iter().take(limit).map(nearest).collect()
    }
}

/// `a`, `b` of `a.b` and `a::b`.
fn parts(symbol: &str) -> impl Iterator<Item = &str> {
    symbol.split(['.', ':', '#']).map(|part| part.trim_end_matches("()")).filter(|p| !p.is_empty())
}

fn plain(name: &str) -> Vec<char> {
    let letters = name.chars().filter(|c| *c != '_' && *c != '-');
    letters.flat_map(char::to_lowercase).take(NAME_LETTERS_MAX).collect()
}

/// How far `name` is from what was asked; `None` if too far. Case and underscores aside, one
/// contained in the other is nearer than one with other letters.
fn unlikeness(asked: &[char], name: &str) -> Option<usize> {
    let name = plain(name);
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

/// Letters to insert, delete or replace between two words.
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
