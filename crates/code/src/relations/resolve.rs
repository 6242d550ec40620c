//! Who is meant by a name.

use std::collections::HashSet;

use super::NodeId;
use super::family::{Family, Package};
use super::modules::Scope;
use super::paths::folder;
use super::resolver::{CANDIDATES_MAX, LOOKED_AT_MAX, Meant, Resolver};
use super::scope::DEFAULT;
use super::symbols::{Use, UseRole};
use crate::{EntityKind, FileClass};

/// Variants that every Rust file has without an import.
const RUST_VARIANTS: &[&str] = &["Err", "None", "Ok", "Some"];

impl Resolver<'_> {
    /// Who `of` means. `near` has the ids of names used in the same entity.
    pub(super) fn meant(&self, of: &Use, near: &HashSet<u32>) -> Meant {
        if of.qualifier.is_none() && of.role != UseRole::Documented {
            let local = self.file.name(of.name);
            if let Some((original, scopes)) = self.alias(local) {
                let meant = self.aliased(of, original, scopes);
                if !meant.nodes.is_empty() {
                    return meant;
                }
                // Where it cannot be had, what the file defines by that name stands in for it.
                let Some(name) = self.table.id_of(local) else { return meant };
                let here = self.own_or_here(of, name).unwrap_or_default();
                return self.settled(of, name, here);
            }
        }
        let Some(name) = self.table.id_of(self.file.name(of.name)) else { return Meant::default() };
        if of.role == UseRole::Documented {
            return self.documented(of, name);
        }
        let meant = match of.qualifier.map(|at| self.file.name(at)) {
            None => self.alone(of, name),
            Some(words) if self.is_foreign(words) => Meant::default(),
            Some(words) => self.qualified(of, name, last_word(words), near),
        };
        self.settled(of, name, meant)
    }

    /// Who is meant by a name that `scopes` call `original`.
    fn aliased(&self, of: &Use, original: &str, scopes: &[usize]) -> Meant {
        let named = |name: &str| {
            let id = self.table.id_of(name);
            id.map(|id| self.imported(of, id, scopes, 1.0)).unwrap_or_default()
        };
        let mut meant = named(original);
        if meant.nodes.is_empty() && original == DEFAULT {
            // The name by which it is imported is mostly that by which it was exported.
            meant = named(self.file.name(of.name));
        }
        if meant.nodes.is_empty() && original == DEFAULT {
            meant = named("exports");
        }
        if meant.nodes.len() > CANDIDATES_MAX {
            meant.nodes.clear();
        }
        meant
    }

    /// Whether the first of several words is a module of others, as `os` of `os.path`.
    fn is_foreign(&self, words: &str) -> bool {
        let first = words.split(['.', ':', '-']).next().unwrap_or_default();
        if first.is_empty() || first.len() == words.len() {
            return false;
        }
        let taken = [self.imports.called.get(first), self.imports.named.get(first)];
        let mut scopes = taken.into_iter().flatten().flatten().peekable();
        scopes.peek().is_some() && scopes.all(|at| self.imports.scopes[*at].is_empty())
            || self.family == Family::Rust && matches!(first, "std" | "core" | "alloc")
    }

    /// In C the definition instead of declarations of it; none if there are too many.
    fn settled(&self, of: &Use, name: u32, mut meant: Meant) -> Meant {
        if self.family == Family::C && of.role == UseRole::Call && !meant.nodes.is_empty() {
            let is_function = |node: NodeId, has_body: bool| {
                self.table.definition(node).is_some_and(|definition| {
                    definition.kind == EntityKind::Function && definition.has_body == has_body
                })
            };
            if meant.nodes.iter().all(|node| is_function(*node, false)) {
                let source = |node| self.table.files[self.table.file(node)].class;
                let here = source(meant.nodes[0]);
                let defined = self
                    .candidates(of, name, |node| is_function(node, true) && source(node) == here);
                if !defined.is_empty() {
                    meant.nodes = self.nearest(defined);
                }
            } else if meant.nodes.iter().any(|node| is_function(*node, true)) {
                meant.nodes.retain(|node| !is_function(*node, false));
            }
        }
        if self.family == Family::Python {
            self.keep_last(&mut meant.nodes);
        }
        if meant.nodes.len() > CANDIDATES_MAX {
            meant.nodes.clear();
        }
        meant
    }

    /// Keeps of what a file defines several times by one name the last: the others are
    /// overloads of it, or it replaces them.
    fn keep_last(&self, nodes: &mut Vec<NodeId>) {
        let of = |node: &NodeId| {
            let definition = self.table.definition(*node)?;
            Some((self.table.file(*node), &definition.qualified_name, definition.kind))
        };
        let all = nodes.clone();
        nodes.retain(|node| !all.iter().any(|other| other > node && of(other) == of(node)));
    }

    /// What an import takes from `scope` by `name`.
    pub(super) fn taken(&self, name: &str, scope: &Scope) -> Vec<NodeId> {
        let handed = self.reexports.handed_on(self.family, scope, name);
        let (scope, name) = handed.unwrap_or((scope, name));
        let Some(name) = self.table.id_of(name) else { return Vec::new() };
        let free = |node: &NodeId| self.can_be_taken(*node);
        let named = self.table.named(name).iter().copied().take(LOOKED_AT_MAX).filter(free);
        let named: Vec<NodeId> = named.collect();
        for holds in [Scope::has_front, Scope::holds] {
            let found = named.iter().copied().filter(|node| holds(scope, self.table.file(*node)));
            let mut found: Vec<NodeId> = found.take(CANDIDATES_MAX).collect();
            if self.family == Family::Python {
                self.keep_last(&mut found);
            }
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// What the own type or the file has by a name that nothing stands before.
    fn own_or_here(&self, of: &Use, name: u32) -> Option<Meant> {
        if self.family.has_implicit_self()
            && let Some(own) = self.own_type(of)
        {
            let nodes = self.inherited(of, own, name);
            if !nodes.is_empty() {
                return Some(Meant { nodes, evidence: 1.0 });
            }
        }
        let nodes = self.candidates(of, name, |node| {
            self.table.file(node) == self.at
                && self.table.owner(node).is_none()
                && self.is_in_reach(of, node)
        });
        (!nodes.is_empty()).then_some(Meant { nodes, evidence: 1.0 })
    }

    /// A name that nothing stands before.
    fn alone(&self, of: &Use, name: u32) -> Meant {
        let table = self.table;
        let is_member = |node: NodeId| table.owner(node).is_some();
        if let Some(meant) = self.own_or_here(of, name) {
            return meant;
        }
        let text = self.file.name(of.name);
        if let Some(scopes) = self.imports.named.get(text) {
            return self.imported(of, name, scopes, 1.0);
        }
        if self.family == Family::Rust && RUST_VARIANTS.contains(&text) {
            return Meant::default();
        }
        if self.family != Family::Script {
            let found = self.imported(of, name, &self.imports.whole, 0.9);
            if !found.nodes.is_empty() {
                return found;
            }
        }
        let here = folder(&self.file.path);
        let in_folder = |node| folder(&table.files[table.file(node)].path) == here;
        let evidence = match self.family.package() {
            Package::Folder => 0.9,
            Package::Repository => 0.8,
            Package::File => 0.2,
        };
        let nodes = self.candidates(of, name, |node| !is_member(node) && in_folder(node));
        if !nodes.is_empty() && (evidence > 0.5 || of.role != UseRole::Name) {
            return Meant { nodes, evidence };
        }
        let evidence = match self.family.package() {
            Package::Repository => 0.8,
            Package::Folder | Package::File if of.role != UseRole::Name => 0.1,
            Package::Folder | Package::File => return Meant::default(),
        };
        let source = |node| table.files[table.file(node)].class == FileClass::Source;
        let nodes = self.candidates(of, name, |node| !is_member(node) && source(node));
        if !nodes.is_empty() {
            return Meant { nodes, evidence };
        }
        Meant { nodes: self.candidates(of, name, |node| !is_member(node)), evidence }
    }

    /// Who documentation means: the same file first, then whatever has the name.
    fn documented(&self, of: &Use, name: u32) -> Meant {
        let table = self.table;
        if is_change_log(&self.file.path) {
            return Meant::default();
        }
        let fits_family = |node: NodeId| {
            self.family == Family::Data || table.families[table.file(node)] == self.family
        };
        let qualifier = of.qualifier.map(|at| last_word(self.file.name(at)));
        let qualifier = qualifier.filter(|word| !word.is_empty());
        let qualifier = qualifier.filter(|word| !matches!(*word, "self" | "Self" | "this"));
        let owner = qualifier.and_then(|word| table.id_of(word));
        let nodes: Vec<NodeId> = match (qualifier, owner) {
            (Some(_), Some(owner)) if !table.members(owner, name).is_empty() => {
                let members = table.members(owner, name).iter().copied();
                members.filter(|node| fits_family(*node)).collect()
            }
            _ => {
                let named = table.named(name).iter().copied().take(LOOKED_AT_MAX);
                named.filter(|node| fits_family(*node) && self.is_worth_naming(*node)).collect()
            }
        };
        let nodes = self.nearest(nodes);
        if nodes.len() > CANDIDATES_MAX {
            return Meant::default();
        }
        let evidence =
            if nodes.iter().any(|node| table.file(*node) == self.at) { 1.0 } else { 0.8 };
        Meant { nodes, evidence }
    }

    /// Members are named with their type, unless it is the same file.
    fn is_worth_naming(&self, node: NodeId) -> bool {
        let is_member = self.table.owner(node).is_some();
        !is_member || self.table.file(node) == self.at
    }
}

/// The last of the words that a name belongs to.
fn last_word(words: &str) -> &str {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    &words[words.trim_end_matches(is_letter).len()..]
}

/// Whether a file tells what changed, whose words are mostly about what was.
fn is_change_log(path: &str) -> bool {
    let name = super::paths::stem(path).to_ascii_lowercase().replace(['-', '_'], "");
    let starts = ["changelog", "changes", "history", "news", "releasenotes", "releases"];
    let is_folder = |folder: &str| matches!(folder, "changelog" | "changelogs" | "changelog.d");
    starts.iter().any(|start| name == *start || name.starts_with("changelog"))
        || folder(path).split('/').any(is_folder)
}
