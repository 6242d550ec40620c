//! Resolution of uses: aliases, unqualified names, imports and names in documentation.

use std::collections::HashSet;

use foveal_syntax::{EntityKind, FileClass};

use super::NodeId;
use super::language_family::{ImplicitScope, LanguageFamily};
use super::module_index::ModuleFiles;
use super::name_resolver::{CANDIDATES_MAX, DEFINITIONS_EXAMINED_MAX, NameResolver, Resolution};
use super::paths::parent_folder;
use super::resolved_imports::DEFAULT_EXPORT;
use super::symbols::{SymbolUse, UseRole};

/// Variants that are in scope in every Rust file.
const RUST_VARIANTS: &[&str] = &["Err", "None", "Ok", "Some"];

impl NameResolver<'_> {
    /// Resolves a use. `near` has the ids of the names used in the same entity.
    pub(super) fn resolve_use(&self, of: &SymbolUse, near: &HashSet<u32>) -> Resolution {
        if of.qualifier.is_none() && of.role != UseRole::Documented {
            let local = self.file.name_at(of.name);
            if let Some((original, scopes)) = self.original_name(local) {
                let meant = self.resolve_alias(of, original, scopes);
                if !meant.nodes.is_empty() {
                    return meant;
                }
                // An optional import may fail; the file's own definition of that name is the
                // fallback.
                let Some(name) = self.table.name_id(local) else { return meant };
                let here = self.resolve_local(of, name).unwrap_or_default();
                return self.narrow_resolution(of, name, here);
            }
        }
        let Some(name) = self.table.name_id(self.file.name_at(of.name)) else {
            return Resolution::default();
        };
        if of.role == UseRole::Documented {
            return self.resolve_documented(of, name);
        }
        let meant = match of.qualifier.map(|at| self.file.name_at(at)) {
            None => self.resolve_unqualified(of, name),
            Some(words) if self.is_external(words) => Resolution::default(),
            Some(words) => self.resolve_qualified(of, name, last_segment(words), near),
        };
        self.narrow_resolution(of, name, meant)
    }

    /// Resolves a name that the modules `scopes` define as `original`.
    fn resolve_alias(&self, of: &SymbolUse, original: &str, scopes: &[usize]) -> Resolution {
        let named = |name: &str| {
            let id = self.table.name_id(name);
            id.map(|id| self.resolve_imported(of, id, scopes, 1.0)).unwrap_or_default()
        };
        let mut meant = named(original);
        if meant.nodes.is_empty() && original == DEFAULT_EXPORT {
            // The importing name is mostly the exported name.
            meant = named(self.file.name_at(of.name));
        }
        if meant.nodes.is_empty() && original == DEFAULT_EXPORT {
            meant = named("exports");
        }
        if meant.nodes.len() > CANDIDATES_MAX {
            meant.nodes.clear();
        }
        meant
    }

    /// Returns whether the first of several segments is an external module, as `os` in `os.path`.
    fn is_external(&self, words: &str) -> bool {
        let first = words.split(['.', ':', '-']).next().unwrap_or_default();
        if first.is_empty() || first.len() == words.len() {
            return false;
        }
        let taken =
            [self.imports.by_module_name.get(first), self.imports.by_imported_name.get(first)];
        let mut scopes = taken.into_iter().flatten().flatten().peekable();
        scopes.peek().is_some() && scopes.all(|at| self.imports.modules[*at].is_empty())
            || self.family == LanguageFamily::Rust && matches!(first, "std" | "core" | "alloc")
    }

    /// Narrows a resolution: in C to definitions rather than declarations, in Python to the last
    /// definition; to nothing if too many nodes remain.
    fn narrow_resolution(&self, of: &SymbolUse, name: u32, mut meant: Resolution) -> Resolution {
        if self.family == LanguageFamily::C && of.role == UseRole::Call && !meant.nodes.is_empty() {
            let is_function = |node: NodeId, has_body: bool| {
                self.table.definition(node).is_some_and(|definition| {
                    definition.kind == EntityKind::Function && definition.has_body == has_body
                })
            };
            if meant.nodes.iter().all(|node| is_function(*node, false)) {
                let source = |node| self.table.files[self.table.file_position(node)].class;
                let here = source(meant.nodes[0]);
                let defined = self
                    .candidates(of, name, |node| is_function(node, true) && source(node) == here);
                if !defined.is_empty() {
                    meant.nodes = self.keep_nearest(defined);
                }
            } else if meant.nodes.iter().any(|node| is_function(*node, true)) {
                meant.nodes.retain(|node| !is_function(*node, false));
            }
        }
        if self.family == LanguageFamily::Python {
            self.keep_last_definitions(&mut meant.nodes);
        }
        if meant.nodes.len() > CANDIDATES_MAX {
            meant.nodes.clear();
        }
        meant
    }

    /// Keeps the last of several definitions of one name in a file: earlier ones are overloads, or
    /// are replaced by it.
    fn keep_last_definitions(&self, nodes: &mut Vec<NodeId>) {
        let of = |node: &NodeId| {
            let definition = self.table.definition(*node)?;
            Some((self.table.file_position(*node), &definition.qualified_name, definition.kind))
        };
        let all = nodes.clone();
        nodes.retain(|node| !all.iter().any(|other| other > node && of(other) == of(node)));
    }

    /// Returns the nodes that an import takes from the module `scope` by `name`.
    pub(super) fn imported_nodes(&self, name: &str, scope: &ModuleFiles) -> Vec<NodeId> {
        let handed = self.reexports.find_reexport(self.family, scope, name);
        let (scope, name) = handed.unwrap_or((scope, name));
        let Some(name) = self.table.name_id(name) else { return Vec::new() };
        let free = |node: &NodeId| self.is_importable(*node);
        let named = self
            .table
            .nodes_named(name)
            .iter()
            .copied()
            .take(DEFINITIONS_EXAMINED_MAX)
            .filter(free);
        let named: Vec<NodeId> = named.collect();
        for holds in [ModuleFiles::is_entry_file, ModuleFiles::contains_file] {
            let found =
                named.iter().copied().filter(|node| holds(scope, self.table.file_position(*node)));
            let mut found: Vec<NodeId> = found.take(CANDIDATES_MAX).collect();
            if self.family == LanguageFamily::Python {
                self.keep_last_definitions(&mut found);
            }
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Resolves an unqualified name as a member of the enclosing type or a definition of the file.
    fn resolve_local(&self, of: &SymbolUse, name: u32) -> Option<Resolution> {
        if self.family.has_implicit_self()
            && let Some(own) = self.enclosing_type(of)
        {
            let nodes = self.find_members(of, own, name);
            if !nodes.is_empty() {
                return Some(Resolution { nodes, evidence: 1.0 });
            }
        }
        let nodes = self.candidates(of, name, |node| {
            self.table.file_position(node) == self.at
                && self.table.owner_type(node).is_none()
                && self.is_in_scope(of, node)
        });
        (!nodes.is_empty()).then_some(Resolution { nodes, evidence: 1.0 })
    }

    /// Resolves an unqualified name.
    fn resolve_unqualified(&self, of: &SymbolUse, name: u32) -> Resolution {
        let table = self.table;
        let is_member = |node: NodeId| table.owner_type(node).is_some();
        if let Some(meant) = self.resolve_local(of, name) {
            return meant;
        }
        let text = self.file.name_at(of.name);
        if let Some(scopes) = self.imports.by_imported_name.get(text) {
            return self.resolve_imported(of, name, scopes, 1.0);
        }
        if self.family == LanguageFamily::Rust && RUST_VARIANTS.contains(&text) {
            return Resolution::default();
        }
        if self.family != LanguageFamily::Script {
            let found = self.resolve_imported(of, name, &self.imports.glob_imports, 0.9);
            if !found.nodes.is_empty() {
                return found;
            }
        }
        let here = parent_folder(&self.file.path);
        let in_folder = |node| parent_folder(&table.files[table.file_position(node)].path) == here;
        let evidence = match self.family.implicit_scope() {
            ImplicitScope::Folder => 0.9,
            ImplicitScope::Repository => 0.8,
            ImplicitScope::File => 0.2,
        };
        let nodes = self.candidates(of, name, |node| !is_member(node) && in_folder(node));
        if !nodes.is_empty() && (evidence > 0.5 || of.role != UseRole::Name) {
            return Resolution { nodes, evidence };
        }
        let evidence = match self.family.implicit_scope() {
            ImplicitScope::Repository => 0.8,
            ImplicitScope::Folder | ImplicitScope::File if of.role != UseRole::Name => 0.1,
            ImplicitScope::Folder | ImplicitScope::File => return Resolution::default(),
        };
        let source = |node| table.files[table.file_position(node)].class == FileClass::Source;
        let nodes = self.candidates(of, name, |node| !is_member(node) && source(node));
        if !nodes.is_empty() {
            return Resolution { nodes, evidence };
        }
        Resolution { nodes: self.candidates(of, name, |node| !is_member(node)), evidence }
    }

    /// Resolves a name in documentation: definitions in the same file first, then all others.
    fn resolve_documented(&self, of: &SymbolUse, name: u32) -> Resolution {
        let table = self.table;
        if is_change_log(&self.file.path) {
            return Resolution::default();
        }
        let fits_family = |node: NodeId| {
            self.family == LanguageFamily::Data
                || table.families[table.file_position(node)] == self.family
        };
        let qualifier = of.qualifier.map(|at| last_segment(self.file.name_at(at)));
        let qualifier = qualifier.filter(|word| !word.is_empty());
        let qualifier = qualifier.filter(|word| !matches!(*word, "self" | "Self" | "this"));
        let owner = qualifier.and_then(|word| table.name_id(word));
        let nodes: Vec<NodeId> = match (qualifier, owner) {
            (Some(_), Some(owner)) if !table.members(owner, name).is_empty() => {
                let members = table.members(owner, name).iter().copied();
                members.filter(|node| fits_family(*node)).collect()
            }
            _ => {
                let named = table.nodes_named(name).iter().copied().take(DEFINITIONS_EXAMINED_MAX);
                named.filter(|node| fits_family(*node) && self.is_nameable_alone(*node)).collect()
            }
        };
        let nodes = self.keep_nearest(nodes);
        if nodes.len() > CANDIDATES_MAX {
            return Resolution::default();
        }
        let evidence =
            if nodes.iter().any(|node| table.file_position(*node) == self.at) { 1.0 } else { 0.8 };
        Resolution { nodes, evidence }
    }

    /// Returns whether prose may name a node without a qualifier: members need one outside of their
    /// file.
    fn is_nameable_alone(&self, node: NodeId) -> bool {
        let is_member = self.table.owner_type(node).is_some();
        !is_member || self.table.file_position(node) == self.at
    }
}

/// Returns the last segment of a qualifier.
fn last_segment(words: &str) -> &str {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    &words[words.trim_end_matches(is_letter).len()..]
}

/// Returns whether a file is a change log, whose names are mostly out of date.
fn is_change_log(path: &str) -> bool {
    let name = super::paths::file_stem(path).to_ascii_lowercase().replace(['-', '_'], "");
    let starts = ["changelog", "changes", "history", "news", "releasenotes", "releases"];
    let is_folder = |folder: &str| matches!(folder, "changelog" | "changelogs" | "changelog.d");
    starts.iter().any(|start| name == *start || name.starts_with("changelog"))
        || parent_folder(path).split('/').any(is_folder)
}
