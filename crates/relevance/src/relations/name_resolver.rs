//! The resolver of the names of one file, and the rules for candidates.

use std::collections::HashSet;

use foveal_syntax::{EntityKind, Visibility};

use super::NodeId;
use super::definition_table::DefinitionTable;
use super::language_family::LanguageFamily;
use super::paths::parent_folder;
use super::reexports::Reexports;
use super::resolved_imports::{DEFAULT_EXPORT, ResolvedImports};
use super::symbols::{Definition, FileSymbols, SymbolUse, UseRole};
use super::test_files::is_test_file;

/// The number of definitions that one use can be related to. A name with more candidates is related
/// to none.
pub const CANDIDATES_MAX: usize = 12;

/// The number of definitions of one name that are examined for one use.
pub(super) const DEFINITIONS_EXAMINED_MAX: usize = 400;

/// The objects whose members are a script's exports.
const EXPORT_OBJECTS: &[&str] = &["exports", "module", "module.exports"];

/// The number of levels of base types that are searched for members.
const BASES_DEPTH_MAX: usize = 4;

/// The nodes that a name may refer to, and the weight of the evidence, 0 to 1.
#[derive(Debug, Clone, Default)]
pub(super) struct Resolution {
    pub(super) nodes: Vec<NodeId>,
    pub(super) evidence: f32,
}

/// The resolver of the uses in one file.
pub(super) struct NameResolver<'a> {
    pub(super) table: &'a DefinitionTable<'a>,
    pub(super) reexports: &'a Reexports<'a>,
    pub(super) at: usize,
    pub(super) file: &'a FileSymbols,
    pub(super) family: LanguageFamily,
    pub(super) imports: ResolvedImports<'a>,
    /// The ids of all names that the file uses or defines.
    pub(super) names: HashSet<u32>,
}

impl<'a> NameResolver<'a> {
    pub(super) fn new(
        table: &'a DefinitionTable<'a>,
        reexports: &'a Reexports<'a>,
        at: usize,
    ) -> Self {
        let file = &table.files[at];
        let family = table.families[at];
        let used = file.names.iter().map(|name| &**name);
        let defined = file.definitions.iter().map(|definition| &*definition.name);
        let imports = ResolvedImports::resolve(reexports, family, at, file);
        // All default exports have the same name; the import tells them apart.
        let meant = imports.original_names.values().copied().filter(|name| *name != DEFAULT_EXPORT);
        let names = used.chain(defined).chain(meant);
        let names = names.filter_map(|name| table.name_id(name)).collect();
        Self { table, reexports, at, file, family, imports, names }
    }

    /// Returns the name of `local` in its module, and that module's indices; `None` if it is not
    /// renamed or not imported.
    pub(super) fn original_name(&self, local: &str) -> Option<(&'a str, &[usize])> {
        let original = self.imports.original_names.get(local)?;
        let scopes = self
            .imports
            .by_imported_name
            .get(local)
            .or_else(|| self.imports.by_module_name.get(local))?;
        Some((original, scopes))
    }

    /// Returns the nodes with the id `name` that pass `fits` and that the use can refer to.
    pub(super) fn candidates(
        &self,
        of: &SymbolUse,
        name: u32,
        fits: impl Fn(NodeId) -> bool,
    ) -> Vec<NodeId> {
        let named = self.table.nodes_named(name);
        let found = named.iter().copied().take(DEFINITIONS_EXAMINED_MAX);
        found.filter(|node| fits(*node) && self.is_candidate(of, *node)).collect()
    }

