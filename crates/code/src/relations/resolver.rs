//! One file whose names are resolved, and who a name can mean at all.

use std::collections::HashSet;

use super::NodeId;
use super::family::Family;
use super::paths::folder;
use super::reexports::Reexports;
use super::scope::{DEFAULT, Imports};
use super::symbols::{Definition, FileSymbols, Use, UseRole};
use super::table::Table;
use super::tests_of::is_test_file;
use crate::{EntityKind, Visibility};

/// Definitions that one use can be related to. A name that may mean more of them says
/// nothing and is related to none.
pub const CANDIDATES_MAX: usize = 12;

/// Definitions of one name that are looked at for one use.
pub(super) const LOOKED_AT_MAX: usize = 400;

/// What a script's exports are members of, in its own words.
const EXPORTS: &[&str] = &["exports", "module", "module.exports"];

/// How far up the types that a type is made from are looked at.
const BASES_DEPTH_MAX: usize = 4;

/// Who a name may mean, and how much speaks for it, up to 1.
#[derive(Debug, Clone, Default)]
pub(super) struct Meant {
    pub(super) nodes: Vec<NodeId>,
    pub(super) evidence: f32,
}

/// One file whose uses are resolved.
pub(super) struct Resolver<'a> {
    pub(super) table: &'a Table<'a>,
    pub(super) reexports: &'a Reexports<'a>,
    pub(super) at: usize,
    pub(super) file: &'a FileSymbols,
    pub(super) family: Family,
    pub(super) imports: Imports<'a>,
    /// Ids of all names that the file uses or defines.
    pub(super) names: HashSet<u32>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(table: &'a Table<'a>, reexports: &'a Reexports<'a>, at: usize) -> Self {
        let file = &table.files[at];
        let family = table.families[at];
        let used = file.names.iter().map(|name| &**name);
        let defined = file.definitions.iter().map(|definition| &*definition.name);
        let imports = Imports::of(reexports, family, at, file);
        // Everything without a name is called the same; which is meant, the import says.
        let meant = imports.originals.values().copied().filter(|name| *name != DEFAULT);
        let names = used.chain(defined).chain(meant);
        let names = names.filter_map(|name| table.id_of(name)).collect();
        Self { table, reexports, at, file, family, imports, names }
    }

    /// What `local` is called where it comes from, and where that is; `None` if it is called
    /// the same or comes from nowhere.
    pub(super) fn alias(&self, local: &str) -> Option<(&'a str, &[usize])> {
        let original = self.imports.originals.get(local)?;
        let scopes = self.imports.named.get(local).or_else(|| self.imports.called.get(local))?;
        Some((original, scopes))
    }

    /// The nodes of that name that `fits` and that `role` can mean.
    pub(super) fn candidates(
        &self,
        of: &Use,
        name: u32,
        fits: impl Fn(NodeId) -> bool,
    ) -> Vec<NodeId> {
        let named = self.table.named(name);
        let found = named.iter().copied().take(LOOKED_AT_MAX);
        found.filter(|node| fits(*node) && self.can_mean(of, *node)).collect()
    }

    /// Whether a use can mean a node at all: language, kind, visibility.
    pub(super) fn can_mean(&self, of: &Use, node: NodeId) -> bool {
        let Some(definition) = self.table.definition(node) else { return false };
        let file = self.table.file(node);
        if self.table.families[file] != self.family {
            return false;
        }
        if file != self.at && self.is_local_to_tests(node) {
            return false;
        }
        let kind = definition.kind;
        let is_kind = match of.role {
            UseRole::Call => kind != EntityKind::Module,
            UseRole::Type | UseRole::Returned => matches!(
                kind,
                EntityKind::Type
                    | EntityKind::Trait
                    | EntityKind::Enum
                    | EntityKind::Module
                    | EntityKind::Constant
                    | EntityKind::Field
            ),
            // A variable is often called as a module is.
            UseRole::Name => kind != EntityKind::Module,
            UseRole::Documented => true,
        };
        is_kind && (file == self.at || self.is_visible(definition.visibility, kind, file))
    }

    /// Whether a node is defined inside a test, or a function of a file of tests.
    pub(super) fn is_local_to_tests(&self, node: NodeId) -> bool {
        let file = &self.table.files[self.table.file(node)];
        let above = |of: &Definition| of.parent.and_then(|at| file.definitions.get(at.get()));
        let first = self.table.definition(node).and_then(above);
        let mut outer = std::iter::successors(first, |of| above(of));
        outer.any(|of| {
            of.kind == EntityKind::Test || of.kind.has_statements() && is_test_file(&file.path)
        })
    }

    pub(super) fn is_visible(&self, visibility: Visibility, kind: EntityKind, file: usize) -> bool {
        if visibility != Visibility::Private {
            return true;
        }
        let other = folder(&self.table.files[file].path);
        match self.family {
            Family::C => kind == EntityKind::Field,
            Family::Script => matches!(kind, EntityKind::Field | EntityKind::Method),
            Family::Go => folder(&self.file.path) == other,
            Family::Rust => self.file.path.starts_with(other),
            _ => true,
        }
    }

    /// Whether a definition of the same file is not local to another function.
    pub(super) fn is_in_reach(&self, of: &Use, node: NodeId) -> bool {
        let Some(definition) = self.table.definition(node) else { return false };
        let Some(parent) = definition.parent else { return true };
        let Some(outer) = self.file.definitions.get(parent.get()) else { return true };
        if !outer.kind.has_statements() {
            return true;
        }
        outer.lines.contains(of.line)
    }

    /// Names taken from modules.
    pub(super) fn imported(&self, of: &Use, name: u32, scopes: &[usize], evidence: f32) -> Meant {
        for scope in scopes.iter().map(|at| &self.imports.scopes[*at]) {
            let front = |node| self.can_be_taken(node) && scope.has_front(self.table.file(node));
            let nodes = self.candidates(of, name, front);
            if !nodes.is_empty() {
                return Meant { nodes, evidence };
            }
        }
        let text = self.table.name(name);
        for scope in scopes.iter().map(|at| &self.imports.scopes[*at]) {
            let handed = self.reexports.handed_on(self.family, scope, text);
            let Some((scope, original)) = handed else { continue };
            let Some(original) = self.table.id_of(original) else { continue };
            let from = |node| self.can_be_taken(node) && scope.has_front(self.table.file(node));
            let nodes = self.candidates(of, original, from);
            if !nodes.is_empty() {
                return Meant { nodes, evidence };
            }
        }
        for scope in scopes.iter().map(|at| &self.imports.scopes[*at]) {
            let nodes = self.candidates(of, name, |node| {
                self.can_be_taken(node) && scope.holds(self.table.file(node))
            });
            if !nodes.is_empty() {
                return Meant { nodes, evidence: evidence * 0.9 };
            }
        }
        Meant::default()
    }

    /// Whether a node can be imported by its name: it is no member, or one of an enumeration
    /// that an import names, or of what a script exports.
    pub(super) fn can_be_taken(&self, node: NodeId) -> bool {
        let Some(definition) = self.table.definition(node) else { return false };
        let is_exported = self.family == Family::Script
            && definition.owner.as_deref().is_some_and(|of| EXPORTS.contains(&of));
        let is_inside = || {
            let outer = definition.parent.and_then(|parent| {
                self.table.files[self.table.file(node)].definitions.get(parent.get())
            });
            outer.is_some_and(|outer| {
                outer.kind == EntityKind::Constant || outer.kind.has_statements()
            })
        };
        let of_named = |owner: &str| {
            let mut modules = self.file.imports.iter().map(|import| &*import.module);
            modules.any(|module| module.rsplit([':', '.']).next() == Some(owner))
        };
        let is_taken_variant =
            self.is_variant(node) && definition.owner.as_deref().is_some_and(of_named);
        definition.owner.is_none() && !is_inside() || is_exported || is_taken_variant
    }

    /// Whether a node is a variant of an enumeration, which can be imported.
    pub(super) fn is_variant(&self, node: NodeId) -> bool {
        let Some(definition) = self.table.definition(node) else { return false };
        definition.kind == EntityKind::Field && definition.name.starts_with(char::is_uppercase)
    }

    /// The id of the name of the type that a use stands in.
    pub(super) fn own_type(&self, of: &Use) -> Option<u32> {
        let mut at = of.inside;
        while let Some(index) = at {
            let definition = self.file.definitions.get(index.get())?;
            if definition.owner.is_some() {
                return self.table.owner(self.table.node(self.at, index.get()));
            }
            if definition.kind.has_members() {
                return self.table.id_of(&definition.name);
            }
            at = definition.parent;
        }
        None
    }

    /// Members of a type, or of the nearest type that it is made from.
    pub(super) fn inherited(&self, of: &Use, owner: u32, name: u32) -> Vec<NodeId> {
        let mut level = vec![owner];
        let mut seen: HashSet<u32> = HashSet::new();
        for _ in 0..BASES_DEPTH_MAX {
            let mut found = Vec::new();
            for owner in &level {
                let members = self.table.members(*owner, name).iter().copied();
                found.extend(members.filter(|node| self.can_mean(of, *node)));
            }
            if !found.is_empty() {
                return self.nearest(found);
            }
            seen.extend(level.iter().copied());
            let bases = level.iter().flat_map(|owner| self.table.bases(*owner));
            level = bases.copied().filter(|base| !seen.contains(base)).collect();
        }
        Vec::new()
    }

    /// Those in the same file, else those in files that are imported, else those in the same
    /// folder, else all.
    pub(super) fn nearest(&self, nodes: Vec<NodeId>) -> Vec<NodeId> {
        if nodes.len() < 2 {
            return nodes;
        }
        let here = folder(&self.file.path);
        let tiers: [&dyn Fn(usize) -> bool; 3] =
            [&|file| file == self.at, &|file| self.imports.reach(file), &|file| {
                folder(&self.table.files[file].path) == here
            }];
        for tier in tiers {
            let near: Vec<NodeId> =
                nodes.iter().copied().filter(|node| tier(self.table.file(*node))).collect();
            if !near.is_empty() {
                return near;
            }
        }
        nodes
    }
}