    /// Returns whether language, kind and visibility allow a use to refer to a node.
    pub(super) fn is_candidate(&self, of: &SymbolUse, node: NodeId) -> bool {
        let Some(definition) = self.table.definition(node) else { return false };
        let file = self.table.file_position(node);
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
            // Variables often have the names of modules.
            UseRole::Name => kind != EntityKind::Module,
            UseRole::Documented => true,
        };
        is_kind && (file == self.at || self.is_visible(definition.visibility, kind, file))
    }

    /// Returns whether a node is defined inside a test, or inside a function of a test file.
    pub(super) fn is_local_to_tests(&self, node: NodeId) -> bool {
        let file = &self.table.files[self.table.file_position(node)];
        let above = |of: &Definition| of.parent.and_then(|at| file.definitions.get(at.as_usize()));
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
        let other = parent_folder(&self.table.files[file].path);
        match self.family {
            LanguageFamily::C => kind == EntityKind::Field,
            LanguageFamily::Script => matches!(kind, EntityKind::Field | EntityKind::Method),
            LanguageFamily::Go => parent_folder(&self.file.path) == other,
            LanguageFamily::Rust => self.file.path.starts_with(other),
            _ => true,
        }
    }

    /// Returns whether a definition of the same file is visible at the use, so is not local to
    /// another function.
    pub(super) fn is_in_scope(&self, of: &SymbolUse, node: NodeId) -> bool {
        let Some(definition) = self.table.definition(node) else { return false };
        let Some(parent) = definition.parent else { return true };
        let Some(outer) = self.file.definitions.get(parent.as_usize()) else { return true };
        if !outer.kind.has_statements() {
            return true;
        }
        outer.lines.contains(of.line)
    }

    /// Resolves a name imported from one of the modules `scopes`.
    pub(super) fn resolve_imported(
        &self,
        of: &SymbolUse,
        name: u32,
        scopes: &[usize],
        evidence: f32,
    ) -> Resolution {
        for scope in scopes.iter().map(|at| &self.imports.modules[*at]) {
            let front = |node| {
                self.is_importable(node) && scope.is_entry_file(self.table.file_position(node))
            };
            let nodes = self.candidates(of, name, front);
            if !nodes.is_empty() {
                return Resolution { nodes, evidence };
            }
        }
        let text = self.table.name_text(name);
        for scope in scopes.iter().map(|at| &self.imports.modules[*at]) {
            let handed = self.reexports.find_reexport(self.family, scope, text);
            let Some((scope, original)) = handed else { continue };
            let Some(original) = self.table.name_id(original) else { continue };
            let from = |node| {
                self.is_importable(node) && scope.is_entry_file(self.table.file_position(node))
            };
            let nodes = self.candidates(of, original, from);
            if !nodes.is_empty() {
                return Resolution { nodes, evidence };
            }
        }
        for scope in scopes.iter().map(|at| &self.imports.modules[*at]) {
            let nodes = self.candidates(of, name, |node| {
                self.is_importable(node) && scope.contains_file(self.table.file_position(node))
            });
            if !nodes.is_empty() {
                return Resolution { nodes, evidence: evidence * 0.9 };
            }
        }
        Resolution::default()
    }

    /// Returns whether a node can be imported by its name: it is no member, or is a variant of an
    /// enumeration that an import names, or a member of a script's exports.
    pub(super) fn is_importable(&self, node: NodeId) -> bool {
        let Some(definition) = self.table.definition(node) else { return false };
        let is_exported = self.family == LanguageFamily::Script
            && definition.owner.as_deref().is_some_and(|of| EXPORT_OBJECTS.contains(&of));
        let is_inside = || {
            let outer = definition.parent.and_then(|parent| {
                self.table.files[self.table.file_position(node)].definitions.get(parent.as_usize())
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

    /// Returns whether a node is a variant of an enumeration, which can be imported.
    pub(super) fn is_variant(&self, node: NodeId) -> bool {
        let Some(definition) = self.table.definition(node) else { return false };
        definition.kind == EntityKind::Field && definition.name.starts_with(char::is_uppercase)
    }

    /// Returns the id of the name of the type around a use.
    pub(super) fn enclosing_type(&self, of: &SymbolUse) -> Option<u32> {
        let mut at = of.inside;
        while let Some(index) = at {
            let definition = self.file.definitions.get(index.as_usize())?;
            if definition.owner.is_some() {
                return self.table.owner_type(self.table.node_id(self.at, index.as_usize()));
            }
            if definition.kind.has_members() {
                return self.table.name_id(&definition.name);
            }
            at = definition.parent;
        }
        None
    }

    /// Returns the members `name` of the type `owner`, or of the nearest base type that has any.
    pub(super) fn find_members(&self, of: &SymbolUse, owner: u32, name: u32) -> Vec<NodeId> {
        let mut level = vec![owner];
        let mut seen: HashSet<u32> = HashSet::new();
        for _ in 0..BASES_DEPTH_MAX {
            let mut found = Vec::new();
            for owner in &level {
                let members = self.table.members(*owner, name).iter().copied();
                found.extend(members.filter(|node| self.is_candidate(of, *node)));
            }
            if !found.is_empty() {
                return self.keep_nearest(found);
            }
            seen.extend(level.iter().copied());
            let bases = level.iter().flat_map(|owner| self.table.bases(*owner));
            level = bases.copied().filter(|base| !seen.contains(base)).collect();
        }
        Vec::new()
    }

    /// Keeps the nodes in the same file, else those in imported files, else those in the same
    /// folder, else all.
    pub(super) fn keep_nearest(&self, nodes: Vec<NodeId>) -> Vec<NodeId> {
        if nodes.len() < 2 {
            return nodes;
        }
        let here = parent_folder(&self.file.path);
        let tiers: [&dyn Fn(usize) -> bool; 3] =
            [&|file| file == self.at, &|file| self.imports.imports_file(file), &|file| {
                parent_folder(&self.table.files[file].path) == here
            }];
        for tier in tiers {
            let near: Vec<NodeId> = nodes
                .iter()
                .copied()
                .filter(|node| tier(self.table.file_position(*node)))
                .collect();
            if !near.is_empty() {
                return near;
            }
        }
        nodes
    }
}
